//! `Toolwire\Reader`: reads an agent's log while it grows.

use std::cell::RefCell;

use ext_php_rs::flags::DataType;
use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;
use toolwire::transcript::{self, Form};

use crate::class::transcript::{AUTO, account, entries, options, patches, slug};
use crate::host::class::php_class;
use crate::host::value::{self, AnArray, As, Flag, Maybe, Text};

/// The reader of a log that grows.
pub(crate) struct Reader {
    reader: RefCell<transcript::Reader>,
    form: Form,
}

php_class!(Reader, "Toolwire\\Reader", [], public, {
    "sessionId": DataType::String, true => session_id;
    "dialect": DataType::String, true => dialect;
    "pending": DataType::Array, false => pending;
    "givenUp": DataType::Long, false => given_up;
    "account": DataType::Array, false => account;
    "look": DataType::String, true => look;
});

impl Reader {
    fn session_id(&self) -> Zval {
        value::text_or_null(self.reader.borrow().session_id())
    }

    fn dialect(&self) -> Zval {
        slug(self.reader.borrow().dialect())
    }

    fn pending(&self) -> PhpResult<Zval> {
        entries(self.reader.borrow().pending().map(|pending| pending.entry(self.form)))
    }

    fn given_up(&self) -> Zval {
        value::whole(self.reader.borrow().given_up())
    }

    fn account(&self) -> PhpResult<Zval> {
        account(&self.reader.borrow().account())
    }

    fn look(&self) -> Zval {
        value::text_or_null(self.reader.borrow().look())
    }

    fn advance(
        &self,
        step: impl FnOnce(&mut transcript::Reader, &mut Vec<transcript::Patch>),
    ) -> PhpResult<As<AnArray>> {
        let mut found = Vec::new();
        step(&mut self.reader.borrow_mut(), &mut found);
        patches(found).map(As::new)
    }
}

#[php_impl]
impl Reader {
    /// Makes a reader at the start of a log.
    #[php(defaults(dialect = AUTO, faithful = false))]
    fn __construct(
        worktree: Maybe<Text<'_>>,
        dialect: Text<'_>,
        faithful: Flag,
    ) -> PhpResult<Self> {
        let options = options(worktree, &dialect, faithful)?;
        Ok(Self { form: options.form, reader: RefCell::new(transcript::Reader::new(options)) })
    }

    /// Reads one or more lines.
    fn feed(&self, line: Text<'_>) -> PhpResult<As<AnArray>> {
        self.advance(|reader, patches| {
            reader.feed(line.bytes(), patches);
            reader.end_line(patches);
        })
    }

    /// Reads a piece of the log, which may end anywhere.
    fn feed_piece(&self, piece: Text<'_>) -> PhpResult<As<AnArray>> {
        self.advance(|reader, patches| reader.feed(piece.bytes(), patches))
    }

    /// Ends the log.
    fn finish(&self) -> PhpResult<As<AnArray>> {
        self.advance(transcript::Reader::finish)
    }
}
