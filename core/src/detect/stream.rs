//! Detection in a text that arrives in pieces.

use super::engine::Engine;
use super::findings::{Detection, Findings};
use crate::call::Span;
use crate::error::{Error, ErrorKind};

/// Something a stream is now sure of; offsets are bytes into everything fed so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// Text that is not part of a call.
    Text(Span),
    /// The call with this index is complete.
    Call(usize),
    /// Something was refused; the index is that of the rejection. Its text comes as text.
    Rejection(usize),
}

/// Detection in a text that arrives in pieces.
///
/// However the text is cut, the events add up to what [`super::Detector::detect`] gives for the
/// whole; nothing is taken back or repeated. The text is kept, so a stream takes as much memory as
/// what it was fed.
///
/// ```
/// use toolwire::{Detector, Event};
///
/// let mut stream = Detector::default().stream();
/// assert_eq!(stream.feed(b"Hi <tool:ec")?.len(), 1);
/// assert!(stream.feed(b"ho>{\"a\":1}</to")?.is_empty());
/// assert_eq!(stream.feed(b"ol>")?, [Event::Call(0)]);
/// stream.finish()?;
/// assert_eq!(stream.detection()?.text().as_ref(), b"Hi ");
/// # Ok::<(), toolwire::Error>(())
/// ```
#[derive(Debug)]
pub struct Stream {
    engine: Engine,
    input: Vec<u8>,
    finished: bool,
}

impl Stream {
    pub(super) fn new(engine: Engine) -> Self {
        Self { engine, input: Vec::new(), finished: false }
    }

    /// Takes the next piece and gives what is sure by now.
    ///
    /// # Errors
    /// `stream_finished` after [`Stream::finish`].
    pub fn feed(&mut self, piece: &[u8]) -> Result<Vec<Event>, Error> {
        self.check_open()?;
        self.input.extend_from_slice(piece);
        Ok(self.engine.run(&self.input, false))
    }

    /// Ends the text and gives the rest.
    ///
    /// # Errors
    /// `stream_finished` when called again.
    pub fn finish(&mut self) -> Result<Vec<Event>, Error> {
        self.check_open()?;
        self.finished = true;
        Ok(self.engine.run(&self.input, true))
    }

    /// Everything fed so far.
    #[must_use]
    pub fn input(&self) -> &[u8] {
        &self.input
    }

    /// What was found so far.
    #[must_use]
    pub fn findings(&self) -> &Findings {
        self.engine.findings()
    }

    /// The outcome.
    ///
    /// # Errors
    /// `stream_open` before [`Stream::finish`].
    pub fn detection(&self) -> Result<Detection<'_>, Error> {
        if !self.finished {
            let message = "the stream has not ended; call finish() first";
            return Err(Error::new(ErrorKind::StreamOpen, message));
        }
        Ok(Detection::new(&self.input, self.findings().clone()))
    }

    fn check_open(&self) -> Result<(), Error> {
        if self.finished {
            let message = "the stream has ended; start a new one";
            return Err(Error::new(ErrorKind::StreamFinished, message));
        }
        Ok(())
    }
}
