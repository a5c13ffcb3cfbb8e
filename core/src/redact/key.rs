//! The keys that name secrets, and the keys whose value belongs to a name beside it.

/// Names of secrets, of WordPress and of other programs, at any place in a key.
const NAMES: &[&str] = &[
    "password",
    "passwords",
    "password1",
    "password2",
    "password_again",
    "password_confirm",
    "password_confirmation",
    "password_hash",
    "password_repeat",
    "passwd",
    "passwd1",
    "passwd2",
    "passphrase",
    "passkey",
    "pwd",
    "user_pass",
    "admin_pass",
    "db_pass",
    "ftp_pass",
    "mail_pass",
    "new_pass",
    "root_pass",
    "smtp_pass",
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
    "recovery_key",
    "reset_key",
    "rm_key",
    "rp_key",
    "secret_key",
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
    "wordpress_logged_in",
    "wordpress_sec",
    "wp_postpass",
    "wp_resetpass",
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

/// Names of secrets that count only at the end of a key.
const ENDS: &[&str] = &["pass", "pin", "cookie", "cookies", "nonce", "session"];

/// Names of secrets that also count at the end of a word: `dbpassword`, `authtoken2`.
const TAILS: &[&str] = &[
    "password",
    "passwords",
    "passwd",
    "passphrase",
    "token",
    "secret",
    "secrets",
    "credential",
    "credentials",
    "apikey",
    "accesskey",
    "privatekey",
    "secretkey",
];

/// The last words of a key whose value is a name, as in `{"meta_key": "x", "meta_value": 1}`.
const NAME_KEYS: &[&str] = &[
    "name",
    "key",
    "option",
    "field",
    "header",
    "setting",
    "param",
    "parameter",
    "property",
    "attribute",
    "variable",
    "var",
];

/// The last words of a key whose value belongs to a name beside it.
const VALUE_KEYS: &[&str] = &["value", "values", "val", "old", "new", "before", "after", "default"];

/// The most words of a name; a longer text is prose.
const NAME_WORDS: usize = 4;

/// The keys that name secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SecretKeys {
    secrets: Vec<KeyWords>,
    /// The names that count only at the end of a key: `smtp_pass` names a secret, `pass_rate` does
    /// not.
    ends: Vec<KeyWords>,
    /// The names that also count at the end of a word: `dbpassword`.
    tails: &'static [&'static str],
}

impl Default for SecretKeys {
    fn default() -> Self {
        Self { ends: KeyWords::of_all(ENDS), tails: TAILS, ..Self::new(NAMES) }
    }
}

impl SecretKeys {
    pub(super) fn new<K: AsRef<str>>(keys: impl IntoIterator<Item = K>) -> Self {
        Self { secrets: KeyWords::of_all(keys), ends: Vec::new(), tails: &[] }
    }

    /// Adds more keys.
    pub(super) fn add<K: AsRef<str>>(&mut self, keys: impl IntoIterator<Item = K>) {
        self.secrets.extend(KeyWords::of_all(keys));
    }

    /// Whether this key names a secret.
    pub(super) fn hides(&self, key: &str) -> bool {
        self.hide(&KeyWords::of(key))
    }

    /// Whether the key of these words names a secret.
    pub(super) fn hide(&self, words: &KeyWords) -> bool {
        words.hold_any(&self.secrets)
            || words.one_ends_with(self.tails)
            || self.ends.iter().any(|end| words.end_with_any(&[&end.joined]))
    }

    /// Whether a text is the name of a secret.
    pub(super) fn name_secret(&self, text: &str) -> bool {
        text.split_whitespace().nth(NAME_WORDS).is_none() && self.hides(text)
    }
}

/// The words of a key in lower case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct KeyWords {
    joined: String,
    /// The end of each word.
    ends: Vec<usize>,
}

impl KeyWords {
    fn of_all<K: AsRef<str>>(keys: impl IntoIterator<Item = K>) -> Vec<Self> {
        let words = keys.into_iter().map(|key| Self::of(key.as_ref()));
        words.filter(|words| !words.joined.is_empty()).collect()
    }

    pub(super) fn of(key: &str) -> Self {
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

    /// Whether the key's value is the name of a value beside it.
    pub(super) fn hold_name(&self) -> bool {
        self.end_with_any(NAME_KEYS)
    }

    /// Whether the key's value belongs to a name beside it.
    pub(super) fn hold_value(&self) -> bool {
        self.end_with_any(VALUE_KEYS)
    }

    /// Whether the words of one of `others` stand here in a row, however the words are joined.
    fn hold_any(&self, others: &[Self]) -> bool {
        std::iter::once(0).chain(self.ends.iter().copied()).any(|start| {
            let rest = self.joined.as_bytes().get(start..).unwrap_or_default();
            // Most of the others begin otherwise.
            let alike = others.iter().filter(|one| one.joined.as_bytes().first() == rest.first());
            alike.map(|one| &one.joined).any(|one| {
                rest.starts_with(one.as_bytes())
                    && self.ends.binary_search(&(start + one.len())).is_ok()
            })
        })
    }

    /// Whether one of `others` is at the end of these words.
    fn end_with_any(&self, others: &[&str]) -> bool {
        others.iter().any(|other| {
            let start = self.joined.len().checked_sub(other.len());
            start.is_some_and(|start| {
                self.joined.ends_with(other)
                    && (start == 0 || self.ends.binary_search(&start).is_ok())
            })
        })
    }

    /// Whether a word ends with one of these tails, not counting digits after it.
    fn one_ends_with(&self, tails: &[&str]) -> bool {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).any(|(start, end)| {
            let word = self.joined.get(start..*end).unwrap_or_default();
            let word = word.trim_end_matches(|one: char| one.is_ascii_digit());
            tails.iter().any(|tail| word.ends_with(tail))
        })
    }
}
