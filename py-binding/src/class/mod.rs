//! The classes and functions of the package, one file for each subject.

pub mod call;
pub mod comment;
pub mod detection;
pub mod detector;
pub mod diff;
pub mod entry;
pub mod event;
pub mod exchange;
pub mod finder;
pub mod format;
pub mod legacy;
pub mod profile;
pub mod provider;
pub mod rejection;
pub mod render;
pub mod replace;
pub mod reply;
pub mod report;
pub mod schema;
pub mod stream;
pub mod summary;
pub mod token;
pub mod transcript;
pub mod visible;
pub mod write;
