#!/usr/bin/env bash
# Writes the texts that can be translated to toolwire/languages/toolwire.pot; --check compares.
set -euo pipefail
cd "$(dirname "$0")/toolwire"
export LC_ALL=C
pot=languages/toolwire.pot
new=$(mktemp)
trap 'rm -f "$new" "$new.php"' EXIT
options=(--from-code=UTF-8 --add-comments=translators --sort-by-file --package-name=Toolwire
  --no-wrap --keyword=__ --keyword=_n:1,2 --keyword=_n_noop:1,2 --keyword=esc_html__
  --keyword=esc_html_e --keyword=esc_attr__)
utf8() { sed -e 's/charset=CHARSET/charset=UTF-8/'; }
texts() { sort | xgettext "--language=$1" "${options[@]}" --files-from=- --output=- | utf8; }
find . -name '*.php' | texts PHP >"$new.php"
find assets block -name '*.js' | texts JavaScript |
  msgcat --use-first --no-wrap --sort-by-file "$new.php" - |
  sed -e '/^"POT-Creation-Date/d' -e '/^#: /s/:[0-9]\+//g' \
    -e '/^# /d' -e '/^#$/d' -e '/^#, fuzzy$/d' >"$new"
if [[ ${1:-} == --check ]]; then
  diff -u "$pot" "$new" || { printf 'translate.sh: run it, the texts have changed\n' >&2; exit 1; }
else
  mkdir -p languages
  cp "$new" "$pot"
fi
