#!/bin/sh
# Rank 0 first. Unbound: a rank's threads and devices want all cores of their node. Add
# --mca btl_tcp_if_include IF --mca oob_tcp_if_include IF where nodes have several networks.
exec mpirun --bind-to none "$@" \
  -n 1 --host n2 -x CUDA_DEVICE_ORDER=PCI_BUS_ID -x CUDA_VISIBLE_DEVICES=0,1,2,3 -x STREAMMAP_CHECK_NODES=1 -x 'STREAMMAP_NODES=n[2,4,1,3]' -x STREAMMAP_PLACEMENT=even.placement.json ./even 8 'a b' : \
  -n 1 --host n4 -x CUDA_DEVICE_ORDER=PCI_BUS_ID -x CUDA_VISIBLE_DEVICES=0,1,2,3 -x STREAMMAP_CHECK_NODES=1 -x 'STREAMMAP_NODES=n[2,4,1,3]' -x STREAMMAP_PLACEMENT=even.placement.json ./even 8 'a b' : \
  -n 1 --host n1 -x CUDA_DEVICE_ORDER=PCI_BUS_ID -x CUDA_VISIBLE_DEVICES=0,1,2,3 -x STREAMMAP_CHECK_NODES=1 -x 'STREAMMAP_NODES=n[2,4,1,3]' -x STREAMMAP_PLACEMENT=even.placement.json ./even 8 'a b' : \
  -n 1 --host n3 -x CUDA_DEVICE_ORDER=PCI_BUS_ID -x CUDA_VISIBLE_DEVICES=0,1,2,3 -x STREAMMAP_CHECK_NODES=1 -x 'STREAMMAP_NODES=n[2,4,1,3]' -x STREAMMAP_PLACEMENT=even.placement.json ./even 8 'a b'
