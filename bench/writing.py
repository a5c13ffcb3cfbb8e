"""What assistants write: prose, HTML, code, blocks of code, JSON. Nothing here is a call."""

import json

from source import Source

SITE = "https://shop.example.com"
SETTINGS = ("wp_mail_from", "page_on_front", "users_can_register", "posts_per_page", "blogname")


def prose(source: Source) -> str:
    return source.paragraph()


def address(source: Source) -> str:
    """Make an address as it stands in an attribute: with character references."""
    page = f"{source.word()}-{source.word()}"
    if source.below(2):
        return f"{SITE}/wp-admin/admin.php?page={page}&amp;id={source.below(900)}&amp;tab=general"
    return f"{SITE}/{source.word()}/{page}/#{source.word()}"


def inline_html(source: Source) -> str:
    """Make one element within a sentence."""
    word = source.word()
    match source.below(7):
        case 0:
            return (
                f'<a href="{address(source)}" class="button button-primary" target="_blank" '
                f'rel="noopener noreferrer">{word}</a>'
            )
        case 1 | 2:
            return f"<strong>{word}</strong>"
        case 3:
            return f"<em>{word}</em>&nbsp;&#8217;{source.below(90)}"
        case 4:
            return f"<code>{word}-{source.word()}</code>"
        case 5:
            return f"{word}<br />"
        case _:
            return f'<span class="{word}-label" style="color: #2271b1;">{word}</span>'


def html_sentences(source: Source, count: int) -> str:
    """Make sentences, with an element in two of three."""
    parts = []
    for _ in range(count):
        sentence = source.sentence().replace("&", "&amp;").replace("<", "&lt;")
        if source.below(3):
            sentence += f" {source.word().capitalize()} {inline_html(source)} {source.word()}."
        parts.append(sentence)
    return " ".join(parts)


def html_list(source: Source) -> str:
    lines = "".join(
        f'\n<li id="item-{source.below(9999)}">{html_sentences(source, 1)}</li>' for _ in range(3)
    )
    return f'<!-- wp:list -->\n<ul class="wp-block-list is-style-checks">{lines}\n</ul>'


def html_table(source: Source) -> str:
    rows = "".join(
        f'\n<tr><th scope="row">{source.sentence()}</th>'
        f'<td class="has-text-align-right" data-order="{source.below(9999)}">'
        f"{source.below(999)}</td></tr>"
        for _ in range(3)
    )
    return (
        '<figure class="wp-block-table is-style-stripes"><table class="has-fixed-layout"><tbody>'
        f"{rows}\n</tbody></table></figure>"
    )


def html_picture(source: Source) -> str:
    name = f"{source.word()}-{source.below(99)}"
    return (
        f'<figure class="wp-block-image size-large"><img src="{SITE}/wp-content/uploads/2026/'
        f'{10 + source.below(3)}/{name}-1024x683.jpg" alt="{source.word()} {source.word()}" '
        f'width="1024" height="683" loading="lazy" class="wp-image-{source.below(9999)}" />'
        f'<figcaption class="wp-element-caption">{source.sentence()}</figcaption></figure>'
    )


def html_notice(source: Source) -> str:
    return (
        f'<div class="notice notice-warning is-dismissible" data-notice-id="{source.below(9999)}">'
        f"<p>{html_sentences(source, 2)}</p></div>"
    )


def html(source: Source) -> str:
    """Make a part of a page, as a WordPress assistant answers: paragraphs above all."""
    match source.below(12):
        case 0:
            return html_list(source)
        case 1:
            return html_table(source)
        case 2:
            return html_picture(source)
        case 3:
            return html_notice(source)
        case 4:
            title = source.sentence()
            return f'<h3 class="wp-block-heading" id="h-{source.word()}">{title}</h3>'
        case _:
            return f"<p>{html_sentences(source, 3 + source.below(4))}</p>"


def inline_code(source: Source) -> str:
    """Make code within a line, mostly in backticks."""
    one, two = source.word(), source.word()
    match source.below(12):
        case 0 | 1:
            return f"`{one}_{two}()`"
        case 2:
            return f"`array( '{one}' => {source.below(99)}, '{two}' => [ true, null ] )`"
        case 3:
            return f'`{{"{one}": {source.below(99)}, "{two}": "{one}"}}`'
        case 4:
            return f"{{{{ {one}.{two} }}}}"
        case 5:
            return f"`.{one}-{two} {{ margin: 0 auto; color: #{source.below(900) + 99}; }}`"
        case 6:
            return f"`wp {one} list --{two}=editor --format=json | jq '.[].ID'`"
        case 7:
            return f"[{one}-{two} id={source.below(99)}]"
        case 8:
            return f"${{{one.upper()}_{two.upper()}}}"
        case 9:
            return f"`$args['{one}'] ?? {{{two}}}`"
        case 10:
            return f"[{one} {two}]({SITE}/{one}/?p={source.below(999)})"
        case _:
            return f"`wp-content/plugins/{one}/{two}.php:{source.below(900)}`"


def code(source: Source) -> str:
    """Make a paragraph with code in each of its sentences."""
    sentences = []
    for _ in range(3 + source.below(3)):
        sentences.append(f"{source.sentence()} Use {inline_code(source)} for {source.word()}s.")
    return " ".join(sentences)


