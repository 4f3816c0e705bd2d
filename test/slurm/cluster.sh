# A Slurm cluster of 16 nodes on this machine, for tests. Sourced:
#
#   . cluster.sh
#   slurmCanStart || exit 77          prints why not
#   startSlurm DIR                    two kinds of nodes, four leaves and a spine; returns once all nodes are idle
#   stopSlurm                         ends what startSlurm started, by process id, and only that
#
# n[001-008] have eight GPUs of type a100, n[009-016] four of type v100: character devices that mimic /dev/null, since
# Slurm wants a file behind each GPU. Every node is a slurmd with its own host name (Open MPI names its shared memory by
# it), its own /dev/shm and a hosts file that maps all names to this machine. Nothing listens on the network: all names
# are 127.0.0.1, told apart by port.

slurmNodes=16
slurmPids=()

slurmCanStart() {
  local program
  for program in slurmctld slurmd srun sbatch scontrol unshare mknod; do
    command -v $program >/dev/null ||
      { echo "skipped: no $program here (apt-get install slurmctld slurmd slurm-client slurm-wlm-basic-plugins)"; return 1; }
  done
  [ "$(id -u)" = 0 ] || { echo 'skipped: Slurm nodes need root'; return 1; }
  unshare -um true 2>/dev/null || { echo 'skipped: this machine gives no namespaces'; return 1; }
}

# writeSlurmConfiguration DIR PORT
writeSlurmConfiguration() {
  local dir=$1 port=$2
  # TmpFS apart for each node: PMIx makes a folder of one name in it. config_overrides: nodes may claim more cores than
  # this machine has. KillOnBadExit is left at its default of 0: what we start must ask for it.
  cat >"$dir/etc/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=$port
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool/%n
TmpFS=$dir/tmp/%n
SlurmctldPidFile=$dir/run/slurmctld.pid
SlurmdPidFile=$dir/run/slurmd-%n.pid
SlurmctldLogFile=$dir/log/slurmctld.log
SlurmdLogFile=$dir/log/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
ReturnToService=2
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
GresTypes=gpu
TopologyPlugin=topology/tree
SlurmdTimeout=6
KillWait=2
SchedulerParameters=bf_interval=1,sched_interval=1,sched_min_interval=0
JobAcctGatherType=jobacct_gather/none
NodeName=n[001-008] NodeHostName=n[001-008] NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + 8))] Sockets=2 CoresPerSocket=32 ThreadsPerCore=1 RealMemory=1024000 Gres=gpu:a100:8
NodeName=n[009-016] NodeHostName=n[009-016] NodeAddr=127.0.0.1 Port=[$((port + 9))-$((port + 16))] Sockets=2 CoresPerSocket=16 ThreadsPerCore=1 RealMemory=512000 Gres=gpu:v100:4
PartitionName=gpu Nodes=n[001-016] Default=YES MaxTime=INFINITE State=UP
CONF
  cat >"$dir/etc/topology.conf" <<CONF
SwitchName=leaf1 Nodes=n[001-004]
SwitchName=leaf2 Nodes=n[005-008]
SwitchName=leaf3 Nodes=n[009-012]
SwitchName=leaf4 Nodes=n[013-016]
SwitchName=spine Switches=leaf[1-4]
CONF
  cat >"$dir/etc/gres.conf" <<CONF
NodeName=n[001-008] Name=gpu Type=a100 File=$dir/dev/gpu[0-3] Cores=0-31
NodeName=n[001-008] Name=gpu Type=a100 File=$dir/dev/gpu[4-7] Cores=32-63
NodeName=n[009-016] Name=gpu Type=v100 File=$dir/dev/gpu[0-3]
CONF
}

startSlurm() {
  local dir=$1 port i node
  port=$((20000 + $$ % 250 * 50)) # another test's cluster may run beside this one
  mkdir -p "$dir"/{etc,state,log,run,dev}
  for i in 0 1 2 3 4 5 6 7; do
    [ -e "$dir/dev/gpu$i" ] || mknod "$dir/dev/gpu$i" c 1 3
  done
  writeSlurmConfiguration "$dir" $port
  cp /etc/hosts "$dir/etc/hosts"
  for i in $(seq -f %03g $slurmNodes); do
    echo "127.0.0.1 n$i" >>"$dir/etc/hosts"
  done
  export SLURM_CONF=$dir/etc/slurm.conf
  # MPI between the nodes goes over the loopback interface.
  export OMPI_MCA_btl_tcp_if_include=lo OMPI_MCA_oob_tcp_if_include=lo UCX_NET_DEVICES=lo UCX_TLS=tcp,self,sm
  setsid slurmctld -D -c -i </dev/null >"$dir/log/slurmctld.out" 2>&1 &
  slurmPids+=($!)
  for i in $(seq -f %03g $slurmNodes); do
    node=n$i
    mkdir -p "$dir/spool/$node" "$dir/tmp/$node"
    setsid unshare -um sh -c "hostname $node && mount --bind $dir/etc/hosts /etc/hosts &&
      mount -t tmpfs none /dev/shm && exec slurmd -D -N $node" </dev/null >"$dir/log/$node.out" 2>&1 &
    slurmPids+=($!)
  done
  for i in $(seq 300); do
    [ "$(sinfo -h -t idle -o %D 2>/dev/null)" = $slurmNodes ] && return 0
    sleep 0.1
  done
  echo "Slurm did not start; see $dir/log" >&2
  sinfo -h -o '%t %D' >&2
  return 1
}

stopSlurm() {
  local pid
  [ ${#slurmPids[@]} != 0 ] || return 0
  scancel --state=RUNNING --user=root 2>/dev/null
  kill "${slurmPids[@]}" 2>/dev/null
  for pid in "${slurmPids[@]}"; do
    wait "$pid" 2>/dev/null
  done
  slurmPids=()
}
