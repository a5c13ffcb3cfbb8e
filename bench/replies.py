"""Replies as assistants write them: each model lays its reply out in its own way."""

import json
from collections.abc import Callable

from source import Source
from writing import block, html, inline_code

Piece = Callable[[Source], str]


def with_code(source: Source) -> str:
    """Make a sentence; one of three names a function, a file or a setting."""
    sentence = source.sentence()
    return f"{sentence[:-1]} ({inline_code(source)})." if source.below(3) == 0 else sentence


def with_bold(source: Source) -> str:
    return f"**{source.word().capitalize()} {source.word()}**: {with_code(source)}"


def headings(source: Source) -> str:
    """Write as GPT does: headings, lists with bold words, pictograms, a block of code."""
    match source.below(6):
        case 0:
            return f"## {source.word().capitalize()} {source.word()} ✅\n\n{source.paragraph()}"
        case 1 | 2:
            return "\n".join(f"- {with_bold(source)}" for _ in range(3 + source.below(3)))
        case 3:
            return f"{with_code(source)}\n\n{block(source)}"
        case 4:
            return f"---\n\n> {source.sentence()}\n\n👉 {with_bold(source)}"
        case _:
            return " ".join(with_code(source) for _ in range(3))


def paragraphs(source: Source) -> str:
    """Write as Claude does: paragraphs, numbered steps, code within lines."""
    match source.below(6):
        case 0 | 1 | 2:
            return " ".join(with_code(source) for _ in range(3 + source.below(3)))
        case 3:
            steps = (f"{number}. {with_code(source)}" for number in range(1, 5))
            return "\n".join(steps)
        case 4:
            return f"{source.sentence()}\n\n{block(source)}"
        case _:
            return f"I looked at {inline_code(source)} and found this — {source.sentence()}"


def outline(source: Source) -> str:
    """Write as Gemini does: nested lists, tables, bold words."""
    match source.below(5):
        case 0:
            rows = "".join(
                f"\n| {source.word()} | {inline_code(source).replace('|', '/')} | "
                f"{source.below(999)} |"
                for _ in range(4)
            )
            return f"| Name | Setting | Count |\n| :--- | :---: | ---: |{rows}"
        case 1 | 2:
            parts = (
                f"*   {with_bold(source)}\n    *   {with_code(source)}\n    *   {source.sentence()}"
                for _ in range(2)
            )
            return "\n".join(parts)
        case 3:
            return f"### {source.below(9)}. {source.word().capitalize()}\n\n{block(source)}"
        case _:
            return source.paragraph()


def page(source: Source) -> str:
    """Write as models do that are asked for HTML."""
    return html(source)


def two_languages(source: Source) -> str:
    """Write as Qwen does: Chinese, with names and code in between."""
    match source.below(4):
        case 0:
            return f"{source.chinese()}\n\n{block(source)}"
        case 1:
            return "\n".join(f"- {source.chinese()} {inline_code(source)}" for _ in range(3))
        case _:
            return " ".join(source.chinese() for _ in range(4)) + " " + source.sentence()


STYLES = (headings, paragraphs, outline, paragraphs, headings, page, paragraphs, two_languages)


def sections(first: int) -> Piece:
    """Make a maker of sections: about 3 KB in the style of each model, then in that of the next.

    A text of 2 KB has the style of the first; which that is, the number says.
    """
    written = 0

    def section(source: Source) -> str:
        nonlocal written
        text = STYLES[(first + written // 3000) % len(STYLES)](source)
        written += len(text)
        return text

    return section


def thought(source: Source) -> str:
    """Make a paragraph of reasoning: short sentences, code, JSON that is only thought of."""
    match source.below(4):
        case 0:
            given = json.dumps({source.word(): source.below(99), "status": source.word()})
            return f"Wait, the result was {given}. {source.sentence()}"
        case 1:
            return f"Okay, so I need to look at {inline_code(source)}. {source.paragraph()}"
        case _:
            return source.paragraph()
