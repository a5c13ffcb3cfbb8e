"""What PHP installs: the extension from PIE's zip, the Composer library, the WordPress plugin."""

from __future__ import annotations

import json
import re
import zipfile

from root import FailedError, Root, documented
from row import Row

PROJECT = "/opt/shop"
# The examples of a page in PHP, each in a file of its own with the library's autoloader.
EXAMPLE = re.compile(r"```php\n(require 'vendor/autoload\.php';\n.*?)```", re.DOTALL)
SAID = re.compile(r"^echo .*; +// (.*)$", re.MULTILINE)


def version(root: Root) -> tuple[str, str]:
    """Give the version of the root's PHP, and the end of PIE's file name for it."""
    code = """echo PHP_VERSION, ' ', PHP_MAJOR_VERSION, '.', PHP_MINOR_VERSION, '-',
        str_replace('aarch64', 'arm64', php_uname('m')), '-linux-glibc',
        ZEND_THREAD_SAFE ? '-zts' : '-nts';"""
    full, name = root.run(f'php -n -r "{code}"').split()
    return full, name


def release(root: Root) -> str:
    """Give the version of what was built."""
    (crate,) = (root.folder / "dist").glob("toolwire-*.crate")
    return crate.stem.removeprefix("toolwire-")


def extension(root: Root, suite: str) -> Row:
    """Unzip the extension for this PHP where PHP looks for it; run the cases; take it out."""
    full, platform = version(root)
    zips = list((root.folder / "dist").glob(f"php_toolwire-*_php{platform}.zip"))
    if len(zips) != 1:
        raise FailedError(f"dist has {len(zips)} extensions for PHP {platform}, not one")
    folder = root.run("php -n -r 'echo ini_get(\"extension_dir\");'")
    before = root.files()
    root.run(f"cd /dist\n{documented('extension')}")
    root.run(f"ln -s {folder}/toolwire.so /src/build/toolwire.so")
    root.run(
        "cd /src && php examples/php/assistant.php examples/data/reply.md "
        "examples/data/packets.json && php examples/php/tools.php"
    )
    phpunit = root.run("phpunit --version")
    settings = "phpunit.xml" if re.search(r"PHPUnit 9\.", phpunit) else "phpunit-10.xml"
    unit = f"cd /src && phpunit -c tests/php/{settings}"
    pages = root.run(f"{unit} --filter README.md")
    root.run(f"{unit} --filter CasesTest::testCase")
    counts = json.loads((root.folder / "src/build/cases-php.json").read_text())
    root.run(f"{documented('no extension')}! php --ri toolwire")
    root.expect_the_same_files(before)
    return Row(
        zips[0].name,
        f"Debian {suite}, PHP {full}, `unzip` and an ini file",
        f"README ({passed(pages)}), examples/php, shared cases",
        sum(counts.values()),
    )


def passed(said: str) -> str:
    """Give how many tests PHPUnit passed, which must be some."""
    # PHPUnit 10 and newer have other words where something of PHPUnit itself is deprecated.
    match = re.search(r"^OK \((\d+) test|^OK, but .*\nTests: (\d+)", said, re.MULTILINE)
    if match is None:
        raise FailedError(f"PHPUnit passed nothing:\n{said[-1000:]}")
    count = match[1] or match[2]
    return f"{count} example{'' if count == '1' else 's'}"


def library(root: Root, suite: str) -> Row:
    """Require the library with Composer from a folder of archives; run the cases; remove it."""
    (archive,) = (root.folder / "dist").glob("toolwire-toolwire-*.zip")
    full, _ = version(root)
    before = root.files()
    # Without a network, Composer must not look for other packages.
    root.run("composer config --global repositories.packagist.org false")
    root.run(f"mkdir -p {PROJECT} && echo '{{}}' >{PROJECT}/composer.json")
    composer = f"cd {PROJECT} && composer --no-interaction"
    root.run(f"cd {PROJECT}\n" + documented("library").replace("/path/to/dist", "/dist"))
    page = (root.folder / "src/docs/plain-php.md").read_text(encoding="utf-8")
    examples = EXAMPLE.findall(page)
    for example in examples:
        (root.folder / f"{PROJECT[1:]}/example.php").write_text(f"<?php\n{example}")
        printed = root.run(f"cd {PROJECT} && php example.php").splitlines()
        if SAID.findall(example) != printed or not printed:
            raise FailedError(f"the example of docs/plain-php.md printed {printed}")
    root.run(
        "cd /src && php -n tests/plain/cases.php build/cases-plain.json",
        TOOLWIRE_LIBRARY=f"{PROJECT}/vendor/autoload.php",
    )
    counts = json.loads((root.folder / "src/build/cases-plain.json").read_text())
    root.run(f"{composer} remove toolwire/toolwire 2>&1 && ! test -e vendor/toolwire/toolwire")
    root.run(f"rm -r {PROJECT}")
    root.expect_the_same_files(before)
    return Row(
        archive.name,
        f"Debian {suite}, PHP {full} without the extension, `composer require`",
        f"docs/plain-php.md ({len(examples)} example), shared cases that it offers",
        sum(counts["ran"].values()),
    )


def plugin(root: Root, suite: str) -> Row:
    """Unzip the plugin; PHP reads each file; the notice names a file that was built."""
    (archive,) = (root.folder / "dist").glob("toolwire-wordpress-*.zip")
    full, _ = version(root)
    with zipfile.ZipFile(archive) as opened:
        tops = {name.partition("/")[0] for name in opened.namelist()}
        binary = [name for name in opened.namelist() if opened.read(name)[:4] == b"\x7fELF"]
    if tops != {"toolwire"} or binary:
        raise FailedError(f"{archive.name} has the folders {tops} and the binaries {binary}")
    before = root.files()
    root.run(f"unzip -q /dist/{archive.name} -d /opt")
    said = root.run("find /opt/toolwire -name '*.php' -exec php -n -l {} \\;")
    count = said.count("No syntax errors")
    named = root.run(
        f"php -n /src/packaging/test_dist/notice.php /opt/toolwire {release(root)}"
    ).strip()
    if not (root.folder / "dist" / named).is_file():
        raise FailedError(f"the plugin's notice names {named!r}, which is not in dist")
    root.run("rm -r /opt/toolwire")
    root.expect_the_same_files(before)
    return Row(
        archive.name,
        f"Debian {suite}, PHP {full}, `unzip`",
        f"{count} files read by PHP; the notice names `{named}`",
    )
