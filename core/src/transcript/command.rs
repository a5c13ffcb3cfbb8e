//! What a command line does, and how the command ended.

use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::memmem::Finder;

/// What a command line does, judged by its first word and its redirections.
///
/// The words are `read`, `search`, `edit`, `fetch` and `other`.
pub(super) fn category(command: &str) -> &'static str {
    let mut command = command.trim();
    while let Some(inner) = shell_command(command) {
        command = inner;
    }
    if writes_a_file(command) {
        return "edit";
    }
    let first = command.split_whitespace().next().unwrap_or_default();
    match base_name(first).to_lowercase().as_str() {
        "cat" | "head" | "tail" | "zcat" | "gzcat" | "ls" => "read",
        "grep" | "rg" | "find" | "awk" => "search",
        "sed" if !command.contains("-i") => "read",
        "sed" | "tee" | "truncate" | "chmod" | "chown" | "rm" | "mv" | "cp" | "touch" | "ln" => {
            "edit"
        }
        "curl" | "wget" => "fetch",
        _ => "other",
    }
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The inner command of `sh -c`, `bash -c` or `zsh -c`.
fn shell_command(command: &str) -> Option<&str> {
    let (shell, mut rest) = command.split_once(char::is_whitespace)?;
    if !matches!(base_name(shell), "sh" | "bash" | "zsh") {
        return None;
    }
    loop {
        let (option, behind) = rest.trim_start().split_once(char::is_whitespace)?;
        let letters = option.strip_prefix('-')?;
        rest = behind.trim();
        if letters.ends_with('c') {
            break;
        }
    }
    let unquoted =
        ['\'', '"'].iter().find_map(|quote| rest.strip_prefix(*quote)?.strip_suffix(*quote));
    Some(unquoted.unwrap_or(rest).trim()).filter(|inner| !inner.is_empty())
}

/// Whether a redirection leads to a file.
fn writes_a_file(command: &str) -> bool {
    command.split('>').skip(1).any(|behind| {
        let behind = behind.strip_prefix('|').unwrap_or(behind).trim_start();
        let target = behind.split(|sign: char| sign.is_whitespace() || ";|)".contains(sign)).next();
        target.is_some_and(|target| {
            !target.is_empty() && !target.starts_with('&') && target != "/dev/null"
        })
    })
}

/// The text before the exit code in a command's output.
const EXIT_MARK: &str = "[Process exited with code";

static EXIT_MARKS: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(EXIT_MARK));

/// An escape that may stand for any character.
static CODE_UNITS: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(r"\u"));

/// The exit code on the first line that holds the mark, if that line holds nothing else.
pub(super) fn exit_code(output: &str) -> Option<i32> {
    let line = output.lines().find(|line| line.contains(EXIT_MARK))?;
    line.strip_prefix(EXIT_MARK)?.strip_prefix(' ')?.strip_suffix(']')?.parse().ok()
}

/// The exit code of an output that is given as JSON text.
///
/// `decode` gives the output itself; it is called only for JSON text that contains `\u` escapes.
pub(super) fn exit_code_in_json<'a>(
    json: &str,
    decode: impl FnOnce() -> Cow<'a, str>,
) -> Option<i32> {
    // A value that is not a string is shown indented, and then no line begins with the mark.
    let inner = json.strip_prefix('"')?.strip_suffix('"')?;
    if CODE_UNITS.find(inner.as_bytes()).is_some() {
        return exit_code(&decode());
    }
    let (before, mark) = inner.split_at_checked(EXIT_MARKS.find(inner.as_bytes())?)?;
    if !before.is_empty() && !ends_line(before) {
        return None;
    }
    let (code, behind) = mark.get(EXIT_MARK.len()..)?.strip_prefix(' ')?.split_once(']')?;
    let ends = behind.is_empty() || behind.starts_with(r"\n") || behind.starts_with(r"\r\n");
    if ends { code.parse().ok() } else { None }
}

/// Whether the inside of a JSON string ends with the escape `\n`, not with `\\` and an `n`.
fn ends_line(json: &str) -> bool {
    let backslashes = |text: &str| text.bytes().rev().take_while(|byte| *byte == b'\\').count();
    json.strip_suffix('n').is_some_and(|before| backslashes(before) % 2 == 1)
}

/// A text without escape sequences and without control characters other than line ends and tabs.
pub(super) fn without_controls(text: &str) -> Cow<'_, str> {
    if !text.chars().any(char::is_control) {
        return Cow::Borrowed(text);
    }
    let mut plain = strip_ansi_escapes::strip_str(text);
    plain.retain(|character| !character.is_control() || matches!(character, '\n' | '\t'));
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn commands_have_a_category() {
        let cases = [
            ("", "other"),
            ("  ", "other"),
            ("/usr/bin/CAT x", "read"),
            ("rg x | head", "search"),
            ("sed -n 1p f", "read"),
            ("sed -i s/a/b/ f", "edit"),
            ("bash -lc 'zsh -c \"curl x\"'", "fetch"),
            ("/bin/bash -x -c 'rm x'", "edit"),
            ("bash script.sh", "other"),
            ("bash -c", "other"),
            ("bash -c ''", "other"),
            ("cat x >> f", "edit"),
            ("cat x > /dev/null 2>&1", "read"),
            ("(cat x >/dev/null)", "other"),
            ("cat x >", "read"),
        ];
        for (command, expected) in cases {
            assert_eq!(category(command), expected, "{command}");
        }
    }

    #[test]
    fn exit_codes_stand_alone_on_a_line() {
        assert_eq!(exit_code("a\r\n[Process exited with code -1]\r\n"), Some(-1));
        assert_eq!(
            exit_code("[Process exited with code +3]\n[Process exited with code 4]"),
            Some(3)
        );
        for none in [
            "",
            "x [Process exited with code 2]",
            "[Process exited with code 99999999999]",
            "[Process exited with codes]",
        ] {
            assert_eq!(exit_code(none), None, "{none}");
        }
    }

    proptest! {
        /// The JSON text gives the same exit code as the decoded text.
        #[test]
        fn exit_codes_are_read_out_of_json(pieces in prop::collection::vec(0_usize..12, 0..8)) {
            const PIECES: [&str; 12] = [
                EXIT_MARK, " 2]", " -1]", " x]", "]", "\n", "\r\n", "\r", "\\", "n", "a", "\u{1}",
            ];
            let output: String = pieces.into_iter().filter_map(|piece| PIECES.get(piece)).copied().collect();
            let json = serde_json::to_string(&output).unwrap();
            prop_assert_eq!(exit_code_in_json(&json, || output.as_str().into()), exit_code(&output));
        }
    }

    #[test]
    fn controls_are_left_out() {
        assert_eq!(
            without_controls("a\u{1b}[31mred\u{1b}[0m\rb\u{9b}2Jc\u{0}\u{7f}d"),
            "aredb2Jcd"
        );
        assert_eq!(without_controls("plain é"), "plain é");
    }
}
