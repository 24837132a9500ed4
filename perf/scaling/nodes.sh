# shellcheck shell=bash disable=SC2154
# Nodes with networks of their own on this machine; to be sourced with `out` and `most` (nodes) set.
# OIDA_SLURM_CLUSTER names the program that brings up a Slurm of such nodes (slurm/README.md); it
# also needs the verb "exec NODE COMMAND". As root, on a machine at rest.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
house=$(cd "$here/../.." && pwd)
oida=${OIDA_PROGRAM:-$house/build/release/oida}
cluster=${OIDA_SLURM_CLUSTER:?names the program that brings up a Slurm}
mkdir -p "$out"
out=$(cd "$out" && pwd)

"$cluster" down >"$out/cluster.log" 2>&1 || true
trap '"$cluster" down >>"$out/cluster.log" 2>&1' EXIT
"$cluster" up "$most" >>"$out/cluster.log" 2>&1
eval "$("$cluster" env)"

# links MBIT|full BURST: how fast each node may send.
links() {
  local n
  for ((n = 1; n <= most; n++)); do
    "$cluster" exec "node$n" tc qdisc del dev eth0 root 2>/dev/null || true
    [[ $1 == full ]] || "$cluster" exec "node$n" \
      tc qdisc add dev eth0 root tbf rate "$1mbit" burst "$2" latency 50ms
  done
}

# train NAME NODES DECK ARGUMENT...: one unit of one thread a node, all equally fast. A library that
# yields the processor in every idle poll, which a cluster may preload, would be measured instead.
train() {
  local name=$1 nodes=$2 deck=$3 even
  shift 3
  rm -rf "${out:?}/$name"
  python3 "$here/even_cores.py" "--run.dir=$out/$name" "$nodes" &
  even=$!
  srun --mpi="${SLURM_MPI_TYPE:-pmi2}" --nodes="$nodes" --ntasks-per-node=1 --kill-on-bad-exit=1 \
    env -u LD_PRELOAD "$oida" train "$deck" "--run.dir=$out/$name" --device.threads=1 "$@" \
    >"$out/$name.log" 2>&1 || { kill "$even" && tail -n 3 "$out/$name.log" >&2 && return 1; }
  wait "$even"
}
