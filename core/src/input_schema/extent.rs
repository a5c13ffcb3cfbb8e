//! How large a value is: its nodes, its depth, its longest path.

use serde_json::Value;

/// The bytes of a value in a copy, without its text.
const BYTES_A_NODE: usize = 100;

/// How large a value is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ValueExtent {
    /// The values within it, itself included.
    pub(super) nodes: usize,
    /// The levels of lists and objects.
    pub(super) depth: usize,
    /// The bytes of the longest path to one of its values.
    pub(super) path: usize,
    /// The bytes of a copy of it.
    pub(super) bytes: usize,
}

impl ValueExtent {
    /// The extent of a value; `None` if it has more than so many levels.
    pub(super) fn of(value: &Value, levels: usize) -> Option<Self> {
        let mut extent = Self::default();
        extent.add(value, levels, 0, 0)?;
        Some(extent)
    }

    fn add(&mut self, value: &Value, levels: usize, depth: usize, path: usize) -> Option<()> {
        self.nodes += 1;
        self.bytes += BYTES_A_NODE + value.as_str().map_or(0, str::len);
        self.depth = self.depth.max(depth);
        self.path = self.path.max(path);
        let levels = levels.checked_sub(1)?;
        match value {
            Value::Array(items) => {
                items.iter().try_for_each(|item| self.add(item, levels, depth + 1, path + 8))
            }
            Value::Object(entries) => entries.iter().try_for_each(|(key, entry)| {
                self.bytes += key.len();
                self.add(entry, levels, depth + 1, path + key.len() + 1)
            }),
            _ => Some(()),
        }
    }
}
