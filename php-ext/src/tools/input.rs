//! `Toolwire\Tools\ToolInput`: the input of a handler.

use std::rc::Rc;
use std::sync::Arc;

use ext_php_rs::flags::DataType;
use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;
use serde_json::Value;
use toolwire::lifecycle::Run;

use super::json;
use super::working::Working;
use crate::host::class::php_class;
use crate::host::exception;
use crate::host::value::{self, AnArray, As, Maybe, Real, Text};

/// The input of a handler.
pub(crate) struct ToolInput {
    run: Run,
    tool_name: String,
    payload: Zval,
    /// The payload as JSON, if a PHP array cannot represent it.
    written: Option<Arc<Value>>,
    /// The handler that this is the input of.
    working: Option<Rc<Working>>,
}

php_class!(ToolInput, "Toolwire\\Tools\\ToolInput", [], private, {
    "runId": DataType::String, false => run_id;
    "toolName": DataType::String, false => tool_name;
    "payload": DataType::Array, false => payload;
    "mode": DataType::String, true => mode;
    "parentId": DataType::String, true => parent_id;
    "requestId": DataType::String, true => request_id;
    "idempotencyKey": DataType::String, false => idempotency_key;
});

impl ToolInput {
    /// Puts together the input of a run's handler.
    pub(super) fn new(
        run: &Run,
        tool_name: &str,
        payload: &Zval,
        written: Option<Arc<Value>>,
    ) -> Self {
        let (run, tool_name) = (run.clone(), tool_name.to_owned());
        Self { run, tool_name, payload: payload.shallow_clone(), written, working: None }
    }

    /// Makes it the input of a handler.
    pub(super) fn of_handler(self, working: Rc<Working>) -> Self {
        Self { working: Some(working), ..self }
    }

    fn told(&self, progress: f64, total: Option<f64>, message: &Zval) -> PhpResult<Zval> {
        Ok(value::record([
            ("tool_name", self.tool_name()),
            ("run_id", self.run_id()),
            ("parent_id", self.parent_id()),
            ("request_id", self.request_id()),
            ("progress", value::real_or_null(Some(progress))),
            ("total", value::real_or_null(total)),
            ("message", message.shallow_clone()),
        ])?)
    }

    fn run_id(&self) -> Zval {
        value::text(&self.run.run_id)
    }

    fn idempotency_key(&self) -> Zval {
        value::text(self.run.idempotency_key())
    }

    fn tool_name(&self) -> Zval {
        value::text(&self.tool_name)
    }

    fn payload(&self) -> Zval {
        self.payload.shallow_clone()
    }

    fn mode(&self) -> Zval {
        value::text_or_null(self.run.mode.as_ref())
    }

    fn parent_id(&self) -> Zval {
        value::text_or_null(self.run.parent_id.as_ref())
    }

    fn request_id(&self) -> Zval {
        value::text_or_null(self.run.request_id.as_ref())
    }
}

#[php_impl]
impl ToolInput {
    /// Returns the whole payload as JSON text, secrets included. In it, an empty object and an
    /// empty list differ.
    fn json(&self) -> PhpResult<String> {
        let made = || json::object("payload", &self.payload).map(Arc::new);
        let written = self.written.clone().map_or_else(made, Ok);
        Ok(written.map_err(|error| exception::from_core(&error))?.to_string())
    }

    /// Tells the listeners how far the handler has come, as the event `tool.progress`, and has the
    /// run count as running for as long again. Returns whether the handler still has its run: if it
    /// has not, its end is not kept, and it should stop. After the handler has ended, this tells
    /// nothing.
    fn progress(
        &self,
        progress: Real,
        total: Maybe<Real>,
        message: Maybe<Text<'_>>,
    ) -> PhpResult<bool> {
        let Some(working) = self.working.as_ref().filter(|working| !working.has_ended()) else {
            return Ok(false);
        };
        let message = value::text_or_null(message.0.map(|message| message.lossy().into_owned()));
        working.tell(&self.told(progress.0, total.0.map(|total| total.0), &message)?)?;
        Ok(working.has_run()?)
    }

    /// Returns every field, by its name in snake case.
    fn to_array(&self) -> PhpResult<As<AnArray>> {
        Ok(As::new(value::record([
            ("run_id", self.run_id()),
            ("tool_name", self.tool_name()),
            ("payload", self.payload()),
            ("mode", self.mode()),
            ("parent_id", self.parent_id()),
            ("request_id", self.request_id()),
        ])?))
    }
}
