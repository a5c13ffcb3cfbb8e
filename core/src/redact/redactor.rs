//! Removes secrets from texts.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use aho_corasick::Anchored;
use aho_corasick::automaton::Automaton;
use aho_corasick::nfa::contiguous::NFA;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

use super::strike::{Redacted, strike};
use super::tokens::tokens;
use super::view::DerivedText;

/// The fewest bytes of a known secret; a shorter one would strike out ordinary words.
const SHORTEST_SECRET: usize = 8;

/// Strikes secrets out of texts: the given ones, and parts that look like a token.
///
/// A secret is also found with invisible characters in it, and in the escapes of JSON, of URLs and
/// of HTML, up to three levels deep and in any combination. A known secret is also found in base64.
/// Time and memory are linear in the text, however many secrets are known and however they overlap.
/// The result holds no secret, so a second redaction changes nothing.
///
/// These tokens are found: those of GitHub, GitLab, Anthropic, `OpenAI` and similar services
/// (`sk-…`), Stripe, Slack, AWS, Google, Azure, npm, `PyPI`, Hugging Face, Docker, `DigitalOcean`,
/// Twilio and `SendGrid`; JSON Web Tokens; PEM and age private keys; `Bearer …` and `Authorization:
/// Basic …`; cookies in headers; application passwords of `WordPress` with that label; passwords in
/// URLs; password hashes (phpass, bcrypt, argon2); and the contents of `WordPress` login cookies
/// and password reset links.
///
/// ```
/// use toolwire::redact::Redactor;
///
/// let redactor = Redactor::new(["hunter2hunter2".to_owned()]);
/// let redacted = redactor.redact("Use hunter2hunter2 at https://me:pass@example.org.");
/// assert_eq!(redacted.text, "Use [redacted] at https://me:[redacted]@example.org.");
/// assert_eq!(redacted.count, 2);
/// let hidden = redactor.redact("hunter2\u{200B}hunter2, hunter2%68unter2");
/// assert_eq!(hidden.text, "[redacted], [redacted]");
/// ```
#[derive(Clone, Default)]
pub struct Redactor {
    known: KnownSecrets,
}

/// The known secrets.
#[derive(Clone, Default)]
enum KnownSecrets {
    #[default]
    Nothing,
    Secrets(Arc<NFA>),
    /// The secrets exceed the size of a search, so every text counts as a secret.
    Everything,
}

impl fmt::Debug for Redactor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The secrets themselves are never shown.
        formatter.write_str("Redactor(..)")
    }
}

impl Redactor {
    /// Takes the known secrets. A secret of fewer than 8 bytes is left out, since it would strike
    /// out ordinary words; invisible characters do not count.
    pub fn new(known: impl IntoIterator<Item = String>) -> Self {
        let mut patterns: Vec<_> =
            known.into_iter().flat_map(|secret| forms(secret.trim())).collect();
        patterns.retain(|pattern| pattern.len() >= SHORTEST_SECRET);
        patterns.sort_unstable();
        patterns.dedup();
        if patterns.is_empty() {
            return Self::default();
        }
        let secrets = NFA::new(patterns).map(Arc::new);
        Self { known: secrets.map_or(KnownSecrets::Everything, KnownSecrets::Secrets) }
    }

    /// Strikes the secrets out of a text.
    #[must_use]
    pub fn redact<'t>(&self, text: &'t str) -> Redacted<'t> {
        strike(text, |view| self.found(view))
    }

    /// The spans of secrets in a view of a text, in any order.
    pub(super) fn found(&self, view: &[u8]) -> Vec<Range<usize>> {
        let mut found = match &self.known {
            KnownSecrets::Nothing => Vec::new(),
            KnownSecrets::Secrets(secrets) => known(secrets, view),
            KnownSecrets::Everything => return std::iter::once(0..view.len()).collect(),
        };
        found.extend(tokens(view));
        found
    }
}

