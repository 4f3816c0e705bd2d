#!/bin/sh
# Rank 0 first. Add -iface IF where nodes have several networks.
here=$(dirname "$0")
exec mpiexec -f "$here/mpich.hosts" "$@" \
  -n 1 -env CUDA_DEVICE_ORDER PCI_BUS_ID -env CUDA_VISIBLE_DEVICES 0,1,2,3 ./mine : \
  -n 1 -env CUDA_DEVICE_ORDER PCI_BUS_ID -env CUDA_VISIBLE_DEVICES 1,2,3,0 ./mine : \
  -n 1 -env CUDA_DEVICE_ORDER PCI_BUS_ID -env CUDA_VISIBLE_DEVICES 0,1 ./mine : \
  -n 1 -env CUDA_DEVICE_ORDER PCI_BUS_ID -env CUDA_VISIBLE_DEVICES 1,0 ./mine : \
  -n 1 -env CUDA_DEVICE_ORDER PCI_BUS_ID -env CUDA_VISIBLE_DEVICES 0,1,2,3 ./mine : \
  -n 1 -env CUDA_DEVICE_ORDER PCI_BUS_ID -env CUDA_VISIBLE_DEVICES 1,2,3,0 ./mine
