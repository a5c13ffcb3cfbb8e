//! What changed between two texts, two JSON values or two sets of fields.
//!
//! - [`diff_text`]: lines, as a unified diff, a context diff or line by line.
//! - [`diff_json`]: an RFC 6902 patch that makes the one value the other.
//! - [`diff_structured`]: the fields of a map that were removed, added and changed.
//!
//! Each gives a [`DiffResult`]: the text of the diff, its lines, figures, and how similar the two
//! are. Every input has a diff, in nearly linear time: where a minimal one would cost more, a
//! longer one is given. The same input gives the same diff on every machine; no clock is read.
//!
//! ```
//! use toolwire::diff::{TextDiff, diff_text};
//!
//! let diff = diff_text(b"red\ngreen\n", b"red\nblue\n", &TextDiff::default());
//! assert_eq!(
//!     diff.diff_output,
//!     b"--- a/original\n+++ b/modified\n@@ -1,2 +1,2 @@\n red\n-green\n+blue\n"
//! );
//! assert_eq!((diff.additions, diff.deletions, diff.similarity), (1, 1, 0.5));
//! ```

mod document;
mod fields;
mod json;
mod json_patch;
mod lines;
mod print;
mod reader;
mod result;
mod runs;
mod script;
mod sides;
mod similarity;
mod text;

pub use fields::{FieldEntry, FieldMap, diff_structured};
pub use json::{compact_json, same_json, sorted_json};
pub use json_patch::diff_json;
pub use result::{DiffLine, DiffResult, DiffType, LineType, change_summary};
pub use sides::TextDiff;
pub use text::diff_text;
