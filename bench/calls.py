"""Calls as models write them."""

import html
import json

from source import Source
from writing import function, html_sentences

TOOLS = ("wp_api", "wpcli", "plugin_logs")


def few_arguments(source: Source) -> dict[str, object]:
    """Make the arguments of most calls: some 60 bytes of JSON."""
    return {"action": f"get_{source.word()}", "id": source.below(99_999), "context": "edit"}


def arguments(source: Source) -> dict[str, object]:
    """Make the arguments of a search: about 350 bytes of JSON."""
    return {
        "action": "list_" + source.word(),
        "status": "publish",
        "limit": source.below(100),
        "ratio": source.below(1000) / 8,
        "include": [source.below(100_000) for _ in range(8)],
        "where": {"level": source.word(), "since": "2026-01-01", "active": True, "parent": None},
        "note": f'say "{source.word()}"\n{source.sentence()}',
    }


def written_page(source: Source) -> dict[str, object]:
    """Make the arguments of a call that writes a page: 500 to 900 bytes, with HTML in them."""
    return {
        "action": "update_post",
        "id": source.below(99_999),
        "title": source.sentence(),
        "content": "\n".join(f"<p>{html_sentences(source, 2)}</p>" for _ in range(2)),
        "tags": [source.word(), source.word()],
    }


def given(source: Source) -> dict[str, object]:
    """Make the arguments of one of these."""
    return source.of((few_arguments, arguments, arguments, written_page))(source)


def tag_call(source: Source) -> str:
    written = json.dumps(given(source), ensure_ascii=False)
    return f"<tool:{source.of(TOOLS)}>{written}</tool>"


def short_call(source: Source) -> str:
    return f"<tool:{source.of(TOOLS)}>{json.dumps(few_arguments(source))}</tool>"


def json_call(source: Source) -> str:
    call = {"name": source.of(TOOLS), "parameters": given(source)}
    return f"```json\n{json.dumps(call, indent=2)}\n```"


def html_call(source: Source) -> str:
    """Make an HTML call as the plugin writes it, so that the plugin's pattern finds it."""
    written = html.escape(json.dumps(given(source)), quote=False).replace("'", "&#39;")
    name = source.of(TOOLS)
    return (
        f'<div id="mpai-tool-{source.below(1000)}" class="mpai-tool-call" data-tool-name="{name}" '
        f"data-tool-parameters='{written}'></div>"
    )


def edit(source: Source) -> dict[str, object]:
    """Make the arguments of a call that changes a file: 1 to 2 KB of JSON."""
    return {
        "path": f"includes/{source.word()}/{source.word()}.php",
        "reason": f'"{source.word()}" \u2013 {source.sentence()}',
        "edits": [
            {
                "lines": {"from": source.below(900), "to": source.below(900)},
                "text": function(source) + "\n",
            }
            for _ in range(1 + source.below(2))
        ],
        "options": {
            "encoding": "utf-8",
            "backup": None,
            "check": {"lint": True, "limit": source.below(90) / 8},
        },
        "labels": [source.word() for _ in range(5)],
    }


def hermes_call(source: Source) -> str:
    """Make a call as Hermes and Qwen write it, with a line end on either side of the JSON."""
    call = {"name": source.of(TOOLS), "arguments": edit(source)}
    return f"<tool_call>\n{json.dumps(call)}\n</tool_call>"
