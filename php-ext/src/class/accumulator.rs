//! `Toolwire\Accumulator`: joins the events of a provider's stream.

use std::cell::RefCell;

use ext_php_rs::prelude::*;
use toolwire::provider;

use crate::class::exchange::Exchange;
use crate::class::provider::{OFF, reading, sent};
use crate::host::class::php_class;
use crate::host::exception;
use crate::host::value::{Anything, As, Maybe, Text};

/// Joins the events of a streamed response.
pub(crate) struct Accumulator(RefCell<provider::Accumulator>);

php_class!(Accumulator, "Toolwire\\Accumulator", [], public, {});

#[php_impl]
impl Accumulator {
    /// Starts a stream.
    #[php(defaults(repair = OFF))]
    fn __construct(provider: Maybe<Text<'_>>, repair: Text<'_>) -> PhpResult<Self> {
        Ok(Self(RefCell::new(provider::Accumulator::with(reading(provider, &repair)?))))
    }

    /// Takes the next event, or a list of events.
    fn feed(&self, event: As<Anything>) -> PhpResult<()> {
        let event = sent("event", &event.0)?;
        self.0.borrow_mut().feed(&event).map_err(|error| exception::from_core(&error))
    }

    /// Ends the stream.
    fn finish(&self) -> PhpResult<Exchange> {
        let exchange =
            self.0.borrow_mut().finish().map_err(|error| exception::from_core(&error))?;
        Ok(Exchange::new(exchange))
    }
}
