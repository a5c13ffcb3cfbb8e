#!/usr/bin/env bash
# Runs script.php and every.php in several threads at once, in a PHP with threads.
# usage: run.sh PHP_CONFIG EXTENSION [THREADS [REQUESTS]]
set -euo pipefail
config=${1:?a php-config}
extension=$(realpath "${2:?the extension}")
here=$(cd "$(dirname "$0")" && pwd)
folder=$(dirname "$extension")
prefix=$("$config" --prefix)
read -ra includes <<<"$("$config" --includes)"
"${CC:-cc}" -std=gnu11 -O1 -g -Wall -Wextra -Wno-unused-parameter -pthread \
  "${includes[@]}" "-I$("$config" --include-dir)" "$here/threads.c" -o "$folder/threads" \
  "-L$prefix/lib" "-Wl,-rpath,$prefix/lib" -lphp
printf 'extension=%s\ntoolwire.dropins=datamachine\nmemory_limit=-1\nzend.assertions=1\n' \
  "$extension" >"$folder/threads.ini"
export PHPRC=$folder/threads.ini PHP_INI_SCAN_DIR=
for script in script every; do
  "$folder/threads" "$here/$script.php" "${3:-8}" "${4:-25}"
done
