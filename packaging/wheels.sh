#!/usr/bin/env bash
# Builds the wheels for versions of Python, for any Linux with glibc 2.17 or newer. No Python of
# these versions is needed: maturin knows what each of them is like.
# usage: wheels.sh FOLDER VERSION...     VERSION is 3.10, 3.13, ..., or abi3: one for 3.10 and newer
#   $TARGET is the target of Rust, x86_64-unknown-linux-gnu unless it is set.
set -euo pipefail
folder=$(realpath "${1:?a folder}")
shift
cd "$(dirname "$(realpath "$0")")/.."
. packaging/common.sh
. packaging/toolchain.sh

for label in "$@"; do
  echo "wheels: Python $label for $target"
  options=()
  case $label in
    abi3) options=(--features abi3 -i python3.10) ;;
    *) options=(-i "python$label") ;;
  esac
  work=build/packaging/wheel-$label-$target
  rm -rf "$work"
  "$tools/maturin" build --quiet --profile dist --locked -m py-binding/Cargo.toml \
    --target "$target" --target-dir target/dist --compatibility manylinux2014 \
    "${options[@]}" -o "$work" >/dev/null
  "$python" packaging/wheel.py "$work"/*.whl "$folder"
done
