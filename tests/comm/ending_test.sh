#!/bin/bash
# How a job ends: exit code and stderr at the caller of mpiexec, and that it ends at all over TCP.
#   ending_test.sh MPIEXEC NUMPROC_FLAG PROGRAM
set -u

mpiexec=$1 flag=$2 program=$3
err=$(mktemp)
trap 'rm -f "$err"' EXIT
failures=0

fail() {
  echo "FAILED: $*" >&2
  sed 's/^/  stderr: /' "$err" >&2
  failures=$((failures + 1))
}

# ends RANKS CODE STDERR_PATTERN ARGUMENTS...: the pattern is that of all lines of stderr; "" = none.
ends() {
  local ranks=$1 code=$2 pattern=$3 found
  shift 3
  timeout 20 "$mpiexec" "$flag" "$ranks" "$program" "$@" >/dev/null 2>"$err"
  found=$?
  [ $found = "$code" ] || fail "$ranks ranks, $*: exit code $found, expected $code"
  if [ -z "$pattern" ]; then
    [ ! -s "$err" ] || fail "$ranks ranks, $*: stderr is not empty"
  else
    [ -s "$err" ] || fail "$ranks ranks, $*: nothing on stderr"
    ! grep -qvE "$pattern" "$err" || fail "$ranks ranks, $*: other lines on stderr"
  fi
}

for ranks in 1 4; do
  for code in 0 1 2 75; do ends $ranks $code "" finish $code; done
done
for code in 1 2 75; do ends 4 $code "" abort $code; done

# The silent rank is named, by one of those that wait for it.
stalled='^oida: error: rank 3 on [^ ]+ does not answer: lost or stalled in round 7; rank 0 on [^ ]+'
stalled+=' waited [0-9.]+ s in the sum over all ranks$'
for code in 1 75; do
  ends 4 $code "$stalled" stall $code
  [ "$(wc -l <"$err")" = 1 ] || fail "stall $code: more than a line"
done

# MPICH before 4.2 hung here in most runs of three and more ranks (lib/comm/mpich_finalize.cpp).
export UCX_TLS=tcp
for ((i = 0; i < 10; i++)); do
  ends 3 0 "" finish 0
  ends 8 0 "" finish 0
done

[ $failures = 0 ] && echo "all ends are as they should be"
exit $((failures > 0))
