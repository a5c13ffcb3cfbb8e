//! `Toolwire\Tools\AgentAnswer`: what an agent gives for a text.

use ext_php_rs::flags::DataType;
use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;
use toolwire::agent::{AgentAnswer as Core, AgentLimit};

use crate::host::class::php_class;
use crate::host::value;

/// What an agent gives for a text.
pub(crate) struct AgentAnswer(Core<Zval>);

php_class!(AgentAnswer, "Toolwire\\Tools\\AgentAnswer", [], private, {
    "state": DataType::String, false => state;
    "text": DataType::String, false => text;
    "reasoning": DataType::String, false => reasoning;
    "cutOff": DataType::Bool, false => cut_off;
    "waiting": DataType::Array, false => waiting;
    "reason": DataType::String, true => reason;
    "inputTokens": DataType::Long, false => input_tokens;
    "outputTokens": DataType::Long, false => output_tokens;
});

impl AgentAnswer {
    pub(super) fn new(core: Core<Zval>) -> Self {
        Self(core)
    }

    fn state(&self) -> Zval {
        value::text(self.0.state.slug())
    }

    fn text(&self) -> Zval {
        value::text(&self.0.text)
    }

    fn reasoning(&self) -> Zval {
        value::text(&self.0.reasoning)
    }

    fn cut_off(&self) -> Zval {
        value::flag(self.0.cut_off)
    }

    fn waiting(&self) -> PhpResult<Zval> {
        Ok(value::list(self.0.waiting.iter().map(Zval::shallow_clone))?)
    }

    fn reason(&self) -> Zval {
        value::text_or_null(self.0.reason.map(AgentLimit::slug))
    }

    fn input_tokens(&self) -> Zval {
        tokens(self.0.usage.input_tokens)
    }

    fn output_tokens(&self) -> Zval {
        tokens(self.0.usage.output_tokens)
    }
}

#[php_impl]
impl AgentAnswer {}

fn tokens(count: u64) -> Zval {
    value::whole(usize::try_from(count).unwrap_or(usize::MAX))
}
