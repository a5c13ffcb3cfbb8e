//! What is a secret in a payload: keys that name one, and texts that look like one.

use std::borrow::Cow;

use serde_json::Value;

use super::masked_copy::{Build, JsonBuild, MaskedCopy};
use crate::Redactor;
use crate::tree::{Failure, Tree};

/// How deep lists and maps are copied; deeper ones are counted.
const DEEPEST: usize = 512;

/// What is shown of a secret.
pub const REDACTED: &str = "[redacted]";

/// Finds secrets: by the keys that name them, and by what values look like.
///
/// A key names a secret if the words of a listed one stand in it in a row, whatever its case and whether words
/// are joined by `_`, `-`, a space or a capital letter: `api_key` finds `apiKey`, `X-API-KEY` and `apikey`,
/// and `token` finds `access_token`, but not `max_tokens`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redaction {
    secrets: Vec<Words>,
    /// Those that name a secret only where the key ends with them: `smtp_pass` does, `pass_rate` does not.
    ends: Vec<Words>,
}

/// Names of secrets, of WordPress and of others, wherever they stand in a key.
const NAMES: &[&str] = &[
    "password",
    "passwords",
    "password1",
    "password2",
    "passwd",
    "passphrase",
    "passkey",
    "pwd",
    "user_pass",
    "pass1",
    "pass2",
    "token",
    "access_tokens",
    "api_tokens",
    "auth_tokens",
    "refresh_tokens",
    "session_tokens",
    "jwt",
    "bearer",
    "secret",
    "secrets",
    "credential",
    "credentials",
    "authorization",
    "basic_auth",
    "github_pat",
    "gh_pat",
    "api_key",
    "api_keys",
    "apikeys",
    "access_key",
    "account_key",
    "activation_key",
    "auth_key",
    "consumer_key",
    "deploy_key",
    "encryption_key",
    "hmac_key",
    "licence_key",
    "license_key",
    "logged_in_key",
    "master_key",
    "nonce_key",
    "private_key",
    "security_key",
    "service_key",
    "session_key",
    "signing_key",
    "ssh_key",
    "webhook_key",
    "auth_salt",
    "logged_in_salt",
    "nonce_salt",
    "password_salt",
    "session_id",
    "sessid",
    "phpsessid",
    "wpnonce",
    "otp",
    "totp",
    "cvv",
    "cvc",
    "mfa_code",
    "recovery_code",
    "recovery_codes",
    "backup_codes",
    "security_code",
    "verification_code",
];

/// Names of secrets at the end of a key.
const ENDS: &[&str] = &["pass", "pin", "cookie", "cookies", "nonce", "session"];

impl Default for Redaction {
    fn default() -> Self {
        Self { ends: Words::of_all(ENDS), ..Self::new(NAMES) }
    }
}

impl Redaction {
    /// Takes the keys that name secrets; those without a letter or digit are ignored.
    pub fn new<K: AsRef<str>>(keys: impl IntoIterator<Item = K>) -> Self {
        Self { secrets: Words::of_all(keys), ends: Vec::new() }
    }

    /// Whether what stands under this key is left out.
    #[must_use]
    pub fn hides(&self, key: &str) -> bool {
        if self.secrets.is_empty() && self.ends.is_empty() {
            return false;
        }
        let words = Words::of(key);
        self.secrets.iter().any(|secret| words.joined == secret.joined || words.hold(secret))
            || self.ends.iter().any(|end| words.end_with(end))
    }

    /// The default names with others beside them.
    pub fn with_defaults<K: AsRef<str>>(keys: impl IntoIterator<Item = K>) -> Self {
        let mut redaction = Self::default();
        redaction.secrets.extend(Words::of_all(keys));
        redaction
    }

    /// A whole value without its secrets: what stands under a key that names one, and what looks like one.
    #[must_use]
    pub fn masked(&self, value: &Value) -> Value {
        // Reading a JSON value cannot fail.
        self.mask(&value, &mut JsonBuild).unwrap_or_default()
    }

    /// A whole value of a host without its secrets, as a copy of the host's own kind.
    ///
    /// Keys that look like a secret are masked too; two that are the same then stay two. Lists and maps that
    /// nest more than 512 deep are counted, so a value that holds itself ends.
    ///
    /// # Errors
    ///
    /// What the host raised.
    pub fn mask<N: Tree, B: Build<N>>(
        &self,
        value: &N,
        build: &mut B,
    ) -> Result<B::Value, Failure<N::Error>> {
        MaskedCopy::new(self, build, DEEPEST).value(value, 1)
    }

    /// A text without what looks like a secret; one that is not UTF-8 with replacement characters, if it has any.
    #[must_use]
    pub fn masked_text<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        let lossy = String::from_utf8_lossy(text);
        let redacted = Redactor::default().redact(&lossy);
        if redacted.count == 0 {
            Cow::Borrowed(text)
        } else {
            Cow::Owned(redacted.text.into_owned().into_bytes())
        }
    }
}

