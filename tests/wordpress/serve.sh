#!/usr/bin/env bash
# Serves the site of a folder on a port of loopback until down.sh ends it.
# usage: serve.sh FOLDER PORT PHP...
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$1" && pwd)
port=$2
shift 2
PHP_CLI_SERVER_WORKERS=4 setsid "$@" -d display_errors=0 -d log_errors=1 -d memory_limit=128M \
  -S "127.0.0.1:$port" -t "$root/site" "$here/site/router.php" \
  >"$root/php-$port.log" 2>&1 </dev/null &
printf '%s\n' "$!" >"$root/php-$port.pid"
for _ in $(seq 100); do
  php -r 'exit(@file_get_contents($argv[1]) === false ? 1 : 0);' -- \
    "http://127.0.0.1:$port/wp-login.php" && exit
  sleep 0.1
done
printf 'serve.sh: nothing answers on port %s; see %s\n' "$port" "$root/php-$port.log" >&2
exit 1
