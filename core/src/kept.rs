//! Detectors of equal options, which are arranged once in a process.
//!
//! To arrange the forms of calls that a detector looks for takes longer than to search a text. A
//! host whose programs make a detector for each request asks for it here.
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

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use crate::detect::{Detector, Options, Preset};
use crate::error::Error;

/// The most detectors that are kept; each takes up to a megabyte.
const MOST: usize = 16;

static DETECTORS: Mutex<RecentlyUsed<KeptOptions, Detector>> = Mutex::new(RecentlyUsed::new());

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
    find_or_make(&DETECTORS, KeptOptions { values, presets }, make)
}

/// The value that is kept for a key, or else a new one, which is kept. It is made without the lock.
fn find_or_make<K: PartialEq, V: Clone, E>(
    kept: &Mutex<RecentlyUsed<K, V>>,
    key: K,
    make: impl FnOnce() -> Result<V, E>,
) -> Result<V, E> {
    let locked = || kept.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = locked().find(&key) {
        return Ok(known);
    }
    let value = make()?;
    locked().keep(key, value.clone());
    Ok(value)
}

/// Values by key: the last [`MOST`] that were used, the last one first.
struct RecentlyUsed<K, V>(VecDeque<(K, V)>);

impl<K: PartialEq, V: Clone> RecentlyUsed<K, V> {
    const fn new() -> Self {
        Self(VecDeque::new())
    }

    fn find(&mut self, key: &K) -> Option<V> {
        let at = self.0.iter().position(|(known, _)| known == key)?;
        let used = self.0.remove(at)?;
        let value = used.1.clone();
        self.0.push_front(used);
        Some(value)
    }

    fn keep(&mut self, key: K, value: V) {
        self.0.push_front((key, value));
        self.0.truncate(MOST);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use serde_json::json;

    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn a_value_is_made_once_while_it_is_used() {
        let (kept, made) = (Mutex::new(RecentlyUsed::new()), Cell::new(0));
        let get = |key: usize| {
            find_or_make(&kept, key, || {
                made.set(made.get() + 1);
                Ok::<_, ()>(key * 10)
            })
        };
        for _ in 0..3 {
            assert_eq!(get(0), Ok(0));
        }
        assert_eq!(made.get(), 1);
        for key in 1..100 {
            assert_eq!((get(key), get(0)), (Ok(key * 10), Ok(0)));
        }
        assert_eq!(made.get(), 100);
        assert_eq!(kept.lock().unwrap().0.len(), MOST);
        // The one that was used longest ago went first.
        assert_eq!(get(99 - MOST), Ok((99 - MOST) * 10));
        assert_eq!(made.get(), 101);
    }

    #[test]
    fn an_error_is_not_kept() {
        let kept = Mutex::new(RecentlyUsed::new());
        assert_eq!(find_or_make(&kept, 1, || Err("no")), Err("no"));
        assert_eq!(find_or_make(&kept, 1, || Ok::<_, &str>(5)), Ok(5));
        assert_eq!(find_or_make(&kept, 1, || Err("no")), Ok(5));
    }

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
