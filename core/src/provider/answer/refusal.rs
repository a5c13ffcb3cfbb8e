//! What a model is told of a call that was refused.
//!
//! ```
//! use toolwire::Detector;
//! use toolwire::provider::{self, Provider};
//!
//! let found = Detector::default().detect(b"<tool:weather>Rome</tool>").into_findings();
//! let message = provider::refusal(&found.rejections[0], Provider::OpenAi)?;
//! assert_eq!(message["role"], "user");
//! assert!(message["content"].as_str().is_some_and(|text| text.contains("(bad_json)")));
//! # Ok::<(), toolwire::Error>(())
//! ```

use serde_json::{Value, json};

use crate::call::Rejection;
use crate::detect::Format;
use crate::error::Error;
use crate::input_schema::{Mismatch, Problem};
use crate::provider::dialect;
use crate::provider::kind::Provider;
use crate::provider::read::exchange::ProviderRejection;
use crate::visible::made_visible;

/// The most bytes that are quoted of the call, once they are escaped.
const MOST_QUOTED: usize = 120;
/// The most bytes of the code.
const MOST_CODE: usize = 32;
/// The most bytes of the reason.
const MOST_REASON: usize = 320;
/// The most bytes of an example; a form with a longer one is named by its slug.
const MOST_EXAMPLE: usize = 448;

/// A call that was refused, as the model is told of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefusedCall<'a> {
    /// Why, as a slug.
    pub code: &'a str,
    /// Why, in words.
    pub message: &'a str,
    /// Where it stands.
    pub place: RefusedAt<'a>,
    /// The slug of the form in which it seemed to be written.
    pub format: Option<&'a str>,
}

/// Where a refused call stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusedAt<'a> {
    /// In the text of the model's message.
    Text {
        /// The line, from 1.
        line: usize,
        /// The column, in code points from 1.
        column: usize,
        /// What stands there.
        excerpt: &'a str,
    },
    /// In the object that the provider sent, at this JSON Pointer.
    Object(&'a str),
    /// In the call's arguments, at this JSON Pointer.
    Arguments(&'a str),
}

impl<'a> RefusedCall<'a> {
    /// A call that a detector refused.
    #[must_use]
    pub fn of(rejection: &'a Rejection) -> Self {
        let Rejection { line, column, .. } = *rejection;
        let place = RefusedAt::Text { line, column, excerpt: &rejection.excerpt };
        let (code, message) = (rejection.code.slug(), &*rejection.message);
        Self { code, message, place, format: rejection.format }
    }

    /// A call that was refused in an object that a provider sent.
    #[must_use]
    pub fn of_object(rejection: &'a ProviderRejection) -> Self {
        let place = RefusedAt::Object(&rejection.path);
        let (code, message) = (rejection.code.slug(), &*rejection.message);
        Self { code, message, place, format: rejection.format }
    }

    /// One sentence for the model: what was wrong with its call, at which place, and how the form
    /// is written. At most 1 KB; what is quoted of the model's text is escaped.
    #[must_use]
    pub fn text(&self) -> String {
        let place = match self.place {
            RefusedAt::Text { line, column, excerpt } => {
                format!("line {line}, column {column}, \"{}\"", quoted(excerpt))
            }
            RefusedAt::Object(path) => quoted(path),
            RefusedAt::Arguments("") => "/ of its arguments".to_owned(),
            RefusedAt::Arguments(path) => format!("{} of its arguments", quoted(path)),
        };
        let form = self.format.and_then(|slug| Format::named(slug).ok());
        let example = form.map(|form| match form.example() {
            long if long.len() > MOST_EXAMPLE => format!("; write a call as {} does", form.slug()),
            example => format!("; write a call so: {example}"),
        });
        // A reason may name what the model wrote.
        let reason = made_visible(self.message.replace(char::is_control, " "));
        let (code, reason) = (first(self.code, MOST_CODE), first(&reason, MOST_REASON));
        let example = example.unwrap_or_default();
        format!("Your tool call was not run ({code}) at {place}: {reason}{example}")
    }

    /// The message that the provider is sent behind the model's own: one of the user, since a call
    /// that could not be read has no id to answer.
    ///
    /// # Errors
    /// `unknown_provider` for a provider that has no messages.
    pub fn dump(&self, provider: Provider) -> Result<Value, Error> {
        let dialect = dialect::talking(provider, "refusals")?;
        let text = self.text();
        Ok(match dialect.user_blocks {
            Some(blocks) => json!({"role": "user", blocks.key: [(blocks.text)(&text)]}),
            None => json!({"role": "user", "content": text}),
        })
    }
}

/// The message that tells a model of a call that a detector refused; see [`RefusedCall::dump`].
///
/// # Errors
/// `unknown_provider` for a provider that has no messages.
pub fn refusal(rejection: &Rejection, provider: Provider) -> Result<Value, Error> {
    RefusedCall::of(rejection).dump(provider)
}

/// What a model is told of a call whose arguments do not match the tool's schema. The first
/// problem's path is the place, and the other problems follow. Without problems, the schema could
/// not be applied within the limits.
pub(in crate::provider) fn refused_arguments(code: &str, problems: &[Problem]) -> String {
    let Some((first, others)) = problems.split_first() else {
        let (message, place) = (Mismatch::Limit.to_string(), RefusedAt::Arguments(""));
        return RefusedCall { code, message: &message, place, format: None }.text();
    };
    let others = others.iter().map(|problem| format!("; {problem}"));
    let message: String = std::iter::once(first.message.clone()).chain(others).collect();
    let place = RefusedAt::Arguments(&first.path);
    RefusedCall { code, message: &message, place, format: None }.text()
}

/// The beginning of a text, in whole characters.
fn first(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or(text)
}

/// The beginning of what the model wrote, as text that no line break or quote leaves.
fn quoted(text: &str) -> String {
    let mut quoted = String::new();
    for escaped in text.chars().map(char::escape_debug) {
        if quoted.len() + escaped.len() > MOST_QUOTED {
            break;
        }
        quoted.extend(escaped);
    }
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_sees_is_marked() {
        let problem = |text: &str| Problem { path: format!("/{text}"), message: text.to_owned() };
        let problems = [problem("a\u{202e}b"), problem("c\u{200b}\nd")];
        let text = refused_arguments("invalid_input", &problems);
        assert_eq!(
            text,
            "Your tool call was not run (invalid_input) at /a\\u{202e}b of its arguments: \
             a⟨U+202E⟩b; /c⟨U+200B⟩ d: c⟨U+200B⟩ d"
        );
    }

    #[test]
    fn what_the_model_is_told_is_short_whatever_it_wrote() {
        for unit in ["\u{10ffff}", "\n", "\"", "é", "x"] {
            let long = unit.repeat(5_000);
            for form in Format::all() {
                let place =
                    RefusedAt::Text { line: usize::MAX, column: usize::MAX, excerpt: &long };
                let format = Some(form.slug());
                let refused = RefusedCall { code: &long, message: &long, place, format };
                let text = refused.text();
                assert!(text.len() <= 1024, "{}: {}", form.slug(), text.len());
                assert!(form.example().len() <= MOST_EXAMPLE, "{}", form.slug());
            }
        }
    }
}
