//! The keys under which a host's empty list is an empty object.

/// Whether the value under this key of a tool's definition is an object.
///
/// A host may not distinguish an empty list from an empty object, so an empty list there counts as
/// an empty object.
#[must_use]
pub fn is_object_key(key: &str) -> bool {
    ["properties", "parameters", "input_schema", "inputSchema"].contains(&key)
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_holds_a_schema_or_its_properties_is_an_object() {
        for key in ["properties", "parameters", "input_schema", "inputSchema"] {
            assert!(super::is_object_key(key), "{key}");
        }
        assert!(!["required", "enum", "", "Properties"].into_iter().any(super::is_object_key));
    }
}
