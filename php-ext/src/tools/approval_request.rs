//! `Toolwire\Tools\ApprovalRequest`: the request that a person gets, and the person's decision.

#![allow(non_snake_case, reason = "the parameters are named arguments in PHP")]

use ext_php_rs::flags::DataType;
use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;
use toolwire::lifecycle::{self, ApprovalStatus, NewApproval};

use super::json::{read, written};
use crate::host::class::php_class;
use crate::host::exception;
use crate::host::value::{self, AnArray, As, EMPTY, Maybe, Table, Text};

/// A request before it is made, or a stored one.
pub(crate) struct ApprovalRequest(Source);

enum Source {
    New { new: Box<NewApproval>, payload: Zval },
    Made(Box<lifecycle::ApprovalRequest>),
}

php_class!(ApprovalRequest, "Toolwire\\Tools\\ApprovalRequest", [], public, {
    "id": DataType::String, true => id;
    "runId": DataType::String, false => run_id;
    "toolName": DataType::String, false => tool_name;
    "message": DataType::String, false => message;
    "payload": DataType::Array, false => payload;
    "parentId": DataType::String, true => parent_id;
    "status": DataType::String, false => status;
    "decidedBy": DataType::String, true => decided_by;
    "decidedAt": DataType::String, true => decided_at;
    "createdAt": DataType::String, true => created_at;
    "expiresAt": DataType::String, true => expires_at;
    "reason": DataType::String, true => reason;
    "size": DataType::Long, true => size;
    "fingerprint": DataType::String, true => fingerprint;
    "decidedFingerprint": DataType::String, true => decided_fingerprint;
});

impl ApprovalRequest {
    /// Wraps a stored request.
    pub(super) fn made(request: lifecycle::ApprovalRequest) -> Self {
        Self(Source::Made(Box::new(request)))
    }

    /// Returns the request to make. A stored request can be made again.
    pub(super) fn to_new(&self) -> NewApproval {
        match &self.0 {
            Source::New { new, .. } => (**new).clone(),
            Source::Made(made) => NewApproval {
                id: None,
                run_id: made.run_id.clone(),
                tool_name: made.tool_name.clone(),
                parent_id: made.parent_id.clone(),
                approval_message: made.approval_message.clone(),
                payload_summary: Some(made.payload_summary.clone()),
                detail: None,
                expires_at: None,
            },
        }
    }

    fn id(&self) -> Zval {
        match &self.0 {
            Source::New { new, .. } => value::text_or_null(new.id.as_ref()),
            Source::Made(made) => value::text(&made.id),
        }
    }

    fn run_id(&self) -> Zval {
        value::text(match &self.0 {
            Source::New { new, .. } => &new.run_id,
            Source::Made(made) => &made.run_id,
        })
    }

    fn tool_name(&self) -> Zval {
        value::text(match &self.0 {
            Source::New { new, .. } => &new.tool_name,
            Source::Made(made) => &made.tool_name,
        })
    }

    fn message(&self) -> Zval {
        value::text(match &self.0 {
            Source::New { new, .. } => &new.approval_message,
            Source::Made(made) => &made.approval_message,
        })
    }

    fn payload(&self) -> Zval {
        match &self.0 {
            Source::New { payload, .. } => payload.shallow_clone(),
            Source::Made(made) => read(&made.payload_summary),
        }
    }

    fn parent_id(&self) -> Zval {
        value::text_or_null(match &self.0 {
            Source::New { new, .. } => new.parent_id.as_ref(),
            Source::Made(made) => made.parent_id.as_ref(),
        })
    }

    fn status(&self) -> Zval {
        let status = match &self.0 {
            Source::New { .. } => ApprovalStatus::Pending,
            Source::Made(made) => made.status,
        };
        value::text(status.slug())
    }

    /// Returns a field that only a stored request has.
    fn of_made<T: std::fmt::Display>(
        &self,
        field: impl Fn(&lifecycle::ApprovalRequest) -> Option<T>,
    ) -> Zval {
        match &self.0 {
            Source::New { .. } => Zval::null(),
            Source::Made(made) => field(made).map_or_else(Zval::null, value::shown),
        }
    }

    fn decided_by(&self) -> Zval {
        self.of_made(|made| made.decision.decided_by.clone())
    }

    fn decided_at(&self) -> Zval {
        self.of_made(|made| made.decision.decided_at)
    }

    fn created_at(&self) -> Zval {
        self.of_made(|made| Some(made.created_at))
    }

    fn expires_at(&self) -> Zval {
        self.of_made(|made| made.expires_at)
    }

    fn reason(&self) -> Zval {
        self.of_made(|made| made.decision.reason.clone())
    }

    fn size(&self) -> Zval {
        match &self.0 {
            Source::New { .. } => Zval::null(),
            Source::Made(made) => made.size.map_or_else(Zval::null, value::whole),
        }
    }

    fn fingerprint(&self) -> Zval {
        self.of_made(|made| made.fingerprint.clone())
    }

    fn decided_fingerprint(&self) -> Zval {
        self.of_made(|made| made.decision.decided_fingerprint.clone())
    }
}

#[php_impl]
impl ApprovalRequest {
    /// Makes a request that is not stored yet.
    #[php(defaults(message = EMPTY))]
    fn __construct(
        runId: Text<'_>,
        toolName: Text<'_>,
        message: Text<'_>,
        payload: Maybe<Table<'_>>,
        parentId: Maybe<Text<'_>>,
        id: Maybe<Text<'_>>,
    ) -> PhpResult<Self> {
        let payload = payload
            .0
            .map_or_else(Zval::new_array, |payload| payload.0.dereference().shallow_clone());
        let summary = written("payload", &payload).map_err(|error| exception::from_core(&error))?;
        let owned = |text: Maybe<Text<'_>>| text.0.map(|text| text.lossy().into_owned());
        let new = NewApproval {
            id: owned(id),
            run_id: runId.lossy().into_owned(),
            tool_name: toolName.lossy().into_owned(),
            parent_id: owned(parentId),
            approval_message: message.lossy().into_owned(),
            payload_summary: Some(summary),
            detail: None,
            expires_at: None,
        };
        Ok(Self(Source::New { new: Box::new(new), payload }))
    }

    /// Returns every field, by its name in snake case.
    fn to_array(&self) -> PhpResult<As<AnArray>> {
        Ok(As::new(value::record([
            ("id", self.id()),
            ("run_id", self.run_id()),
            ("tool_name", self.tool_name()),
            ("message", self.message()),
            ("payload", self.payload()),
            ("parent_id", self.parent_id()),
            ("status", self.status()),
            ("decided_by", self.decided_by()),
            ("decided_at", self.decided_at()),
            ("created_at", self.created_at()),
            ("expires_at", self.expires_at()),
            ("reason", self.reason()),
            ("size", self.size()),
            ("fingerprint", self.fingerprint()),
            ("decided_fingerprint", self.decided_fingerprint()),
        ])?))
    }
}
