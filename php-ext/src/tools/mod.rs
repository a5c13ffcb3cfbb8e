//! `Toolwire\Tools`: a tool call becomes an action that is allowed, checked, approved, run and
//! undone.
//!
//! The core's machines say what is to be done next; here PHP code is called for it, and what it
//! gives or throws goes back to them. What must outlive a request is in a store, also one that is
//! written in PHP.

mod action;
mod any_store;
mod approval;
mod approval_request;
mod callback;
mod clock;
mod definition;
mod error;
mod event;
mod execution;
mod executor;
mod host;
mod input;
mod json;
mod limiter;
mod memory;
mod output;
mod registry;
mod resolved;
mod run;
mod run_approval;
mod run_gate;
mod sqlite;
mod store;
mod store_methods;
mod summary;
mod undo;
mod undoing;
mod unresolved;

use ext_php_rs::class::RegisteredClass;
use ext_php_rs::error::Result;
use ext_php_rs::flags::DataType;

use crate::host::class;
use crate::zend;

/// Registers the classes, each after those that it relies on.
pub(crate) fn register() -> Result<()> {
    error::register()?;
    store::register()?;
    class::register::<memory::Memory>()?;
    class::register::<sqlite::Sqlite>()?;
    class::register::<definition::ToolDefinition>()?;
    class::register::<resolved::ResolvedToolCall>()?;
    class::register::<unresolved::UnresolvedToolCall>()?;
    class::register::<registry::Registry>()?;
    class::register::<input::ToolInput>()?;
    class::register::<output::ToolOutput>()?;
    class::register::<approval_request::ApprovalRequest>()?;
    class::register::<approval::ApprovalService>()?;
    class::register::<undo::UndoMetadata>()?;
    class::register::<undo::UndoStore>()?;
    class::register::<limiter::RateLimiter>()?;
    class::register::<execution::Execution>()?;
    class::register::<executor::Executor>()?;
    zend::widen(
        executor::Executor::get_metadata().ce(),
        "__construct",
        executor::REDACT,
        DataType::Array,
    );
    zend::trace::<definition::ToolDefinition>();
    zend::trace::<registry::Registry>();
    zend::trace::<executor::Executor>();
    Ok(())
}
