//! Why a call with tagged parameters is refused.

use super::own_markup::{OwnMarkup, Tag};
use super::value_end::Damage;
use crate::call::RejectionCode;
use crate::detect::format::marker::Marker;
use crate::json::outcome::{BadArguments, Stop};
use crate::json::reason::Reason;

/// The refusal of a call in which a tag is missing, or is one too many.
pub(super) fn malformed(at: usize, what: &'static str) -> Stop {
    let reason = format!("the call is damaged at byte {at}: {what}");
    Stop::Bad(BadArguments::new(RejectionCode::Malformed, at, Reason::Made(reason)))
}

/// The refusal for damage that a value shows.
pub(super) fn damaged(Damage { at, tag }: Damage, own: &OwnMarkup<'_>) -> Stop {
    let named = own.parameter.close.first().filter(|close| !close.echoes());
    let close = named.map_or("the end tag of a value", Marker::written);
    let reason = match tag {
        Tag::ClosesParameter | Tag::ClosesOther => {
            format!("the call is damaged at byte {}: an end tag closes nothing", at.start)
        }
        Tag::Piece => {
            format!("the call is damaged at byte {}: a tag stands where none can", at.start)
        }
        _ => format!("the call is damaged: {close} is missing before byte {}", at.start),
    };
    Stop::Bad(BadArguments::new(RejectionCode::Malformed, at.start, Reason::Made(reason)))
}

/// The refusal of parameters that cannot be read.
pub(super) fn bad(at: usize, what: &'static str) -> Stop {
    let reason = Reason::Failed("the parameters cannot be read", what);
    Stop::Bad(BadArguments::new(RejectionCode::BadJson, at, reason))
}
