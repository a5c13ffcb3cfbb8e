//! The id of a call in the form of a provider.
//!
//! An id that the model wrote is kept where the provider takes it. Any other id is derived from the
//! call's own id, so the same call always gets the same id, in a stream as soon as it begins.

use super::id_form::CallIds;
use crate::provider::dialect;
use crate::provider::kind::Provider;

/// The id that a provider's message gives a call with this id.
///
/// [`message`](crate::provider::message) and [`Chunks`](crate::provider::Chunks) give it too,
/// unless an earlier call of the message has the same id.
///
/// ```
/// use toolwire::provider::{Provider, call_id};
///
/// let made = "call_019e0ca1b2c37d4e8f90a1b2c3d4e5f6";
/// assert_eq!(call_id(made, Provider::Mistral).len(), 9);
/// assert!(call_id(made, Provider::Anthropic).starts_with("toolu_"));
/// assert_eq!(call_id("functions.weather:0", Provider::OpenAi), "functions.weather:0");
/// ```
#[must_use]
pub fn call_id(id: &str, provider: Provider) -> String {
    CallIds::new(dialect::of(provider).call_ids).next(id)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::provider::write::id_form::IdForm;

    const MADE: &str = "call_019e0ca1b2c37d4e8f90a1b2c3d4e5f6";

    #[test]
    fn ids_have_the_providers_form() {
        for (provider, prefix, length) in [
            (Provider::OpenAi, "call_", 29),
            (Provider::Anthropic, "toolu_", 30),
            (Provider::Mistral, "", 9),
        ] {
            let id = call_id(MADE, provider);
            assert!(id.starts_with(prefix) && id.len() == length, "{id}");
            assert_eq!(id, call_id(MADE, provider));
        }
    }

    #[test]
    fn ids_that_the_model_wrote_are_kept_where_they_are_taken() {
        let given = "functions.weather:0";
        assert_eq!(call_id(given, Provider::OpenAi), given);
        assert!(call_id(given, Provider::Anthropic).starts_with("toolu_"));
        assert_eq!(call_id("a1B2c3D4e", Provider::Mistral), "a1B2c3D4e");
        assert_ne!(call_id("a1B2c3D4", Provider::Mistral), "a1B2c3D4");
    }

    #[test]
    fn no_two_calls_share_an_id() {
        let mut ids = CallIds::new(IdForm::CALL);
        let mut made: Vec<_> = (0..4).map(|_| ids.next("0")).collect();
        made.extend((0..4).map(|_| ids.next(MADE)));
        assert_eq!(made.iter().collect::<HashSet<_>>().len(), 8);
    }
}
