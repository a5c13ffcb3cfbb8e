//! The tools of the MemberPress AI Assistant, and calls and results in its HTML.
//!
//! Every value is escaped for its place; nothing that a model or a tool wrote becomes markup.

use std::fmt::Write;

use crate::detect::{Format, Options, Preset, Tools};
use crate::html::escape;
use crate::json::parse::parse_json;

/// The three formats and the tools of the assistant, and the retired names of one of them.
///
/// ```
/// use serde_json::json;
/// use toolwire::{Options, compat::memberpress};
///
/// let mut options = Options { presets: &[memberpress::PRESET], ..Options::default() };
/// options.set("preset", &json!("memberpress"))?;
/// assert_eq!(options.renamed.legacy["wp_cli"], "wpcli");
/// # Ok::<(), toolwire::Error>(())
/// ```
pub const PRESET: Preset = Preset { name: "memberpress", apply: set };

fn set(options: &mut Options) {
    options.formats = Format::seeds();
    options.tools = Some(Tools::named(["wpcli", "wp_api", "plugin_logs"]));
    let retired = ["wpcli_new", "wp_cli"].map(|old| (old.to_owned(), "wpcli".to_owned()));
    options.renamed.legacy.extend(retired);
}

/// The HTML block of a call.
///
/// `arguments` is JSON text. It stands verbatim in the attribute and indented in the text.
///
/// ```
/// use toolwire::compat::memberpress::render_call;
///
/// let html = render_call("wp_api", r#"{"q":"it's"}"#, "processing", "call_1");
/// assert!(html.contains("data-tool-parameters=\"{&quot;q&quot;:&quot;it&#39;s&quot;}\""));
/// ```
#[must_use]
pub fn render_call(name: &str, arguments: &str, status: &str, id: &str) -> String {
    let value = parse_json(arguments.as_bytes()).ok();
    let pretty = value.and_then(|value| serde_json::to_string_pretty(&value).ok());
    let pretty = pretty.unwrap_or_else(|| arguments.to_owned());
    let (name, id) = (escape(name), escape(id));
    let (shown, class) = (escape(&capitalised(status)), escape(&class_token(status)));
    let mut html = String::new();
    // Writing to a string cannot fail.
    let _ = write!(
        html,
        "<div id=\"{id}\" class=\"mpai-tool-call\" data-tool-name=\"{name}\" \
         data-tool-parameters=\"{}\"><div class=\"mpai-tool-call-header\">\
         <span class=\"mpai-tool-call-name\">{name}</span> \
         <span class=\"mpai-tool-call-status mpai-tool-call-{class}\">{shown}</span></div>\
         <div class=\"mpai-tool-call-parameters\"><pre>{}</pre></div>\
         <div class=\"mpai-tool-call-result\"></div></div>",
        escape(arguments),
        escape(&pretty),
    );
    html
}

/// The HTML block of a result; a failed, denied or invalid call is shown as an error.
///
/// ```
/// let html = toolwire::compat::memberpress::render_result("wp_api", false, "<b>no</b>");
/// assert!(html.contains("mpai-tool-error"));
/// assert!(html.contains("&lt;b&gt;no&lt;/b&gt;"));
/// ```
#[must_use]
pub fn render_result(name: &str, success: bool, result: &str) -> String {
    let (class, status) =
        if success { ("mpai-tool-success", "Success") } else { ("mpai-tool-error", "Error") };
    format!(
        "<div class=\"mpai-tool-result {class}\"><div class=\"mpai-tool-result-header\">\
         <span class=\"mpai-tool-result-name\">{}</span> \
         <span class=\"mpai-tool-result-status\">{status}</span></div>\
         <pre class=\"mpai-tool-result-content\">{}</pre></div>",
        escape(name),
        escape(result),
    )
}

fn capitalised(status: &str) -> String {
    let mut characters = status.chars();
    characters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

/// A status as a part of one class name; white space would split it into several names.
fn class_token(status: &str) -> String {
    status
        .chars()
        .map(|character| if character.is_whitespace() { '-' } else { character })
        .collect()
}
