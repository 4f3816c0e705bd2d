#!/bin/sh
# Rank 0 first. Add -iface IF where nodes have several networks.
here=$(dirname "$0")
exec mpiexec -f "$here/mpich.hosts" "$@" \
  -n 1 -env CUDA_DEVICE_ORDER PCI_BUS_ID -env CUDA_VISIBLE_DEVICES 0,1,2,3 -env STREAMMAP_CHECK_NODES 1 -env STREAMMAP_NODES 'n[2,4,1,3]' -env STREAMMAP_PLACEMENT even.placement.json ./even 8 'a b' : \
  -n 1 -env CUDA_DEVICE_ORDER PCI_BUS_ID -env CUDA_VISIBLE_DEVICES 0,1,2,3 -env STREAMMAP_CHECK_NODES 1 -env STREAMMAP_NODES 'n[2,4,1,3]' -env STREAMMAP_PLACEMENT even.placement.json ./even 8 'a b' : \
  -n 1 -env CUDA_DEVICE_ORDER PCI_BUS_ID -env CUDA_VISIBLE_DEVICES 0,1,2,3 -env STREAMMAP_CHECK_NODES 1 -env STREAMMAP_NODES 'n[2,4,1,3]' -env STREAMMAP_PLACEMENT even.placement.json ./even 8 'a b' : \
  -n 1 -env CUDA_DEVICE_ORDER PCI_BUS_ID -env CUDA_VISIBLE_DEVICES 0,1,2,3 -env STREAMMAP_CHECK_NODES 1 -env STREAMMAP_NODES 'n[2,4,1,3]' -env STREAMMAP_PLACEMENT even.placement.json ./even 8 'a b'
