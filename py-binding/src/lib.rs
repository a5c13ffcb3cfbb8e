//! The private module `toolwire._native`: core for Python.
//!
//! It converts values, calls core and maps errors. The behaviour is documented in the Python
//! package, and the docstrings are written on the items here. `tests/python/test_docs.py` runs
//! their examples.

#![allow(clippy::doc_markdown, reason = "the comments become Python docstrings")]

mod batch;
mod class;
mod host;
mod key;
mod raw;
mod tools;

/// The module that Python imports.
#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use super::class::answer::dump_answer;
    #[pymodule_export]
    use super::class::call::ToolCall;
    #[pymodule_export]
    use super::class::chunks::Chunks;
    #[pymodule_export]
    use super::class::column::Column;
    #[pymodule_export]
    use super::class::comment::{Redactor, clean_comment, comment_from_reply, publishable};
    #[pymodule_export]
    use super::class::constrain::{Constraint, ConstraintNote, constrain};
    #[pymodule_export]
    use super::class::detection::{Detection, Segment};
    #[pymodule_export]
    use super::class::detector::{Detector, Seen, detect};
    #[pymodule_export]
    use super::class::diagnostic::Diagnostic;
    #[pymodule_export]
    use super::class::diff::{change_summary, diff_json, diff_structured, diff_text};
    #[pymodule_export]
    use super::class::entry::{Entry, Patch, load_entry};
    #[pymodule_export]
    use super::class::event::Event;
    #[pymodule_export]
    use super::class::exchange::{Exchange, ProviderItem, ProviderRejection, ProviderResult};
    #[pymodule_export]
    use super::class::finder::{
        find_all_handler_results, find_handler_result, project_envelope_data, project_result_data,
        project_result_envelope, project_result_success,
    };
    #[pymodule_export]
    use super::class::format::{Format, formats};
    #[pymodule_export]
    use super::class::legacy::{
        legacy_chunks, legacy_comment_field, legacy_comment_line, legacy_comment_text,
        legacy_json_candidates, legacy_object_candidates,
    };
    #[pymodule_export]
    use super::class::member::json_members;
    #[pymodule_export]
    use super::class::message::{call_id, message, refusal};
    #[pymodule_export]
    use super::class::profile::{Profile, explain_profile, profile_for, profiles};
    #[pymodule_export]
    use super::class::provider::{Accumulator, dump, parse, parse_batch};
    #[pymodule_export]
    use super::class::rejection::Rejection;
    #[pymodule_export]
    use super::class::render::{render_call_html, render_result};
    #[pymodule_export]
    use super::class::replace::replace;
    #[pymodule_export]
    use super::class::reply::extract_json;
    #[pymodule_export]
    use super::class::report::Report;
    #[pymodule_export]
    use super::class::request::{history, options, response, with_calls};
    #[pymodule_export]
    use super::class::schema::InputSchema;
    #[pymodule_export]
    use super::class::stream::Stream;
    #[pymodule_export]
    use super::class::summary::{results_summary, results_summary_batch, summarize_tool_data};
    #[pymodule_export]
    use super::class::token::{
        TextChunk, chunk_text, count_tokens, optimal_chunk_size, truncate_to_tokens,
    };
    #[pymodule_export]
    use super::class::transcript::{
        Reader, Transcript, index_html, load_transcript, normalize_batch, read_transcript,
        transcript_dialects,
    };
    #[pymodule_export]
    use super::class::visible::{quote, visible};
    #[pymodule_export]
    use super::class::write::{render_call, render_calls, render_message};
    #[pymodule_export]
    use super::host::error::error_kinds;
    #[pymodule_export]
    use super::raw::layouts;
    #[pymodule_export]
    use super::tools::agent::{
        AgentConversation, AgentConversations, AgentHearing, AgentSettings, model_failure,
    };
    #[pymodule_export]
    use super::tools::approval_detail::ApprovalDetail;
    #[pymodule_export]
    use super::tools::approval_record::ApprovalRecord;
    #[pymodule_export]
    use super::tools::approvals::Approvals;
    #[pymodule_export]
    use super::tools::asked::asked;
    #[pymodule_export]
    use super::tools::limiter::{LimitCheck, Limiter};
    #[pymodule_export]
    use super::tools::message::{
        message_approval, message_arguments, message_bad_call, message_changed, message_failed,
        message_input, message_limited, message_lost, message_mode, message_not_found,
        message_permission, message_reused, message_schema_limit, message_timeout, message_undo,
        stageflow_approval, stageflow_failed, stageflow_not_found, stageflow_undo,
    };
    #[pymodule_export]
    use super::tools::redaction::Secrets;
    #[pymodule_export]
    use super::tools::resolved::{ResolvedToolCall, UnresolvedToolCall};
    #[pymodule_export]
    use super::tools::run::ToolRun;
    #[pymodule_export]
    use super::tools::run_record::RunRecord;
    #[pymodule_export]
    use super::tools::runs::{RunClaim, RunRenewal, RunTable, name_run};
    #[pymodule_export]
    use super::tools::settings::RunSettings;
    #[pymodule_export]
    use super::tools::spec::ToolSpec;
    #[pymodule_export]
    use super::tools::step::{StoreReply, ToolStep};
    #[pymodule_export]
    use super::tools::store::{MemoryStore, SqliteStore};
    #[pymodule_export]
    use super::tools::table::ToolTable;
    #[pymodule_export]
    use super::tools::undo::{UndoClaim, UndoLease, UndoRecord, UndoTable};
    #[pymodule_export]
    use super::tools::undoing::ToolUndoing;

    /// Checks once how this interpreter lays its values out.
    #[pymodule_init]
    fn init(module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        crate::raw::check_layouts(module.py())
    }

    /// How long an action may be undone by default, in seconds.
    #[pymodule_export]
    const UNDO_TTL_SECONDS: f64 = toolwire::lifecycle::UndoStore::TTL_SECONDS;

    /// How long an undo handler may run by default, in seconds.
    #[pymodule_export]
    const UNDO_LEASE_SECONDS: f64 = toolwire::lifecycle::UndoStore::LEASE_SECONDS;

    /// The version of the package.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
