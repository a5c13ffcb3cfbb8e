//! A text that comes in pieces, within a bound.

/// A text that comes in pieces. What does not fit is left out, and the text ends with how much that
/// is: arguments that end so are no JSON, and stay a text.
#[derive(Debug, Default)]
pub(super) struct HeldText {
    text: String,
    left_out: usize,
}

impl HeldText {
    /// The longest text that is held.
    const MOST: usize = 16 << 20;

    pub(super) fn push(&mut self, piece: &str) {
        if self.left_out > 0 || self.text.len() + piece.len() > Self::MOST {
            self.left_out += piece.len();
        } else {
            self.text.push_str(piece);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty() && self.left_out == 0
    }

    pub(super) fn into_text(self) -> String {
        let Self { mut text, left_out } = self;
        if left_out > 0 {
            text.extend(["\n[", &left_out.to_string(), " bytes are left out]"]);
        }
        text
    }
}

impl From<&str> for HeldText {
    fn from(text: &str) -> Self {
        let mut held = Self::default();
        held.push(text);
        held
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_told() {
        let mut held = HeldText::from("a");
        held.push(&"b".repeat(HeldText::MOST - 1));
        assert_eq!(held.len(), HeldText::MOST);
        held.push("cd");
        held.push("");
        assert!(held.into_text().ends_with("b\n[2 bytes are left out]"));
        let long = HeldText::from(&*"é".repeat(HeldText::MOST));
        assert!(!long.is_empty());
        assert_eq!(long.into_text(), format!("\n[{} bytes are left out]", 2 * HeldText::MOST));
    }
}