/// The words of a key in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Words {
    joined: String,
    /// Where each word ends in them.
    ends: Vec<usize>,
}

impl Words {
    fn of_all<K: AsRef<str>>(keys: impl IntoIterator<Item = K>) -> Vec<Self> {
        let words = keys.into_iter().map(|key| Self::of(key.as_ref()));
        words.filter(|words| !words.joined.is_empty()).collect()
    }

    fn of(key: &str) -> Self {
        let (mut joined, mut ends) = (String::with_capacity(key.len()), Vec::new());
        let (mut start, mut after_small) = (0, false);
        for character in key.chars() {
            let starts = !character.is_alphanumeric() || (after_small && character.is_uppercase());
            if starts && joined.len() > start {
                start = joined.len();
                ends.push(start);
            }
            if character.is_alphanumeric() {
                joined.extend(character.to_lowercase());
            }
            after_small = character.is_lowercase() || character.is_numeric();
        }
        if joined.len() > start {
            ends.push(joined.len());
        }
        Self { joined, ends }
    }

    /// Whether other words stand in a row among these.
    fn hold(&self, others: &Self) -> bool {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.enumerate().any(|(word, start)| {
            let ends = self.ends.iter().skip(word).map(|end| end - start);
            self.joined.get(start..).is_some_and(|rest| rest.starts_with(&others.joined))
                && ends.take(others.ends.len()).eq(others.ends.iter().copied())
        })
    }

    /// Whether other words stand in a row at the end of these.
    fn end_with(&self, others: &Self) -> bool {
        let Some(start) = self.joined.len().checked_sub(others.joined.len()) else { return false };
        self.joined.ends_with(&others.joined) && (start == 0 || self.ends.contains(&start))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keys_name_secrets_by_their_words() {
        let redaction = Redaction::default();
        for key in [
            "password",
            "userPassword",
            "db-password",
            "password2",
            "X-API-KEY",
            "apikey",
            "api_key",
            "OPENAI_API_KEY",
            "access_token",
            "TOKEN",
            "session_tokens",
            "user_pass",
            "userpass",
            "pwd",
            "pass",
            "pass1",
            "pass2",
            "smtpPass",
            "DB_PASS",
            "passphrase",
            "passwd",
            "cookie",
            "set_cookie",
            "Set-Cookie",
            "Cookies",
            "nonce",
            "_wpnonce",
            "session",
            "PHPSESSID",
            "auth_key",
            "SECURE_AUTH_KEY",
            "logged_in_key",
            "NONCE_SALT",
            "secure_auth_salt",
            "credentials",
            "AWS_ACCESS_KEY_ID",
            "client_secret",
            "app_password",
            "otp",
            "pin",
            "card_pin",
            "Authorization",
            "user_activation_key",
            "license_key",
            "private_key_pem",
        ] {
            assert!(redaction.hides(key), "{key}");
        }
        for key in [
            "max_tokens",
            "tokens",
            "secretary",
            "passage",
            "key",
            "api",
            "",
            "tokenizer",
            "primary_key",
            "pass_rate",
            "keyword",
            "keywords",
            "meta_key",
            "sort_key",
            "public_key",
            "cache_key",
            "key_points",
            "passenger",
            "bypass",
            "compass",
            "pinned",
            "pin_post",
            "spinning",
            "option",
            "cookie_policy",
            "session_count",
            "sessions",
            "author",
            "authors",
            "salt",
            "hotpot",
            "obsession",
            "announcement",
            "title",
        ] {
            assert!(!redaction.hides(key), "{key}");
        }
        assert!(!Redaction::new(["", "-"]).hides("password"));
        assert!(!Redaction::new(["x"]).hides("pass"));
        assert!(Redaction::with_defaults(["iban"]).hides("customerIban"));
        assert!(Redaction::with_defaults(["iban"]).hides("smtp_pass"));
    }

    #[test]
    fn a_secret_is_masked_under_any_key() {
        let token = format!("ghp_{}", "Aa0".repeat(12));
        let value = json!({
            "content": format!("Use {token} here"), "list": [token], &*token: 1, "n": 1, "pass": {"a": 1}, "{}": {},
        });
        let expected = json!({
            "content": "Use [redacted] here", "list": ["[redacted]"], "[redacted]": 1, "n": 1, "pass": "[redacted]", "{}": {},
        });
        assert_eq!(Redaction::default().masked(&value), expected);
        let two = json!({&*token: 1, &*format!("{token}b"): 2});
        assert_eq!(Redaction::default().masked(&two), json!({"[redacted]": 1, "[redacted] 2": 2}));
    }
}
