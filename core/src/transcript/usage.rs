//! Counts each message's tokens once, though several records may give them.

use crate::transcript::about::TokenUsage;
use crate::transcript::account::LogAccount;

/// The tokens of the message that was counted last.
#[derive(Debug, Default)]
pub(super) struct UsageCount {
    message: Option<Box<str>>,
    counted: TokenUsage,
}

impl UsageCount {
    /// Counts tokens. A new count of the same message takes the place of the earlier one.
    pub(super) fn count(
        &mut self,
        message: Option<&str>,
        tokens: TokenUsage,
        account: &mut LogAccount,
    ) {
        let is_same = message.is_some() && message == self.message.as_deref();
        if is_same {
            account.tokens = account.tokens.minus(self.counted);
        } else {
            self.message = message.map(Into::into);
        }
        self.counted = tokens;
        account.tokens = account.tokens.plus(tokens);
    }
}
