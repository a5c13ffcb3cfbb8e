#!/usr/bin/env bash
# Brings WordPress up, serves it by Apache, nginx and PHP-FPM, and tests the chat behind each of
# them. What was measured is shown at the end.
# usage: run.sh EXTENSION PYTHON [NAME OF A SERVER...]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$here/../../.." && pwd)/build
extension=$(realpath "$1")
python=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
shift 2
"$here/setup.sh"
root=$build/wordpress-servers
trap '"$here/down.sh" "$root"; "$here/../down.sh" "$root"' EXIT

# The first of many ports that are free.
port=$("$python" - <<'PYTHON'
import random, socket

def free(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0

ports = iter(lambda: random.randrange(20000, 30000), None)
print(next(port for port in ports if all(free(port + more) for more in range(20))))
PYTHON
)
"$here/../up.sh" "$root" "$extension" "$port"
"$here/up.sh" "$root" "$extension" "$((port + 1))"
export TOOLWIRE_SITE=$root/site TOOLWIRE_EXTENSION=$extension
export TOOLWIRE_MEASURED=$root/measured.jsonl PYTHONPATH=$here/../http
: >"$TOOLWIRE_MEASURED"
failed=()
while read -r name at; do
  [[ $# = 0 || " $* " = *" $name "* ]] || continue
  printf -- '-- %s\n' "$name"
  export TOOLWIRE_SERVER=$name TOOLWIRE_URL=http://127.0.0.1:$at
  "$python" -m pytest -q -p no:cacheprovider -p conftest "$here/test_server.py" </dev/null ||
    failed+=("$name")
done <"$root/servers/servers.txt"
cat "$TOOLWIRE_MEASURED"
if ((${#failed[@]} > 0)); then
  printf 'servers/run.sh: failed: %s\n' "${failed[*]}" >&2
  exit 1
fi
