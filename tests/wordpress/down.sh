#!/usr/bin/env bash
# Ends the processes that up.sh and serve.sh started for a folder.
# usage: down.sh FOLDER
set -euo pipefail
root=${1:?the folder of the site}
for file in "$root"/php-*.pid "$root"/mariadbd.pid; do
  [[ -s $file ]] || continue
  pid=$(<"$file")
  # A server with workers leads a process group. If another program has the number by now, it is
  # left alone.
  case $(ps -o comm= -p "$pid" 2>/dev/null || true) in
    php*) kill -TERM -- "-$pid" 2>/dev/null || true ;;
    mariadbd*) kill -TERM "$pid" 2>/dev/null || true ;;
    *) continue ;;
  esac
  for _ in $(seq 100); do
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.1
  done
  rm -f "$file"
done
if [[ -L $root/sockets ]]; then
  sockets=$(readlink "$root/sockets")
  rm -f "$sockets"/s "$sockets"/s.lock "$root/sockets"
  rmdir "$sockets" 2>/dev/null || true
fi
if [[ -L $root/database ]]; then
  database=$(readlink "$root/database")
  [[ $database != /dev/shm/toolwire-db.* ]] || rm -rf --one-file-system "$database"
  rm -f "$root/database"
fi
