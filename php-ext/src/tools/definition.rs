//! `Toolwire\Tools\ToolDefinition`: the description of a tool, its limits, and the PHP code that
//! runs it.

#![allow(non_snake_case, reason = "the parameters are named arguments in PHP")]

use std::sync::Arc;

use ext_php_rs::flags::DataType;
use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;
use toolwire::lifecycle::{RateLimit, checked_microseconds, seconds};
use toolwire::provider::ToolHints;
use toolwire::registry::{ToolLimits, ToolSpec};
use toolwire::{Error, ErrorKind};

use super::callback::callable;
use crate::host::class::php_class;
use crate::host::exception;
use crate::host::option;
use crate::host::value::{self, ACallable, AnArray, As, EMPTY, Flag, Maybe, Real, Table, Text};
use crate::zend::{self, Holds};

/// A tool with its handlers.
pub(crate) struct ToolDefinition {
    spec: Arc<ToolSpec>,
    handler: Zval,
    undo_handler: Option<Zval>,
    input_schema: Zval,
    rate_limit: Option<Zval>,
}

php_class!(ToolDefinition, "Toolwire\\Tools\\ToolDefinition", [], public, {
    "name": DataType::String, false => name;
    "id": DataType::String, false => id;
    "handler": DataType::Mixed, false => handler;
    "description": DataType::String, false => description;
    "inputSchema": DataType::Array, false => input_schema;
    "allowedModes": DataType::Array, false => allowed_modes;
    "requiresApproval": DataType::Bool, false => requires_approval;
    "approvalMessage": DataType::String, true => approval_message;
    "undoable": DataType::Bool, false => undoable;
    "undoHandler": DataType::Mixed, false => undo_handler;
    "artifactType": DataType::String, true => artifact_type;
    "aliases": DataType::Array, false => aliases;
    "capability": DataType::String, true => capability;
    "rateLimit": DataType::Array, true => rate_limit;
    "readOnly": DataType::Bool, true => read_only;
    "destructive": DataType::Bool, true => destructive;
    "timeoutSeconds": DataType::Double, true => timeout_seconds;
});

impl ToolDefinition {
    /// Returns the description of the tool and its limits.
    pub(super) fn spec(&self) -> &Arc<ToolSpec> {
        &self.spec
    }

    /// Returns the handler of the tool, with its reference count raised.
    pub(super) fn handler(&self) -> Zval {
        self.handler.shallow_clone()
    }

    /// Returns the undo handler of the tool, if it has one.
    pub(super) fn undoes(&self) -> Option<Zval> {
        self.undo_handler.as_ref().map(Zval::shallow_clone)
    }

    fn name(&self) -> Zval {
        value::text(&self.spec.name)
    }

    fn id(&self) -> Zval {
        value::text(&self.spec.id)
    }

    fn description(&self) -> Zval {
        value::text(&self.spec.description)
    }

    fn input_schema(&self) -> Zval {
        self.input_schema.shallow_clone()
    }

    fn allowed_modes(&self) -> PhpResult<Zval> {
        Ok(value::list(self.spec.allowed_modes.iter().map(value::text))?)
    }

    fn requires_approval(&self) -> Zval {
        value::flag(self.spec.requires_approval)
    }

    fn approval_message(&self) -> Zval {
        value::text_or_null(self.spec.approval_message.as_ref())
    }

    fn undoable(&self) -> Zval {
        value::flag(self.spec.undoable)
    }

    fn undo_handler(&self) -> Zval {
        self.undoes().unwrap_or_else(Zval::null)
    }

    fn artifact_type(&self) -> Zval {
        value::text_or_null(self.spec.artifact_type.as_ref())
    }

    fn aliases(&self) -> PhpResult<Zval> {
        Ok(value::list(self.spec.aliases.iter().map(value::text))?)
    }

    fn capability(&self) -> Zval {
        value::text_or_null(self.spec.capability.as_ref())
    }

    fn rate_limit(&self) -> Zval {
        self.rate_limit.as_ref().map_or_else(Zval::null, Zval::shallow_clone)
    }

    fn timeout_seconds(&self) -> Zval {
        value::real_or_null(self.spec.limits.timeout.map(seconds))
    }

    fn read_only(&self) -> Zval {
        self.spec.hints.read_only.map_or_else(Zval::null, value::flag)
    }

    fn destructive(&self) -> Zval {
        self.spec.hints.destructive.map_or_else(Zval::null, value::flag)
    }
}

impl Holds for ToolDefinition {
    fn each_held(&self, show: &mut dyn FnMut(&Zval)) {
        show(&self.handler);
        self.undo_handler.iter().for_each(show);
    }
}

