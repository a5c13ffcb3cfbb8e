//! `Toolwire\Tokens`: measures and cuts texts by tokens.

#![allow(non_snake_case, reason = "the parameters are named arguments in PHP")]

use ext_php_rs::prelude::*;
use ext_php_rs::types::{ZendHashTable, Zval};
use toolwire::token::{ChunkOptions, chunk_text, count_tokens, truncate_to_tokens};
use toolwire::{Error, ErrorKind};

use crate::host::class::php_class;
use crate::host::exception;
use crate::host::option;
use crate::host::value::{self, AString, AnArray, AnInt, As, Text, Whole};

/// A class of static methods; it has no objects.
pub(crate) struct Tokens;

php_class!(Tokens, "Toolwire\\Tokens", [], private, {});

/// A number of tokens, which may be 0.
pub(crate) fn at_least_none(name: &str, number: i64) -> PhpResult<usize> {
    usize::try_from(number).map_err(|_| {
        let error = Error::new(ErrorKind::InvalidOption, format!("{name} must be at least 0"));
        exception::from_core(&error)
    })
}

#[php_impl]
impl Tokens {
    /// The approximate number of tokens of a text.
    fn count(text: Text<'_>) -> usize {
        count_tokens(&text.lossy())
    }

    /// As many of the first words of a text as fit into a number of tokens.
    fn truncate(text: Text<'_>, maxTokens: Whole) -> PhpResult<As<AString>> {
        let most = at_least_none("maxTokens", maxTokens.0)?;
        Ok(As::new(value::text(&*truncate_to_tokens(&text.lossy(), most))))
    }

    /// A text in chunks, which together hold all of it.
    fn chunks(
        text: Text<'_>,
        maxTokens: Option<As<AnInt>>,
        minTokens: Option<As<AnInt>>,
        overlapTokens: Option<As<AnInt>>,
    ) -> PhpResult<As<AnArray>> {
        let mut options = ChunkOptions::default();
        let given: [(&str, Option<Zval>); 3] = [
            ("max_tokens", maxTokens.map(|option| option.0)),
            ("min_tokens", minTokens.map(|option| option.0)),
            ("overlap_tokens", overlapTokens.map(|option| option.0)),
        ];
        option::set_each(given, |name, value| options.set(name, value))?;
        let text = text.lossy();
        let chunks = chunk_text(&text, &options).into_iter().map(|chunk| {
            let mut fields = ZendHashTable::new();
            fields.insert("text", value::text(chunk.text))?;
            fields.insert("start", value::whole(chunk.span.start))?;
            fields.insert("end", value::whole(chunk.span.end))?;
            fields.insert("token_count", value::whole(chunk.token_count))?;
            Ok(value::array(fields))
        });
        Ok(As::new(value::list(chunks.collect::<PhpResult<Vec<_>>>()?)?))
    }
}
