//! Makes text fit to be posted under a program's name.
//!
//! [`publishable`] returns a comment that notifies nobody, shows no secret and loads nothing.

mod change;
mod command;
mod markdown;
mod markup;
mod publish;

pub use change::{ChangeCode, CommentChange};
pub use command::COMMANDS;
pub use publish::{PublishOptions, Published, publishable};
