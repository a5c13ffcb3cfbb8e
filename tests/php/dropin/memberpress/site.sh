#!/usr/bin/env bash
# Brings up a WordPress with the real MemberPress AI Assistant and the drop-in, and runs site.php
# in it.
# usage: site.sh PLUGIN EXTENSION SITE PORT; PLUGIN is a folder with a version of the plugin that
# has the class
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
project=$(cd "$here/../../../.." && pwd)
plugin=$(realpath "$1")
extension=$(realpath "$2")
site=$3
trap '"$project/tests/wordpress/down.sh" "$site"' EXIT
"$project/tests/wordpress/up.sh" "$site" "$extension" "$4" >&2
export TOOLWIRE_SITE=$site/site
# With WP_DEBUG the plugin calls its log before it has loaded it.
sed -i "s/'WP_DEBUG', true/'WP_DEBUG', false/" "$TOOLWIRE_SITE/wp-config.php"
cp -r "$plugin" "$TOOLWIRE_SITE/wp-content/plugins/memberpress-ai-assistant"
cp -r "$project/php/memberpress/." "$TOOLWIRE_SITE/wp-content/plugins/memberpress-ai-assistant/"
run=(php -d "extension=$extension" -d "error_log=$site/php.log" -d display_errors=0
  "$here/site.php")
"${run[@]}" activate
"${run[@]}"
