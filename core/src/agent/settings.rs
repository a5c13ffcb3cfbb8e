//! Which model an agent asks, and how.

use serde_json::{Map, Value};

use super::grammar::AgentGrammar;
use super::limits::AgentLimits;
use crate::detect::Detector;
use crate::provider::Provider;

/// Which model an agent asks, and how.
#[derive(Clone, Debug)]
pub struct AgentSettings {
    /// The provider whose objects the model's client takes and gives.
    pub provider: Provider,
    /// The model's name.
    pub model: String,
    /// What the model is told before all else; empty for nothing.
    pub system: String,
    /// More members of each request, such as its temperature.
    pub options: Map<String, Value>,
    /// What reads the calls of a model whose server of chat completions leaves them in the text;
    /// none for a server that reads all of them.
    pub detector: Option<Detector>,
    /// The grammar to which the server is asked to hold the model; none where the server takes
    /// none.
    pub grammar: Option<AgentGrammar>,
    /// Whether the server is asked to stream its responses, so that they are told as they come.
    pub streams: bool,
    /// How much is done for one text.
    pub limits: AgentLimits,
}

impl AgentSettings {
    /// The settings for this model, without a system text, options or a detector.
    #[must_use]
    pub fn new(provider: Provider, model: &str) -> Self {
        Self {
            provider,
            model: model.to_owned(),
            system: String::new(),
            options: Map::new(),
            detector: None,
            grammar: None,
            streams: false,
            limits: AgentLimits::default(),
        }
    }

    /// What reads the text of a message without calls: only servers of chat completions leave calls
    /// there.
    pub(super) fn text_detector(&self) -> Option<&Detector> {
        let of_grammar = self.grammar.as_ref().map(AgentGrammar::detector);
        let detector = self.detector.as_ref().or(of_grammar);
        detector.filter(|_| self.provider == Provider::OpenAi)
    }
}
