#!/usr/bin/env bash
# Builds with sanitizers and runs the suites that bear on them.
#   tests/sanitize.sh asan|tsan [CTEST ARGUMENT...]
# asan: ASan, LSan and UBSan over all rooms and the program on 1, 2 and 4 ranks.
# tsan: TSan over comm, oida and the program on 2 ranks, and engines that export beside a step. OpenMP's
# own library is not built with TSan, so its threads would show as races: one thread a rank.
set -euo pipefail
preset=${1:?usage: tests/sanitize.sh asan|tsan [CTEST ARGUMENT...]}
shift
cd "$(dirname "$0")/.."
suppressions=$PWD/tests/sanitizers

case $preset in
  asan) chosen=(-LE "long|gpu") ;;
  tsan)
    chosen=(-LE "long|gpu" -R '^(comm|exchange|lossy_exchange|mailbox|exchange_rule|checkpoint_writer|trainer)_test.np2|^(oida|kernels|placement|launch)_test|ExportsOnASecondThreadBesideAStep/(reference|onednn)_1|^app.(resume.np2|stop|faults)')
    export OMP_THREAD_LIMIT=1
    # UCX takes over madvise, which a thread calls before TSan knows it.
    export UCX_MEM_EVENTS=n
    ;;
  *)
    echo "unknown preset '$preset': asan or tsan" >&2
    exit 2
    ;;
esac
[[ $# -eq 0 ]] || chosen=("$@")

cmake --preset "$preset"
cmake --build --preset "$preset"
export ASAN_OPTIONS=exitcode=99:strict_string_checks=1:detect_stack_use_after_return=1
export LSAN_OPTIONS=suppressions=$suppressions/lsan.supp:print_suppressions=0
export UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS=exitcode=99:suppressions=$suppressions/tsan.supp
export OMP_WAIT_POLICY=passive
ctest --test-dir "build/$preset" --output-on-failure --no-tests=error "${chosen[@]}"
