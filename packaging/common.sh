# shellcheck shell=bash
# What the scripts of this folder share; they source it from the top of the repository.

die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

tools=$PWD/build/packaging/venv/bin
python=$tools/python
[[ -x $python ]] || die "build/packaging/venv is missing: make build/packaging/.tools"

version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"$/\1/p' Cargo.toml)
[[ -n $version ]] || die "Cargo.toml has no version"

# All dates in the archives are that of the commit.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH

# A release is a commit.
dirty=()
if [[ -n $(git status --porcelain --untracked-files=no) ]]; then
  [[ ${DIRTY:-} == 1 ]] ||
    die "there are changes that are not committed; commit them, or try things out with DIRTY=1"
  dirty=(--allow-dirty)
fi
