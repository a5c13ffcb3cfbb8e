#!/usr/bin/env bash
# Brings WordPress up on SQLite and runs the tests of the plugin inside it and against it.
# usage: run-sqlite.sh EXTENSION PYTHON FOLDER OF THE PLUGIN SQLITE DATABASE INTEGRATION
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$here/../.." && pwd)/build
extension=$(realpath "$1")
python=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
TOOLWIRE_SQLITE=$(realpath "$3")
export TOOLWIRE_SQLITE
root=$build/wordpress-sqlite
trap '"$here/down.sh" "$root"' EXIT
port=$("$python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])')
"$here/up.sh" "$root" "$extension" "$port"
export TOOLWIRE_SITE=$root/site TOOLWIRE_EXTENSION=$extension TOOLWIRE_URL=http://127.0.0.1:$port
export TOOLWIRE_SCREENSHOTS=$root/screenshots
php -d "extension=$extension" "$(command -v phpunit)" -c "$here/phpunit/phpunit.xml" \
  --exclude-group multisite 2>&1 | tee "$build/test-wordpress-sqlite-php.log"
"$python" -m pytest -q -p no:cacheprovider \
  "$here"/http/test_{races,conversation,routes,runs,waiting,gate,gates,several,change}.py \
  "$here"/http/test_{log_filters,posts,privacy,bindings,screens}.py 2>&1 |
  tee "$build/test-wordpress-sqlite-http.log"
# The plugin for SQLite writes a trace of each statement that fails, such as one of a tool.
if grep -E 'PHP [A-Z][a-z]+( error)?: .*plugins/toolwire/' "$root/debug.log"; then
  printf 'run-sqlite.sh: PHP complained about the plugin, see above\n' >&2
  exit 1
fi
# A statement of the tests' tools may fail and is tried again; one of the plugin's must not fail.
if grep -aoE 'for query .{0,200}wp_toolwire_.{0,200}' "$root/debug.log"; then
  printf 'run-sqlite.sh: SQLite refused statements of the plugin, see above\n' >&2
  exit 1
fi
