//! What a command line does, and how the command ended.

use std::borrow::Cow;

/// What a command line does, as far as its first word and its redirections tell.
///
/// The words of the live program: `read`, `search`, `edit`, `fetch`, `other`.
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
        "sed" | "tee" | "truncate" | "chmod" | "chown" | "rm" | "mv" | "cp" | "touch" | "ln" => "edit",
        "curl" | "wget" => "fetch",
        _ => "other",
    }
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The command that a shell is told to run with `-c`.
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
    let unquoted = ['\'', '"'].iter().find_map(|quote| rest.strip_prefix(*quote)?.strip_suffix(*quote));
    Some(unquoted.unwrap_or(rest).trim()).filter(|inner| !inner.is_empty())
}

/// Whether a redirection leads to a file.
fn writes_a_file(command: &str) -> bool {
    command.split('>').skip(1).any(|behind| {
        let behind = behind.strip_prefix('|').unwrap_or(behind).trim_start();
        let target = behind.split(|sign: char| sign.is_whitespace() || ";|)".contains(sign)).next();
        target.is_some_and(|target| !target.is_empty() && !target.starts_with('&') && target != "/dev/null")
    })
}

/// What stands before the exit code in a command's output.
pub(super) const EXIT_MARK: &str = "[Process exited with code";

/// The exit code that stands on the first line with the mark, if nothing else does.
pub(super) fn exit_code(output: &str) -> Option<i32> {
    let line = output.lines().find(|line| line.contains(EXIT_MARK))?;
    line.strip_prefix(EXIT_MARK)?.strip_prefix(' ')?.strip_suffix(']')?.parse().ok()
}

/// Whether the output may tell an exit code, before its escapes are decoded.
pub(super) fn may_tell_exit_code(raw: &str) -> bool {
    let bytes = raw.as_bytes();
    memchr::memmem::find(bytes, EXIT_MARK.as_bytes()).is_some()
        || memchr::memmem::find(bytes, b"\\u").is_some()
}

/// A text without what steers a terminal: escape sequences, and controls other than line ends and tabs.
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
        assert_eq!(exit_code("[Process exited with code +3]\n[Process exited with code 4]"), Some(3));
        for none in [
            "",
            "x [Process exited with code 2]",
            "[Process exited with code 99999999999]",
            "[Process exited with codes]",
        ] {
            assert_eq!(exit_code(none), None, "{none}");
        }
    }

    #[test]
    fn controls_are_left_out() {
        assert_eq!(without_controls("a\u{1b}[31mred\u{1b}[0m\rb\u{9b}2Jc\u{0}\u{7f}d"), "aredb2Jcd");
        assert_eq!(without_controls("plain é"), "plain é");
    }
}
