#!/usr/bin/env bash
# Brings up a new WordPress with the plugin in a folder: MariaDB on a socket, PHP's own web server
# on loopback.
# usage: up.sh FOLDER EXTENSION [PORT]; TOOLWIRE_WORDPRESS names another WordPress than that of
# Debian; TOOLWIRE_MULTISITE=1 makes a network with a second site, /second/; TOOLWIRE_MCP_ADAPTER
# names the folder of the plugin MCP Adapter, which is then active too; TOOLWIRE_SQLITE names the
# folder of the plugin SQLite Database Integration, which then takes the place of MariaDB
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=${1:?a folder for the site}
extension=$(realpath "${2:?the extension, toolwire.so}")
port=${3:-8765}

if [[ -e $root && ! -e $root/.toolwire-site ]]; then
  printf 'up.sh: %s is there, and is not a site of these tests\n' "$root" >&2
  exit 1
fi
"$here/down.sh" "$root"
rm -rf --one-file-system "$root"
mkdir -p "$root"
touch "$root/.toolwire-site"
root=$(cd "$root" && pwd)
# The path of a socket may have 107 bytes, and a folder of the project may be deep.
sockets=$(mktemp -d "${TMPDIR:-/tmp}/toolwire-db.XXXXXX")
ln -s "$sockets" "$root/sockets"
socket=$sockets/s

wait_for() {
  for _ in $(seq 300); do
    "$@" >/dev/null 2>&1 && return
    sleep 0.1
  done
  printf 'up.sh: this did not come up: %s; see the logs in %s\n' "$*" "$root" >&2
  exit 1
}

# Starts MariaDB on a socket.
bring_up_mariadb() {
  local database
  database=(--no-defaults "--datadir=$root/database" "--user=$(id -un)" --innodb-log-file-size=8M)
  mariadb-install-db "${database[@]}" --auth-root-authentication-method=normal --skip-test-db \
    >"$root/install-database.log" 2>&1
  setsid mariadbd "${database[@]}" "--socket=$socket" "--pid-file=$root/mariadbd.pid" \
    --skip-networking --innodb-flush-log-at-trx-commit=0 --skip-log-bin \
    >"$root/mariadbd.log" 2>&1 </dev/null &
  wait_for mariadb-admin --no-defaults -u root -S "$socket" ping
  mariadb --no-defaults -u root -S "$socket" <<'SQL'
CREATE DATABASE wp CHARACTER SET utf8mb4;
CREATE USER wp@localhost IDENTIFIED BY 'wp';
GRANT ALL ON wp.* TO wp@localhost;
SQL
}

[[ -n ${TOOLWIRE_SQLITE:-} ]] || bring_up_mariadb

mkdir "$root/site"
# Debian links some libraries from elsewhere, and some links lead nowhere.
cp -rL "${TOOLWIRE_WORDPRESS:-/usr/share/wordpress}/." "$root/site/" 2>/dev/null || true
rm -f "$root/site/.htaccess" "$root/site/wp-config.php"
mkdir -p "$root"/site/wp-content/{plugins,themes/plain,uploads,mu-plugins}
"$here/../../wordpress/package.sh" "$root/site/wp-content/plugins/toolwire"
if [[ -n ${TOOLWIRE_MCP_ADAPTER:-} ]]; then
  cp -r "$TOOLWIRE_MCP_ADAPTER" "$root/site/wp-content/plugins/mcp-adapter"
fi
if [[ -n ${TOOLWIRE_SQLITE:-} ]]; then
  # SQLite waits for the disk at each statement, which the tests need not.
  if [[ -w /dev/shm ]]; then
    ln -s "$(mktemp -d /dev/shm/toolwire-db.XXXXXX)" "$root/database"
  else
    mkdir "$root/database"
  fi
  cp -r "$TOOLWIRE_SQLITE" "$root/site/wp-content/plugins/sqlite-database-integration"
  cp "$TOOLWIRE_SQLITE/db.copy" "$root/site/wp-content/db.php"
fi
cp "$here/site/theme.php" "$root/site/wp-content/themes/plain/index.php"
printf '/*\nTheme Name: plain\n*/\n' >"$root/site/wp-content/themes/plain/style.css"
cp "$here"/site/{tools,runs,assistant,cost,abilities,multisite,ai-provider}.php "$root/site/wp-content/mu-plugins/"
mkdir "$root/site/wp-content/mu-plugins/toolwire-tests"
cp "$here"/site/{wp-abilities,ai-classes}.php "$root/site/wp-content/mu-plugins/toolwire-tests/"
sed -e "s|@ROOT@|$root|g" -e "s|@SOCKET@|$socket|g" -e "s|@PORT@|$port|g" \
  "$here/site/wp-config.php" >"$root/site/wp-config.php"

export TOOLWIRE_SITE=$root/site
php -d "extension=$extension" "$here/site/install.php" "$port"
if [[ -n ${TOOLWIRE_MULTISITE:-} ]]; then
  php -d "extension=$extension" "$here/site/network.php"
fi
"$here/serve.sh" "$root" "$port" php -d "extension=$extension"
printf 'WordPress is up at http://127.0.0.1:%s, with its logs in %s\n' "$port" "$root"
