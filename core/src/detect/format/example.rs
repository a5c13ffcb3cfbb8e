//! The example of a format: a call, and how calls stand in a message.

use serde::Deserialize;

/// A call as models write it, which gives the layout in which calls are written.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(from = "WrittenExample")]
pub(crate) struct Example {
    /// The call; empty where there is no example.
    pub(crate) call: String,
    /// The white space in front of calls, if it is known.
    pub(crate) gap: Option<CallsGap>,
    /// What is written between two calls; `None` for what the call suggests.
    pub(crate) between: Option<Box<str>>,
}

/// The white space in front of calls.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(try_from = "WrittenGap")]
pub(crate) struct CallsGap {
    /// Where a text stands in front of them.
    pub(crate) behind_text: Box<str>,
    /// Where none does.
    pub(crate) alone: Box<str>,
}

/// An example as a definition has it: the call, or all of it.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "example must be a call, or an object with call, gap (white space) and between"
)]
enum WrittenExample {
    Call(String),
    Whole(WholeExample),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WholeExample {
    #[serde(default)]
    call: String,
    gap: Option<CallsGap>,
    between: Option<Box<str>>,
}

/// A gap as a definition has it: that behind a text, or both.
#[derive(Deserialize)]
#[serde(untagged)]
enum WrittenGap {
    BehindText(Box<str>),
    Both(BothGaps),
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct BothGaps {
    #[serde(default)]
    behind_text: Box<str>,
    #[serde(default)]
    alone: Box<str>,
}

impl From<WrittenExample> for Example {
    fn from(written: WrittenExample) -> Self {
        match written {
            WrittenExample::Call(call) => Self { call, ..Self::default() },
            WrittenExample::Whole(WholeExample { call, gap, between }) => {
                Self { call, gap, between }
            }
        }
    }
}

impl TryFrom<WrittenGap> for CallsGap {
    type Error = &'static str;

    fn try_from(written: WrittenGap) -> Result<Self, &'static str> {
        let BothGaps { behind_text, alone } = match written {
            WrittenGap::BehindText(behind_text) => BothGaps { behind_text, ..BothGaps::default() },
            WrittenGap::Both(both) => both,
        };
        let is_blank = |text: &str| text.bytes().all(|byte| byte.is_ascii_whitespace());
        if is_blank(&behind_text) && is_blank(&alone) {
            return Ok(Self { behind_text, alone });
        }
        Err("gap must be white space")
    }
}
