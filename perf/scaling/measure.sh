#!/usr/bin/env bash
# Real runs for the model: what a step and a message cost, and runs over slow links to check it by.
#   OIDA_SLURM_CLUSTER=PROGRAM perf/scaling/measure.sh OUT        as root, on a machine at rest
# PROGRAM brings up a Slurm of nodes with networks of their own on this machine: see slurm/README.md;
# it also needs the verb "exec NODE COMMAND". Then
#   oida_scaling_model OUT --out DIR
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
house=$(cd "$here/../.." && pwd)
oida=${OIDA_PROGRAM:-$house/build/release/oida}
cluster=${OIDA_SLURM_CLUSTER:?names the program that brings up a Slurm}
out=${1:?usage: measure.sh OUT}
mkdir -p "$out"
out=$(cd "$out" && pwd)

batch=32 most=4
large=--model.name=oceantda9
"$cluster" down >"$out/cluster.log" 2>&1 || true
trap '"$cluster" down >>"$out/cluster.log" 2>&1' EXIT
"$cluster" up "$most" >>"$out/cluster.log" 2>&1
eval "$("$cluster" env)"
[[ -e $house/inputs/scenes/demo/T3 ]] || "$oida" synth "$house/inputs/demo.ini"
samples=$("$oida" train "$here/scaling.ini" "$large" --check | sed -n 's/^split .* \([0-9]*\) training.*/\1/p')

# links MBIT|full: how fast each node may send.
links() {
  local n
  for ((n = 1; n <= most; n++)); do
    "$cluster" exec "node$n" tc qdisc del dev eth0 root 2>/dev/null || true
    [[ $1 == full ]] || "$cluster" exec "node$n" \
      tc qdisc add dev eth0 root tbf rate "$1mbit" burst 32kb latency 50ms
  done
}

# train NAME NODES STEPS ARGUMENT...: one unit a node.
train() {
  local name=$1 nodes=$2 steps=$3 epochs
  shift 3
  rm -rf "${out:?}/$name"
  epochs=$(awk -v s="$steps" -v b="$batch" -v n="$nodes" -v all="$samples" \
    'BEGIN { print s * b * n / all }')
  srun --mpi="${SLURM_MPI_TYPE:-pmi2}" --nodes="$nodes" --ntasks-per-node=1 --kill-on-bad-exit=1 \
    "$oida" train "$here/scaling.ini" "--run.dir=$out/$name" --device.threads=1 \
    "--train.global_batch=$((batch * nodes))" "--train.epochs=$epochs" "$@" >"$out/$name.log" 2>&1 ||
    { tail -n 3 "$out/$name.log" >&2 && return 1; }
}

# check MBIT NODES STEPS NAME ARGUMENT...
check() {
  local mbit=$1 nodes=$2 steps=$3 run=check-$2-$1-$4
  shift 4
  train "$run" "$nodes" "$steps" "$large" "$@"
  echo "$mbit" >"$out/$run/rate_mbit"
}

links full
train alone 1 400 "$large"
train pair 2 400 "$large" --oida.interleave=8
train small 2 4000 --oida.interleave=8 "--model.layers=dense 4 relu" --data.patch_px=3

for mbit in 100 1000; do
  links "$mbit"
  interleaves=(8 64) steps=40
  [[ $mbit == 100 ]] || interleaves=(2 8) steps=200
  for nodes in 2 4; do
    check "$mbit" "$nodes" "$steps" allreduce --oida.exchange=allreduce
    for interleave in "${interleaves[@]}"; do
      check "$mbit" "$nodes" $((interleave * 20)) "oida-$interleave" "--oida.interleave=$interleave"
    done
  done
done
