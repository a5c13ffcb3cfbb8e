//! What the tools of agents do, by the names and keys that many of them use.

use crate::json::value::Json;
use crate::transcript::action::{CallAction, FileChange, Todo};
use crate::transcript::dialect::field::{first, first_text};
use crate::transcript::dialect::shape::file_edit;

const COMMANDS: &[&str] = &[
    "bash",
    "shell",
    "run_shell_command",
    "execute_command",
    "exec_command",
    "shell_command",
    "run_command",
    "run_in_terminal",
    "execute_bash",
    "run_terminal_cmd",
    "terminal",
    "execute",
    "shelltoolcall",
    "powershell",
    "local_shell",
    "run_terminal_command",
    "exec",
    "bash_tool",
];
const READS: &[&str] = &[
    "read",
    "read_file",
    "view",
    "fs_read",
    "list_directory",
    "ls",
    "list_dir",
    "readtoolcall",
    "list_files",
    "lstoolcall",
    "view_file",
    "cat",
    "open_file",
    "readfile",
    "listdir",
];
const SEARCHES: &[&str] = &[
    "grep",
    "glob",
    "search_files",
    "grep_search",
    "file_search",
    "codebase_search",
    "greptoolcall",
    "globtoolcall",
    "search_file_content",
    "semsearchtoolcall",
    "find_files",
];
const FETCHES: &[&str] = &[
    "web_fetch",
    "fetch",
    "webfetch",
    "fetch_url",
    "websearch",
    "web_search",
    "google_web_search",
];
const WRITES: &[&str] = &["write", "write_file", "create_file", "write_to_file", "writetoolcall"];
const EDITS: &[&str] = &["edit", "edit_file", "replace", "str_replace", "replace_in_file"];
const PLANS: &[&str] = &["todowrite", "todo_write", "update_plan", "write_todos"];

const PATHS: &[&str] = &[
    "file_path",
    "path",
    "filePath",
    "absolute_path",
    "target_file",
    "targetFile",
    "relativeWorkspacePath",
    "dir_path",
    "directory_path",
    "AbsolutePath",
    "TargetFile",
    "DirectoryPath",
];

/// What a call does; a call whose arguments do not fit is any tool.
pub(super) fn action(name: &str, arguments: Json<'_>) -> CallAction {
    let name = name.rsplit("__").next().unwrap_or(name).to_ascii_lowercase();
    let is = |names: &[&str]| names.contains(&&*name);
    let text = |keys: &[&str]| first_text(arguments, keys).map(String::from);
    let found = if is(COMMANDS) {
        command(arguments).map(|command| CallAction::Command { command })
    } else if is(READS) {
        text(PATHS).map(|path| CallAction::FileRead { path })
    } else if is(SEARCHES) {
        text(&["pattern", "query", "regex", "Query", "glob_pattern"])
            .map(|query| CallAction::Search { query })
    } else if is(FETCHES) {
        text(&["url", "query", "prompt"]).map(|url| CallAction::WebFetch { url })
    } else if is(WRITES) {
        let content = text(&["content", "fileText", "file_text", "contents"]);
        text(PATHS)
            .zip(content)
            .map(|(path, content)| file_edit(path, vec![FileChange::Write(content)]))
    } else if is(EDITS) {
        edit(arguments)
    } else if is(PLANS) {
        plan(arguments)
    } else {
        None
    };
    found.unwrap_or(CallAction::Tool)
}

/// A command line: a text, or a list of words, of which the last one of `sh -c` counts.
pub(super) fn command(arguments: Json<'_>) -> Option<String> {
    let command = first(arguments, &["command", "cmd", "CommandLine", "script"])?;
    if !command.is_array() {
        return command.text().map(Into::into);
    }
    let words: Vec<_> = command.items().map(Json::text).collect::<Option<_>>()?;
    match words.as_slice() {
        [_, option, inner] if option.starts_with('-') && option.ends_with('c') => {
            Some(inner.clone().into_owned())
        }
        words => Some(words.join(" ")),
    }
}

fn edit(arguments: Json<'_>) -> Option<CallAction> {
    let text = |keys: &[&str]| first_text(arguments, keys).map(String::from);
    let old = text(&["old_string", "oldString", "old_str", "oldText"])?;
    let new = text(&["new_string", "newString", "new_str", "newText"])?;
    Some(file_edit(text(PATHS)?, vec![FileChange::Edit { old, new }]))
}

fn plan(arguments: Json<'_>) -> Option<CallAction> {
    let list = first(arguments, &["todos", "plan", "items"])?;
    let todo = |item: Json<'_>| {
        let content = first_text(item, &["content", "step", "description", "text"])?.into();
        let status = item.text_of("status").unwrap_or_default().into();
        Some(Todo { content, status, priority: item.text_of("priority").map(Into::into) })
    };
    list.items().map(todo).collect::<Option<_>>().map(CallAction::Todos)
}
