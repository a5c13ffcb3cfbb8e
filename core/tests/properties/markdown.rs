//! Comments as GitHub shows them: GitHub's own renderer, `cmark-gfm`, reads the published text.

use std::collections::BTreeSet;
use std::env;
use std::io::Write;
use std::process::{Command, Stdio};

use html5gum::{Token, Tokenizer};
use proptest::prelude::*;
use toolwire::comment::{PublishOptions, publishable};

const EXTENSIONS: &[&str] =
    &["footnotes", "table", "strikethrough", "autolink", "tagfilter", "tasklist"];

/// The elements that `cmark-gfm` writes for Markdown; none of them comes from HTML in the text.
const ELEMENTS: &[&str] = &[
    "p",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "ul",
    "ol",
    "li",
    "blockquote",
    "pre",
    "code",
    "em",
    "strong",
    "del",
    "a",
    "br",
    "hr",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "input",
    "sup",
    "section",
];

/// Elements that do not begin a line of text.
const INLINE: &[&str] = &["code", "em", "strong", "del", "a", "sup", "input"];

/// A page as a browser receives it.
#[derive(Default)]
struct Page {
    elements: BTreeSet<String>,
    /// The text outside of code, one part for each stretch without a tag.
    texts: Vec<String>,
    /// The text outside of code, by line; code is written as a backtick.
    lines: Vec<String>,
}

/// Renders Markdown with `cmark-gfm`, and leaves HTML as it is.
fn render(markdown: &str) -> String {
    let mut program = Command::new("cmark-gfm");
    program.arg("--unsafe").stdin(Stdio::piped()).stdout(Stdio::piped());
    for extension in EXTENSIONS {
        program.args(["--extension", extension]);
    }
    let mut running =
        program.spawn().unwrap_or_else(|error| panic!("cmark-gfm, see .ci/setup: {error}"));
    running.stdin.take().unwrap().write_all(markdown.as_bytes()).unwrap();
    String::from_utf8(running.wait_with_output().unwrap().stdout).unwrap()
}

fn read(html: &str) -> Page {
    let mut page = Page { lines: vec![String::new()], ..Page::default() };
    let mut code = 0_usize;
    for token in Tokenizer::new(html) {
        let Ok(token) = token;
        match token {
            Token::StartTag(tag) => {
                let name = String::from_utf8_lossy(&tag.name).into_owned();
                page.open(&name);
                code += usize::from(matches!(&*name, "code" | "pre"));
                page.elements.insert(name);
            }
            Token::EndTag(tag) => {
                let name = String::from_utf8_lossy(&tag.name).into_owned();
                page.open(&name);
                code -= usize::from(matches!(&*name, "code" | "pre")).min(code);
            }
            Token::String(text) if code == 0 => page.write(&String::from_utf8_lossy(&text)),
            Token::String(_) => page.lines.last_mut().unwrap().push('`'),
            Token::Comment(_) | Token::Doctype(_) => {
                page.elements.insert("!".to_owned());
            }
            Token::Error(_) => {}
        }
    }
    page
}

impl Page {
    fn open(&mut self, name: &str) {
        self.texts.push(String::new());
        if !INLINE.contains(&name) {
            self.lines.push(String::new());
        }
    }

    fn write(&mut self, text: &str) {
        if self.texts.is_empty() {
            self.texts.push(String::new());
        }
        self.texts.last_mut().unwrap().push_str(text);
        for (index, line) in text.split('\n').enumerate() {
            if index > 0 {
                self.lines.push(String::new());
            }
            self.lines.last_mut().unwrap().push_str(line);
        }
    }

    /// The forbidden parts that are in the page.
    fn faults(&self, mentions: &[String]) -> Vec<String> {
        let unknown = self.elements.iter().filter(|name| !ELEMENTS.contains(&name.as_str()));
        let mut faults: Vec<_> = unknown.map(|name| format!("<{name}>")).collect();
        faults.extend(self.texts.iter().flat_map(|text| pinged(text)).filter(|name| {
            !mentions.iter().any(|known| known.eq_ignore_ascii_case(name.trim_start_matches('@')))
        }));
        let commands = self.lines.iter().map(|line| line.trim_start()).filter(|line| {
            line.strip_prefix('/')
                .is_some_and(|word| word.starts_with(|one: char| one.is_ascii_alphabetic()))
        });
        faults.extend(commands.map(str::to_owned));
        faults
    }
}

/// The names, each with its `@`, that a text notifies; a name with a team keeps the team.
fn pinged(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (at, _) in text.match_indices('@') {
        let (before, name) = (&text[..at], &text[at + 1..]);
        let end = name.find(|one: char| !one.is_ascii_alphanumeric() && !"-/_".contains(one));
        let name = &name[..end.unwrap_or(name.len())];
        if name.starts_with(|one: char| one.is_ascii_alphanumeric())
            && !before.ends_with(|one: char| one.is_ascii_alphanumeric())
        {
            names.push(format!("@{name}"));
        }
    }
    names
}

/// The number of texts: `TOOLWIRE_MARKDOWN_CASES`, or a number for everyday runs.
fn cases() -> u32 {
    env::var("TOOLWIRE_MARKDOWN_CASES").ok().and_then(|count| count.parse().ok()).unwrap_or(3000)
}

