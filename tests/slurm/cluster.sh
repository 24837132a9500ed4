# shellcheck shell=bash disable=SC2154
# A Slurm of several nodes for a test; to be sourced after tests/app/lib.sh. Leaves with 77 (skipped)
# where there is none to be had.

skip() {
  echo "skipped: $*"
  exit 77
}

cluster=${OIDA_SLURM_CLUSTER:-}
[ -n "$cluster" ] || skip "OIDA_SLURM_CLUSTER does not name the program that brings up a Slurm"
[ -x "$cluster" ] || skip "$cluster cannot be run"
[ "$(id -u)" = 0 ] || skip "a Slurm of several nodes needs root"
for tool in slurmctld slurmd sbatch munged ip; do
  command -v "$tool" >/dev/null || skip "$tool is not installed"
done

house=$(realpath "$here/../..")
scripts=$house/slurm
export OIDA_PROGRAM=$oida

# cluster_up NODES: brought down again when the script ends.
cluster_up() {
  "$cluster" down >/dev/null 2>&1
  trap '"$cluster" down >/dev/null 2>&1; rm -rf "$room" "$out" "$err"' EXIT
  "$cluster" up "$1" >"$out" 2>"$err" || { fail "the cluster does not come up" && finish; }
  eval "$("$cluster" env)"
}

# submit NAME [SBATCH OPTION...]: trains NAME.ini on 2 nodes x 2 units; prints the job's number.
submit() {
  local name=$1
  shift
  sbatch --parsable --job-name="$name" --nodes=2 --ntasks-per-node=2 --output="$name.log" "$@" \
    "$scripts/train.sbatch" "$name.ini"
}

# job_state JOB: PENDING, RUNNING, COMPLETED, ...
job_state() {
  scontrol show job "$1" | sed -n 's/^ *JobState=\([A-Z_]*\).*/\1/p' | head -n 1
}

# The nodes of a job that runs, one a line.
nodes_of() {
  scontrol show hostnames "$(squeue -h -j "$1" -o %N)"
}

# await_state JOB PATTERN SECONDS
await_state() {
  local i
  for ((i = 0; i < $3 * 5; i++)); do
    [[ $(job_state "$1") =~ ^($2)$ ]] && return 0
    sleep 0.2
  done
  echo "job $1 is $(job_state "$1"), expected $2" >&2
  return 1
}

# await_round RUN SECONDS: until a whole checkpoint lies in RUN; its common file is the last to come.
await_round() {
  local i
  for ((i = 0; i < $2 * 20; i++)); do
    [ -n "$(find "$1/checkpoints" -regex '.*/round-[0-9]+\.h5' 2>/dev/null)" ] && return 0
    sleep 0.05
  done
  return 1
}

# said NAME PATTERN: a line of the job's output.
said() {
  grep -qE "$2" "$1.log"
}

show_log() {
  sed "s/^/  $1: /" "$1.log" | tail -n 25 >&2
}
