#!/usr/bin/env bash
# Ends the servers that up.sh started for the site of a folder.
# usage: down.sh FOLDER
set -euo pipefail
servers=${1:?the folder of the site}/servers
[[ -s $servers/pids ]] || exit 0
while read -r pid; do
  # If another program has the number by now, it is left alone.
  case $(ps -o comm= -p "$pid" 2>/dev/null || true) in
    php-fpm* | apache2 | nginx) kill -TERM -- "-$pid" 2>/dev/null || true ;;
    *) continue ;;
  esac
  for _ in $(seq 100); do
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.1
  done
done <"$servers/pids"
rm -f "$servers/pids"
sockets=$(readlink "$1/sockets" || true)
[[ -z $sockets ]] || rm -f "$sockets"/{fpm,zlib,short}
