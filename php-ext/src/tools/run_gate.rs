//! The checks before a run's handler is called: its arguments, the caller and the limit.

use std::sync::Arc;

use ext_php_rs::types::Zval;
use serde_json::Value;
use toolwire::lifecycle::{Answer, Run};
use toolwire::{Error, ErrorKind};

use super::callback::{Stop, call};
use super::run::Runner;
use super::{clock, error, json};
use crate::host::exception;
use crate::host::value;

impl Runner<'_> {
    /// Returns the payload as JSON.
    pub(super) fn json(&self) -> Result<Arc<Value>, Error> {
        let made = || json::object("payload", &self.payload).map(Arc::new);
        self.written.clone().map_or_else(made, Ok)
    }

    /// Answers with the payload, for the check against the tool's schema.
    pub(super) fn arguments(&mut self) -> Answer {
        match self.json() {
            Ok(arguments) => Answer::Arguments(arguments),
            Err(error) => self.caught(exception::object_of(&error)),
        }
    }

    /// Replaces the payload by the validated arguments.
    pub(super) fn replace(&mut self, arguments: Value) -> Answer {
        self.payload = json::value(&arguments);
        self.written = Some(Arc::new(arguments));
        self.summary = None;
        Answer::Done
    }

    /// Calls the program's check of the caller's permission.
    pub(super) fn permit(&mut self, run: &Run, capability: Option<&str>) -> Result<Answer, Stop> {
        let Some(permission) = self.host.permission.as_ref().map(Zval::shallow_clone) else {
            let capability = capability.unwrap_or_default();
            let reason = format!("there is no check for the capability '{capability}'");
            return Ok(Answer::Refused { reason });
        };
        let input = value::object(self.input(run))?;
        let given = match call(&permission, vec![&input, &self.definition]) {
            Ok(given) => given,
            Err(stop) => return self.raised(stop),
        };
        Ok(match (given.bool(), given.zend_str()) {
            (Some(true), _) => Answer::Granted,
            (Some(false), _) => Answer::Refused { reason: "the caller may not run it".to_owned() },
            (_, Some(reason)) => {
                let reason = String::from_utf8_lossy(reason.as_bytes()).into_owned();
                Answer::Refused { reason }
            }
            _ => {
                let given = value::type_name(&given);
                let message =
                    format!("the permission check must return a bool or a reason, got {given}");
                return self.raised(Error::new(ErrorKind::WrongType, message).into());
            }
        })
    }

    /// Counts the run against the tool's limit.
    pub(super) fn limit(&mut self) -> Result<Answer, Stop> {
        let Some(limit) = self.spec.rate_limit else { return Ok(Answer::Granted) };
        let limiter = self.host.limiter(&self.spec, limit);
        match limiter.check(&self.spec.action_type, &self.caller, clock::now()) {
            Ok(permit) => Ok(permit.into()),
            Err(failure) => self.raised(error::store(failure)),
        }
    }
}
