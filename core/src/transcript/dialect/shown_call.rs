//! Calls that Cline and Roo show to the person, and what their next request says of them.

use crate::json::tape::Tape;
use crate::json::value::Json;
use crate::transcript::action::{CallAction, FileChange};
use crate::transcript::dialect::call::written;
use crate::transcript::dialect::cline::ending;
use crate::transcript::dialect::field::first_text;
use crate::transcript::dialect::held_text::HeldText;
use crate::transcript::dialect::outcome::{CallEnding, ResultParts};
use crate::transcript::dialect::shape::file_edit;
use crate::transcript::dialect::tools;
use crate::transcript::event::LogEvent;

/// How far into an answer the exit code of a command stands.
const HEAD: usize = 600;
/// The mark behind a command for which the model asked for an approval.
const ASKS: &str = "REQ_APP";

/// A call that waits for its result.
#[derive(Debug)]
pub(super) struct ShownCall {
    pub(super) id: String,
    /// The time of its record, which names it.
    pub(super) stamp: Box<str>,
    output: Option<HeldText>,
    ending: CallEnding,
    ended: Option<i64>,
}

impl ShownCall {
    pub(super) fn new(number: u64, stamp: &str) -> Self {
        let id = format!("call_{number}");
        let ending = CallEnding::Success;
        Self { id, stamp: stamp.into(), output: None, ending, ended: None }
    }

    pub(super) fn has_output(&self) -> bool {
        self.output.is_some()
    }

    /// How many bytes the call has given so far.
    pub(super) fn size(&self) -> usize {
        self.output.as_ref().map_or(0, HeldText::len)
    }

    /// Takes what the call gave; the output of a command comes in several pieces.
    pub(super) fn end(&mut self, ending: CallEnding, text: &str, at: Option<i64>) {
        self.ending = ending;
        self.ended = at.or(self.ended);
        let output = self.output.get_or_insert_default();
        if !output.is_empty() && !text.is_empty() {
            output.push("\n");
        }
        output.push(text);
    }

    /// The result, if anything that was shown tells it.
    pub(super) fn shown(self) -> Option<LogEvent<'static>> {
        self.output.is_some().then(|| self.settled(None))
    }

    /// The result of a call behind which the work went on, by what the next request says.
    pub(super) fn settled(self, answer: Option<&str>) -> LogEvent<'static> {
        let Self { id, output, ending: shown, ended, .. } = self;
        let output = output.map(HeldText::into_text);
        let told = answer.map(ending).unwrap_or_default();
        let ending = if told == CallEnding::Success { shown } else { told };
        let parts = ResultParts { id: Some(id.into()), name: None, at: ended, ending };
        let words = match (output, answer) {
            (Some(output), _) if told == CallEnding::Success && !output.is_empty() => output,
            (output, answer) => answer.map(str::to_owned).or(output).unwrap_or_default(),
        };
        match answer.and_then(exit_code) {
            Some(code) if ending == CallEnding::Success => {
                parts.of_command(words.into(), Some(code))
            }
            _ => parts.saying(words.into()),
        }
    }
}

/// The exit code that Roo writes before a command's output.
fn exit_code(answer: &str) -> Option<i32> {
    let head = answer.get(..answer.floor_char_boundary(HEAD))?;
    let head = head.split("\nOutput:").next()?;
    let (_, code) = head.split_once("Exit code: ")?;
    let end = code.find(|letter: char| !letter.is_ascii_digit() && letter != '-');
    code.get(..end.unwrap_or(code.len()))?.parse().ok()
}

/// The text of a request: what the program told the model of the calls.
#[derive(Debug, Default)]
pub(super) struct ShownRequest<'t> {
    answers: Vec<&'t str>,
}

impl<'t> ShownRequest<'t> {
    /// Cuts the text at the lines that begin an answer, `[read_file for 'a'] Result:`.
    pub(super) fn new(text: &'t str) -> Self {
        const MARK: &str = "] Result:";
        let mut answers = Vec::new();
        let (mut open, mut place) = (None, 0);
        for line in text.split_inclusive('\n') {
            let begins = line.starts_with('[').then(|| line.find(MARK)).flatten();
            if begins.is_some() || line.starts_with("<environment_details>") {
                answers.extend(open.take().and_then(|start| text.get(start..place)));
                open = begins.map(|mark| place + mark + MARK.len());
            }
            place += line.len();
        }
        answers.extend(open.and_then(|start| text.get(start..)));
        Self { answers }
    }

