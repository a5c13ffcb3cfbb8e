#!/usr/bin/env bash
# Brings WordPress up, runs the tests of the plugin inside it and against it, and takes it down.
# usage: run.sh EXTENSION PYTHON [FOLDER FOR SCREENSHOTS]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$here/../.." && pwd)/build
root=$build/wordpress
extension=$(realpath "$1")
python=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
# A port whose neighbour is free too: there the site is served without the extension.
port=$("$python" - <<'PYTHON'
import random, socket

def free(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0

print(next(port for port in iter(lambda: random.randrange(20000, 30000), None) if free(port) and free(port + 1)))
PYTHON
)
trap '"$here/down.sh" "$root"' EXIT
"$here/up.sh" "$root" "$extension" "$port"
export TOOLWIRE_SITE=$root/site TOOLWIRE_EXTENSION=$extension TOOLWIRE_URL=http://127.0.0.1:$port
export TOOLWIRE_SCREENSHOTS=${3:-$root/screenshots}

php -d "extension=$extension" "$(command -v phpunit)" -c "$here/phpunit/phpunit.xml" 2>&1 | tee "$build/test-wordpress-php.log"
"$python" -m pytest -q -p no:cacheprovider --durations=5 "$here/http" 2>&1 | tee "$build/test-wordpress-http.log"
cat "$root/cost.txt"
# The tests make tools fail, never the plugin.
if grep 'plugins/toolwire/' "$root/debug.log"; then
  printf 'run.sh: PHP complained about the plugin, see above\n' >&2
  exit 1
fi
