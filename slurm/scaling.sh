#!/bin/bash
# Submits a scaling study: a job a point and repeat, one after the other, then the report.
#   bash slurm/scaling.sh STUDY.ini [--small] [--out DIR] [--no-wait]
# Leaves scaling.csv, scaling.md, scaling.html and figures in DIR (default runs/STUDY). Started again
# it submits only what is not done yet. The study's keys are told in slurm/README.md.
set -euo pipefail

usage() {
  echo "usage: bash slurm/scaling.sh STUDY.ini [--small] [--out DIR] [--no-wait]" >&2
  exit 2
}

fail() {
  echo "scaling.sh: $*" >&2
  exit 2
}

study='' form=full out='' wait=yes
while [[ $# -gt 0 ]]; do
  case $1 in
    --small) form=small ;;
    --out)
      [[ $# -gt 1 ]] || usage
      out=$2
      shift
      ;;
    --out=*) out=${1#--out=} ;;
    --no-wait) wait=no ;;
    -*) usage ;;
    *)
      [[ -z $study ]] || usage
      study=$1
      ;;
  esac
  shift
done
[[ -n $study ]] || usage
[[ -r $study ]] || fail "$study: cannot be read"

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=cluster.env
source "$here/cluster.env"
# shellcheck source=deck.sh
source "$here/deck.sh"
oida_program=${oida_program:-$here/../build/release/oida}
[[ -x $oida_program ]] || fail "$oida_program is not built"
study_folder=$(cd "$(dirname "$study")" && pwd)
study_name=$(basename "$study" .ini)
[[ $form == full ]] || study_name+=-small
out=${out:-runs/$study_name}
mkdir -p "$out/runs" "$out/logs"
out=$(cd "$out" && pwd)

# section_values SECTION KEY: the values of a key, one a line.
section_values() {
  sed -n "/^\\[$1\\]/,/^\\[/s/^$2 *= *//p" "$study"
}

# values KEY [DEFAULT]: of the chosen form, else of [study], else the default.
values() {
  local found
  found=$(section_values "$form" "$1")
  found=${found:-$(section_values study "$1")}
  echo "${found:-${2:-}}"
}

check_keys() {
  local key
  while read -r key; do
    case $key in
      title | kind | deck | repeats | minutes | cpus_per_task | point | set | batch | epochs | baseline) ;;
      *) fail "$study: unknown key '$key'; allowed: title kind deck repeats minutes cpus_per_task point set batch epochs baseline" ;;
    esac
  done < <(sed -n 's/^\([a-z_]*\) *=.*/\1/p' "$study")
}

check_keys
deck=$(values deck)
[[ -n $deck ]] || fail "$study: names no deck"
[[ $deck == /* ]] || deck=$study_folder/$deck
[[ -r $deck ]] || fail "$deck: cannot be read"
kind=$(values kind strong)
[[ $kind == strong || $kind == weak ]] || fail "$study: kind is '$kind'; allowed: strong weak"
[[ -n $(values point) ]] || fail "$study: has no point (DEVICE NODES UNITS_PER_NODE)"
repeats=$(values repeats 1)

# A synthetic scene that is not there yet is made once, before the jobs.
make_scene() {
  local scene
  deck_has_section "$deck" synth || return 0
  scene=$(deck_value "$deck" scene path)
  [[ $scene == /* ]] || scene=$(dirname "$deck")/$scene
  [[ -e $scene ]] || "$oida_program" synth "$deck"
}

# What makes the runs comparable: the same work in all (strong), the same a unit (weak).
work_arguments() {
  local units=$1
  [[ $kind == weak ]] || return 0
  echo "--train.global_batch=0"
  echo "--train.batch=$(values batch 64)"
  awk -v e="$(values epochs 1)" -v u="$units" 'BEGIN { print "--train.epochs=" e * u }'
}

runs=() jobs=()
submit_point() {
  local repeat=$1 device=$2 nodes=$3 units=$4
  shift 4
  [[ $device == cpu || $device == gpu ]] || fail "$study: '$device' is not one of cpu gpu"
  [[ $nodes =~ ^[1-9][0-9]*$ && $units =~ ^[1-9][0-9]*$ ]] ||
    fail "$study: point '$device $nodes $units' is not DEVICE NODES UNITS_PER_NODE"
  local name=$device-${nodes}x$units${1:+-}${*//[!a-z0-9]/}-r$repeat
  local run=$out/runs/$name arguments=() options=() id
  runs+=("$run")
  [[ ! -e $run/DONE ]] || return 0
  mapfile -t arguments < <(values set | sed 's/^/--/;/^--$/d'; work_arguments $((nodes * units)))
  [[ $device == cpu ]] || options+=(--gpus-per-node="$units")
  [[ $device == cpu || -z $oida_gpu_partition ]] || options+=(--partition="$oida_gpu_partition")
  id=$(OIDA_STUDY=$study_name sbatch --parsable --job-name="$study_name" --dependency=singleton \
    --nodes="$nodes" --ntasks-per-node="$units" --cpus-per-task="$(values cpus_per_task 1)" \
    --time="$(values minutes 60)" --output="$out/logs/$name-%j.out" ${options[@]+"${options[@]}"} \
    "$here/train.sbatch" "$deck" ${arguments[@]+"${arguments[@]}"} "$@" "--device.kind=$device" \
    "--train.seed=$repeat" "--model.seed=$repeat" "--run.dir=$run")
  jobs+=("${id%%;*}")
  echo "job ${id%%;*}: $name"
}

make_scene
for ((repeat = 1; repeat <= repeats; repeat++)); do
  while read -r -a point; do
    submit_point "$repeat" "${point[@]}"
  done < <(values point)
done

report=("$here/report.sbatch" "${runs[@]}" --out "$out" "--title=$(values title "$study_name")"
  "--kind=$kind")
baseline=$(values baseline)
[[ -z $baseline ]] || report+=("--baseline=$baseline")
options=(--job-name="$study_name" --output="$out/logs/report-%j.out" --dependency=singleton)
[[ $wait == no ]] || options+=(--wait)
echo "report over ${#runs[@]} runs, ${#jobs[@]} of them to be made"
if ! sbatch "${options[@]}" "${report[@]}"; then
  tail -n 3 "$out"/logs/report-*.out >&2
  exit 1
fi
[[ $wait == no ]] || echo "$out/scaling.md, scaling.csv, scaling.html"
