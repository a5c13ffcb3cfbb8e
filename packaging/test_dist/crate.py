"""The crate: unpacked in a new folder, and used by a new program."""

from __future__ import annotations

import os
import re
import tarfile
from pathlib import Path

from root import REPOSITORY, FailedError, remove, run
from row import Row


def crate(dist: Path, folder: Path) -> Row:
    """Build the README's example against the crate, and run it."""
    (archive,) = dist.glob("toolwire-*.crate")
    remove(folder)
    folder.mkdir(parents=True)
    with tarfile.open(archive) as opened:
        opened.extractall(folder, filter="data")
    (unpacked,) = folder.iterdir()
    page = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```rust\n(.*?)```", page, re.DOTALL)
    program = folder / "program"
    (program / "src").mkdir(parents=True)
    example = example.replace("fn main()", "fn example()")
    main = 'fn main() {\nexample().expect("the example holds");\nprintln!("held");\n}\n'
    (program / "src/main.rs").write_text(f"{example}\n{main}")
    # A workspace of its own, since the folder stands inside of another one.
    (program / "Cargo.toml").write_text(
        '[package]\nname = "program"\nversion = "1.0.0"\nedition = "2024"\n\n[workspace]\n\n'
        f'[dependencies]\ntoolwire = {{ path = "../{unpacked.name}" }}\n'
    )
    # The versions that were tested, as far as the program needs them.
    (program / "Cargo.lock").write_bytes((unpacked / "Cargo.lock").read_bytes())
    said = run(["cargo", "run", "--quiet"], dict(os.environ), program)
    if said.splitlines()[-1:] != ["held"]:
        raise FailedError(f"the README's example in Rust printed {said!r}")
    compiler = run(["rustc", "--version"], dict(os.environ)).split()[1]
    remove(folder)
    return Row(archive.name, f"this machine, Rust {compiler}, a new program", "README (1 example)")
