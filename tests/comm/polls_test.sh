#!/usr/bin/env bash
# Over TCP an exchange needs fewer polls than with messages that are asked for first, which whoever
# wants them still gets.
#   polls_test.sh MPIEXEC NUMPROC_FLAG PROGRAM
set -euo pipefail
mpiexec=$1 flag=$2 program=$3
export UCX_TLS=tcp
if [[ -e /sys/class/infiniband ]] || ! ldd "$program" | grep -q libucp; then
  echo "not run: this machine has RDMA devices or an MPI without UCX"
  exit 0
fi

polls=$("$mpiexec" "$flag" 2 "$program")
asked=$(UCX_RNDV_THRESH=8192 "$mpiexec" "$flag" 2 "$program")
echo "$polls polls, $asked where messages are asked for"
((2 * polls < asked))
