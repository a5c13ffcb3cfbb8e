#!/usr/bin/env bash
# Tests the library in plain PHP on several versions of PHP: the shared cases, its own tests, and
# random questions whose answers must be those of the extension.
# usage: tests/plain/versions.sh PHP-WASM-CLI EXTENSION.so [VERSION...]
set -euo pipefail

cli=$1
extension=$(realpath "$2")
shift 2
versions=("$@")
((${#versions[@]})) || versions=(7.4 8.0 8.1 8.2 8.3 8.4 8.5)
here=$(dirname "$(realpath "$0")")
questions=(1 2000)
answers=$(mktemp -d)
trap 'rm -r "$answers"' EXIT

php -n -d "extension=$extension" "$here/fuzz/answers.php" "${questions[@]}" >"$answers/extension"
php -n -d "extension=$extension" "$here/tools/questions.php" 1 >"$answers/tools"
for version in "${versions[@]}"; do
  export PHP=$version
  "$cli" "$here/cases.php"
  "$cli" "$here/library.php"
  "$cli" "$here/reading.php"
  "$cli" "$here/fuzz/answers.php" "${questions[@]}" >"$answers/plain"
  cmp "$answers/extension" "$answers/plain"
  "$cli" "$here/tools/questions.php" 1 >"$answers/plain"
  cmp "$answers/tools" "$answers/plain"
  echo "PHP $version: ${questions[1]} random questions, answered as the extension does"
done
