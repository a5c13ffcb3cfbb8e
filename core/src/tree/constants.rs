//! The texts for null, true and false, where a value is shown as text.

/// The texts for the constants of JSON. The default is JSON's own words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constants<'f> {
    /// The text for null.
    pub null: &'f str,
    /// The text for true.
    pub yes: &'f str,
    /// The text for false.
    pub no: &'f str,
}

impl Default for Constants<'_> {
    fn default() -> Self {
        Self { null: "null", yes: "true", no: "false" }
    }
}
