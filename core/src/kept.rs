//! Detectors of equal options, which are arranged once in a process.
//!
//! [`Detector::new`] shares what it arranges with detectors of equal options. A host that has
//! options as values of JSON asks for the detector here, and need not read them again.
//!
//! ```
//! use serde_json::json;
//! use toolwire::kept;
//!
//! let settings = [("formats".to_owned(), json!(["tag", "hermes"]))];
//! let detector = kept::detector(&settings, &[])?;
//! assert_eq!(detector.detect(b"<tool:echo>{}</tool>").calls.len(), 1);
//! // It shares what the first one arranged.
//! let again = kept::detector(&settings, &[])?;
//! assert_eq!(again.detect(b"<tool:echo>{}</tool>").calls.len(), 1);
//! # Ok::<(), toolwire::Error>(())
//! ```

use serde_json::Value;

use crate::detect::{Detector, Options, Preset};
use crate::error::Error;
use crate::recent::RecentlyUsed;

static DETECTORS: RecentlyUsed<KeptOptions, Detector> = RecentlyUsed::new();

/// Options by name, and the presets that may be named.
struct KeptOptions {
    /// In the order of their names.
    values: Vec<(String, Value)>,
    presets: &'static [Preset],
}

impl PartialEq for KeptOptions {
    fn eq(&self, other: &Self) -> bool {
        // A host has one list of presets.
        std::ptr::eq(self.presets, other.presets) && self.values == other.values
    }
}

/// A detector with these options, which are set in this order. It shares the forms of calls with
/// one of equal options that was made before, if that is among those that were used last.
///
/// One with a `prompt` shares nothing: a prompt is long, and of one message only.
///
/// # Errors
/// The errors of [`Options::set`] and [`Detector::new`].
pub fn detector(
    settings: &[(String, Value)],
    presets: &'static [Preset],
) -> Result<Detector, Error> {
    let make = || {
        let mut options = Options { presets, ..Options::default() };
        settings.iter().try_for_each(|(name, value)| options.set(name, value))?;
        Detector::new(options)
    };
    if settings.iter().any(|(name, _)| name == "prompt") {
        return make();
    }
    let mut values = settings.to_vec();
    values.sort_by(|one, other| one.0.cmp(&other.0));
    DETECTORS.find_or_make(KeptOptions { values, presets }, |_| make())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn options_are_equal_in_any_order_and_never_mistaken() {
        let tags = ("formats".to_owned(), json!(["tag"]));
        let few = ("max_calls".to_owned(), json!(1));
        let text = b"<tool:a>{}</tool><tool:b>{}</tool>";
        let calls = |settings: &[&(String, Value)]| {
            let settings: Vec<_> = settings.iter().map(|one| (*one).clone()).collect();
            detector(&settings, &[]).unwrap().detect(text).calls.len()
        };
        for _ in 0..2 {
            assert_eq!((calls(&[&tags]), calls(&[&tags, &few]), calls(&[&few, &tags])), (2, 1, 1));
        }
        let wrong = detector(&[("formats".to_owned(), json!("tga"))], &[]);
        assert_eq!(wrong.unwrap_err().kind(), ErrorKind::UnknownFormat);
    }
}
