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

/// The container that a text begins with, to its end.
pub(in crate::transcript) fn container_of(text: &str) -> Option<&str> {
    text.get(..Balance::default().follow(text.as_bytes())?)
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

/// The keys under which a list of conversations holds the messages of each.
const LISTS: [&str; 9] = [
    "messages",
    "conversation",
    "conversations",
    "history",
    "traj",
    "trajectory",
    "events",
    "requests",
    "tabs",
];

/// A container that is open.
struct CutContainer {
    is_object: bool,
    /// Whether the container is a list of records, or an item of one.
    is_of_records: bool,
    /// The place behind the last item that is whole.
    last: Option<usize>,
    /// Where the last key of an object begins and ends.
    key: (usize, usize),
}

/// A document that was cut off, up to the last whole record, with the ends that it lacks.
///
/// A record that was cut through is left out, for half of it may mean something else. `None` if no
/// record is whole.
pub(super) fn closed(text: &str) -> Option<String> {
    let mut open: Vec<CutContainer> = Vec::new();
    let mut balance = Balance::default();
    let mut text_start = 0;
    for (place, byte) in text.bytes().enumerate() {
        let was_in_text = balance.is_in_text;
        let depth = balance.open.len();
        if balance.step(byte) {
            return None;
        }
        match byte {
            b'"' if !was_in_text => text_start = place + 1,
            b'"' if !balance.is_in_text => {
                if let Some(object) = open.last_mut().filter(|top| top.is_object) {
                    object.last = Some(place);
                }
            }
            _ if was_in_text || balance.is_in_text => {}
            b':' => {
                if let Some(object) = open.last_mut() {
                    object.key = (text_start, object.last.unwrap_or_default());
                }
            }
            b',' => {
                if let Some(list) = open.last_mut().filter(|top| !top.is_object) {
                    list.last = list.last.max(Some(place));
                }
            }
            b'{' | b'[' if balance.open.len() > depth => open.push(opened(&open, byte, text)),
            b'}' | b']' => {
                open.pop();
                if let Some(list) = open.last_mut().filter(|top| !top.is_object) {
                    list.last = Some(place + 1);
                }
            }
            _ => {}
        }
    }
    let is_whole = |container: &&CutContainer| !container.is_object && container.last.is_some();
    let is_list = |container: &&CutContainer| !container.is_object && container.is_of_records;
    let end = match open.iter().rev().filter(is_list).find(is_whole) {
        Some(innermost) => innermost.last?,
        None if open.iter().any(|container| is_list(&container)) => return None,
        None => open.iter().find(is_whole)?.last?,
    };
    let kept = text.get(..end)?;
    let mut balance = Balance::default();
    balance.follow(kept.as_bytes());
    let mut whole = kept.trim_end_matches(',').as_bytes().to_vec();
    whole.extend(balance.ends());
    String::from_utf8(whole).ok()
}

/// The container that begins with a bracket inside others.
fn opened(outer: &[CutContainer], bracket: u8, text: &str) -> CutContainer {
    let is_object = bracket == b'{';
    let is_of_records = match outer.last() {
        None => true,
        Some(parent) if parent.is_object && !is_object => {
            let key = text.get(parent.key.0..parent.key.1).unwrap_or_default();
            parent.is_of_records && (outer.len() == 1 || LISTS.contains(&key))
        }
        Some(parent) => parent.is_of_records && !parent.is_object && is_object,
    };
    CutContainer { is_object, is_of_records, last: None, key: (0, 0) }
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
        for (text, whole) in [
            (r#"[{"m":[1]},{"m":[{"a":1},{"b":"#, Some(r#"[{"m":[1]}]"#)),
            (r#"[{"messages":[{"a":[1,2]},{"b":[3,"#, Some(r#"[{"messages":[{"a":[1,2]}]}]"#)),
            (
                r#"{"x":["a"],"steps":[{"n":[1]},{"n":[2,"#,
                Some(r#"{"x":["a"],"steps":[{"n":[1]}]}"#),
            ),
            ("[[[1,2],[3", None),
            ("[[1,2],[3", Some("[[1,2]]")),
            ("[1,2,", Some("[1,2]")),
            (r#"{"a":{"b":1},"c":"#, None),
            ("[{\"a\":1", None),
            ("{}", None),
            ("{", None),
        ] {
            assert_eq!(closed(text).as_deref(), whole, "{text}");
        }
    }
}