/// The spans of known secrets; overlapping ones are joined.
fn known(secrets: &NFA, text: &[u8]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let Ok(mut state) = secrets.start_state(Anchored::No) else { return found };
    for (at, &byte) in text.iter().enumerate() {
        state = secrets.next_state(Anchored::No, state, byte);
        if !secrets.is_match(state) {
            continue;
        }
        // The first of the secrets that end here is the longest, and it covers all others.
        let length = secrets.pattern_len(secrets.match_pattern(state, 0));
        let mut start = at + 1 - length;
        while let Some(before) = found.pop_if(|before| before.end > start) {
            start = start.min(before.start);
        }
        found.push(start..at + 1);
    }
    found
}

/// The forms of a secret that are searched for: its views, since the search runs in the views of a
/// text.
fn forms(secret: &str) -> Vec<Vec<u8>> {
    if secret.len() < SHORTEST_SECRET {
        return Vec::new();
    }
    let mut spellings = vec![secret.to_owned()];
    if secret.contains(char::is_whitespace) {
        spellings.push(secret.split_whitespace().collect());
        spellings.push(secret.split_whitespace().collect::<Vec<_>>().join("+"));
    }
    let views = spellings.iter().flat_map(|spelling| DerivedText::all(spelling));
    let mut forms: Vec<Vec<u8>> = views.map(|view| view.text.into_owned()).collect();
    for before in 0..3 {
        // The bytes before a secret in base64 shift its bits. A digit that also encodes other bits
        // is left out.
        let bytes = [[0; 2].get(..before).unwrap_or_default(), secret.as_bytes()].concat();
        let digits = (before * 8).div_ceil(6)..bytes.len() * 8 / 6;
        for engine in [STANDARD_NO_PAD, URL_SAFE_NO_PAD] {
            forms.extend(engine.encode(&bytes).get(digits.clone()).map(Vec::from));
        }
    }
    forms
}

#[cfg(test)]
mod tests {
    use super::super::strike::REDACTED;
    use super::*;

