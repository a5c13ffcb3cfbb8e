#!/usr/bin/env bash
# Unpacks a Rust that compiles for aarch64 into a folder, from Debian's packages, where rustup
# cannot be had: FOLDER/bin/rustc is Debian's compiler with the libraries of both architectures. It
# is newer than the one that everything else is built with. Installs nothing but patchelf.
# usage: rust-arm.sh FOLDER
set -euo pipefail

folder=${1:?a folder}
suite=sid
echo "rust-arm: unpacking the Rust of Debian $suite: 350 MB to fetch, 1 GB on disk"
if ! command -v patchelf >/dev/null; then
  sudo=()
  if ((EUID != 0)); then sudo=(sudo); fi
  "${sudo[@]}" apt-get update -qq
  "${sudo[@]}" apt-get install -qq -y --no-install-recommends patchelf >/dev/null
fi

rm -rf --one-file-system "$folder"
mkdir -p "$folder"/{lists,cache/archives}/partial "$folder"/{bin,root}
cd "$folder"
folder=$PWD
root=$folder/root
: >status
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
printf 'deb [signed-by=%s arch=amd64,arm64] http://deb.debian.org/debian %s main\n' \
  "$keyring" "$suite" >apt.list
apt=(-qq -o "Dir::Etc::sourcelist=$folder/apt.list" -o Dir::Etc::sourceparts=-
  -o "Dir::State::lists=$folder/lists" -o "Dir::State::status=$folder/status"
  -o "Dir::Cache=$folder/cache" -o APT::Sandbox::User=root
  -o APT::Architectures::=amd64 -o APT::Architectures::=arm64)
apt-get "${apt[@]}" update
apt-get "${apt[@]}" -y --no-install-recommends --download-only install rustc >/dev/null
(cd cache/archives && apt-get "${apt[@]}" download libstd-rust-dev:arm64)
for package in cache/archives/*.deb; do dpkg-deb --extract "$package" root; done
rm -r cache lists

# The compiler runs with the loader and the libraries of its own Debian.
libraries=$(dirname "$root"/usr/lib/x86_64-linux-gnu/libc.so.6)
loader=$(find "$libraries" "$root/usr/lib64" -name 'ld-linux-x86-64.so.2' -print -quit)
patchelf --set-interpreter "$loader" --force-rpath --set-rpath "$libraries" "$root/usr/bin/rustc"
for library in "$root"/usr/lib/x86_64-linux-gnu/{librustc_driver-,libLLVM}*.so*; do
  patchelf --force-rpath --set-rpath "$libraries" "$library"
done
printf '#!/bin/sh\nexec %q --sysroot %q "$@"\n' "$root/usr/bin/rustc" "$root/usr" >bin/rustc
chmod +x bin/rustc
bin/rustc --version
