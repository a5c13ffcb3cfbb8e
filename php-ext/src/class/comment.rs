//! `Toolwire\Comment`: reads the comment for a person in a model's reply, and makes comments fit to
//! be posted.

#![allow(non_snake_case, reason = "the parameters are named arguments in PHP")]

use ext_php_rs::prelude::*;
use ext_php_rs::types::{ZendHashTable, Zval};
use toolwire::comment::{PublishOptions, publishable};
use toolwire::compat::issue_agent::{clean_comment, comment_from_reply};
use toolwire::redact::Redactor;

use crate::host::class::php_class;
use crate::host::option;
use crate::host::value::{self, AString, AnArray, AnInt, As, Text};

/// A class of static methods; it has no objects.
pub(crate) struct Comment;

php_class!(Comment, "Toolwire\\Comment", [], private, {});

fn publish_options<const N: usize>(given: [(&str, Option<Zval>); N]) -> PhpResult<PublishOptions> {
    let mut options = PublishOptions::default();
    option::set_each(given, |name, value| options.set(name, value))?;
    Ok(options)
}

#[php_impl]
impl Comment {
    /// The text of a `user_comment`.
    fn clean(comment: Text<'_>) -> As<AString> {
        As::new(value::text(&*clean_comment(&comment.lossy())))
    }

    /// A comment from a reply that is not JSON.
    #[php(name = "fromReply")]
    fn from_reply(reply: Text<'_>) -> As<AString> {
        As::new(value::text(&*comment_from_reply(&reply.lossy())))
    }

    /// A comment that is fit to be posted, and the number of its changes by code.
    fn publishable(
        comment: Text<'_>,
        secrets: Option<As<AnArray>>,
        mentions: Option<As<AnArray>>,
        maxLength: Option<As<AnInt>>,
        commands: Option<As<AnArray>>,
    ) -> PhpResult<As<AnArray>> {
        let options = publish_options([
            ("secrets", secrets.map(|option| option.0)),
            ("mentions", mentions.map(|option| option.0)),
            ("max_length", maxLength.map(|option| option.0)),
            ("commands", commands.map(|option| option.0)),
        ])?;
        let published = publishable(&comment.lossy(), &options);
        let mut changes = ZendHashTable::new();
        for change in published.changes {
            changes.insert(change.code.slug(), value::whole(change.count))?;
        }
        let mut fields = ZendHashTable::new();
        fields.insert("text", value::text(published.text))?;
        fields.insert("changes", value::array(changes))?;
        Ok(As::new(value::array(fields)))
    }

    /// A text without secrets.
    fn redact(text: Text<'_>, secrets: Option<As<AnArray>>) -> PhpResult<As<AString>> {
        let secrets = secrets.map(|option| option.0);
        let options = publish_options([("secrets", secrets)])?;
        Ok(As::new(value::text(&*Redactor::new(options.secrets).redact(&text.lossy()).text)))
    }
}
