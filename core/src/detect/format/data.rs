//! A format: what is written around and inside a call.

use std::sync::Arc;

use super::example::Example;
use super::shape::Syntax;

/// How a call is written in text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Format {
    pub(crate) data: Arc<Data>,
}

/// What a format consists of.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Data {
    pub(crate) slug: &'static str,
    pub(crate) models: String,
    pub(crate) example: Example,
    pub(crate) syntax: Syntax,
}

impl Format {
    /// The name of the format, as calls carry it.
    #[must_use]
    pub fn slug(&self) -> &'static str {
        self.data.slug
    }

    /// The models that write it.
    #[must_use]
    pub fn models(&self) -> &str {
        &self.data.models
    }

    /// An example of a call.
    #[must_use]
    pub fn example(&self) -> &str {
        &self.data.example.call
    }

    /// Whether a call of any name is read where no tools are listed.
    pub(crate) fn reads_any_name(&self) -> bool {
        !matches!(&self.data.syntax, Syntax::Marked(marked) if !marked.call.names.is_empty())
    }

    /// The format as it is read where its opening counts only at the beginning of a message.
    pub(super) fn only_first(&self) -> Self {
        let Data { slug, models, example, syntax } = &*self.data;
        let mut syntax = syntax.clone();
        if let Syntax::Marked(marked) = &mut syntax {
            marked.call.only_first = true;
        }
        let (models, example) = (models.clone(), example.clone());
        Self { data: Arc::new(Data { slug, models, example, syntax }) }
    }

    /// How the arguments are written: `bare`, `element`, `json`, `named`, `tagged` or `literal`.
    #[must_use]
    pub fn body(&self) -> &'static str {
        self.data.syntax.body_word()
    }
}
