//! Texts without secrets.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use regex::bytes::Regex;

use super::view::View;
use crate::lifecycle::REDACTED;

/// A known secret of fewer bytes would strike out words.
const SHORTEST_SECRET: usize = 8;

/// What the tokens of widespread services look like; the parts to keep are in `head` and `tail`.
const TOKENS: &str = r#"(?x-u)
    \b gh[opsur]_[A-Za-z0-9]{20,}
  | \b github_pat_[A-Za-z0-9_]{20,}
  | \b glpat-[A-Za-z0-9_-]{16,}
  | \b [sr]k[-_][A-Za-z0-9_-]{20,}
  | \b whsec_[A-Za-z0-9+/=]{16,}
  | \b (?:xox[a-z]|xapp)-[A-Za-z0-9-]{10,}
  | \b (?:AKIA|ASIA)[A-Z0-9]{16} \b
  | \b AIza[A-Za-z0-9_-]{30,}
  | \b GOCSPX-[A-Za-z0-9_-]{20,}
  | \b ya29\.[A-Za-z0-9_-]{20,}
  | \b (?:npm|hf|pypi)[-_][A-Za-z0-9_-]{24,}
  | \b dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}
  | \b do[opr]_v1_[a-f0-9]{32,}
  | \b SK[0-9a-fA-F]{32} \b
  | \b SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}
  | \b AGE-SECRET-KEY-1[0-9A-Z]{20,}
  | \b eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}
  | -----BEGIN\ [A-Z\ ]{0,30}PRIVATE\ KEY-----(?s:.*?)(?:-----END\ [A-Z\ ]{0,30}PRIVATE\ KEY-----|\z)
  | (?<bearer>\b(?i:bearer)[\ \t]+)[A-Za-z0-9._~+/=-]{16,}
  | (?<basic>\b(?i:authorization["']?[\ \t]*[:=][\ \t]*["']?basic)[\ \t]+)[A-Za-z0-9+/_=-]{8,}
  | (?<cookie>\b(?i:cookie["']?[\ \t]*:[\ \t]*["']?))[^\s=;"'`]{1,128}=[^\r\n"'`]+
  | (?<account>\b(?i:AccountKey|SharedAccessKey|SharedAccessSignature)=)[A-Za-z0-9+/=%&_-]{20,}
  | (?<application>\b(?i:app(?:lication)?[\ _-]?pass(?:word|wd)?)
        (?:[\ ](?i:is|was|for[\ ][a-z0-9_.@-]{1,60}))?[\ \t:=`"']{1,8})
    (?:[A-Za-z0-9]{4}[\ +]){5}[A-Za-z0-9]{4} \b
  | (?<scheme>://[^\s/:@]{0,64}:)[^\s/@]{1,256}(?<tail>@)"#;

/// The groups of [`TOKENS`] that stay, before the secret.
const HEADS: &[&str] = &["bearer", "basic", "cookie", "account", "application", "scheme"];

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
/// Characters that nobody sees do not hide a secret, nor do the escapes of JSON, of URLs and of HTML, each
/// up to three times over; a known secret is also found in base64. The time is linear in the text, however
/// many secrets are known.
///
/// Tokens are those of GitHub, GitLab, Anthropic, `OpenAI` and their likes (`sk-…`), Stripe, Slack, AWS,
/// Google, Azure, npm, `PyPI`, Hugging Face, Docker, `DigitalOcean`, Twilio and `SendGrid`, JSON Web Tokens,
/// PEM and age private keys, `Bearer …`, `Authorization: Basic …`, cookies in headers, application passwords
/// of `WordPress` that are called so, and passwords in URLs.
///
/// ```
/// use toolwire::Redactor;
///
/// let redactor = Redactor::new(["hunter2hunter2".to_owned()]);
/// let redacted = redactor.redact("Use hunter2hunter2 at https://me:pass@example.org.");
/// assert_eq!(redacted.text, "Use [redacted] at https://me:[redacted]@example.org.");
/// assert_eq!(redacted.count, 2);
/// assert_eq!(redactor.redact("hunter2\u{200B}hunter2, hunter2%68unter2").text, "[redacted], [redacted]");
/// ```
#[derive(Clone, Default)]
pub struct Redactor {
    known: Known,
}

/// What is known to be secret.
#[derive(Clone, Default)]
enum Known {
    #[default]
    Nothing,
    Secrets(AhoCorasick),
    /// The secrets are more than a search can hold, so every text may be one.
    Everything,
}

impl fmt::Debug for Redactor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Nothing of the secrets is shown.
        formatter.write_str("Redactor(..)")
    }
}

impl Redactor {
    /// Takes the secrets that are known; one of fewer than 8 bytes is left out, since it would strike out
    /// words.
    pub fn new(known: impl IntoIterator<Item = String>) -> Self {
        let mut patterns: Vec<String> = known.into_iter().flat_map(|secret| forms(secret.trim())).collect();
        patterns.retain(|pattern| pattern.len() >= SHORTEST_SECRET);
        patterns.sort_unstable();
        patterns.dedup();
        if patterns.is_empty() {
            return Self::default();
        }
        Self { known: AhoCorasick::new(patterns).map_or(Known::Everything, Known::Secrets) }
    }

    /// Strikes the secrets out of a text.
    #[must_use]
    pub fn redact<'t>(&self, text: &'t str) -> Redacted<'t> {
        let mut struck: Vec<Range<usize>> = Vec::new();
        for view in View::all(text) {
            struck.extend(self.found(&view.text).map(|part| view.span(part)));
        }
        struck.retain(|span| text.get(span.clone()) != Some(REDACTED));
        struck.sort_unstable_by_key(|span| (span.start, span.end));
        let (mut made, mut done, mut count) = (String::new(), 0, 0);
        for span in struck {
            if count == 0 || span.start >= done {
                made.push_str(text.get(done..span.start).unwrap_or_default());
                made.push_str(REDACTED);
                count += 1;
            }
            done = done.max(span.end);
        }
        if count == 0 {
            return Redacted { text: Cow::Borrowed(text), count };
        }
        made.push_str(text.get(done..).unwrap_or_default());
        Redacted { text: Cow::Owned(made), count }
    }

    /// Where secrets stand in a text, in any order.
    fn found(&self, text: &[u8]) -> impl Iterator<Item = Range<usize>> {
        let known = match &self.known {
            Known::Secrets(known) => Some(known),
            Known::Nothing | Known::Everything => None,
        };
        let all = matches!(self.known, Known::Everything).then_some(0..text.len());
        let known = known.into_iter().flat_map(move |known| known.find_overlapping_iter(text));
        let tokens = TOKEN.as_ref().into_iter().flat_map(move |token| token.captures_iter(text));
        let tokens = tokens.filter_map(|found| {
            let whole = found.get(0)?;
            let head = HEADS.iter().find_map(|group| found.name(group));
            let start = head.map_or(whole.start(), |head| head.end());
            let end = found.name("tail").map_or(whole.end(), |tail| tail.start());
            Some(start..end)
        });
        all.into_iter().chain(known.map(|found| found.start()..found.end())).chain(tokens)
    }
}

/// The forms in which a secret is looked for; escapes are decoded in the text.
fn forms(secret: &str) -> Vec<String> {
    if secret.len() < SHORTEST_SECRET {
        return Vec::new();
    }
    let mut forms = vec![secret.to_owned()];
    if secret.contains(char::is_whitespace) {
        forms.push(secret.split_whitespace().collect());
        forms.push(secret.split_whitespace().collect::<Vec<_>>().join("+"));
    }
    for before in 0..3 {
        // What stands before a secret in base64 shifts its bits; digits that hold others are left out.
        let bytes = [[0; 2].get(..before).unwrap_or_default(), secret.as_bytes()].concat();
        let digits = (before * 8).div_ceil(6)..bytes.len() * 8 / 6;
        for engine in [STANDARD_NO_PAD, URL_SAFE_NO_PAD] {
            forms.extend(engine.encode(&bytes).get(digits.clone()).map(str::to_owned));
        }
    }
    forms
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
    fn newer_tokens_are_struck_out() {
        let long = "Aa0".repeat(12);
        for token in [
            format!("sk-ant-api03-{long}"),
            format!("sk_live_{long}"),
            format!("rk_live_{long}"),
            format!("whsec_{long}"),
            format!("GOCSPX-{long}"),
            format!("ya29.{long}"),
            format!("xapp-1-{long}"),
            format!("dckr_pat_{long}"),
            format!("dop_v1_{}", "0af9".repeat(16)),
            format!("SK{}", "0af9".repeat(8)),
            format!("SG.{long}.{long}"),
            format!("AGE-SECRET-KEY-1{}", "Q0Z".repeat(19)),
            format!("-----BEGIN OPENSSH PRIVATE KEY-----\n{long}\n-----END OPENSSH PRIVATE KEY-----"),
        ] {
            let text = format!("a {token} b");
            assert_eq!(Redactor::default().redact(&text).text, "a [redacted] b", "{token}");
        }
        for (text, left) in [
            ("Authorization: Basic bWU6cGFzc3dvcmQ=", "Authorization: Basic [redacted]"),
            ("Set-Cookie: sid=a1b2c3; Path=/\nNext", "Set-Cookie: [redacted]\nNext"),
            ("AccountName=x;AccountKey=abcdefghijklmnopqrstuv==;E", "AccountName=x;AccountKey=[redacted];E"),
            ("application password: abCD 12ef GHij 34kl MNop 56qr.", "application password: [redacted]."),
        ] {
            assert_eq!(Redactor::default().redact(text).text, left);
        }
    }

    #[test]
    fn invisible_characters_hide_no_secret() {
        let redactor = Redactor::new(["Sup3rSecret".to_owned()]);
        for text in ["Sup3r\u{200E}Secret", "S\u{200B}up3rSecre\u{E0041}t", "Sup3r\u{AD}\u{FE0F}Secret"] {
            let text = format!("a {text} b");
            assert_eq!(redactor.redact(&text), Redacted { text: "a [redacted] b".into(), count: 1 });
        }
        let token = format!("ghp_{}\u{200B}{}", "Aa0".repeat(3), "Aa0".repeat(9));
        assert_eq!(redactor.redact(&token).text, REDACTED);
    }

    #[test]
    fn escapes_hide_no_secret() {
        let redactor = Redactor::new([r#"p"a\ss/w&rd ü"#.to_owned()]);
        for text in [
            r#"p\"a\\ss\/w&rd ü"#,
            r#"\u0070\"a\\ss/w&rd \u00fc"#,
            "p%22a%5Css%2fw%26rd%20%C3%BC",
            "p&quot;a\\ss&sol;w&amp;rd &#xFC;",
            r#"p\\\"a\\\\ss/w&rd ü"#,
            "p%2522a%255Css%252fw%2526rd%2520%25c3%25bc",
        ] {
            assert_eq!(redactor.redact(&format!("a {text} b")).text, "a [redacted] b", "{text}");
        }
    }

    #[test]
    fn base64_hides_no_known_secret() {
        let redactor = Redactor::new(["Sup3rSecret-Pass?".to_owned()]);
        for before in ["", "a", "ab", "user:"] {
            for engine in [STANDARD_NO_PAD, URL_SAFE_NO_PAD] {
                let text = engine.encode(format!("{before}Sup3rSecret-Pass?>"));
                assert!(redactor.redact(&text).count == 1, "{before} {text}");
            }
        }
    }

    #[test]
    fn overlapping_secrets_go_whole() {
        let redactor = Redactor::new(["abcdefgh".to_owned(), "efghijkl".to_owned()]);
        assert_eq!(redactor.redact("-abcdefghijkl-").text, "-[redacted]-");
    }

    #[test]
    fn a_redactor_tells_no_secret() {
        assert_eq!(format!("{:?}", Redactor::new(["Sup3rSecret".to_owned()])), "Redactor(..)");
    }

    #[test]
    fn words_are_not() {
        for text in [
            "sk-8 and ghp_x",
            "a bearer of news",
            "http://host:80/",
            "task-force-of-the-north-west",
            "Basic authentication needs an application password that your site makes.",
            "a cookie: it is sweet",
            "SK is a key",
            "100% of &amp; C:\\new\\table",
        ] {
            assert_eq!(Redactor::new(["short".to_owned()]).redact(text).count, 0, "{text}");
        }
    }

    #[test]
    fn a_secret_that_holds_another_goes_whole() {
        let redactor = Redactor::new(["password".to_owned(), "password-long".to_owned()]);
        assert_eq!(redactor.redact("password-long password").text, "[redacted] [redacted]");
    }
}
