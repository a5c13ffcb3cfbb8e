//! Text that is fit to be posted under a program's name.
//!
//! [`publishable`] gives a comment that pings nobody, shows no secret and loads nothing.

mod change;
mod markdown;
mod markup;
mod publish;

pub use change::{Change, ChangeCode};
pub use publish::{PublishOptions, Published, publishable};
