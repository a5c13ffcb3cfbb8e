//! The PHP classes of namespace `Toolwire`, one file for each.

mod accumulator;
pub(crate) mod call;
pub(crate) mod chunks;
mod comment;
mod constraint;
pub(crate) mod detection;
mod detections;
pub(crate) mod detector;
mod diff;
mod diff_line;
mod diff_result;
mod entry;
mod error_kind;
mod event;
pub(crate) mod exchange;
pub(crate) mod finder;
mod found;
mod html;
mod often_read;
mod patch;
mod profile;
pub(crate) mod provider;
pub(crate) mod provider_item;
pub(crate) mod provider_rejection;
pub(crate) mod provider_result;
mod reader;
pub(crate) mod redaction;
pub(crate) mod rejection;
mod reply;
mod report;
mod result;
mod seen;
mod segment;
mod stream;
mod text;
mod tokens;
mod transcript;

use ext_php_rs::class::RegisteredClass;
use ext_php_rs::error::Result;
use ext_php_rs::flags::DataType;

pub(crate) use finder::end_of_request;

use crate::host::class::{register as register_class, register_record};
use crate::host::exception;
use crate::zend;

/// Registers the classes, each after the classes that it relies on.
pub(crate) fn register() -> Result<()> {
    exception::register()?;
    register_class::<error_kind::ErrorKinds>()?;
    register_class::<seen::Seen>()?;
    register_record::<call::ToolCall>()?;
    register_record::<rejection::Rejection>()?;
    register_record::<segment::Segment>()?;
    register_record::<detection::Detection>()?;
    register_class::<event::Event>()?;
    register_class::<stream::Stream>()?;
    register_class::<profile::Profile>()?;
    register_class::<detections::Detections>()?;
    register_class::<constraint::ConstraintNote>()?;
    register_class::<constraint::Constraint>()?;
    register_class::<detector::Detector>()?;
    register_class::<html::Html>()?;
    register_class::<diff_line::DiffLine>()?;
    register_class::<diff_result::DiffResult>()?;
    register_class::<diff::Diff>()?;
    register_class::<finder::ToolResultFinder>()?;
    register_record::<result::ToolResult>()?;
    register_class::<reply::Reply>()?;
    register_class::<comment::Comment>()?;
    register_class::<text::Text>()?;
    register_class::<redaction::Redaction>()?;
    register_class::<tokens::Tokens>()?;
    register_class::<report::Report>()?;
    register_record::<entry::Entry>()?;
    register_record::<patch::Patch>()?;
    register_class::<transcript::Transcript>()?;
    register_class::<reader::Reader>()?;
    register_record::<provider_result::ProviderResult>()?;
    register_record::<provider_item::ProviderItem>()?;
    register_record::<provider_rejection::ProviderRejection>()?;
    register_record::<exchange::Exchange>()?;
    register_class::<accumulator::Accumulator>()?;
    register_class::<chunks::Chunks>()?;
    zend::shorten::<finder::ToolResultFinder, finder::Shortly>("findhandlerresult");
    finder::widen_handlers(finder::ToolResultFinder::get_metadata().ce());
    zend::quicken::<call::ToolCall>();
    zend::quicken::<detection::Detection>();
    zend::trace::<detections::Detections>();
    let detector = detector::Detector::get_metadata().ce();
    zend::widen(detector, "__construct", detector::FORMATS, DataType::String);
    zend::widen(detector, "__construct", detector::MODEL, DataType::Array);
    zend::widen(detector, "__construct", detector::MODEL, DataType::String);
    zend::widen(detector, "__construct", detector::THINKING, DataType::True);
    zend::widen(detector, "__construct", detector::THINKING, DataType::False);
    zend::widen(detector, "rendercall", 2, DataType::String);
    zend::widen(detector, "rendercalls", 1, DataType::String);
    zend::widen(detector, "rendermessage", 0, DataType::Array);
    zend::widen(detector, "rendermessage", 1, DataType::Array);
    zend::widen(detector, "rendermessage", 1, DataType::String);
    for (argument, kind) in detector::CONSTRAIN {
        zend::widen(detector, "constrain", argument, kind);
    }
    Ok(())
}
