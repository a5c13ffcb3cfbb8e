#!/usr/bin/env bash
# Puts the Composer package toolwire/toolwire together in a folder: the library, the stubs of the
# extension, and the files that replace a plugin's.
# usage: php/package.sh FOLDER
set -euo pipefail

target=$1
root=$(dirname "$(realpath "$0")")/..
rm -rf "$target"
mkdir -p "$target/dropins"
# The script of Redis is a link into the sources of the wheel: its contents are taken.
cp -rL "$root"/php/toolwire/{composer.json,README.md,autoload.php,left-out.php,stores.php,src} "$target"
cp -r "$root/php-ext/stubs" "$target/stubs"
cp -r "$root/php/memberpress" "$target/dropins/memberpress"
cp "$root"/LICENSE* "$target"
echo "$target: $(find "$target" -name '*.php' | wc -l) files of PHP"
