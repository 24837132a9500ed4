#!/usr/bin/env bash
# What the loop and the synchronous comparator make of a slow network: four nodes, one unit of one
# thread each, the million-parameter network on Flevoland, links of 100 Mbit/s and unshaped.
#   OIDA_DATA_DIR=... OIDA_SLURM_CLUSTER=PROGRAM perf/scaling/slow_network.sh OUT
#       as root, 13 minutes on two cores at rest; PROGRAM: see nodes.sh
set -euo pipefail
out=${1:?usage: slow_network.sh OUT} most=4
source "$(dirname "$0")/nodes.sh"

# compare NAME EPOCHS ARGUMENT...
compare() {
  local name=$1 epochs=$2
  shift 2
  train "$name" "$most" "$house/inputs/flevoland.ini" --train.global_batch=512 --run.class_map=off \
    --train.learning_rate=0.02 "--train.epochs=$epochs" "$@"
}

links 100 256kb
compare oida-100mbit 24
compare allreduce-100mbit 2 --oida.exchange=allreduce
links full
compare oida-full 12
compare allreduce-full 12 --oida.exchange=allreduce
python3 - "$out"/{oida,allreduce}-{100mbit,full} <<'END'
import json, pathlib, sys
print("| run | train s | samples/s | idle | hidden | wire | interleave | bytes an exchange | OA |")
print("|---|---|---|---|---|---|---|---|---|")
for run in map(pathlib.Path, sys.argv[1:]):
    t = json.loads((run / "timing.json").read_text())
    oa = json.loads((run / "test.json").read_text())["oa"]
    print(f"| {run.name} | {t['train_s']:.0f} | {t['samples_per_s']:,.0f} | {t['idle_share']:.4f} "
          f"| {t['hidden_share']:.3f} | {t['wire']} | {t['interleave']} | {t['bytes_per_exchange']:,} | {oa:.4f} |")
END
