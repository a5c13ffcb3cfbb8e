#!/usr/bin/env bash
# Brings WordPress up, fills it with many calls and conversations, prints how long each screen and
# list takes, and takes it down.
# usage: run.sh EXTENSION PYTHON FOLDER [CALLS [CONVERSATIONS]]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tests=$here/../../tests/wordpress
extension=$(realpath "$1")
python=$2
root=$3
trap '"$tests/down.sh" "$root"' EXIT
port=${TOOLWIRE_PORT:-28600}
"$tests/up.sh" "$root" "$extension" "$port"
root=$(realpath "$root")
export TOOLWIRE_SITE=$root/site TOOLWIRE_EXTENSION=$extension TOOLWIRE_URL=http://127.0.0.1:$port
"$python" "$here/screens.py" "${4:-100000}" "${5:-20000}"
