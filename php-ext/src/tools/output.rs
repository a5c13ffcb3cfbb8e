//! `Toolwire\Tools\ToolOutput`: the output of a handler.

#![allow(non_snake_case, reason = "the parameters are named arguments in PHP")]

use ext_php_rs::flags::DataType;
use ext_php_rs::prelude::*;
use ext_php_rs::types::{ArrayKey, ZendHashTable, Zval};
use serde_json::value::RawValue;
use toolwire::lifecycle::OutputFacts;
use toolwire::provider::{AnswerData, Ending};

use super::json;
use crate::host::class::php_class;
use crate::host::value::{self, AnArray, As, Maybe, Table, Text};

/// The output of a handler: data or an error.
pub(crate) struct ToolOutput {
    success: bool,
    data: Option<Zval>,
    error: Option<Zval>,
    artifacts: Option<Zval>,
    undo_metadata: Option<Zval>,
}

php_class!(ToolOutput, "Toolwire\\Tools\\ToolOutput", [], private, {
    "success": DataType::Bool, false => success;
    "data": DataType::Array, true => data;
    "error": DataType::String, true => error;
    "artifacts": DataType::Array, true => artifacts;
    "undoMetadata": DataType::Array, true => undo_metadata;
});

impl ToolOutput {
    /// Returns the facts about the output for an event.
    pub(super) fn facts(&self) -> OutputFacts {
        let count = |array: &Option<Zval>| {
            array.as_ref().and_then(Zval::array).map_or(0, ZendHashTable::len)
        };
        OutputFacts {
            success: self.success,
            has_data: self.data.is_some(),
            has_error: self.error.is_some(),
            artifacts: count(&self.artifacts),
            has_undo_metadata: count(&self.undo_metadata) > 0,
        }
    }

    /// Reads an output that a store kept.
    pub(super) fn read(kept: &RawValue) -> Self {
        let fields = json::read(kept);
        let field = |name: &str| {
            let field = fields.array().and_then(|fields| fields.get(name));
            field.filter(|field| !field.is_null()).map(Zval::shallow_clone)
        };
        Self {
            success: field("success").is_some_and(|success| success.is_true()),
            data: field("data"),
            error: field("error"),
            artifacts: field("artifacts"),
            undo_metadata: field("undo_metadata"),
        }
    }

    /// Returns how the run ended, with the data that `read` reads.
    pub(super) fn ending(
        &self,
        read: impl Fn(&Zval) -> PhpResult<AnswerData>,
    ) -> PhpResult<Ending> {
        let data = self.data.as_ref().map(read).transpose()?;
        let message = || match self.error.as_ref().and_then(Zval::zend_str) {
            Some(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
            None => String::new(),
        };
        Ok(match data {
            data if !self.success => Ending::Failed { message: message(), data },
            data => Ending::Completed(data.unwrap_or_default()),
        })
    }

    /// Returns the data that undoes the run; null if there is none.
    pub(super) fn undo_metadata(&self) -> Zval {
        or_null(self.undo_metadata.as_ref())
    }

    /// Returns every field that is set, by its name in snake case.
    pub(super) fn fields(&self) -> PhpResult<Zval> {
        let mut table = ZendHashTable::new();
        table.insert(ArrayKey::Str("success"), self.success())?;
        for (name, field) in [
            ("data", &self.data),
            ("error", &self.error),
            ("artifacts", &self.artifacts),
            ("undo_metadata", &self.undo_metadata),
        ] {
            if let Some(field) = field {
                table.insert(ArrayKey::Str(name), field.shallow_clone())?;
            }
        }
        let mut array = Zval::new();
        array.set_hashtable(table);
        Ok(array)
    }

    fn success(&self) -> Zval {
        value::flag(self.success)
    }

    fn data(&self) -> Zval {
        or_null(self.data.as_ref())
    }

    fn error(&self) -> Zval {
        or_null(self.error.as_ref())
    }

    fn artifacts(&self) -> Zval {
        or_null(self.artifacts.as_ref())
    }
}

#[php_impl]
impl ToolOutput {
    /// Makes an output of success.
    fn ok(
        data: Maybe<Table<'_>>,
        artifacts: Maybe<Table<'_>>,
        undoMetadata: Maybe<Table<'_>>,
    ) -> Self {
        let (data, artifacts, undo_metadata) = (kept(data), kept(artifacts), kept(undoMetadata));
        Self { success: true, data, error: None, artifacts, undo_metadata }
    }

    /// Makes an output of failure.
    fn fail(error: Text<'_>, data: Maybe<Table<'_>>) -> Self {
        let error = Some(error.into_value());
        Self { success: false, data: kept(data), error, artifacts: None, undo_metadata: None }
    }

    /// Returns every field that is set, by its name in snake case.
    fn to_array(&self) -> PhpResult<As<AnArray>> {
        self.fields().map(As::new)
    }
}

fn kept(given: Maybe<Table<'_>>) -> Option<Zval> {
    given.0.map(|given| given.0.dereference().shallow_clone())
}

fn or_null(value: Option<&Zval>) -> Zval {
    value.map_or_else(Zval::null, Zval::shallow_clone)
}
