#!/usr/bin/env bash
# Checks licences, origins and versions of all crates with deny.toml, and their known flaws where the
# database of those can be had: it is a repository on GitHub.
# With ADVISORIES=required, it is an error if the database cannot be had.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$PWD/build/deny/bin:$PATH

cargo deny --locked check bans licenses sources

log=$(mktemp)
trap 'rm -f "$log"' EXIT
if timeout 60 cargo deny --locked fetch db >"$log" 2>&1; then
  cargo deny --locked check --disable-fetch advisories
elif [[ ${ADVISORIES:-} == required ]]; then
  cat "$log" >&2
  echo 'deny: the database of known flaws cannot be had' >&2
  exit 1
else
  echo 'deny: known flaws were NOT checked: the database on github.com cannot be had' >&2
fi