def function(source: Source) -> str:
    """Make a PHP function as it stands in a file: indented, with quotes and backslashes."""
    lines = [f"function {source.word()}_{source.word()}( $args ) {{"]
    for _ in range(2 + source.below(4)):
        lines.append(f"\tif ( ! isset( $args['{source.word()}'] ) ) {{ // {source.sentence()}")
        lines.append(f'\t\treturn "{source.word()}: {{$args[\\"{source.word()}\\"]}}\\n";')
        lines.append("\t}")
    lines.append(f"\tadd_filter( 'the_{source.word()}', fn( $x ) => $x->{source.word()}[0] );")
    return "\n".join([*lines, "}"])


def settings(source: Source) -> dict[str, object]:
    """Make JSON that is no call: a setting, an answer, a package."""
    return {
        "name": "member-" + source.word(),
        "version": f"{source.below(9)}.{source.below(20)}.0",
        "private": source.below(2) == 0,
        "settings": {source.of(SETTINGS) + str(n): source.below(1000) for n in range(4)},
        "pages": [{"id": source.below(9999), "title": source.sentence()} for _ in range(2)],
    }


def shell(source: Source) -> str:
    return "\n".join(
        [
            f"cd /var/www/{source.word()} && wp plugin update {source.word()} --dry-run",
            f"wp option get {source.of(SETTINGS)} --format=json | jq '.{source.word()}[] | {{id}}'",
            f"for id in $(wp post list --post_type={source.word()} --format=ids); do",
            f'  wp post meta get "$id" _{source.word()} 2>/dev/null || echo "${{id}}: none"',
            "done",
        ]
    )


def python(source: Source) -> str:
    one, two = source.word(), source.word()
    return "\n".join(
        [
            f"def {one}(rows: list[dict[str, int]]) -> dict[str, int]:",
            f'    """{source.sentence()}"""',
            f'    return {{row["{two}"]: row.get("{one}", 0) for row in rows if row["{two}"] > 3}}',
            "",
            f'print({one}([{{"{two}": {source.below(99)}}}]), sep="\\n")',
        ]
    )


def script(source: Source) -> str:
    one, two = source.word(), source.word()
    return "\n".join(
        [
            f"const {{ {one}, {two} = [] }} = await wp.apiFetch( {{ path: `/wp/v2/{one}` }} );",
            f"{two}.filter( ( {{ id }} ) => id > {source.below(99)} ).forEach( ( item ) => {{",
            f"\tconsole.log( `${{ item.id }}: <b>${{ item.{two} }}</b>` ); // {source.sentence()}",
            "} );",
        ]
    )


def style(source: Source) -> str:
    rules = (
        f".{source.word()}-{source.word()} > a:hover {{\n  color: #2271b1;\n  "
        f"transition: all {source.below(9)}ms;\n}}"
        for _ in range(3)
    )
    return "\n".join(rules)


def query(source: Source) -> str:
    return (
        f"SELECT p.ID, m.meta_value FROM wp_posts p JOIN wp_postmeta m ON m.post_id = p.ID\n"
        f"WHERE p.post_type = '{source.word()}' AND m.meta_key = '_{source.word()}' AND "
        f"p.ID < {source.below(9999)}\nORDER BY p.post_date DESC LIMIT {source.below(90)};"
    )


def patch(source: Source) -> str:
    path = f"wp-content/{source.word()}.php"
    return (
        f"--- a/{path}\n+++ b/{path}\n@@ -{source.below(90)},3 +{source.below(90)},3 @@\n"
        f"-\t'{source.word()}' => [ {source.below(9)} ],\n"
        f"+\t'{source.word()}' => [ {source.below(9)} ],"
    )


BLOCKS = (
    ("php", function),
    ("php", function),
    ("bash", shell),
    ("json", lambda source: json.dumps(settings(source), indent=2)),
    ("python", python),
    ("js", script),
    ("css", style),
    ("sql", query),
    ("html", lambda source: "\n".join(html(source) for _ in range(2))),
    ("diff", patch),
    ("", shell),
)


def block(source: Source) -> str:
    """Make a block of code in one of several languages."""
    language, maker = source.of(BLOCKS)
    return f"```{language}\n{maker(source)}\n```"


def blocks(source: Source) -> str:
    """Make a sentence and a block of code."""
    return f"{source.sentence()}\n\n{block(source)}"


def post(source: Source) -> dict[str, object]:
    """Make a post as WordPress's REST API gives it, with HTML in its strings."""
    number = source.below(99_999)
    return {
        "id": number,
        "date": f"2026-0{1 + source.below(9)}-1{source.below(9)}T08:30:00",
        "guid": {"rendered": f"{SITE}/?p={number}"},
        "slug": f"{source.word()}-{source.word()}",
        "status": source.of(("publish", "draft", "private")),
        "link": f"{SITE}/{source.word()}/{number}/",
        "title": {"rendered": source.sentence()},
        "content": {"rendered": html(source) + "\n", "protected": False},
        "author": source.below(40),
        "featured_media": source.below(2) and number,
        "sticky": source.below(9) == 0,
        "meta": {"_price": source.below(9999) / 100, "_trial": None, "footnotes": ""},
        "categories": [source.below(90) for _ in range(source.below(5))],
    }


def route(source: Source) -> dict[str, object]:
    """Make a route as the index of WordPress's REST API lists it: with `args`, but no call."""
    given = {
        source.word() + str(number): {
            "description": source.sentence(),
            "type": source.of(("integer", "string", "array")),
            "required": source.below(3) == 0,
            "enum": [source.word(), source.word()],
        }
        for number in range(3)
    }
    return {
        "namespace": "wp/v2",
        "methods": ["GET", "POST"],
        "endpoints": [{"methods": ["GET"], "args": given, "allow_batch": {"v1": True}}],
        "_links": {"self": [{"href": f"{SITE}/wp-json/wp/v2/{source.word()}"}]},
    }
