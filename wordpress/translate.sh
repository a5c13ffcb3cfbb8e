#!/usr/bin/env bash
# Writes the texts that can be translated to toolwire/languages/toolwire.pot; --check says whether they are there.
set -euo pipefail
cd "$(dirname "$0")/toolwire"
export LC_ALL=C
pot=languages/toolwire.pot
new=$(mktemp)
trap 'rm -f "$new" "$new.php"' EXIT
keywords=(--keyword=__ --keyword=_n:1,2 --keyword=esc_html__ --keyword=esc_html_e --keyword=esc_attr__)
options=(--from-code=UTF-8 --add-comments=translators --sort-by-file --package-name=Toolwire --no-wrap "${keywords[@]}")
utf8() { sed -e 's/charset=CHARSET/charset=UTF-8/'; }
find . -name '*.php' | sort | xgettext --language=PHP "${options[@]}" --files-from=- --output=- | utf8 >"$new.php"
find assets -name '*.js' | sort | xgettext --language=JavaScript "${options[@]}" --files-from=- --output=- | utf8 |
  msgcat --use-first --no-wrap --sort-by-file "$new.php" - |
  sed -e '/^"POT-Creation-Date/d' -e '/^#: /s/:[0-9]\+//g' -e '/^# /d' -e '/^#$/d' -e '/^#, fuzzy$/d' >"$new"
if [[ ${1:-} == --check ]]; then
  diff -u "$pot" "$new" || { printf 'translate.sh: run it, the texts have changed\n' >&2; exit 1; }
else
  mkdir -p languages
  cp "$new" "$pot"
fi
