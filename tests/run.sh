#!/usr/bin/env bash
# Installs what is missing, builds and runs the test suite.
# usage: tests/run.sh [CTEST ARGUMENT...]     for example -L mpi, -R split, -L long
# Slow suites carry the label "long" and run only when asked for by it.
set -euo pipefail
cd "$(dirname "$0")/.."

bash app/setup.sh
bash app/build.sh "${OIDA_PRESET:-release}"
if [[ -z ${OIDA_DATA_DIR:-} ]]; then
  echo "oida: OIDA_DATA_DIR is not set: tests on real scenes are skipped"
fi
if [[ $# -eq 0 ]]; then
  set -- -LE long
fi
# Threads that wait for each other on shared cores must not spin their time slices away.
export OMP_WAIT_POLICY=passive
ctest --test-dir build/release --output-on-failure --no-tests=error -j "$(nproc)" "$@"
