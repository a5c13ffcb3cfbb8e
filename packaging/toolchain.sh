# shellcheck shell=bash
# Makes cargo build for glibc 2.17, whatever this machine has: zig compiles the C code and links,
# with the libraries of that glibc. Sourced after common.sh; $target names what is built for.

target=${TARGET:-x86_64-unknown-linux-gnu}
glibc=2.17
triple=${target/-unknown/}
scripts=$PWD/build/packaging/bin/$target
mkdir -p "$scripts"

zig=$("$python" -c 'import pathlib, ziglang; print(pathlib.Path(ziglang.__file__).parent)')
zig_version=$("$zig/zig" version)
# cargo-zigbuild leaves out the options of the compiler that zig does not know.
for name in cc ar; do
  {
    printf '#!/bin/sh\nexport CARGO_ZIGBUILD_ZIG_VERSION=%q CARGO_ZIGBUILD_ZIG_COMMAND=%q\n' \
      "$zig_version" "$zig/zig"
    arguments=
    if [[ $name == cc ]]; then arguments="-fno-sanitize=all -target $triple.$glibc"; fi
    printf 'exec %q zig %s -- %s "$@"\n' "$tools/cargo-zigbuild" "$name" "$arguments"
  } >"$scripts/$name.new"
  chmod +x "$scripts/$name.new"
  # The time of a file that is the same is kept, or all C code would be compiled anew.
  if cmp -s "$scripts/$name.new" "$scripts/$name"; then
    rm "$scripts/$name.new"
  else
    mv "$scripts/$name.new" "$scripts/$name"
  fi
done
# zig knows no option that folds functions of equal code into one, nor one that puts like functions and
# data next to each other, where they compress better; its linker does. What zig tells of its own
# linking is done once more with these. Rust knows by the name that it is a compiler.
mkdir -p "$scripts/linker"
cat >"$scripts/linker/new" <<END
#!/usr/bin/env bash
set -euo pipefail
told=\$("$scripts/cc" "\$@" -v 2>&1) || { printf '%s\n' "\$told" >&2; exit 1; }
# With an empty cache zig links parts of its own first.
command=\$(grep '^ld\.lld ' <<<"\$told" | tail -n 1)
read -ra words <<<"\$command"
exec "$zig/zig" "\${words[@]}" --icf=all --bp-compression-sort=both
END
chmod +x "$scripts/linker/new"
mv "$scripts/linker/new" "$scripts/linker/cc"
upper=${target^^}
export "CARGO_TARGET_${upper//-/_}_LINKER=$scripts/linker/cc"
export "CC_${target//-/_}=$scripts/cc" "AR_${target//-/_}=$scripts/ar"

# The headers of PHP are read with those of zig's C library, which are the same on each machine.
headers=$zig/lib/libc/include
architecture=${target%%-*}
includes="-isystem $(clang -print-resource-dir)/include"
for part in "${architecture/x86_64/x86}-linux-gnu" generic-glibc \
  "${architecture/x86_64/x86}-linux-any" any-linux-any; do
  includes+=" -isystem $headers/$part"
done
export "BINDGEN_EXTRA_CLANG_ARGS_${target//-/_}=$includes"

# No path of this machine stands in what is shipped.
registry=${CARGO_HOME:-$HOME/.cargo}/registry/src
export RUSTFLAGS="--remap-path-prefix=$PWD=/toolwire --remap-path-prefix=$registry=/crates"
unset CARGO_ENCODED_RUSTFLAGS CFLAGS
# Nothing unwinds through C: SQLite calls no code of ours. Its tables for that would be a hundredth of
# what is shipped.
export "CFLAGS_${target//-/_}=-fno-asynchronous-unwind-tables -fno-unwind-tables"

# Parts of SQLite that a store does not use.
LIBSQLITE3_FLAGS=
for part in API_ARMOR COLUMN_METADATA DBSTAT_VTAB FTS3 FTS3_PARENTHESIS FTS5 RTREE STAT4; do
  LIBSQLITE3_FLAGS+=" -USQLITE_ENABLE_$part"
done
for part in AUTHORIZATION AUTOMATIC_INDEX BETWEEN_OPTIMIZATION COMPILEOPTION_DIAGS COMPLETE \
  DATETIME_FUNCS DEPRECATED DESERIALIZE GET_TABLE INCRBLOB INTEGRITY_CHECK INTROSPECTION_PRAGMAS JSON \
  LIKE_OPTIMIZATION LOAD_EXTENSION LOCALTIME OR_OPTIMIZATION PROGRESS_CALLBACK SHARED_CACHE \
  TCL_VARIABLE TRACE UTF16 XFER_OPT; do
  LIBSQLITE3_FLAGS+=" -DSQLITE_OMIT_$part"
done
LIBSQLITE3_FLAGS+=" -USQLITE_ENABLE_LOAD_EXTENSION -USQLITE_SOUNDEX -DSQLITE_UNTESTABLE"
export LIBSQLITE3_FLAGS

# rustup adds the libraries of another architecture: rustup target add aarch64-unknown-linux-gnu.
# Where it cannot, Debian has a Rust for both.
if [[ ! -d $(rustc --print target-libdir --target "$target") ]]; then
  [[ $target == aarch64-unknown-linux-gnu && $(uname -m) == x86_64 ]] ||
    die "Rust's libraries for $target are missing: rustup target add $target"
  [[ -x build/roots/rust-arm/bin/rustc ]] || packaging/rust-arm.sh build/roots/rust-arm
  RUSTC=$PWD/build/roots/rust-arm/bin/rustc
  export RUSTC
fi
