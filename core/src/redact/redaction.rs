//! Decides what is a secret in a payload: by keys that name one, and by texts that look like one.

use std::borrow::Cow;

use super::assignment::assigned;
use super::key::{KeyWords, SecretKeys};
use super::redactor::Redactor;
use super::strike::strike;

/// Finds secrets by the keys that name them and by the form of values.
///
/// A key names a secret if it contains the words of a listed name in a row. Case does not matter,
/// and the words may be joined by `_`, `-`, a space, a capital letter or nothing: `api_key` finds
/// `apiKey`, `X-API-KEY` and `apikey`. `token` finds `access_token`, but not `max_tokens`. A few of
/// the default names, such as `password` and `token`, are also found at the end of a word, as in
/// `dbpassword`.
///
/// A map may also name a secret in one entry and hold it in another, as `{"option": "db_pass",
/// "value": "x"}` does. A text may assign a secret, as `user=a&password=x` does. `docs/security.md`
/// describes the rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Redaction {
    keys: SecretKeys,
}

impl Redaction {
    /// Takes the keys that name secrets; a key without a letter or digit is ignored.
    pub fn new<K: AsRef<str>>(keys: impl IntoIterator<Item = K>) -> Self {
        Self { keys: SecretKeys::new(keys) }
    }

    /// The default names and the given ones.
    pub fn with_defaults<K: AsRef<str>>(keys: impl IntoIterator<Item = K>) -> Self {
        let mut redaction = Self::default();
        redaction.keys.add(keys);
        redaction
    }

    /// Whether the value under this key is masked.
    #[must_use]
    pub fn hides(&self, key: &str) -> bool {
        self.keys.hides(key)
    }

    /// Whether the value under the key of these words is masked.
    pub(crate) fn hides_words(&self, key: &KeyWords) -> bool {
        self.keys.hide(key)
    }

    /// Whether a text is the name of a secret, as in `{"option": "db_pass", "value": "x"}`.
    pub(super) fn hides_beside(&self, name: &str) -> bool {
        self.keys.name_secret(name)
    }

    /// A text without the parts that look like a secret and without the values that it assigns to a
    /// secret's name, as in `password=x`.
    ///
    /// In a text that is not UTF-8 and holds a secret, invalid bytes become replacement characters.
    #[must_use]
    pub fn masked_text<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        if is_word(text) {
            return Cow::Borrowed(text);
        }
        self.searched(text)
    }

    /// A text without the parts that look like a secret, of which each form is searched for.
    fn searched<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        let lossy = String::from_utf8_lossy(text);
        let redactor = Redactor::default();
        let masked = strike(&lossy, |view| {
            let mut found = redactor.found(view);
            found.extend(assigned(view, &self.keys));
            found
        });
        if masked.count == 0 {
            Cow::Borrowed(text)
        } else {
            Cow::Owned(masked.text.into_owned().into_bytes())
        }
    }
}

/// The fewest bytes of a token of letters, digits and signs of names: `xoxb-` and ten more.
const SHORTEST_TOKEN: usize = 15;

/// Whether a text is so short and plain that nothing in it can be a secret, as most keys are and
/// many values. It assigns nothing, and there are no escapes in it.
fn is_word(text: &[u8]) -> bool {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-./ ".contains(byte);
    text.len() < SHORTEST_TOKEN && text.iter().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_holds_a_secret() {
        let pieces = ["xoxb-", "xapp-", "sk_", "bearer ", "pass ", "eyJ", "SG.", "--", "a", "A1"];
        let (redaction, mut state, mut words) = (Redaction::default(), 1_u64, 0);
        for _ in 0..20_000 {
            let mut text = String::new();
            while text.len() < SHORTEST_TOKEN + 2 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                text.push_str(pieces[usize::try_from(state >> 33).unwrap() % pieces.len()]);
                if is_word(text.as_bytes()) {
                    words += 1;
                    assert_eq!(redaction.searched(text.as_bytes()), text.as_bytes(), "{text}");
                }
            }
        }
        assert!(words > 50_000, "{words}");
        // One byte more may be a secret, and so may other signs.
        for text in ["xoxb-aaaaaaaaaa", "://a:b@c", "pin=1234", "pin%3D1234"] {
            assert!(
                !is_word(text.as_bytes())
                    && redaction.masked_text(text.as_bytes()) != text.as_bytes(),
                "{text}"
            );
        }
    }

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
            "wordpress",
            "wordpress_version",
            "wordpress_security",
            "logged_in",
            "dbpassage",
            "crp_key_figures",
        ] {
            assert!(!redaction.hides(key), "{key}");
        }
        assert!(!Redaction::new(["iban"]).hides("dbpassword"));
        assert!(!Redaction::new(["", "-"]).hides("password"));
        assert!(!Redaction::new(["x"]).hides("pass"));
        assert!(Redaction::with_defaults(["iban"]).hides("customerIban"));
        assert!(Redaction::with_defaults(["iban"]).hides("smtp_pass"));
    }
    #[test]
    fn names_of_wordpress_and_words_written_together_name_secrets() {
        let redaction = Redaction::default();
        for key in [
            "wordpress_logged_in_5c016e8f0f95f039102cbe8366c5c7f3",
            "wordpress_sec_5c016e8f0f95f039102cbe8366c5c7f3",
            "wp-resetpass-5c016e8f0f95f039102cbe8366c5c7f3",
            "wp-postpass_5c016e8f0f95f039102cbe8366c5c7f3",
            "rp_key",
            "rm_key",
            "recovery_key",
            "passwd2",
            "dbpass",
            "userpassword",
            "dbpassword2",
            "accesstoken",
            "authtoken",
            "secretkey",
            "my_secretkey",
            "apitoken",
            "clientsecret",
            "old_user_pass",
            "my_apikey_2",
        ] {
            assert!(redaction.hides(key), "{key}");
        }
    }
}
