#!/usr/bin/env bash
# Real runs for the model: what a step and a message cost, and runs over slow links to check it by.
#   OIDA_SLURM_CLUSTER=PROGRAM perf/scaling/measure.sh OUT        as root, on a machine at rest
# PROGRAM: see nodes.sh. Then
#   oida_scaling_model OUT --out DIR
set -euo pipefail
out=${1:?usage: measure.sh OUT} most=4
source "$(dirname "$0")/nodes.sh"

batch=128
large=--model.name=oceantda9
[[ -e $house/inputs/scenes/demo/T3 ]] || "$oida" synth "$house/inputs/demo.ini"
samples=$("$oida" train "$here/scaling.ini" "$large" --check | sed -n 's/^split .* \([0-9]*\) training.*/\1/p')

# steps NAME NODES STEPS ARGUMENT...
steps() {
  local name=$1 nodes=$2 steps=$3 epochs
  shift 3
  epochs=$(awk -v s="$steps" -v b="$batch" -v n="$nodes" -v all="$samples" \
    'BEGIN { print s * b * n / all }')
  train "$name" "$nodes" "$here/scaling.ini" "--train.global_batch=$((batch * nodes))" \
    "--train.epochs=$epochs" "$@"
}

# check MBIT NODES STEPS NAME ARGUMENT...
check() {
  local mbit=$1 nodes=$2 count=$3 run=check-$2-$1-$4
  shift 4
  steps "$run" "$nodes" "$count" "$large" "$@"
  echo "$mbit" >"$out/$run/rate_mbit"
}

links full
steps pair 2 200 "$large" --oida.interleave=8
steps alone 1 200 "$large"
steps small 2 4000 --oida.interleave=8 "--model.layers=dense 4 relu" --data.patch_px=3

for mbit in 100 250; do
  links "$mbit" 32kb
  interleaves=(2 8 16) count=20
  [[ $mbit == 100 ]] || interleaves=(1 2 4) count=60
  for nodes in 2 4; do
    check "$mbit" "$nodes" "$count" allreduce --oida.exchange=allreduce
    for interleave in "${interleaves[@]}"; do
      check "$mbit" "$nodes" $((interleave * 20 > count ? interleave * 20 : count)) \
        "oida-$interleave" "--oida.interleave=$interleave"
    done
  done
done
