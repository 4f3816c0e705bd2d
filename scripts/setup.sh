# Sourced by quickstart and test: installs what is missing (apt and pip, by name) and finds the CUDA Toolkit.
# Idempotent: on a machine that has everything it only looks.
#
#   . scripts/setup.sh            defines: step, setUpPackages NAME..., setUpCuda, buildPackages, testPackages

set -euo pipefail

readonly root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly buildPackages=(
  g++ cmake ninja-build ccache mold zlib1g-dev libzstd-dev libxml2-dev
  llvm-22-dev libclang-22-dev clang-22
  nlohmann-json3-dev libcli11-dev libopenmpi-dev openmpi-bin node-d3 python3 python3-venv
)
readonly testPackages=(catch2 python3-jsonschema python3-yaml chromium clang-format-22 git
                       slurmctld slurmd slurm-client slurm-wlm-basic-plugins)

# Open MPI refuses to start as root, as in a container, unless told twice.
if [ "$(id -u)" = 0 ]; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi

stepStart=
stepName=

# step "name": prints how long the step before took, then the new one's name. `step` alone closes the last.
step() {
  local now
  now=$(date +%s.%N)
  if [ -n "$stepName" ]; then
    printf '    %s: %.1f s\n' "$stepName" "$(awk -v a="$stepStart" -v b="$now" 'BEGIN { print b - a }')"
  fi
  stepStart=$now
  stepName=${1:-}
  if [ -n "$stepName" ]; then
    printf '==> %s\n' "$stepName"
  fi
}

# showProgress: every twentieth step of a ninja build on standard input, as it comes.
showProgress() {
  awk '/^\[/ && NR % 20 == 0 { print "    " $1; fflush() }'
}

stop() {
  printf 'error: %s\n' "$*" >&2
  exit 4
}

asRoot() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    stop "needs root to install packages, and there is no sudo. Ask an administrator for: apt-get install ${missing[*]}"
  fi
}

# setUpPackages NAME...: installs those Debian or Ubuntu packages that are not there yet.
setUpPackages() {
  missing=()
  local name
  for name in "$@"; do
    if [ "$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null)" != installed ]; then
      missing+=("$name")
    fi
  done
  if [ ${#missing[@]} = 0 ]; then
    echo "    all packages are there"
    return
  fi
  echo "    apt-get install ${missing[*]}"
  command -v apt-get >/dev/null || stop "no apt-get here: install by hand: ${missing[*]}"
  asRoot apt-get update -qq || stop "apt-get update failed: check the network and /etc/apt/sources.list"
  local unknown=()
  for name in "${missing[@]}"; do
    if [ "$(apt-cache policy "$name" | awk '/Candidate:/ { print $2 }')" = "(none)" ] ||
       [ -z "$(apt-cache policy "$name")" ]; then
      unknown+=("$name")
    fi
  done
  if [ ${#unknown[@]} != 0 ]; then
    stop "these packages are not in the configured archives: ${unknown[*]}.
  Debian 12 has LLVM 22 in bookworm-updates; elsewhere add an archive that carries llvm-22-dev, libclang-22-dev and clang-22"
  fi
  asRoot env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" \
    >"$logs/apt.log" 2>&1 || { tail -5 "$logs/apt.log" >&2; stop "apt-get install failed; all of it is in $logs/apt.log"; }
}

# Finds nvcc on PATH, in CUDA_HOME or in /usr/local/cuda; where there is none, gets NVIDIA's compiler and runtime
# wheels with pip into a private folder. Nothing needs a driver or a GPU.
setUpCuda() {
  local candidate
  for candidate in "$(command -v nvcc || true)" "${CUDA_HOME:-/nonexistent}/bin/nvcc" /usr/local/cuda/bin/nvcc; do
    if [ -x "$candidate" ]; then
      CUDAToolkit_ROOT=$(dirname "$(dirname "$(readlink -f "$candidate")")")
      export CUDAToolkit_ROOT PATH="$CUDAToolkit_ROOT/bin:$PATH"
      echo "    CUDA Toolkit $("$candidate" --version | sed -n 's/.*release \([0-9.]*\).*/\1/p') in $CUDAToolkit_ROOT"
      return
    fi
  done
  local folder=${XDG_CACHE_HOME:-$HOME/.cache}/streammap/cuda
  if ! ls -d "$folder"/lib/python3*/site-packages/nvidia/cu13/bin/nvcc >/dev/null 2>&1; then
    echo "    no CUDA Toolkit here: pip install of NVIDIA's wheels into $folder (370 MB)"
    { python3 -m venv "$folder" && "$folder/bin/pip" install --quiet --disable-pip-version-check \
      'nvidia-cuda-nvcc~=13.0' 'nvidia-cuda-runtime~=13.0' 'nvidia-cuda-crt~=13.0' 'nvidia-nvvm~=13.0' 'nvidia-cuda-cccl~=13.0'
    } >"$logs/cuda.log" 2>&1 || stop "no CUDA Toolkit, and pip could not get it (see $logs/cuda.log).
  Install one of: the CUDA Toolkit 13 from NVIDIA (then put nvcc on PATH), or
  pip install nvidia-cuda-nvcc nvidia-cuda-runtime nvidia-cuda-crt nvidia-nvvm nvidia-cuda-cccl"
  fi
  CUDAToolkit_ROOT=$(echo "$folder"/lib/python3*/site-packages/nvidia/cu13)
  export CUDAToolkit_ROOT PATH="$CUDAToolkit_ROOT/bin:$PATH"
  echo "    CUDA Toolkit from pip in $CUDAToolkit_ROOT"
}
