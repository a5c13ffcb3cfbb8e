r"""A public list of hostile texts, and what the tests that show them share.

The list is the Big List of Naughty Strings (MIT), which `.ci/setup-wordpress` installs from npm.
A text is used in up to three forms: as it is; behind characters that end attributes, comments and
elements; and, if it has `\xNN`, with that decoded.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Site
from watch import Watch, joined, readable

LIST = Path(__file__).parents[3] / "build/npm/node_modules/big-list-of-naughty-strings/blns.json"
BREAK_OUT = "\"'`--></pre></textarea></title></style></script></template></select>"
SCREEN = "/wp-admin/admin.php?page="


def payloads() -> list[str]:
    """Return the texts of the list, each once, in its order."""
    assert LIST.is_file(), "the list is missing; .ci/setup-wordpress installs it"
    texts = list(
        dict.fromkeys(text for text in json.loads(LIST.read_text(encoding="utf-8")) if text.strip())
    )
    assert len(texts) > 400
    return texts


PAYLOADS = payloads()
# The list writes some characters as \xNN, which some programs decode.
DECODED = [
    re.sub(r"\\x([0-9A-Fa-f]{2})", lambda code: chr(int(code[1], 16)), text) for text in PAYLOADS
]
FORMS = [*PAYLOADS, *(BREAK_OUT + text for text in PAYLOADS), *DECODED]
HOSTILE = list(dict.fromkeys(text.replace("\0", "") for text in FORMS))
LONGEST_ID, LONGEST_NAME = 256, 128


def packed(texts: list[str], most: int) -> list[list[str]]:
    """Put texts into lists of at most `most` characters, with a line break after each text."""
    lists: list[list[str]] = [[]]
    length = 0
    for text in texts:
        if lists[-1] and length + len(text) + 1 > most:
            lists.append([])
            length = 0
        lists[-1].append(text)
        length += len(text) + 1
    return lists


def ids(texts: list[str]) -> list[str]:
    """Join texts into ids that are as long as an id may be; leave out texts that are too long."""
    fit = [text for text in texts if len(text) <= LONGEST_ID]
    return [" ".join(pack) for pack in packed(fit, LONGEST_ID)]


def shown(watch: Watch, root: str, texts: list[str]) -> None:
    """Check that each readable text can be read below a selector."""
    page = watch.text(root)
    lost = [text for text in texts if readable(text) and joined(text) not in page]
    assert lost == [], f"{len(lost)} texts are not shown"


@pytest.fixture(scope="module")
def print_count() -> Iterator[None]:
    """Print the number of texts at the end."""
    yield
    texts = f"{len(PAYLOADS)} texts of the Big List of Naughty Strings"
    print(f"\n{texts}, in {len(HOSTILE)} forms: no script ran")


def inside(site: Site, user: str, calls: list[dict[str, object]]) -> list[dict[str, Any]]:
    """Send calls to the route from inside WordPress, which is faster; give the answers."""
    file = ROOT / "xss-calls.json"
    file.write_text(json.dumps(calls))
    return site.php(  # type: ignore[no-any-return]
        f"wp_set_current_user(get_user_by('login', '{user}')->ID); $answers = [];"
        f"foreach (json_decode(file_get_contents('{file}')) as $call) {{"
        "    $request = new WP_REST_Request('POST', '/toolwire/v1/calls');"
        "    $request->set_header('Content-Type', 'application/json');"
        "    $request->set_body(json_encode($call));"
        "    $response = rest_do_request($request);"
        "    $answers[] = ['status' => $response->get_status(), 'body' => $response->get_data()];"
        "} return $answers;"
    )