    /// The answer to a call among those that wait. Answers that are not as many as the calls answer
    /// none of several, so that no call gets the result of another.
    pub(super) fn answer(&self, place: usize, calls: usize) -> Option<&'t str> {
        let is_sure = self.answers.len() == calls || calls == 1;
        self.answers.get(place).filter(|_| is_sure).map(|answer| answer.trim())
    }
}

/// The call that a record shows, which has an id; none if its text is not one.
pub(super) fn called(
    word: &str,
    text: &str,
    id: &str,
    at: Option<i64>,
) -> Option<LogEvent<'static>> {
    let made = |name: &str, arguments: String, action| LogEvent::ToolCall {
        id: id.to_owned().into(),
        name: name.to_owned().into(),
        arguments: arguments.into(),
        action,
        at,
    };
    let plain = |key: &str, value: &str| serde_json::json!({key: value}).to_string();
    if word == "command" {
        let command = text.strip_suffix(ASKS).unwrap_or(text);
        let action = CallAction::Command { command: command.to_owned() };
        return Some(made("execute_command", plain("command", command), action));
    }
    if word == "browser_action_launch" {
        let action = CallAction::WebFetch { url: text.to_owned() };
        return Some(made(word, plain("url", text), action));
    }
    let mut tape = Tape::default();
    let shown = tape.read(text.trim())?;
    match word {
        "tool" => {
            let name = shown.text_of("tool")?;
            Some(made(&name, shown.raw().to_owned(), action(&name, shown)))
        }
        "use_mcp_server" => {
            let name = first_text(shown, &["toolName", "type"])?;
            let arguments = shown.get("arguments").or(shown.get("uri").map(|_| shown));
            Some(made(&name, written(arguments).into_owned(), CallAction::Tool))
        }
        _ => Some(made(word, shown.raw().to_owned(), CallAction::Tool)),
    }
}

/// What a tool does, under the names that are shown.
fn action(name: &str, shown: Json<'_>) -> CallAction {
    let text = |keys: &[&str]| first_text(shown, keys).map(String::from);
    let path = || text(&["path"]);
    let found = match name {
        "readFile" | "listFilesTopLevel" | "listFilesRecursive" | "listCodeDefinitionNames" => {
            path().map(|path| CallAction::FileRead { path })
        }
        "searchFiles" | "codebaseSearch" => {
            text(&["regex", "query"]).map(|query| CallAction::Search { query })
        }
        "webFetch" | "webSearch" => path().map(|url| CallAction::WebFetch { url }),
        "newFileCreated" => path()
            .zip(text(&["content"]))
            .map(|(path, content)| file_edit(path, vec![FileChange::Write(content)])),
        "editedExistingFile" | "appliedDiff" | "insertContent" | "searchAndReplace" => {
            path().map(|path| file_edit(path, Vec::new()))
        }
        _ => Some(tools::action(name, shown)),
    };
    found.unwrap_or(CallAction::Tool)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_answers_calls_in_order_or_not_at_all() {
        let text = "[read_file for 'a'] Result:\n\nx\n[b]\n\n[read_file for 'b'] Result:\ny\n\n\
                    <environment_details>\n[c] Result: z";
        let request = ShownRequest::new(text);
        let answers = |calls| (0..calls).map(|place| request.answer(place, calls)).collect();
        let both: Vec<_> = answers(2);
        assert_eq!(both, [None; 2]);
        let request = ShownRequest::new(text.split("\n[c]").next().unwrap());
        assert_eq!((request.answer(0, 2), request.answer(1, 2)), (Some("x\n[b]"), Some("y")));
        assert_eq!(ShownRequest::default().answer(0, 1), None);
    }

    #[test]
    fn an_exit_code_counts_before_the_output_alone() {
        let answer = "Command executed in terminal. Exit code: 3\nOutput:\nExit code: 0";
        assert_eq!(exit_code(answer), Some(3));
        assert_eq!(exit_code("Command executed.\nOutput:\nExit code: 3"), None);
    }
}
