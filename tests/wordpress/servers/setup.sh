#!/usr/bin/env bash
# Installs the web servers of the tests from Debian, as far as they are missing, and says so.
# Starts none of them.
set -euo pipefail
die() {
  printf 'servers/setup.sh: %s\n' "$*" >&2
  exit 1
}

missing=()
command -v apache2 >/dev/null || missing+=(apache2)
command -v nginx >/dev/null || missing+=(nginx-light)
command -v php-fpm8.2 >/dev/null || missing+=(php8.2-fpm)
command -v php-cgi8.2 >/dev/null || missing+=(php8.2-cgi)
modules=/usr/lib/apache2/modules
[[ -e $modules/mod_fcgid.so ]] || missing+=(libapache2-mod-fcgid)
[[ -e $modules/libphp8.2.so ]] || missing+=(libapache2-mod-php8.2)
((${#missing[@]} > 0)) || exit 0

printf 'servers/setup.sh: installing %s\n' "${missing[*]}"
command -v apt-get >/dev/null || die "apt-get is missing. Install these by hand: ${missing[*]}"
sudo=()
if ((EUID != 0)); then
  command -v sudo >/dev/null || die "run this as root once, to install: ${missing[*]}"
  sudo=(sudo)
fi
# Debian starts a server when it installs it, unless this file forbids it.
policy=/usr/sbin/policy-rc.d
if [[ ! -e $policy ]]; then
  printf '#!/bin/sh\nexit 101\n' | "${sudo[@]}" tee "$policy" >/dev/null
  "${sudo[@]}" chmod 755 "$policy"
  trap '"${sudo[@]}" rm -f "$policy"' EXIT
fi
log=$(mktemp)
install=("${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y)
{ "${sudo[@]}" apt-get update && "${install[@]}" --no-install-recommends "${missing[@]}"; } \
  >"$log" 2>&1 || { tail -n 20 "$log" >&2; die "apt-get could not install: ${missing[*]}"; }
