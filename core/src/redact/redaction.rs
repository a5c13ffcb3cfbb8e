//! Decides what is a secret in a payload: by keys that name one, and by texts that look like one.

use std::borrow::Cow;

use super::assignment::assigned;
use super::key::SecretKeys;
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

#[cfg(test)]
mod tests {
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
