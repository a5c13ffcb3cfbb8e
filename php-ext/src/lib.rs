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

mod class;
mod dropin;
mod host;
mod tools;
mod zend;

use ext_php_rs::prelude::*;

/// Registers everything; a failure keeps PHP from starting with half an extension.
fn startup(_kind: i32, module: i32) -> i32 {
    ext_php_rs::internal::startup_guard(|| {
        zend::intern_keys();
        class::register()?;
        tools::register()?;
        dropin::register(module)
    })
}

/// Prepares what the calls of a request share.
extern "C" fn begin_of_request(_kind: i32, _module: i32) -> i32 {
    host::parts::begin_of_request();
    0
}

/// Lets go of what does not outlive its request.
extern "C" fn end_of_request(_kind: i32, _module: i32) -> i32 {
    class::end_of_request();
    host::parts::end_of_request();
    tools::end_of_request();
    0
}

/// Gives PHP the module.
#[php_module]
#[php(startup = "startup")]
pub fn module(module: ModuleBuilder) -> ModuleBuilder {
    module
        .name("toolwire")
        .request_startup_function(begin_of_request)
        .request_shutdown_function(end_of_request)
}
