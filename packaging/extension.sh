#!/usr/bin/env bash
# Builds the extension for a PHP and packs it as PIE looks for it.
# usage: extension.sh VERSION FOLDER     VERSION is 8.2, 8.4-zts, ...
#   $TARGET is the target of Rust, x86_64-unknown-linux-gnu unless it is set.
#
# PHP is that in build/roots/VERSION, or one of this machine that is of the version, or is fetched.
set -euo pipefail
label=${1:?a version of PHP}
folder=$(realpath "${2:?a folder}")
cd "$(dirname "$(realpath "$0")")/.."
. packaging/common.sh
. packaging/toolchain.sh

# What a PHP calls itself: 8.4, or 8.4-zts when it has threads.
label_of() {
  # shellcheck disable=SC2016
  "$1" -n -r 'echo PHP_MAJOR_VERSION, ".", PHP_MINOR_VERSION, ZEND_THREAD_SAFE ? "-zts" : "",
    ZEND_DEBUG_BUILD ? "-debug" : "";' 2>/dev/null || true
}

php=
for candidate in "$PWD/build/roots/$label/bin/php" php "php${label%-zts}"; do
  if candidate=$(command -v "$candidate") && [[ $(label_of "$candidate") == "$label" ]]; then
    php=$candidate
    break
  fi
done
if [[ -z $php ]]; then
  root=build/roots/$label
  mkdir -p build/roots
  case $label in
    *-zts) .ci/php-zts "${label%-zts}" "$root" ;;
    *) .ci/php-root "$label" "$root" ;;
  esac || die "PHP $label is not at hand: install it with its headers, as php$label in \$PATH"
  php=$PWD/$root/bin/php
fi
config=
for candidate in "$(dirname "$php")/php-config" "$(dirname "$php")/php-config${label%-zts}"; do
  if [[ -x $candidate ]] && [[ $("$candidate" --version) == "${label%-zts}".* ]]; then
    config=$candidate
  fi
done
[[ -n $config ]] || die "there is no php-config for $php; on Debian: apt-get install php-dev"

echo "extension: PHP $label for $target, with $php"
PHP=$php PHP_CONFIG=$config cargo build --quiet --profile dist --locked -p toolwire-php \
  --target "$target" --target-dir target/dist
built=target/dist/$target/dist/libtoolwire_php.so

newest=$(objdump -T "$built" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -n 1)
[[ $(printf '%s\n' "${newest#GLIBC_}" "$glibc" | sort -V | tail -n 1) == "$glibc" ]] ||
  die "$built needs $newest, newer than $glibc"
if grep -qaF -e "$PWD/" -e "$HOME/" "$built"; then die "$built names a folder of this machine"; fi
if [[ $target == "$(uname -m)"-* ]]; then
  said=$("$php" -n -d "extension=$PWD/$built" -r 'echo phpversion("toolwire");')
  [[ $said == "$version" ]] || die "$php does not load $built: $said"
fi

# PIE: php_NAME-VERSION_phpPHP-ARCHITECTURE-SYSTEM-LIBC[-zts|-nts].zip, NAME.so at its root.
threads=nts
if [[ $label == *-zts ]]; then threads=zts; fi
name=php_toolwire-${version}_php${label%-zts}-${architecture/aarch64/arm64}-linux-glibc-$threads
work=build/packaging/$name
rm -rf "$work"
mkdir -p "$work"
cp "$built" "$work/toolwire.so"
cp LICENSE LICENSE-APACHE LICENSE-MIT "$folder/THIRD-PARTY-NOTICES.txt" "$folder/toolwire.cdx.json" \
  "$work"
"$python" packaging/archive.py "$folder/$name.zip" "$work"
