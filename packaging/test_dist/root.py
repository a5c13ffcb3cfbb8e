"""A clean Debian system of its own for each thing that is installed.

A system is a copy of a root that `debian-root` made. A command runs in it without a network, and
sees nothing of this machine. What is left after an uninstallation is found by listing all files.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
# Programs may write there, whatever is installed. In var/lib/php Debian's phpdismod notes what it
# switched off.
FLEETING = (
    *("proc", "sys", "dev", "tmp", "run", "var/tmp", "var/cache", "var/lib/php", "root"),
    *("src", "dist"),
)


class FailedError(Exception):
    """A step did not do what it must; the message says which one, and what it printed."""


@dataclass(frozen=True)
class Root:
    """A copy of a clean root, in a folder that is thrown away."""

    folder: Path

    @classmethod
    def copy(cls, clean: Path, folder: Path, dist: Path) -> Root:
        """Copy a clean root and put into it what was built (/dist) and the tests (/src)."""
        remove(folder)
        folder.parent.mkdir(parents=True, exist_ok=True)
        run(["cp", "-a", "--reflink=auto", str(clean.resolve()), str(folder)])
        shutil.copytree(dist, folder / "dist")
        copy_tracked(folder / "src")
        (folder / "src/build").mkdir()
        return cls(folder)

    def run(self, command: str, **environment: str) -> str:
        """Run a command of the shell in the root; give what it printed."""
        settings = {
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": "/root",
            "LC_ALL": "C.UTF-8",
            "COMPOSER_ALLOW_SUPERUSER": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            **environment,
        }
        separate = ["unshare", "--mount", "--pid", "--net", "--fork"]
        proc = [f"--mount-proc={self.folder / 'proc'}"]
        shell = ["chroot", str(self.folder), "sh", "-ec", command]
        return run([*separate, *proc, *shell], settings)

    def files(self) -> set[str]:
        """List the files, but those that any program may leave."""
        found: set[str] = set()
        for folder, folders, names in os.walk(self.folder):
            within = os.path.relpath(folder, self.folder)
            if within == ".":
                folders[:] = [name for name in folders if name not in FLEETING]
            elif within in ("var", "var/lib"):
                folders[:] = [name for name in folders if f"{within}/{name}" not in FLEETING]
            folders[:] = [name for name in folders if name != "__pycache__"]
            found.update(os.path.normpath(os.path.join(within, name)) for name in names + folders)
        return found

    def expect_the_same_files(self, before: set[str]) -> None:
        """Fail if files are left behind, or if files are gone."""
        after = self.files()
        if after != before:
            left = sorted(after - before)[:10]
            gone = sorted(before - after)[:10]
            raise FailedError(f"after the uninstallation, left: {left}, gone: {gone}")


def run(
    command: list[str], environment: dict[str, str] | None = None, cwd: Path | None = None
) -> str:
    """Run a program and give what it printed; fail if it does."""
    done = subprocess.run(
        command,
        env=environment,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        raise FailedError(f"{command[-1]}\nended with {done.returncode}:\n{done.stdout[-3000:]}")
    return done.stdout


def documented(name: str) -> str:
    """Give the commands of docs/install.md that stand behind a mark, for people and for tests."""
    page = (REPOSITORY / "docs/install.md").read_text(encoding="utf-8")
    blocks = re.findall(rf"<!-- run: {name} -->\n```sh\n(.*?)```", page, re.DOTALL)
    if len(blocks) != 1:
        raise FailedError(f"docs/install.md has {len(blocks)} blocks {name!r}")
    return str(blocks[0])


def remove(folder: Path) -> None:
    """Remove a folder, and nothing that is mounted in it."""
    run(["rm", "-rf", "--one-file-system", str(folder)])


def copy_tracked(target: Path) -> None:
    """Copy the files that git does not ignore; nothing that was built is among them."""
    listing = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    command = ["git", "-c", f"safe.directory={REPOSITORY}", *listing]
    for name in run(command, dict(os.environ), REPOSITORY).split("\0"):
        source = REPOSITORY / name
        if name and source.is_file():
            place = target / name
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, place)
