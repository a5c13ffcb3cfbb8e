//! Calls, results and own items in an object of any provider.
//!
//! It takes any JSON: a part of a response, a conversation or a log. What looks like a call and
//! cannot be read is a rejection with its place.

pub(in crate::provider) mod arguments;
pub(in crate::provider) mod beside;
pub(in crate::provider) mod content;
pub(in crate::provider) mod exchange;
pub(in crate::provider) mod found_result;
pub(in crate::provider) mod free_text;
pub(in crate::provider) mod item;
pub(in crate::provider) mod outcome;
pub(crate) mod own;
pub(in crate::provider) mod place;
pub(in crate::provider) mod shape;
pub(in crate::provider) mod walk;

pub(in crate::provider) use content::{
    error_object, failed, flagged_text, read_content, read_error, read_text, shown, text_of,
};
pub(in crate::provider) use exchange::ProviderResult;
pub(in crate::provider) use found_result::FoundResult;
pub(in crate::provider) use item::{CALLS, ItemKind, OwnWord, Purpose};
pub(in crate::provider) use place::ObjectPlace;
pub(in crate::provider) use shape::{
    JsonObject, Kept, SeenObject, Shape, at, id_of, is_true, text,
};
