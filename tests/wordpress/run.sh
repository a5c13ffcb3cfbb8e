#!/usr/bin/env bash
# Brings WordPress up, runs the tests of the plugin inside it and against it, and takes it down.
# Beside it, the same is done with a network of sites, whose output comes last.
# usage: run.sh EXTENSION PYTHON [FOLDER FOR SCREENSHOTS]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$here/../.." && pwd)/build
extension=$(realpath "$1")
python=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
screenshots=${3:-$build/wordpress/screenshots}
phpunit=(php -d "extension=$extension" "$(command -v phpunit)" -c "$here/phpunit/phpunit.xml")
pytest=("$python" -m pytest -q -p no:cacheprovider)
network=
trap '[[ -z $network ]] || kill "$network" 2>/dev/null || true
  "$here/down.sh" "$build/wordpress"; "$here/down.sh" "$build/wordpress-network"' EXIT

# Prints a port whose neighbour is free too: there the site is served without the extension.
free_port() {
  "$python" - <<'PYTHON'
import random, socket

def free(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0

ports = iter(lambda: random.randrange(20000, 30000), None)
print(next(port for port in ports if free(port) and free(port + 1)))
PYTHON
}

# Brings the site of a folder up and names it to the tests.
bring_up() {
  local port
  port=$(free_port)
  "$here/up.sh" "$1" "$extension" "$port"
  export TOOLWIRE_SITE=$1/site TOOLWIRE_EXTENSION=$extension TOOLWIRE_URL=http://127.0.0.1:$port
  export TOOLWIRE_SCREENSHOTS=$screenshots
}

# The tests make tools fail, never the plugin.
no_complaints() {
  if grep 'plugins/toolwire/' "$1/debug.log"; then
    printf 'run.sh: PHP complained about the plugin, see above\n' >&2
    exit 1
  fi
}

# Tests the plugin in a network of sites.
test_network() {
  local root=$build/wordpress-network
  TOOLWIRE_MULTISITE=1 TOOLWIRE_MCP_ADAPTER='' bring_up "$root"
  "${phpunit[@]}" 2>&1 | tee "$build/test-wordpress-network-php.log"
  TOOLWIRE_READS=1 php "$(command -v phpunit)" -c "$here/reading/phpunit.xml" 2>&1 |
    tee "$build/test-wordpress-network-reading.log"
  "${pytest[@]}" "$here/http/test_multisite.py" 2>&1 | tee "$build/test-wordpress-network-http.log"
  no_complaints "$root"
}

root=$build/wordpress
bring_up "$root"
test_network >"$build/test-wordpress-network.log" 2>&1 &
network=$!
"${phpunit[@]}" --exclude-group multisite 2>&1 | tee "$build/test-wordpress-php.log"
TOOLWIRE_READS=1 php "$(command -v phpunit)" -c "$here/reading/phpunit.xml" 2>&1 |
  tee "$build/test-wordpress-reading.log"
"${pytest[@]}" --durations=5 --ignore "$here/http/test_multisite.py" "$here/http" 2>&1 |
  tee "$build/test-wordpress-http.log"
cat "$root/cost.txt"
no_complaints "$root"

ended=0
wait "$network" || ended=$?
cat "$build/test-wordpress-network.log"
exit "$ended"
