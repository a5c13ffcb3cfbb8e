//! A part of a list.

/// The part of a list that is wanted. The default is the whole list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Page<'a> {
    /// The id of the last request or run of the previous page.
    pub after: Option<&'a str>,
    /// The largest number of requests or runs.
    pub limit: Option<usize>,
}
