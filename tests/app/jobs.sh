# Jobs in the background that are to be disturbed; to be sourced after lib.sh.

# start RANKS ARGUMENTS...: `job` is the process to signal and to wait for; the program itself where
# there is one rank, else mpiexec.
start() {
  job_ranks=$1
  shift
  if [ "$job_ranks" = 1 ]; then
    "$oida" "$@" >"$out" 2>"$err" &
  else
    "$mpiexec" "$numproc_flag" "$job_ranks" "$oida" "$@" >"$out" 2>"$err" &
  fi
  job=$!
}

# epochs_lasting SECONDS RANKS LINE...: as many as a run of that deck needs to train for so long on
# this machine: enough to be caught in the middle of, whatever its speed.
epochs_lasting() {
  local seconds=$1 ranks=$2 few=16
  shift 2
  write_deck pace "$@" "train.epochs = $few"
  ends "$ranks" 0 train pace.ini
  awk -F, -v few=$few -v seconds="$seconds" 'END { print int(1 + few * seconds / $4) }' \
    pace/metrics.csv
  rm -rf pace pace.ini
}

# timed COMMAND...: `took_ms`.
timed() {
  local began_ms
  began_ms=$(date +%s%3N)
  "$@"
  took_ms=$(($(date +%s%3N) - began_ms))
}

# seconds MILLISECONDS: as decks and sleep take them.
seconds() {
  printf '%d.%03d' $(($1 / 1000)) $(($1 % 1000))
}

# Waits for the job: `code`; killed when it does not end.
await_end() {
  local i
  for ((i = 0; i < limit_s * 20; i++)); do
    kill -0 $job 2>/dev/null || break
    sleep 0.05
  done
  if kill -0 $job 2>/dev/null; then
    fail "the job did not end in $limit_s s"
    kill -9 $job $(rank_pids)
  fi
  wait $job 2>/dev/null
  code=$?
}

# Processes of the program that were started in this room.
rank_pids() {
  local exe
  for exe in /proc/[0-9]*/exe; do
    [ "$(readlink "$exe" 2>/dev/null)" = "$oida" ] || continue
    [ "$(readlink "${exe%exe}cwd" 2>/dev/null)" = "$room" ] || continue
    exe=${exe#/proc/}
    echo "${exe%/exe}"
  done
}

rank_of() {
  tr '\0' '\n' <"/proc/$1/environ" 2>/dev/null | sed -n 's/^PMI_RANK=//p'
}

pid_of_rank() {
  local pid
  for pid in $(rank_pids); do
    [ "$(rank_of "$pid")" != "$1" ] && [ "$job_ranks" != 1 ] || echo "$pid"
  done
}

kill_rank() {
  kill -9 "$(pid_of_rank "$1")"
}

no_ranks_left() {
  local i
  for ((i = 0; i < 100; i++)); do
    [ -n "$(rank_pids)" ] || return 0
    sleep 0.05
  done
  return 1
}

# await_checkpoints RUN N: until the newest complete-looking round of RUN has risen N times since the
# call; fails when the job ends before.
await_checkpoints() {
  local last seen=-1 now
  last=$(newest_round "$1")
  while kill -0 $job 2>/dev/null; do
    now=$(newest_round "$1")
    if [ "$now" != "$last" ]; then
      last=$now
      seen=$((seen + 1))
      [ $seen -lt "$2" ] || return 0
    fi
    sleep 0.01
  done
  return 1
}

# Until a file is there; fails when the job ends before.
await_file() {
  while kill -0 $job 2>/dev/null; do
    [ ! -e "$1" ] || return 0
    sleep 0.01
  done
  return 1
}

newest_round() {
  ls "$1/checkpoints" 2>/dev/null | sed -n 's/^round-\([0-9]*\)\.h5$/\1/p' | sort -n | tail -n 1
}
