//! The id of a call: written in the text, or made when it is asked for.
//!
//! Many programs never ask for the id of a call, and to make one takes a clock, random bytes and a
//! text of its own. An id that was asked for stays the same, and so do its copies.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
#[cfg(feature = "detect")]
use std::sync::{Arc, OnceLock};

/// What stands before the digits of a new id.
#[cfg(feature = "detect")]
pub(crate) const PREFIX: &str = "call_";

/// The id of a call, which is used like a string.
///
/// ```
/// use toolwire::Detector;
///
/// let detection = Detector::default().detect("<tool:clock>{}</tool>");
/// let id = &detection.calls[0].id;
/// assert!(id.starts_with("call_"));
/// assert_eq!(*id, id.clone());
/// ```
#[derive(Clone)]
pub struct CallId(Id);

#[derive(Clone)]
enum Id {
    Known(String),
    #[cfg(feature = "detect")]
    New(NewId),
}

/// An id that counts up from the first one of its text. Copies count from the same one.
#[cfg(feature = "detect")]
#[derive(Clone)]
struct NewId {
    first: Arc<FirstId>,
    number: u32,
    text: OnceLock<Box<str>>,
}

/// The first new id of a text, and what makes it.
#[cfg(feature = "detect")]
#[derive(Debug)]
pub(crate) struct FirstId {
    made: OnceLock<u128>,
    make: fn() -> u128,
}

#[cfg(feature = "detect")]
impl FirstId {
    pub(crate) fn new(make: fn() -> u128) -> Self {
        Self { made: OnceLock::new(), make }
    }
}

#[cfg(feature = "detect")]
impl NewId {
    /// Only the 32 last bits count: what stands before them differs from text to text.
    fn text(&self) -> &str {
        self.text.get_or_init(|| {
            let mut bytes = self.first.made.get_or_init(self.first.make).to_be_bytes();
            if let Some(counted) = bytes.last_chunk_mut() {
                let number = u32::from_be_bytes(*counted).wrapping_add(self.number);
                *counted = number.to_be_bytes();
            }
            let mut id = String::with_capacity(PREFIX.len() + 2 * bytes.len());
            id.push_str(PREFIX);
            let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
            id.extend(digits.filter_map(|digit| char::from_digit(digit.into(), 16)));
            id.into()
        })
    }
}

impl CallId {
    /// The empty id.
    pub(crate) const EMPTY: Self = Self(Id::Known(String::new()));

    /// The id that is so many numbers behind the first one of its text.
    #[cfg(feature = "detect")]
    pub(crate) fn counted(first: Arc<FirstId>, number: u32) -> Self {
        Self(Id::New(NewId { first, number, text: OnceLock::new() }))
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Id::Known(id) => id,
            #[cfg(feature = "detect")]
            Id::New(id) => id.text(),
        }
    }
}

impl Deref for CallId {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl AsRef<str> for CallId {
    fn as_ref(&self) -> &str {
        self
    }
}

impl Borrow<str> for CallId {
    fn borrow(&self) -> &str {
        self
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(formatter)
    }
}

impl fmt::Debug for CallId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, formatter)
    }
}

impl PartialEq for CallId {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for CallId {}

impl PartialEq<str> for CallId {
    fn eq(&self, other: &str) -> bool {
        **self == *other
    }
}

impl PartialEq<&str> for CallId {
    fn eq(&self, other: &&str) -> bool {
        **self == **other
    }
}

impl PartialEq<String> for CallId {
    fn eq(&self, other: &String) -> bool {
        **self == **other
    }
}

impl PartialEq<CallId> for String {
    fn eq(&self, other: &CallId) -> bool {
        **self == **other
    }
}

impl Hash for CallId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl From<String> for CallId {
    fn from(id: String) -> Self {
        Self(Id::Known(id))
    }
}

impl From<&str> for CallId {
    fn from(id: &str) -> Self {
        id.to_owned().into()
    }
}

impl From<CallId> for String {
    fn from(id: CallId) -> Self {
        match id.0 {
            Id::Known(id) => id,
            #[cfg(feature = "detect")]
            Id::New(id) => id.text().to_owned(),
        }
    }
}

#[cfg(all(test, feature = "detect"))]
mod tests {
    use super::*;

    fn first() -> Arc<FirstId> {
        Arc::new(FirstId::new(|| 0x0123_4567_89ab_7def_8123_4567_ffff_fffe))
    }

    #[test]
    fn counting_starts_again_behind_the_last_number() {
        let first = first();
        let id = |number| String::from(CallId::counted(Arc::clone(&first), number));
        assert_eq!(id(0), "call_0123456789ab7def81234567fffffffe");
        assert_eq!(id(1), "call_0123456789ab7def81234567ffffffff");
        assert_eq!(id(2), "call_0123456789ab7def8123456700000000");
        assert_eq!(id(3), "call_0123456789ab7def8123456700000001");
    }

    #[test]
    fn copies_have_the_id_whichever_is_asked_first() {
        let made = Arc::new(FirstId::new(|| uuid::Uuid::now_v7().as_u128()));
        let id = CallId::counted(Arc::clone(&made), 7);
        let (before, other) = (id.clone(), CallId::counted(made, 8));
        assert_eq!(before.as_str(), id.as_str());
        assert_eq!(id.clone().as_str(), id.as_str());
        assert_ne!(other, id);
        assert_eq!(format!("{id} {id:?}"), format!("{before} \"{before}\""));
    }
}
