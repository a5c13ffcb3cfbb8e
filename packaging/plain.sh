#!/usr/bin/env bash
# Packs what needs no compiler: the WordPress plugin, the two Composer packages, the crate, the
# sources of the wheel.
# usage: plain.sh FOLDER     $DIRTY=1 packs a work tree with changes that are not committed
set -euo pipefail
target=$(realpath "${1:?a folder}")
cd "$(dirname "$(realpath "$0")")/.."
. packaging/common.sh

work=build/packaging/plain
rm -rf "$work"
mkdir -p "$work"

# Only what git knows; a link is copied as what it leads to.
copy() {
  local folder=$1
  shift
  mkdir -p "$folder"
  git ls-files -z -- "$@" | xargs -0 cp --parents --dereference -t "$folder"
}

echo "plain: the plugin for WordPress"
copy "$work/wordpress" wordpress/toolwire php/toolwire 'LICENSE*'
plugin=$work/plugin
wordpress/package.sh "$plugin" "$work/wordpress"
for line in " * Version:           $version" "const VERSION = '$version';"; do
  grep -qxF "$line" "$plugin/toolwire.php" ||
    die "wordpress/toolwire/toolwire.php lacks the line '$line', the version of Cargo.toml"
done
grep -qxF "Stable tag: $version" "$plugin/readme.txt" ||
  die "wordpress/toolwire/readme.txt lacks the line 'Stable tag: $version'"
while IFS= read -r -d '' file; do
  if [[ -s $file ]]; then
    grep -qI . "$file" || die "$file is binary; WordPress.org takes no binary"
  fi
done < <(find "$plugin" -type f -print0)
"$python" packaging/archive.py "$target/toolwire-wordpress-$version.zip" "$plugin" toolwire

# A package in a folder of archives says its version; one in a repository has that of its tag.
with_version() {
  "$python" - "$1" "$version" <<'END'
import json
import sys

path, version = sys.argv[1:]
with open(path, encoding="utf-8") as file:
    package = json.load(file)
package = {"name": package.pop("name"), "version": version, **package}
with open(path, "w", encoding="utf-8") as file:
    json.dump(package, file, indent=4, ensure_ascii=False)
    file.write("\n")
END
}

echo "plain: the Composer library"
php/package.sh "$work/library" >/dev/null
with_version "$work/library/composer.json"
"$python" packaging/archive.py "$target/toolwire-toolwire-$version.zip" "$work/library"

echo "plain: the sources of the extension, for PIE"
# The workspace is whole, or its lock file would not fit; tests and benches stay behind.
copy "$work/extension" composer.json Cargo.toml Cargo.lock LICENSE LICENSE-APACHE LICENSE-MIT \
  core/Cargo.toml core/README.md core/src php-ext py-binding/Cargo.toml py-binding/build.rs \
  py-binding/src workspace-hack
with_version "$work/extension/composer.json"
"$python" packaging/archive.py "$target/toolwire-php-$version.zip" "$work/extension"

echo "plain: the crate"
cargo package --quiet --locked --no-verify -p toolwire --target-dir target/package "${dirty[@]}"
cp "target/package/package/toolwire-$version.crate" "$target"

echo "plain: the sources of the wheel"
"$tools/maturin" sdist -m py-binding/Cargo.toml -o "$work/sdist" 2>/dev/null
cp "$work/sdist/toolwire-$version.tar.gz" "$target"
