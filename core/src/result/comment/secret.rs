//! Texts without secrets.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::lifecycle::REDACTED;

/// A known secret of fewer bytes would strike out words.
const SHORTEST_SECRET: usize = 8;

/// What the tokens of widespread services look like; the part to keep is in `head` and `tail`.
const TOKENS: &str = r"(?x)
    (?-u:\b) gh[opsur]_[A-Za-z0-9]{20,}
  | (?-u:\b) github_pat_[A-Za-z0-9_]{20,}
  | (?-u:\b) glpat-[A-Za-z0-9_-]{16,}
  | (?-u:\b) [sr]k[-_][A-Za-z0-9_-]{20,}
  | (?-u:\b) xox[a-z]-[A-Za-z0-9-]{10,}
  | (?-u:\b) (?:AKIA|ASIA)[A-Z0-9]{16} (?-u:\b)
  | (?-u:\b) AIza[A-Za-z0-9_-]{30,}
  | (?-u:\b) (?:npm|hf|pypi)[-_][A-Za-z0-9_-]{24,}
  | (?-u:\b) eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}
  | -----BEGIN\ [A-Z\ ]{0,30}PRIVATE\ KEY-----(?s:.*?)(?:-----END\ [A-Z\ ]{0,30}PRIVATE\ KEY-----|\z)
  | (?<head>(?-u:\b)(?i:bearer)[\ \t]+)[A-Za-z0-9._~+/=-]{16,}
  | (?<scheme>://[^\s/:@]{0,64}:)[^\s/@]{1,256}(?<tail>@)";

static TOKEN: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(TOKENS).ok());

/// A text without its secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redacted<'t> {
    /// The text.
    pub text: Cow<'t, str>,
    /// How many secrets were struck out.
    pub count: usize,
}

/// Strikes secrets out of texts: those that it is given, and whatever looks like a token.
///
/// Tokens are those of GitHub, GitLab, OpenAI and its likes (`sk-…`), Slack, AWS, Google, npm, `PyPI`, Hugging
/// Face, JSON Web Tokens, PEM private keys, `Bearer …`, and passwords in URLs.
///
/// ```
/// use toolwire::Redactor;
///
/// let redactor = Redactor::new(["hunter2hunter2".to_owned()]);
/// let redacted = redactor.redact("Use hunter2hunter2 at https://me:pass@example.org.");
/// assert_eq!(redacted.text, "Use [redacted] at https://me:[redacted]@example.org.");
/// assert_eq!(redacted.count, 2);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Redactor {
    known: Vec<String>,
}

impl Redactor {
    /// Takes the secrets that are known; one of fewer than 8 bytes is left out, since it would strike out
    /// words.
    pub fn new(known: impl IntoIterator<Item = String>) -> Self {
        let known = known.into_iter().map(|secret| secret.trim().to_owned());
        let mut known: Vec<_> = known.filter(|secret| secret.len() >= SHORTEST_SECRET).collect();
        // One that holds another goes first, or its rest would stay.
        known.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        known.dedup();
        Self { known }
    }

    /// Strikes the secrets out of a text.
    #[must_use]
    pub fn redact<'t>(&self, text: &'t str) -> Redacted<'t> {
        let (mut text, mut count) = (Cow::Borrowed(text), 0);
        for secret in &self.known {
            let found = text.matches(secret.as_str()).count();
            if found > 0 {
                count += found;
                text = Cow::Owned(text.replace(secret.as_str(), REDACTED));
            }
        }
        let Some(token) = TOKEN.as_ref() else { return Redacted { text, count } };
        let mut found = 0;
        let replaced = token.replace_all(&text, |captures: &Captures<'_>| {
            found += 1;
            let group = |name| captures.name(name).map_or("", |group| group.as_str());
            format!("{}{}{REDACTED}{}", group("head"), group("scheme"), group("tail"))
        });
        let replaced = if let Cow::Owned(replaced) = replaced { Some(replaced) } else { None };
        Redacted { text: replaced.map_or(text, Cow::Owned), count: count + found }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_struck_out() {
        Regex::new(TOKENS).unwrap();
        let long = "Aa0".repeat(12);
        for token in [
            format!("ghp_{long}"),
            format!("ghs_{long}"),
            format!("github_pat_{long}_x"),
            format!("glpat-{long}"),
            format!("sk-proj-{long}"),
            format!("xoxb-{long}"),
            "AKIAIOSFODNN7EXAMPLE".to_owned(),
            format!("AIza{long}"),
            format!("hf_{long}"),
            format!("eyJ{long}.{long}.{long}"),
            format!("-----BEGIN RSA PRIVATE KEY-----\n{long}\n-----END RSA PRIVATE KEY-----"),
        ] {
            let text = format!("a {token} b");
            assert_eq!(
                Redactor::default().redact(&text),
                Redacted { text: "a [redacted] b".into(), count: 1 },
                "{token}"
            );
        }
        let cut = "-----BEGIN PRIVATE KEY-----\nMIIE";
        assert_eq!(Redactor::default().redact(cut).text, REDACTED);
        let header = "Authorization: Bearer abcdefghijklmnopq";
        assert_eq!(Redactor::default().redact(header).text, "Authorization: Bearer [redacted]");
    }

    #[test]
    fn words_are_not() {
        for text in ["sk-8 and ghp_x", "a bearer of news", "http://host:80/", "task-force-of-the-north-west"]
        {
            assert_eq!(Redactor::new(["short".to_owned()]).redact(text).count, 0, "{text}");
        }
    }

    #[test]
    fn a_secret_that_holds_another_goes_whole() {
        let redactor = Redactor::new(["password".to_owned(), "password-long".to_owned()]);
        assert_eq!(redactor.redact("password-long password").text, "[redacted] [redacted]");
    }
}