    #[test]
    fn tokens_are_struck_out() {
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
            format!(
                "-----BEGIN OPENSSH PRIVATE KEY-----\n{long}\n-----END OPENSSH PRIVATE KEY-----"
            ),
        ] {
            let text = format!("a {token} b");
            assert_eq!(Redactor::default().redact(&text).text, "a [redacted] b", "{token}");
        }
        for (text, left) in [
            ("Authorization: Basic bWU6cGFzc3dvcmQ=", "Authorization: Basic [redacted]"),
            ("Set-Cookie: sid=a1b2c3; Path=/\nNext", "Set-Cookie: [redacted]\nNext"),
            (
                "AccountName=x;AccountKey=abcdefghijklmnopqrstuv==;E",
                "AccountName=x;AccountKey=[redacted];E",
            ),
            (
                "application password: abCD 12ef GHij 34kl MNop 56qr.",
                "application password: [redacted].",
            ),
        ] {
            assert_eq!(Redactor::default().redact(text).text, left);
        }
    }

    #[test]
    fn what_wordpress_keeps_secret_is_struck_out() {
        let hash = "9wR4kT1xB7mQ2zL8".repeat(4);
        let cookie = format!("1764000000|{}|{}", &hash[..43], "0af9".repeat(16));
        for (text, left) in [
            (format!("admin|{cookie}"), "admin|[redacted]"),
            (format!("admin|{cookie}").replace('|', "%7C"), "admin%7C[redacted]"),
            (format!("a $P$B{} b", &hash[..30]), "a [redacted] b"),
            (format!("a $2y$10${} b", &hash[..53]), "a [redacted] b"),
            (format!("a $wp$2y$10${} b", &hash[..53]), "a [redacted] b"),
            (
                format!("a $argon2id$v=19$m=65536,t=4,p=1${}${} b", &hash[..22], &hash[..43]),
                "a [redacted] b",
            ),
            (format!("a $generic${} b", &hash[..40]), "a [redacted] b"),
        ] {
            assert_eq!(Redactor::default().redact(&text).text, left, "{text}");
        }
        for (link, left) in [
            ("action=rp&key=9wR4kT1xB7mQ2zL8abcd&login=ann", "action=rp&key=[redacted]&login=ann"),
            ("login=ann&key=9wR4kT1xB7mQ2zL8abcd&action=rp", "login=ann&key=[redacted]&action=rp"),
            ("login=ann&#038;key=9wR4kT1xB7mQ2zL8abcd", "login=ann&#038;key=[redacted]"),
            ("key=9wR4kT1xB7mQ2zL8abcd", "key=[redacted]"),
        ] {
            let text = format!("See https://example.org/wp-login.php?{link} now.");
            let left = format!("See https://example.org/wp-login.php?{left} now.");
            assert_eq!(Redactor::default().redact(&text).text, left);
        }
    }

    #[test]
    fn invisible_characters_hide_no_secret() {
        let redactor = Redactor::new(["Sup3rSecret".to_owned()]);
        for text in
            ["Sup3r\u{200E}Secret", "S\u{200B}up3rSecre\u{E0041}t", "Sup3r\u{AD}\u{FE0F}Secret"]
        {
            let text = format!("a {text} b");
            assert_eq!(
                redactor.redact(&text),
                Redacted { text: "a [redacted] b".into(), count: 1 }
            );
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
    fn pairs_of_surrogates_and_line_ends_in_escapes_hide_no_secret() {
        let redactor = Redactor::new([
            "pass😀word1secret".to_owned(),
            "line1\r\nline2\u{8}\u{C}\u{FEFF}".to_owned(),
        ]);
        for text in [
            r"pass\ud83d\ude00word1secret",
            r"pass\\uD83D\\uDE00word1secret",
            "pass%F0%9F%98%80word1secret",
            "line1\r\nline2",
            "line1\nline2\u{8}\u{C}",
            r"line1\r\nline2\b\f",
            r"line1\u000d\u000aline2\u0008",
            "line1%0D%0Aline2",
        ] {
            assert_eq!(redactor.redact(&format!("a {text}. b")).text, "a [redacted]. b", "{text}");
        }
        assert_eq!(redactor.redact(r"\ud83d \ude00 \ud83d\u0041 \ud8").count, 0);
    }

    #[test]
    fn escaped_invisible_characters_hide_no_secret() {
        let redactor = Redactor::new(["Sup3rSecret".to_owned()]);
        for hidden in [
            "&#8203;",
            "&#x200B;",
            "\\u200b",
            "\\\\u200b",
            "%E2%80%8B",
            "%25E2%2580%258B",
            "&ZeroWidthSpace;",
            "&shy;",
            "&amp;shy;",
            "\\udb40\\udd00",
            "&zwnj;\\u00ad%E2%80%8D",
        ] {
            let text = format!("a Sup3r{hidden}Secret b");
            assert_eq!(redactor.redact(&text).text, "a [redacted] b", "{hidden}");
        }
        let token = format!("ghp_{}&shy;{}", "Aa0".repeat(3), "Aa0".repeat(9));
        assert_eq!(redactor.redact(&token).text, REDACTED);
    }

    #[test]
    fn a_secret_that_holds_escapes_is_found_where_others_are_escaped() {
        let redactor = Redactor::new([r#"p"w%20rd12"#.to_owned()]);
        assert_eq!(redactor.redact(r#"{"k": "p\"w%20rd12"}"#).text, r#"{"k": "[redacted]"}"#);
    }

    #[test]
    fn secrets_in_secrets_take_no_more_memory() {
        let nested = (8..408).map(|length| "a".repeat(length));
        let redactor = Redactor::new(nested.chain(["aab".repeat(4)]));
        let text = "a".repeat(100_000);
        assert!(redactor.found(text.as_bytes()).into_iter().eq(std::iter::once(0..100_000)));
        assert_eq!(
            redactor.redact(&format!("-{text}{}{text}-", "aab".repeat(4))).text,
            "-[redacted][redacted]-"
        );
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
            "a table: 1764000000|names|values",
            "it costs $2 or $20, and $P$ is a variable",
            "Open wp-login.php?action=lostpassword and press the key=value button.",
            "search?key=9wR4kT1xB7mQ2zL8abcd",
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
