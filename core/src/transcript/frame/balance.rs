//! Where JSON values begin and end, whether or not they are valid.

/// Follows the nesting of JSON text that comes in pieces.
#[derive(Clone, Debug, Default)]
pub(super) struct Balance {
    /// The open containers, from the outermost: true for an object.
    open: Vec<bool>,
    is_in_text: bool,
    is_escaped: bool,
}

/// The deepest nesting that is followed.
const MAX_OPEN: usize = 1 << 10;

impl Balance {
    /// Follows a piece, and gives the place behind the end of the outermost container, if it ends
    /// there. `None` also if the text cannot be JSON.
    pub(super) fn follow(&mut self, bytes: &[u8]) -> Option<usize> {
        for (place, &byte) in bytes.iter().enumerate() {
            if self.step(byte) {
                return Some(place + 1);
            }
        }
        None
    }

    /// Takes in a byte; true if it ends the outermost container.
    pub(super) fn step(&mut self, byte: u8) -> bool {
        if self.is_in_text {
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = true,
                b'"' => self.is_in_text = false,
                _ => {}
            }
            return false;
        }
        match byte {
            b'"' => self.is_in_text = true,
            b'{' | b'[' if self.open.len() < MAX_OPEN => self.open.push(byte == b'{'),
            b'}' | b']' => {
                self.open.pop();
                return self.open.is_empty();
            }
            _ => {}
        }
        false
    }

    /// The ends of all open containers, from the innermost.
    fn ends(&self) -> Vec<u8> {
        self.open.iter().rev().map(|is_object| if *is_object { b'}' } else { b']' }).collect()
    }
}

/// Splits a text into the containers that stand one behind the other in it.
///
/// `None` if anything else stands between or behind them.
pub(super) fn containers(text: &str) -> Option<Vec<&str>> {
    let (mut rest, mut found) = (text.trim(), Vec::new());
    while !rest.is_empty() {
        if !rest.starts_with(['{', '[']) {
            return None;
        }
        let end = Balance::default().follow(rest.as_bytes())?;
        let (container, behind) = rest.split_at_checked(end)?;
        found.push(container);
        rest = behind.trim_start_matches(|letter: char| letter.is_whitespace() || letter == ',');
    }
    Some(found)
}

/// A text that was cut off, up to its last whole value, with the ends that it lacks.
pub(super) fn closed(text: &str) -> Option<String> {
    let mut balance = Balance::default();
    let mut last = None;
    for (place, byte) in text.bytes().enumerate() {
        let is_in_text = balance.is_in_text;
        if balance.step(byte) {
            return None;
        }
        match byte {
            b',' if !is_in_text => last = Some(place),
            b'}' | b']' if !is_in_text => last = Some(place + 1),
            _ => {}
        }
    }
    let kept = text.get(..last?)?;
    let mut balance = Balance::default();
    balance.follow(kept.as_bytes());
    let mut whole = kept.as_bytes().to_vec();
    whole.extend(balance.ends());
    String::from_utf8(whole).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn containers_are_told_apart() {
        assert_eq!(containers(r#"{"a":"}{"} [1] {}"#).unwrap(), [r#"{"a":"}{"}"#, "[1]", "{}"]);
        assert_eq!(containers("{}x"), None);
        assert_eq!(containers("{"), None);
    }

    #[test]
    fn a_text_that_was_cut_off_is_closed() {
        let text = r#"[{"a":[1,2]},{"b":"x,"},{"c":"#;
        assert_eq!(closed(text).unwrap(), r#"[{"a":[1,2]},{"b":"x,"}]"#);
        assert_eq!(closed(r#"{"m":[{"a":1},{"b":2}"#).unwrap(), r#"{"m":[{"a":1},{"b":2}]}"#);
        assert_eq!(closed("{}"), None);
        assert_eq!(closed("{"), None);
    }
}
