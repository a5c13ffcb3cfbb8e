//! The keys that are looked up in a host's values.

use crate::slug::slugs;

slugs! {
    /// A key that Toolwire looks up in a host's values.
    ///
    /// The set is closed, so that a host can keep one interned string for each key. The strings
    /// stand in an array in the order of [`Key::ALL`], and `key as usize` is the index.
    pub enum Key {
        /// What a packet is.
        Type => "type",
        /// What a packet says about itself.
        Metadata => "metadata",
        /// The handler whose tool gave the result.
        HandlerTool => "handler_tool",
        /// Whether the tool succeeded.
        ToolSuccess => "tool_success",
        /// What the tool gave, in an envelope.
        ToolResult => "tool_result",
        /// The whole envelope, if `tool_result` beside it is shortened.
        ToolResultEnvelope => "tool_result_envelope",
        /// What the tool gave, without an envelope.
        ToolResultData => "tool_result_data",
        /// Whether an envelope reports success.
        Success => "success",
        /// What an envelope carries.
        Result => "result",
        /// What an envelope carries, in the older spelling.
        Data => "data",
        /// What went wrong.
        Error => "error",
        /// A message for a person.
        Message => "message",
        /// A code of an error.
        Code => "code",
        /// The tool that ran.
        ToolName => "tool_name",
        /// The ability behind the tool.
        Ability => "ability",
        /// What ran the tool.
        Executor => "executor",
        /// The code of a WordPress error.
        WpErrorCode => "wp_error_code",
        /// The data of a WordPress error.
        WpErrorData => "wp_error_data",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_numbered_in_order_and_spelled_once() {
        for (place, key) in Key::ALL.iter().enumerate() {
            assert_eq!(*key as usize, place);
            assert_eq!(Key::ALL.iter().filter(|other| other.slug() == key.slug()).count(), 1);
        }
    }
}
