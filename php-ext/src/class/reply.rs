//! `Toolwire\Reply`: reads the JSON of a model's reply.

#![allow(non_snake_case, reason = "the parameters are named arguments in PHP")]

use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;
use toolwire::reply::{ReplyOptions, extract_json};

use crate::host::class::php_class;
use crate::host::json::{self, Objects};
use crate::host::option;
use crate::host::value::{AString, AnArray, AnInt, Anything, As, Text};

/// A class of one static method; it has no objects.
pub(crate) struct Reply;

php_class!(Reply, "Toolwire\\Reply", [], private, {});

#[php_impl]
impl Reply {
    /// The one JSON value of a reply, or null.
    #[php(name = "extractJson")]
    fn extract_json(
        text: Text<'_>,
        keys: Option<As<AnArray>>,
        repair: Option<As<AString>>,
        maxDepth: Option<As<AnInt>>,
    ) -> PhpResult<As<Anything>> {
        let mut options = ReplyOptions::default();
        let given = [
            ("keys", keys.map(|option| option.0)),
            ("repair", repair.map(|option| option.0)),
            ("max_depth", maxDepth.map(|option| option.0)),
        ];
        option::set_each(given, |name, value| options.set(name, value))?;
        let found = extract_json(text.bytes(), &options);
        let value = match found {
            Some(found) => json::read(found.json.as_bytes(), Objects::Arrays)
                .ok_or("what was found is no JSON")?,
            None => Zval::null(),
        };
        Ok(As::new(value))
    }
}
