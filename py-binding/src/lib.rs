//! The private module `toolwire._native`: core for Python.
//!
//! Converts values, calls core and maps errors; what it does is documented in the Python package, whose
//! docstrings stand on the items here. Their examples are run by `tests/python/test_docs.py`.

#![allow(clippy::doc_markdown, reason = "the comments become Python docstrings")]

mod argument;
mod call;
mod comment;
mod detection;
mod detector;
mod diff;
mod entry;
mod error;
mod event;
mod exchange;
mod finder;
mod format;
mod json;
mod legacy;
mod native;
mod node;
mod option;
mod raw;
mod rejection;
mod render;
mod replace;
mod reply;
mod report;
mod schema;
mod stream;
mod summary;
mod text;
mod token;
mod tools;
mod transcript;
mod value;
mod visible;

/// The module that Python imports.
#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use super::call::{Diagnostic, ToolCall};
    #[pymodule_export]
    use super::comment::{Redactor, clean_comment, comment_from_reply, publishable};
    #[pymodule_export]
    use super::detection::{Detection, Segment};
    #[pymodule_export]
    use super::detector::{Detector, Seen, detect};
    #[pymodule_export]
    use super::diff::{diff_json, diff_structured, diff_text};
    #[pymodule_export]
    use super::entry::{Entry, Patch};
    #[pymodule_export]
    use super::error::error_kinds;
    #[pymodule_export]
    use super::event::Event;
    #[pymodule_export]
    use super::exchange::{Exchange, NativeRejection, NativeResult};
    #[pymodule_export]
    use super::finder::{
        find_all_handler_results, find_handler_result, project_envelope_data, project_result_data,
        project_result_envelope, project_result_success,
    };
    #[pymodule_export]
    use super::format::{Format, formats};
    #[pymodule_export]
    use super::legacy::{
        legacy_chunks, legacy_comment_field, legacy_comment_line, legacy_comment_text,
        legacy_json_candidates, legacy_object_candidates,
    };
    #[pymodule_export]
    use super::native::{Accumulator, dump, parse};
    #[pymodule_export]
    use super::rejection::Rejection;
    #[pymodule_export]
    use super::render::{render_call, render_result};
    #[pymodule_export]
    use super::replace::replace;
    #[pymodule_export]
    use super::reply::extract_json;
    #[pymodule_export]
    use super::report::Report;
    #[pymodule_export]
    use super::schema::InputSchema;
    #[pymodule_export]
    use super::stream::Stream;
    #[pymodule_export]
    use super::summary::{results_summary, summarize_tool_data};
    #[pymodule_export]
    use super::token::{chunk_text, count_tokens, optimal_chunk_size, truncate_to_tokens};
    #[pymodule_export]
    use super::tools::approval_detail::ApprovalDetail;
    #[pymodule_export]
    use super::tools::approvals::Approvals;
    #[pymodule_export]
    use super::tools::limiter::Limiter;
    #[pymodule_export]
    use super::tools::message::{
        message_approval, message_behavior, message_changed, message_failed, message_input, message_limited,
        message_not_found, message_permission, message_undo,
    };
    #[pymodule_export]
    use super::tools::redaction::Secrets;
    #[pymodule_export]
    use super::tools::resolved::{ResolvedToolCall, UnresolvedToolCall};
    #[pymodule_export]
    use super::tools::run::{RunSettings, ToolRun};
    #[pymodule_export]
    use super::tools::spec::ToolSpec;
    #[pymodule_export]
    use super::tools::store::{MemoryStore, SqliteStore};
    #[pymodule_export]
    use super::tools::table::ToolTable;
    #[pymodule_export]
    use super::tools::undo::{UndoLease, UndoTable};
    #[pymodule_export]
    use super::tools::undoing::ToolUndoing;
    #[pymodule_export]
    use super::transcript::{Reducer, Transcript, read_transcript};
    #[pymodule_export]
    use super::visible::visible;

    /// The version of the package.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
