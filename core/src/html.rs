//! Text written as HTML.

/// Escapes a text for HTML: as an attribute's value in either kind of quotes, or as text.
///
/// NUL, which HTML cannot hold, becomes U+FFFD.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match entity(character) {
            Some(entity) => escaped.push_str(entity),
            None if character == '\0' => escaped.push(char::REPLACEMENT_CHARACTER),
            None => escaped.push(character),
        }
    }
    escaped
}

/// The entity of a character that is markup in text or in a quoted attribute.
pub(crate) fn entity(character: char) -> Option<&'static str> {
    Some(match character {
        '&' => "&amp;",
        '<' => "&lt;",
        '>' => "&gt;",
        '"' => "&quot;",
        '\'' => "&#39;",
        _ => return None,
    })
}
