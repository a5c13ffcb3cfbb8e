#!/usr/bin/env bash
# Puts the plugin together in a folder: its files, and in vendor/toolwire the library in plain PHP,
# for hosts without the extension. The sources are those of a tree, by default of this one.
# usage: wordpress/package.sh FOLDER [TREE]
set -euo pipefail

target=$1
tree=${2:-$(cd "$(dirname "$0")/.." && pwd)}
rm -rf "$target"
mkdir -p "$target"
cp -r "$tree/wordpress/toolwire/." "$target"
mkdir -p "$target/vendor/toolwire"
cp -r "$tree"/php/toolwire/{autoload.php,left-out.php,src} "$target/vendor/toolwire"
# Stores on servers and listeners need the extension, and the plugin has its own.
rm -r "$target"/vendor/toolwire/src/{Store,Events}
cp "$tree"/LICENSE* "$target/vendor/toolwire"
