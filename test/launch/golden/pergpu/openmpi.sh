#!/bin/sh
# Rank 0 first. Unbound: a rank's threads and devices want all cores of their node. Add
# --mca btl_tcp_if_include IF --mca oob_tcp_if_include IF where nodes have several networks.
exec mpirun --bind-to none "$@" \
  -n 1 --host n2 -x CUDA_DEVICE_ORDER=PCI_BUS_ID -x CUDA_VISIBLE_DEVICES=0,1,2,3 ./mine : \
  -n 1 --host n2 -x CUDA_DEVICE_ORDER=PCI_BUS_ID -x CUDA_VISIBLE_DEVICES=1,2,3,0 ./mine : \
  -n 1 --host m1 -x CUDA_DEVICE_ORDER=PCI_BUS_ID -x CUDA_VISIBLE_DEVICES=0,1 ./mine : \
  -n 1 --host m1 -x CUDA_DEVICE_ORDER=PCI_BUS_ID -x CUDA_VISIBLE_DEVICES=1,0 ./mine : \
  -n 1 --host n1 -x CUDA_DEVICE_ORDER=PCI_BUS_ID -x CUDA_VISIBLE_DEVICES=0,1,2,3 ./mine : \
  -n 1 --host n1 -x CUDA_DEVICE_ORDER=PCI_BUS_ID -x CUDA_VISIBLE_DEVICES=1,2,3,0 ./mine
