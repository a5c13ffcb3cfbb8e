//! Finds the tool calls in the message of a model.
//!
//! One push parser (`engine`) walks the text once, whole or in pieces. It finds the next place
//! where a call may start, and runs the body scanner of that syntax (`body`) there. The rules
//! (`rule`) then accept or refuse what the scanner found. The parser never panics, never fails,
//! and looks at each byte a bounded number of times. Text that is not a call stays text, byte for
//! byte.

mod block;
mod body;
mod candidate;
mod engine;
mod event;
mod findings;
mod format;
mod locate;
pub(crate) mod options;
mod profile;
mod python;
mod quote;
mod rule;
mod spare;
mod stream;
mod unread;
mod write;

use std::sync::Arc;

pub use event::Event;
pub use findings::{Detection, Findings};
pub use format::Format;
pub use locate::locate;
pub use options::{Fences, Limits, Options, Preset, Reasoning, Renamed, SchemaUse, Validate};
pub use profile::{Profile, Thinking};
pub(crate) use python::python_value;
pub use quote::quote;
pub use rule::seen::Seen;
pub use rule::tools::{CallsOffered, Tools};
pub use stream::Stream;
pub use unread::unread;
pub use write::{
    ConstrainOptions, Constraint, ConstraintNote, GrammarBackend, GrammarReasoning, GrammarServer,
    GrammarSettings, GrammarText, NewCall, NewMessage, PromptStyle, PromptTool, ToolChoice,
    constrain, constrain_calls, render_calls, render_message, render_prompt,
};

use crate::error::Error;
use engine::{Config, Engine};

/// Finds tool calls; one detector serves any number of texts, from any thread.
///
/// The default detector reads every form that tells itself apart, and sets reasoning apart. The
/// options name a model, whose own ways are read, or single formats.
///
/// ```
/// use toolwire::Detector;
///
/// let text = br#"{"name": "add", "arguments": {"a": 1}}"#;
/// let detection = Detector::default().detect(text);
/// assert_eq!(detection.calls[0].format, "json");
/// ```
#[derive(Clone, Debug)]
pub struct Detector {
    config: Arc<Config>,
}

impl Detector {
    /// Makes a detector. It shares what the options arrange with a detector of equal options, if
    /// those are among the last that were used: then this takes less than a microsecond.
    ///
    /// # Errors
    /// `invalid_option` when formats do not go together or a limit is out of range.
    pub fn new(options: Options) -> Result<Self, Error> {
        engine::config(options).map(|config| Self { config })
    }

    /// Makes a detector for the messages of a model, by its name: the id at Hugging Face, the name
    /// in a provider's API, or the name of a file of weights.
    ///
    /// # Errors
    /// `unknown_model` for a model whose family is not known.
    pub fn for_model(name: &str) -> Result<Self, Error> {
        let profile = Some(Profile::named(name)?);
        Self::new(Options { profile, ..Options::default() })
    }

    /// The profile of the model, if the options named one.
    #[must_use]
    pub fn profile(&self) -> Option<&Profile> {
        self.config.profile.as_ref()
    }

    /// Finds the calls in a text, which may be a string or bytes.
    #[must_use]
    pub fn detect<'t, T: AsRef<[u8]> + ?Sized>(&self, text: &'t T) -> Detection<'t> {
        let text = text.as_ref();
        let mut engine = Engine::new(Arc::clone(&self.config));
        engine.run_whole(&self.config, text);
        Detection::new(text, engine.take_findings())
    }

    /// Starts a stream for a text that arrives in pieces.
    #[must_use]
    pub fn stream(&self) -> Stream {
        Stream::new(Arc::clone(&self.config))
    }
}

impl Default for Detector {
    fn default() -> Self {
        Self { config: Arc::new(Config::default()) }
    }
}
