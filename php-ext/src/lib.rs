//! The PHP extension `toolwire`: Toolwire's core, in namespace `Toolwire`.
//!
//! This crate converts values, calls the core and maps its errors onto exceptions; it decides
//! nothing. Text is bytes: no input makes a method throw, only misuse by the programmer does.
//!
//! ```php
//! $detection = (new Toolwire\Detector())->detect('x <tool:wp_api>{"action":"list"}</tool> y');
//! echo $detection->calls[0]->name, ' ', $detection->calls[0]->arguments['action']; // wp_api list
//! ```

#![allow(clippy::needless_pass_by_value, reason = "the arguments of a PHP function come by value")]

mod call;
mod class;
mod comment;
mod detection;
mod detector;
mod diff;
mod dropin;
mod entry;
mod event;
mod exception;
mod exchange;
mod finder;
mod html;
mod json;
mod native;
mod option;
mod packets;
mod record;
mod redaction;
mod rejection;
mod reply;
mod report;
mod result;
mod seen;
mod stream;
mod text;
mod tokens;
mod tools;
mod transcript;
mod tree;
mod value;
mod zend;

use ext_php_rs::class::RegisteredClass;
use ext_php_rs::flags::DataType;
use ext_php_rs::prelude::*;

/// Registers everything; a failure keeps PHP from starting with half an extension.
fn startup(_kind: i32, module: i32) -> i32 {
    ext_php_rs::internal::startup_guard(|| {
        zend::intern_keys();
        exception::register()?;
        class::register::<exception::ErrorKinds>()?;
        class::register::<seen::Seen>()?;
        class::register_record::<call::ToolCall>()?;
        class::register_record::<rejection::Rejection>()?;
        class::register_record::<detection::Segment>()?;
        class::register_record::<detection::Detection>()?;
        class::register::<event::Event>()?;
        class::register::<stream::Stream>()?;
        class::register::<detector::Detector>()?;
        class::register::<html::Html>()?;
        class::register::<diff::DiffLine>()?;
        class::register::<diff::DiffResult>()?;
        class::register::<diff::Diff>()?;
        class::register::<finder::ToolResultFinder>()?;
        class::register_record::<result::ToolResult>()?;
        class::register::<reply::Reply>()?;
        class::register::<comment::Comment>()?;
        class::register::<text::Text>()?;
        class::register::<redaction::Redaction>()?;
        class::register::<tokens::Tokens>()?;
        class::register::<report::Report>()?;
        class::register_record::<entry::Entry>()?;
        class::register_record::<entry::Patch>()?;
        class::register::<transcript::Transcript>()?;
        class::register::<transcript::Reducer>()?;
        class::register_record::<exchange::NativeResult>()?;
        class::register_record::<exchange::NativeRejection>()?;
        class::register_record::<exchange::NativeExchange>()?;
        class::register::<native::NativeAccumulator>()?;
        class::register::<native::Native>()?;
        tools::register()?;
        zend::shorten::<finder::ToolResultFinder>("findhandlerresult");
        finder::widen_handlers(finder::ToolResultFinder::get_metadata().ce());
        zend::widen(detector::Detector::get_metadata().ce(), "__construct", 0, DataType::String);
        dropin::register(module)
    })
}

/// Lets go of what does not outlive its request.
extern "C" fn end_of_request(_kind: i32, _module: i32) -> i32 {
    finder::end_of_request();
    zend::forget_twins();
    0
}

/// Gives PHP the module.
#[php_module]
#[php(startup = "startup")]
pub fn module(module: ModuleBuilder) -> ModuleBuilder {
    module.name("toolwire").request_shutdown_function(end_of_request)
}
