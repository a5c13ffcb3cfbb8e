#!/usr/bin/env bash
# Serves the site that ../up.sh brought up by Apache, nginx and PHP-FPM as hosts set them up, each on
# a port of loopback; servers.txt in the folder of the site has a line for each: name and port.
# usage: up.sh FOLDER EXTENSION FIRST_PORT
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$1" && pwd)
extension=$(realpath "$2")
port=$3
"$here/down.sh" "$root"
servers=$root/servers
rm -rf --one-file-system "$servers"
mkdir -p "$servers"/{conf.d,nginx}
# The path of a socket may have 107 bytes.
sockets=$(readlink "$root/sockets")

# As root the servers give up their rights, as they do on hosts.
user='' nginx_user=''
if ((EUID == 0)); then
  user='user = www-data'$'\n''group = www-data'
  nginx_user='user www-data;'
  touch "$root/debug.log"
  chown -R www-data: "$root/site" "$root/debug.log" "$servers"
  chmod 711 "$sockets"
fi

names=(apache apache-deflate-type apache-deflate-all apache-fcgid apache-mod-php nginx
  nginx-ignoring nginx-apache nginx-nginx nginx-zlib nginx-short)
replace=(-e "s|@ROOT@|$root|g" -e "s|@SERVERS@|$servers|g" -e "s|@SOCKETS@|$sockets|g"
  -e "s|@EXTENSION@|$extension|g" -e "s|@NGINX_USER@|$nginx_user|g")
for name in "${names[@]}"; do
  replace+=(-e "s|@$name@|$port|g")
  printf '%s %s\n' "$name" "$port" >>"$servers/servers.txt"
  port=$((port + 1))
done
for file in apache.conf apache-event.conf apache-prefork.conf nginx.conf fpm.conf; do
  sed "${replace[@]}" "$here/$file" >"$servers/$file"
done
sed -i "s|^@USER@\$|${user//$'\n'/\\n}|" "$servers/fpm.conf"
if ((EUID == 0)); then
  printf 'User www-data\nGroup www-data\n' >>"$servers/apache.conf"
fi
printf 'extension=%s\n' "$extension" >"$servers/conf.d/toolwire.ini"
printf '#!/bin/sh\nexec php-cgi8.2 -d extension=%s\n' "$extension" >"$servers/php-cgi"
chmod 755 "$servers/php-cgi"

serve() {
  local log=$1
  shift
  setsid "$@" >"$servers/$log.log" 2>&1 </dev/null &
  printf '%s\n' "$!" >>"$servers/pids"
}
# FPM refuses root unless it is told that root is meant; the pools have a user of their own.
serve fpm php-fpm8.2 -R -F -y "$servers/fpm.conf" -d "extension=$extension"
serve apache-event apache2 -f "$servers/apache-event.conf" -D FOREGROUND
PHP_INI_SCAN_DIR=:$servers/conf.d serve apache-prefork \
  apache2 -f "$servers/apache-prefork.conf" -D FOREGROUND
serve nginx nginx -e "$servers/nginx-error.log" -c "$servers/nginx.conf" -g 'daemon off;'

while read -r name at; do
  for _ in $(seq 100); do
    php -r 'exit(@file_get_contents($argv[1]) === false ? 1 : 0);' -- \
      "http://127.0.0.1:$at/wp-login.php" && continue 2
    sleep 0.1
  done
  printf 'servers/up.sh: %s does not answer on port %s; see the logs in %s\n' \
    "$name" "$at" "$servers" >&2
  exit 1
done <"$servers/servers.txt"
