#!/usr/bin/env bash
# The demo: installs what is missing, builds, makes a synthetic scene, trains on it on two ranks.
set -euo pipefail
cd "$(dirname "$0")/.."

bash app/setup.sh
bash app/build.sh release oida
oida=build/release/oida
"$oida" synth inputs/demo.ini
mpiexec -n 2 "$oida" train inputs/demo.ini

run=inputs/runs/demo
echo
sed -n '1,40p' "$run/report.md"
echo
echo "Report and pictures: $PWD/$run (report.md, quicklook.png, class_map.png)"
