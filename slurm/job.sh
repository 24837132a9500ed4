# What the job scripts share; sourced inside a job after oida_home is set.
# shellcheck shell=bash disable=SC2034

: "${oida_home:?the folder above slurm}"
code=0
cancelled=no
launch=()

# shellcheck source=cluster.env
source "$oida_home/slurm/cluster.env"
oida_program=${oida_program:-$oida_home/build/release/oida}
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}

# A field of this job as slurmctld knows it.
job_field() {
  scontrol show job "$SLURM_JOB_ID" | sed -n "s/^.*\\b$1=\\([^ ]*\\).*\$/\\1/p" | head -n 1
}

# When this job ends: older Slurms do not tell, and what stands in the environment of a job that another
# one submitted may be the end of that one.
tell_end_time() {
  local end
  unset SLURM_JOB_END_TIME
  end=$(date -d "$(job_field EndTime)" +%s 2>/dev/null) || return 0
  export SLURM_JOB_END_TIME=$end
}

# The launch line: one process a task, on the cores of the task.
set_launch_line() {
  if [[ $oida_launcher == mpiexec ]]; then
    launch=(mpiexec -n "$SLURM_NTASKS")
  else
    launch=(srun "--mpi=$SLURM_MPI_TYPE" "--cpus-per-task=${SLURM_CPUS_PER_TASK:-1}"
      --cpu-bind=cores --kill-on-bad-exit=1)
  fi
}

# run_step ARGUMENTS...: runs the program on all tasks and leaves its exit code in `code`. USR1 and
# TERM are passed on to the step, and the step is waited for again; TERM also means: no restart.
run_step() {
  set_launch_line
  cancelled=no
  "${launch[@]}" "$oida_program" "$@" &
  step=$!
  trap 'kill -s USR1 "$step" 2>/dev/null' USR1
  trap 'cancelled=yes; kill -s TERM "$step" 2>/dev/null' TERM
  while true; do
    wait "$step"
    code=$?
    kill -0 "$step" 2>/dev/null || break
  done
  # A signal that came together with the end hides the step's own code; the shell still knows it.
  wait "$step" 2>/dev/null
  local again=$?
  [[ $again == 127 ]] || code=$again
  trap - USR1 TERM
}

# Exit codes after which the same job may go on: stopped with a checkpoint, killed from outside.
may_go_on() {
  [[ $1 == 75 || $1 == 9 || $1 -ge 128 ]]
}

# The signal before the end of a job: Slurm may be a minute early, and a job of under five minutes would
# be stopped at its beginning, again and again. There the program stops by itself: CONT tells nothing.
signal_before_end() {
  local begin_s
  begin_s=$(date -d "$(job_field StartTime)" +%s 2>/dev/null) || begin_s=0
  if ((${SLURM_JOB_END_TIME:-0} - begin_s < 300)); then echo B:CONT@1; else echo B:USR1@120; fi
}

# The same job once more after this one, where it cannot be put back into the queue.
submit_successor() {
  local options=(--dependency="afterany:$SLURM_JOB_ID" --job-name="$SLURM_JOB_NAME"
    --nodes="$SLURM_JOB_NUM_NODES" --time="$(job_field TimeLimit)" --output="$(job_field StdOut)"
    --partition="$SLURM_JOB_PARTITION" --signal="$(signal_before_end)" --no-requeue)
  [[ -z ${SLURM_NTASKS_PER_NODE:-} ]] || options+=(--ntasks-per-node="$SLURM_NTASKS_PER_NODE")
  [[ -z ${SLURM_CPUS_PER_TASK:-} ]] || options+=(--cpus-per-task="$SLURM_CPUS_PER_TASK")
  [[ -z ${SLURM_GPUS_PER_NODE:-} ]] || options+=(--gpus-per-node="$SLURM_GPUS_PER_NODE")
  [[ -z ${SLURM_GPUS_PER_TASK:-} ]] || options+=(--gpus-per-task="$SLURM_GPUS_PER_TASK")
  [[ -z ${SLURM_JOB_ACCOUNT:-} || $SLURM_JOB_ACCOUNT == "(null)" ]] ||
    options+=(--account="$SLURM_JOB_ACCOUNT")
  [[ -z ${SLURM_ARRAY_TASK_ID:-} ]] || options+=(--array="$SLURM_ARRAY_TASK_ID")
  OIDA_STARTS=$((starts + 1)) sbatch "${options[@]}" "$@"
}

# start_again SCRIPT ARGUMENTS...: requeues this job, or submits its successor.
start_again() {
  starts=${OIDA_STARTS:-${SLURM_RESTART_COUNT:-0}}
  if ((starts >= oida_restarts)); then
    echo "oida job: started again $starts times already, gives up (oida_restarts in cluster.env)"
    return 1
  fi
  if [[ $(job_field Requeue) == 1 ]] && scontrol requeue "$SLURM_JOB_ID"; then
    echo "oida job: goes back into the queue, restart $((starts + 1))"
    # Slurm ends this script now.
    sleep 60
    exit 75
  fi
  echo "oida job: requeue is off, a job that depends on this one goes on"
  submit_successor "$@"
}
