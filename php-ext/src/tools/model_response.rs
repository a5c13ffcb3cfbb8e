//! `Toolwire\Tools\ModelResponse`: what a model's server answered over HTTP.

#![allow(non_snake_case, reason = "the parameters are named arguments in PHP")]

use ext_php_rs::prelude::*;
use serde_json::Value;
use toolwire::agent::{ModelError, read_response};

use crate::host::class::php_class;
use crate::host::value::{EMPTY, Maybe, Text, Whole};

/// What a model's server answered over HTTP, for an agent to read.
pub(crate) struct ModelResponse {
    status: u16,
    body: Vec<u8>,
    retry_after: Option<u64>,
}

php_class!(ModelResponse, "Toolwire\\Tools\\ModelResponse", [], public, {});

#[php_impl]
impl ModelResponse {
    /// Makes a response; the status 0 says that there was none, and the body why.
    #[php(defaults(body = EMPTY))]
    fn __construct(status: Whole, body: Text<'_>, retryAfter: Maybe<Whole>) -> Self {
        Self {
            status: u16::try_from(status.0).unwrap_or_default(),
            body: body.bytes().to_vec(),
            retry_after: retryAfter.0.and_then(|seconds| u64::try_from(seconds.0).ok()),
        }
    }
}

impl ModelResponse {
    /// Reads the response, or why there is none.
    pub(super) fn read(&self) -> Result<Value, ModelError> {
        if self.status == 0 {
            let words = String::from_utf8_lossy(&self.body);
            let words = if words.is_empty() { "no response".into() } else { words };
            return Err(ModelError::unreachable(words));
        }
        read_response(self.status, self.retry_after, &self.body)
    }
}