/// Boxes of tasks, and of what only seems to be a task.
const TASKS: &[&str] = &[
    "\n- [ ] ",
    "\n-   [x] ",
    "\n   1. [ ]",
    "\n  1` [ ] ",
    "\n  1234567890) [ ] ",
    "[ ] ",
    "\n- [ ] [r]: x '",
    "\n- [ ] | a` | b |\n  |-|-|\n  ",
];

/// Pieces that begin, end or change blocks and inlines.
fn hostile() -> impl Strategy<Value = String> {
    let harm = prop::sample::select(vec![
        "@admin",
        "@&#97;dmin",
        "&#64;admin",
        "&commat;admin",
        "&amp;#64;admin",
        "@ann",
        "@ann&#97;",
        "@ann\\-x",
        "x@y.zz@admin",
        "www.a.bc@admin",
        "![i](http://e.x/p)",
        "![i][r]",
        "![r]",
        "!",
        "<img src=x>",
        "<b>",
        "</b>",
        "<!--",
        "-->",
        "<details>",
        "<http://e.x/@admin>",
        "/approve",
        "&#47;approve",
        "&sol;approve",
        "\\/approve",
        "\u{200B}/approve",
        "[](x)/approve",
        "&#8203;/approve",
        "&NewLine;/approve",
        "&#8238;",
        "&shy;",
    ]);
    let shape = prop::sample::select(vec![
        "\n",
        "\n\n",
        "\n    ",
        "\n\n    ",
        "\n\n        ",
        "\n\t",
        "\n  ",
        "`",
        "``",
        "```",
        "\n```\n",
        "\n```x\n",
        "\n~~~\n",
        "\n   ```\n",
        "\n> ",
        "\n> > ",
        "\n- ",
        "\n* ",
        "\n1. ",
        "\n10) ",
        "\n# ",
        "\n===\n",
        "\n---\n",
        "\n[^1]: ",
        "[^1]",
        "\n[r]: http://e.x/p",
        "\n[r]: <x> '",
        "[r]",
        "[",
        "](",
        ")",
        "]",
        "(",
        "*",
        "**",
        "_",
        "~",
        "~~",
        "\\",
        "&",
        ";",
        "|",
        "\n| a | b |\n| - | - |\n| ",
        "\n|-|\n",
        " | ",
        "\\|",
        "$",
        "$$",
        "\n> [!NOTE]\n> ",
        ":",
        "'",
        "\"",
        " ",
        "a",
        "text ",
        "http://e.x/",
        "www.e.xy",
        "a@b.cd",
        "é",
        "\u{202E}",
        "\r",
        "\u{A0}",
    ]);
    let piece = prop_oneof![8 => harm, 20 => shape, 1 => prop::sample::select(TASKS)];
    prop::collection::vec(piece, 1..24).prop_map(|pieces| pieces.concat())
}

/// Markdown that needs no change.
fn harmless() -> impl Strategy<Value = String> {
    let block = prop::sample::select(vec![
        "A *plain* text with `code`, a [link](https://example.org/a_b) and 1 < 2.",
        "- one\n- two `@cache`\n\n      @indented <b>\n- [x] done",
        "1. Do this:\n   ```sh\n   npm i @types/node <x>\n   ```\n2. Then that.",
        "```php\n#[Attribute] <b> @x ![a](b)\n```",
        "    @four spaces",
        "> quoted `<T>` and ~~gone~~",
        "| a | b |\n|---|:-:|\n| `@x` | and/or |",
        "# A heading\n\nSee #12, GH-3 and a@example.org, 50% & more; it's 3/4.",
        "A note.[^1]\n\n[^1]: Its text, with `<code>`.",
        "Zoë sends 👩‍💻 & Ωmega; \\*no emphasis\\* \\![x](https://example.org).",
    ]);
    prop::collection::vec(block, 1..6).prop_map(|blocks| blocks.join("\n\nThen.\n\n"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn what_github_shows_pings_nobody_and_holds_no_image_html_or_command(text in hostile()) {
        let options = PublishOptions { mentions: vec!["ann".to_owned()], ..PublishOptions::default() };
        let made = publishable(&text, &options);
        let html = render(&made.text);
        let faults = read(&html).faults(&options.mentions);
        prop_assert!(faults.is_empty(), "{faults:?}\n{:?}\n{html}", made.text);
        prop_assert_eq!(publishable(&made.text, &options).text, made.text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn harmless_markdown_is_shown_as_it_was(text in harmless()) {
        let made = publishable(&text, &PublishOptions::default());
        prop_assert_eq!(render(&made.text), render(&text));
        prop_assert_eq!(made.text, text);
    }
}

#[test]
fn the_reader_of_pages_sees_faults() {
    for (html, fault) in [
        ("<p>a <em>b</em>@admin</p>", "@admin"),
        ("<p>@ann/team</p>", "@ann/team"),
        ("<p>x<br />\n/approve</p>", "/approve"),
        ("<li><em>/approve</em></li>", "/approve"),
        ("<p><img src=\"x\" /></p>", "<img>"),
        ("<!-- x -->", "<!>"),
    ] {
        assert_eq!(read(html).faults(&["ann".to_owned()]), [fault], "{html}");
    }
    for html in
        ["<p><code>@admin</code>/a</p>", "<pre><code>/approve\n</code></pre>", "<p>a@b.cd @Ann</p>"]
    {
        assert!(read(html).faults(&["ann".to_owned()]).is_empty(), "{html}");
    }
}
