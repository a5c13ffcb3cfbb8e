#!/usr/bin/env bash
# Puts the plugin together in a folder, with the library in plain PHP for hosts without the
# extension; with a second argument also as a zip.
# usage: wordpress/package.sh FOLDER [FILE.zip]
set -euo pipefail

target=$1
root=$(cd "$(dirname "$0")/.." && pwd)
rm -rf "$target"
mkdir -p "$target"
cp -r "$root/wordpress/toolwire/." "$target"
mkdir "$target/library"
# What the extension's own stores and listeners are made of is of no use here.
cp -r "$root"/php/toolwire/{autoload.php,left-out.php,src} "$target/library"
rm -r "$target"/library/src/{Store,Events}
cp "$root"/LICENSE* "$target/library"
if [[ -n ${2:-} ]]; then
  archive=$(realpath -m "$2")
  rm -f "$archive"
  (cd "$(dirname "$target")" && zip -qr -X "$archive" "$(basename "$target")")
fi
