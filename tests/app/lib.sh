# Helpers of the scripts that drive the program from outside; to be sourced with
#   OIDA MPIEXEC NUMPROC_FLAG
# as the script's first arguments. Works in a folder of its own, which goes away at the end.
set -u

oida=$(realpath "$1") mpiexec=$2 numproc_flag=$3
limit_s=60
failures=0 checks=0
code=0

room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room" || exit 1
out=$room.out err=$room.err
trap 'rm -rf "$room" "$out" "$err"' EXIT
ulimit -c unlimited
for variable in ${!SLURM_@}; do unset "$variable"; done

fail() {
  echo "FAILED: $*" >&2
  sed 's/^/  stdout: /' "$out" | tail -n 15 >&2
  sed 's/^/  stderr: /' "$err" | tail -n 15 >&2
  failures=$((failures + 1))
}

# Checks that a command succeeds: expect WHAT COMMAND...
expect() {
  local what=$1
  shift
  checks=$((checks + 1))
  "$@" || fail "$what"
}

# on RANKS ARGUMENTS...: runs the program; `code`, $out and $err hold what came. One rank starts
# without a launcher.
on() {
  local ranks=$1
  shift
  if [ "$ranks" = 1 ]; then
    timeout -k 5 "$limit_s" "$oida" "$@" >"$out" 2>"$err"
  else
    timeout -k 5 "$limit_s" "$mpiexec" "$numproc_flag" "$ranks" "$oida" "$@" >"$out" 2>"$err"
  fi
  code=$?
}

# ends RANKS CODE ARGUMENTS...
ends() {
  local ranks=$1 wanted=$2
  shift 2
  on "$ranks" "$@"
  checks=$((checks + 1))
  [ "$code" = "$wanted" ] || fail "$ranks ranks, $*: exit code $code, expected $wanted"
}

# What lies in the room: names, sizes and times of change.
listing() {
  find . \( -type f -printf '%p %s %T@\n' \) -o -printf '%p\n' | sort
}

# refused RANKS PATTERN ARGUMENTS...: exit code 2, one line on stderr that matches PATTERN (an
# extended expression, after "oida: error: "), no banner, no core, nothing written or changed.
refused() {
  local ranks=$1 pattern=$2 before
  shift 2
  before=$(listing)
  ends "$ranks" 2 "$@"
  expect "$ranks ranks, $*: not one line on stderr" test "$(wc -l <"$err")" = 1
  expect "$ranks ranks, $*: stderr is not 'oida: error: $pattern'" \
    grep -qE "^oida: error: $pattern" "$err"
  expect "$ranks ranks, $*: a banner" eval '! grep -qE "BAD TERMINATION|^===" "$out"'
  expect "$ranks ranks, $*: changed files: $(diff <(echo "$before") <(listing))" \
    test "$before" = "$(listing)"
  [ "$code" = 2 ] || rm -rf good
}

# write_deck NAME [LINE...]: the deck NAME.ini of the small scene, its run directory NAME; each LINE
# is "section.key = value" and comes after the others of its section.
write_deck() {
  local name=$1 section
  shift
  local base="scene.path = scene/T3
scene.labels = scene/labels.png
synth.rows = 96
synth.cols = 128
synth.field_px = 16
synth.looks = 9
data.patch_px = 7
data.split = random
data.test_share = 0.5
data.max_per_class = 400
model.layers = conv 8 3 relu
model.layers = dense 16 relu
train.epochs = 4
train.global_batch = 32
train.learning_rate = 0.02
oida.interleave = 2
device.threads = 1
oida.validate_every = 20
run.dir = $name"
  for section in scene synth data model train oida device run; do
    echo "[$section]"
    { drop_overridden "$base" "$@"; printf '%s\n' "$@"; } | sed -n "s/^$section\\.//p"
  done >"$name.ini"
}

# drop_overridden TEXT LINE...: the lines of TEXT whose key no LINE sets.
drop_overridden() {
  local text=$1 line
  shift
  for line in "$@"; do text=$(grep -vF "${line%%=*}=" <<<"$text"); done
  echo "$text"
}

make_scene() {
  write_deck scene_maker
  ends 1 0 synth scene_maker.ini
  rm scene_maker.ini
}

finish() {
  if [ "$failures" = 0 ]; then
    echo "$checks checks passed"
    exit 0
  fi
  echo "$failures of $checks checks failed" >&2
  exit 1
}
