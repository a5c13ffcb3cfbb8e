//! What an agent asks: a model behind the program's own client.

use serde_json::Value;

use super::error::{AgentCode, AgentError};

/// A model that answers. A closure from a request's body to a response is one.
pub trait Model: Send + Sync {
    /// Sends the body of a request, and gives the response, decoded, or the list of its events.
    ///
    /// # Errors
    /// [`ModelError`]. A request whose failure is [passing](ModelError::Unreachable) is sent again,
    /// twice at most.
    fn ask(&self, body: &Value) -> Result<Value, ModelError>;
}

impl<F> Model for F
where
    F: Fn(&Value) -> Result<Value, ModelError> + Send + Sync,
{
    fn ask(&self, body: &Value) -> Result<Value, ModelError> {
        self(body)
    }
}

/// Why a model gave no response.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModelError {
    /// The server was not reached, or failed; another try may succeed.
    Unreachable {
        /// Why, without keys.
        message: String,
    },
    /// The server refuses this request, and will refuse it again.
    Refused {
        /// The server's words.
        message: String,
    },
    /// The server asks to be left alone.
    Limited {
        /// After how many seconds another request may succeed, if the server says so.
        seconds: Option<u64>,
        /// The server's words.
        message: String,
    },
}

impl From<ModelError> for AgentError {
    fn from(error: ModelError) -> Self {
        match error {
            ModelError::Unreachable { message } => {
                let message = format!("the model could not be reached: {message}");
                Self::new(AgentCode::ModelUnreachable, message)
            }
            ModelError::Refused { message } => {
                let message = format!("the model's server refused the request: {message}");
                Self::new(AgentCode::ModelRefused, message)
            }
            ModelError::Limited { seconds, message } => {
                let after = seconds
                    .map_or_else(String::new, |seconds| format!(" (try again in {seconds} s)"));
                let message = format!("the model's server limits requests: {message}{after}");
                Self::new(AgentCode::ModelLimited, message)
            }
        }
    }
}
