//! `Toolwire\Tools\AgentLimits`: how much an agent may do for one text of its user.

#![allow(non_snake_case, reason = "the parameters are named arguments in PHP")]

use ext_php_rs::flags::DataType;
use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;
use toolwire::agent::AgentLimits as Core;
use toolwire::{Error, ErrorKind};

use crate::host::class::php_class;
use crate::host::exception;
use crate::host::value::{self, Maybe, Whole};

/// How much an agent may do for one text of its user.
pub(crate) struct AgentLimits(Core);

php_class!(AgentLimits, "Toolwire\\Tools\\AgentLimits", [], public, {
    "turns": DataType::Long, false => turns;
    "calls": DataType::Long, false => calls;
    "tokens": DataType::Long, true => tokens;
    "seconds": DataType::Long, false => seconds;
    "repairs": DataType::Long, false => repairs;
    "sameCall": DataType::Long, false => same_call;
});

#[php_impl]
impl AgentLimits {
    /// Makes limits; one that is missing or null has its default.
    fn __construct(
        turns: Maybe<Whole>,
        calls: Maybe<Whole>,
        tokens: Maybe<Whole>,
        seconds: Maybe<Whole>,
        repairs: Maybe<Whole>,
        sameCall: Maybe<Whole>,
    ) -> PhpResult<Self> {
        let usual = Core::default();
        let read = || {
            Ok(Core {
                turns: count("turns", turns)?.unwrap_or(usual.turns),
                calls: count("calls", calls)?.unwrap_or(usual.calls),
                tokens: count("tokens", tokens)?,
                seconds: count("seconds", seconds)?.unwrap_or(usual.seconds),
                repairs: count("repairs", repairs)?.unwrap_or(usual.repairs),
                same_call: count("sameCall", sameCall)?.unwrap_or(usual.same_call),
            })
        };
        read().map(Self).map_err(|error: Error| exception::from_core(&error))
    }
}

impl AgentLimits {
    /// Returns the core's limits.
    pub(super) fn core(&self) -> Core {
        self.0
    }

    fn turns(&self) -> Zval {
        value::whole(self.0.turns)
    }

    fn calls(&self) -> Zval {
        value::whole(self.0.calls)
    }

    fn tokens(&self) -> Zval {
        self.0.tokens.map_or_else(Zval::null, whole)
    }

    fn seconds(&self) -> Zval {
        whole(self.0.seconds)
    }

    fn repairs(&self) -> Zval {
        value::whole(self.0.repairs)
    }

    fn same_call(&self) -> Zval {
        value::whole(self.0.same_call)
    }
}

/// Reads a number that is not negative.
fn count<T: TryFrom<i64>>(name: &str, given: Maybe<Whole>) -> Result<Option<T>, Error> {
    let Some(Whole(number)) = given.0 else { return Ok(None) };
    let count = T::try_from(number).map(Some);
    count.map_err(|_| Error::new(ErrorKind::InvalidOption, format!("{name} must not be negative")))
}

fn whole(number: u64) -> Zval {
    value::whole(usize::try_from(number).unwrap_or(usize::MAX))
}