#[php_impl]
impl ToolDefinition {
    /// Makes a tool.
    #[php(defaults(description = EMPTY, requiresApproval = false, undoable = false))]
    #[allow(clippy::too_many_arguments, reason = "they are named arguments in PHP")]
    fn __construct(
        name: Text<'_>,
        id: Text<'_>,
        handler: As<ACallable>,
        description: Text<'_>,
        inputSchema: Maybe<Table<'_>>,
        allowedModes: Maybe<Table<'_>>,
        requiresApproval: Flag,
        approvalMessage: Maybe<Text<'_>>,
        undoable: Flag,
        undoHandler: Maybe<As<ACallable>>,
        artifactType: Maybe<Text<'_>>,
        aliases: Maybe<Table<'_>>,
        capability: Maybe<Text<'_>>,
        rateLimit: Maybe<Table<'_>>,
        readOnly: Maybe<Flag>,
        destructive: Maybe<Flag>,
        timeoutSeconds: Maybe<Real>,
    ) -> PhpResult<Self> {
        let make = || {
            let owned = |text: Maybe<Text<'_>>| text.0.map(|text| text.lossy().into_owned());
            let spec = ToolSpec {
                description: description.lossy().into_owned(),
                allowed_modes: option::texts("allowedModes", allowedModes)?,
                requires_approval: requiresApproval.0,
                approval_message: owned(approvalMessage),
                undoable: undoable.0,
                artifact_type: owned(artifactType),
                aliases: option::texts("aliases", aliases)?,
                capability: owned(capability),
                limits: ToolLimits {
                    rate: rateLimit.0.as_ref().map(|limit| rate(limit.0)).transpose()?,
                    timeout: timeoutSeconds.0.map(|seconds| timeout(seconds.0)).transpose()?,
                },
                hints: ToolHints {
                    read_only: readOnly.0.map(|hint| hint.0),
                    destructive: destructive.0.map(|hint| hint.0),
                },
                ..ToolSpec::new(name.lossy()).with_id(id.lossy())
            };
            spec.check()?;
            let schema = inputSchema
                .0
                .map_or_else(|| value::list([]), |schema| Ok(schema.0.shallow_clone()));
            let schema =
                schema.map_err(|error| Error::new(ErrorKind::WrongType, error.to_string()))?;
            let empty = schema.array().is_some_and(ext_php_rs::types::ZendHashTable::is_empty);
            let spec = if empty {
                spec
            } else {
                spec.with_schema(&option::read("inputSchema", &schema)?)?
            };
            Ok(Self {
                spec: Arc::new(spec),
                handler: callable("handler", &handler.0)?,
                undo_handler: undoHandler
                    .0
                    .map(|undo| callable("undoHandler", &undo.0))
                    .transpose()?,
                input_schema: schema,
                rate_limit: rateLimit.0.map(|limit| limit.0.shallow_clone()),
            })
        };
        make().map_err(|error: Error| exception::from_core(&error))
    }

    /// Whether the tool may run in a mode.
    fn runs_in(&self, mode: Maybe<Text<'_>>) -> bool {
        self.spec.runs_in(mode.0.map(|mode| mode.lossy().into_owned()).as_deref())
    }

    /// Returns every field except the handlers, by its name in snake case.
    fn to_array(&self) -> PhpResult<As<AnArray>> {
        Ok(As::new(value::record([
            ("name", self.name()),
            ("id", self.id()),
            ("description", self.description()),
            ("input_schema", self.input_schema()),
            ("allowed_modes", self.allowed_modes()?),
            ("requires_approval", self.requires_approval()),
            ("approval_message", self.approval_message()),
            ("undoable", self.undoable()),
            ("artifact_type", self.artifact_type()),
            ("aliases", self.aliases()?),
            ("capability", self.capability()),
            ("rate_limit", self.rate_limit()),
            ("read_only", self.read_only()),
            ("destructive", self.destructive()),
            ("timeout_seconds", self.timeout_seconds()),
        ])?))
    }
}

/// Reads for how long a handler may work, as microseconds.
fn timeout(seconds: f64) -> Result<i64, Error> {
    if seconds > 0.0 {
        return checked_microseconds("timeoutSeconds", seconds);
    }
    Err(Error::new(ErrorKind::InvalidOption, "timeoutSeconds must be more than 0"))
}

/// Reads a rate limit: a count, and a period in seconds.
fn rate(given: &Zval) -> Result<RateLimit, Error> {
    let values: Vec<&Zval> =
        given.array().into_iter().flat_map(zend::entries).map(|(_, value)| value).collect();
    let [count, seconds] = values.as_slice() else {
        return Err(Error::new(ErrorKind::InvalidOption, "rateLimit must be [count, seconds]"));
    };
    let seconds = seconds.double().or_else(|| seconds.long().map(whole_seconds));
    let (Some(count), Some(seconds)) = (count.long(), seconds) else {
        return Err(Error::new(
            ErrorKind::WrongType,
            "rateLimit must be [int $count, float $seconds]",
        ));
    };
    limit(count, seconds)
}

/// Makes a rate limit of `count` calls in `seconds` seconds.
pub(super) fn limit(count: i64, seconds: f64) -> Result<RateLimit, Error> {
    RateLimit::new(
        u32::try_from(count).unwrap_or_default(),
        checked_microseconds("the rate limit's period", seconds)?,
    )
}

#[allow(clippy::cast_precision_loss, reason = "a period beyond 2^53 seconds is refused")]
fn whole_seconds(seconds: i64) -> f64 {
    seconds as f64
}
