//! `Toolwire\Tools\ToolOutput`: the output of a handler.

#![allow(non_snake_case, reason = "the parameters are named arguments in PHP")]

use ext_php_rs::flags::DataType;
use ext_php_rs::prelude::*;
use ext_php_rs::types::{ArrayKey, ZendHashTable, Zval};
use serde_json::Value;
use serde_json::value::RawValue;
use toolwire::lifecycle::{OutputFacts, OutputGap};
use toolwire::provider::{AnswerData, AnswerOptions, Ending, Shown};

use super::json;
use crate::host::class::php_class;
use crate::host::value::{self, AnArray, Anything, As, Maybe, Table, Text};

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
    "data": DataType::Mixed, true => data;
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

    /// Makes an output of what a handler returned, which is the output's data.
    pub(super) fn returned(given: &Zval) -> Self {
        let data = Some(given.dereference().shallow_clone()).filter(|data| !data.is_null());
        Self { success: true, data, error: None, artifacts: None, undo_metadata: None }
    }

    /// Reads an output that a store kept.
    pub(super) fn read(kept: &RawValue) -> Self {
        let fields = json::output(kept);
        let field = |name: &str| {
            let field = fields.array().and_then(|fields| fields.get(name));
            field.filter(|field| !field.is_null()).map(Zval::shallow_clone)
        };
        Self {
            success: field("success").is_some_and(|success| success.is_true()),
            data: field("data"),
            error: field("error"),
            artifacts: field("artifacts").filter(Zval::is_array),
            undo_metadata: field("undo_metadata").filter(Zval::is_array),
        }
    }

    /// Returns how the run ended. `written` is the output as JSON; without it, the data cannot be
    /// shown.
    pub(super) fn ending(&self, written: Option<&RawValue>, options: &AnswerOptions) -> Ending {
        let data = written.map(|written| data_of(written, options));
        match data {
            data if !self.success => self.failed(data.filter(|_| self.data.is_some())),
            Some(data) => Ending::Completed(data),
            None => Ending::NotShown { reason: OutputGap::NotJson.reason().to_owned() },
        }
    }

    /// Returns how the run ended, with the data that `read` reads.
    pub(super) fn ending_of(
        &self,
        read: impl Fn(&Zval) -> PhpResult<AnswerData>,
    ) -> PhpResult<Ending> {
        let data = self.data.as_ref().map(read).transpose()?;
        if self.success {
            return Ok(Ending::Completed(data.unwrap_or_default()));
        }
        Ok(self.failed(data))
    }

    fn failed(&self, data: Option<AnswerData>) -> Ending {
        let error = self.error.as_ref().and_then(Zval::zend_str);
        let message = error.map(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        Ending::Failed { message: message.unwrap_or_default(), data }
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
        data: Maybe<As<Anything>>,
        artifacts: Maybe<Table<'_>>,
        undoMetadata: Maybe<Table<'_>>,
    ) -> Self {
        let (artifacts, undo_metadata) = (kept(artifacts), kept(undoMetadata));
        let data = data.0.map(|data| data.0.dereference().shallow_clone());
        Self { success: true, data, error: None, artifacts, undo_metadata }
    }

    /// Makes an output of failure.
    fn fail(error: Text<'_>, data: Maybe<As<Anything>>) -> Self {
        let error = Some(error.into_value());
        let data = data.0.map(|data| data.0.dereference().shallow_clone());
        Self { success: false, data, error, artifacts: None, undo_metadata: None }
    }

    /// Returns every field that is set, by its name in snake case.
    fn to_array(&self) -> PhpResult<As<AnArray>> {
        self.fields().map(As::new)
    }
}

/// Reads the data of an output that is JSON.
fn data_of(written: &RawValue, options: &AnswerOptions) -> AnswerData {
    let data = json::parsed(written.get())
        .ok()
        .and_then(|mut fields| fields.as_object_mut().and_then(|fields| fields.remove("data")));
    let never = |_: &&Value| Ok(Shown::Text(String::new()));
    let read = AnswerData::read(&&data.unwrap_or_default(), options, never);
    read.unwrap_or_default()
}

fn kept(given: Maybe<Table<'_>>) -> Option<Zval> {
    given.0.map(|given| given.0.dereference().shallow_clone())
}

fn or_null(value: Option<&Zval>) -> Zval {
    value.map_or_else(Zval::null, Zval::shallow_clone)
}
