//! What was found in a text, which a detection shares with its calls.

use std::borrow::Cow;
use std::rc::Rc;

use ext_php_rs::types::Zval;
use toolwire::ToolCall;
use toolwire::detect::Findings;

use crate::host::parts::Strings;
use crate::host::value;

/// The findings in a text, and the text.
pub(crate) struct Found {
    /// The searched text: the caller's own string.
    pub(crate) text: Zval,
    pub(crate) findings: Findings,
    /// The strings that calls share.
    pub(crate) strings: Rc<Strings>,
}

impl Found {
    /// Joins findings with the text in which they were found, a PHP string.
    #[inline]
    pub(crate) fn new(text: Zval, findings: Findings) -> Self {
        Self { text, findings, strings: Strings::shared() }
    }

    /// The bytes of the text.
    pub(crate) fn bytes(&self) -> &[u8] {
        value::bytes(&self.text)
    }
}

impl Drop for Found {
    fn drop(&mut self) {
        self.findings.give_back();
    }
}

/// A call that is not part of a detection, with a copy of its markup.
pub(crate) struct LoneCall {
    pub(crate) call: ToolCall,
    /// The markup, or a longer part of the text.
    pub(crate) text: Zval,
    /// The offset of `text` in the searched text.
    pub(crate) start: usize,
    /// The format's slug; the core keeps the slugs of its own formats.
    pub(crate) format: Cow<'static, str>,
}
