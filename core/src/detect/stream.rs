//! Detection in a text that arrives in pieces.

use std::sync::Arc;

use crate::detect::engine::{Config, Engine};
use crate::detect::event::Event;
use crate::detect::findings::{Detection, Findings};
use crate::error::{Error, ErrorKind};

/// Detection in a text that arrives in pieces.
///
/// The calls and refusals are those that [`crate::detect::Detector::detect`] finds in the whole
/// text, wherever the text is cut. Events come as early as they can, so two of them take something
/// back: [`Event::CallRetracted`] says that what began is no call, and [`Event::ReasoningEnd`] that
/// all so far was reasoning. At the end, [`detection`](Self::detection) gives the text without its
/// calls. The stream keeps the text, so it takes as much memory as the text that it was fed.
///
/// ```
/// use toolwire::{Detector, Event};
///
/// let mut stream = Detector::default().stream();
/// assert_eq!(stream.feed(b"Hi <tool:ec")?.len(), 1);
/// let begun = stream.feed(b"ho>{\"a\":1}</to")?;
/// let Event::CallStart { number, name, id, .. } = &begun[0] else { panic!() };
/// assert_eq!((*number, &**name), (0, "echo"));
/// assert_eq!(stream.feed(b"ol>")?, [Event::CallEnd { number: 0, call: 0 }]);
/// assert_eq!(stream.findings().calls[0].id, **id);
/// stream.finish()?;
/// assert_eq!(stream.detection()?.text().as_ref(), b"Hi ");
/// # Ok::<(), toolwire::Error>(())
/// ```
#[derive(Debug)]
pub struct Stream {
    config: Arc<Config>,
    engine: Engine,
    input: Vec<u8>,
    finished: bool,
}

impl Stream {
    pub(super) fn new(config: Arc<Config>) -> Self {
        Self {
            engine: Engine::new(Arc::clone(&config)),
            config,
            input: Vec::new(),
            finished: false,
        }
    }

    /// Takes the next piece and returns the events that are certain by now.
    ///
    /// # Errors
    /// `stream_finished` after [`Stream::finish`].
    pub fn feed(&mut self, piece: impl AsRef<[u8]>) -> Result<Vec<Event>, Error> {
        let mut events = Vec::new();
        self.feed_into(piece.as_ref(), &mut events)?;
        Ok(events)
    }

    /// Takes the next piece and appends the events that are certain by now.
    ///
    /// A list that is used again saves an allocation for each short piece.
    ///
    /// # Errors
    /// `stream_finished` after [`Stream::finish`].
    pub fn feed_into(&mut self, piece: &[u8], events: &mut Vec<Event>) -> Result<(), Error> {
        self.check_open()?;
        self.input.extend_from_slice(piece);
        self.engine.run(&self.config, &self.input, false, events);
        Ok(())
    }

    /// Ends the text and returns the last events.
    ///
    /// # Errors
    /// `stream_finished` when called again.
    pub fn finish(&mut self) -> Result<Vec<Event>, Error> {
        self.check_open()?;
        self.finished = true;
        let mut events = Vec::new();
        self.engine.run(&self.config, &self.input, true, &mut events);
        Ok(events)
    }

    /// Everything fed so far.
    #[must_use]
    pub fn input(&self) -> &[u8] {
        &self.input
    }

    /// The calls and rejections found so far.
    #[must_use]
    pub fn findings(&self) -> &Findings {
        self.engine.findings()
    }

    /// The text and what was found in it.
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

    #[inline]
    fn check_open(&self) -> Result<(), Error> {
        if self.finished {
            let message = "the stream has ended; start a new one";
            return Err(Error::new(ErrorKind::StreamFinished, message));
        }
        Ok(())
    }
}
