//! `Toolwire\Tools`: a tool call becomes an action that is allowed, checked, approved, run and
//! undone.
//!
//! The core's state machines return the next step. This code calls PHP code for the step, and gives
//! its result or exception to the machine. State that must outlive a request is in a store, which
//! may be written in PHP.

mod action;
mod agent;
mod agent_answer;
mod agent_host;
mod agent_limits;
mod answer;
mod any_store;
mod approval;
mod approval_request;
mod callback;
mod definition;
mod error;
mod event;
mod execution;
mod executor;
mod host;
mod input;
mod json;
mod limiter;
mod listeners;
mod memory;
mod model_response;
mod output;
mod provider;
mod registry;
mod resolved;
mod resume;
mod run;
mod sqlite;
mod store;
mod store_methods;
mod summary;
mod undo;
mod undoing;
mod unresolved;
mod working;

use toolwire::executor::clock;

use ext_php_rs::class::RegisteredClass;
use ext_php_rs::error::Result;
use ext_php_rs::flags::DataType;

use crate::host::class;
use crate::zend;

/// Forgets the runs of a request that ended inside of them.
pub(crate) fn end_of_request() {
    toolwire::executor::forget_nested_runs();
    resume::end_of_request();
}

/// Registers the classes, each after the classes that it needs.
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
    class::register::<provider::Provider>()?;
    class::register::<agent_limits::AgentLimits>()?;
    class::register::<model_response::ModelResponse>()?;
    class::register::<agent_answer::AgentAnswer>()?;
    class::register::<agent::Agent>()?;
    zend::widen(provider::Provider::get_metadata().ce(), "dump", provider::REDACT, DataType::Array);
    zend::widen(agent::Agent::get_metadata().ce(), "__construct", agent::REDACT, DataType::Array);
    zend::widen(
        executor::Executor::get_metadata().ce(),
        "__construct",
        executor::REDACT,
        DataType::Array,
    );
    let registry = registry::Registry::get_metadata().ce();
    zend::widen(registry, "renderprompt", 0, DataType::Array);
    zend::widen(registry, "renderprompt", 0, DataType::String);
    zend::widen(registry, "renderprompt", 1, DataType::String);
    zend::trace::<definition::ToolDefinition>();
    zend::trace::<registry::Registry>();
    zend::trace::<executor::Executor>();
    zend::trace::<agent::Agent>();
    Ok(())
}
