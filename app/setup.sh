#!/usr/bin/env bash
# Brings what oida is built with: Debian packages, once, as root or through sudo.
# Without either it prints the list and stops.
set -euo pipefail

packages=(
  g++ cmake ninja-build pkg-config git ca-certificates
  mpich libmpich-dev libhdf5-dev libgdal-dev libboost-program-options-dev
  libdnnl-dev nlohmann-json3-dev libmatio-dev librandom123-dev libxxhash-dev
  libgtest-dev libbenchmark-dev libmd4c-dev libmd4c-html0-dev gnuplot-nox fonts-dejavu-core
)

missing=()
for package in "${packages[@]}"; do
  state=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
  [[ $state == "install ok installed" ]] || missing+=("$package")
done
[[ ${#missing[@]} -gt 0 ]] || exit 0

if [[ $(id -u) -eq 0 ]]; then
  run=()
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
  run=(sudo)
else
  cat >&2 <<TXT
oida needs packages that this account cannot install. Debian 12 names:
  ${missing[*]}
With Spack or modules: a C++20 compiler, cmake 3.25, ninja, mpich (or another MPI), hdf5, gdal,
boost+program_options, onednn, nlohmann-json, matio, md4c, random123, xxhash, googletest,
google-benchmark, gnuplot; then
  cmake --preset release && cmake --build --preset release
TXT
  exit 1
fi

echo "oida: installing ${#missing[@]} packages"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { "${run[@]}" apt-get update &&
  "${run[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
  tail -n 20 "$log" >&2
  exit 1
fi
