//! The names of WordPress abilities, and their names as functions.
//!
//! An ability is named `namespace/ability`, of lower-case letters, digits and dashes. A function's
//! name allows no slash, so WordPress core writes `wpab__namespace__ability`.

const PREFIX: &str = "wpab__";

/// Whether a function's name stands for an ability.
pub fn is_function(name: &str) -> bool {
    name.strip_prefix(PREFIX).is_some_and(|rest| rest.contains("__"))
}

/// The ability that a function's name stands for; any other name stays as it is.
pub fn from_function(name: &str) -> String {
    match name.strip_prefix(PREFIX) {
        Some(rest) if rest.contains("__") => rest.replace("__", "/"),
        _ => name.to_owned(),
    }
}

/// The function's name of an ability; any other name stays as it is.
pub fn to_function(name: &str) -> String {
    let plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'/');
    if name.contains('/') && name.bytes().all(plain) {
        format!("{PREFIX}{}", name.replace('/', "__"))
    } else {
        name.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abilities_are_functions_and_back() {
        assert_eq!(to_function("core/get-site-info"), "wpab__core__get-site-info");
        assert_eq!(from_function("wpab__core__get-site-info"), "core/get-site-info");
        assert_eq!(from_function("wpab__a__b__c"), "a/b/c");
        for name in ["search", "my_ns/tool", "wpab__x", "Core/x"] {
            assert_eq!(from_function(&to_function(name)), name);
        }
    }
}
