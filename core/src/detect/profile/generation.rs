//! The end of the prompt that a chat template writes.
//!
//! From the last mention of `add_generation_prompt` on, the template is read as if it were run:
//! that variable is true, the switches of reasoning are not given, and a condition that is not
//! understood holds.

use super::jinja::{JinjaToken, Variables, holds, text_length, texts, tokens, value};

/// A part of a template.
enum TemplatePart<'t> {
    Text(&'t str),
    Statement(&'t str),
    Output(&'t str),
}

/// A statement with branches that is open.
struct Branches {
    /// Whether what is around it is written.
    outer: bool,
    /// Whether one of its branches was taken.
    taken: bool,
    active: bool,
}

/// The text that stands last in the prompt, as far as the template itself writes it.
pub(super) fn generation_prompt(template: &str) -> String {
    let parts = parts(template);
    let mentions = |part: &TemplatePart<'_>| match part {
        TemplatePart::Text(_) => false,
        TemplatePart::Statement(inner) | TemplatePart::Output(inner) => {
            inner.contains("add_generation_prompt")
        }
    };
    let Some(start) = parts.iter().rposition(mentions) else { return String::new() };
    let mut variables = Variables::new();
    for part in parts.iter().take(start) {
        if let TemplatePart::Statement(inner) = part {
            assign(&tokens(inner), &mut variables);
        }
    }
    let mut prompt = String::new();
    let mut open: Vec<Branches> = Vec::new();
    for part in parts.iter().skip(start) {
        let active = open.last().is_none_or(|branches| branches.active);
        match part {
            TemplatePart::Text(text) if active => prompt.push_str(text),
            TemplatePart::Output(inner) if active => {
                prompt.push_str(&texts(&tokens(inner), &variables));
            }
            TemplatePart::Statement(inner) => {
                statement(&tokens(inner), active, &mut open, &mut variables);
            }
            TemplatePart::Text(_) | TemplatePart::Output(_) => {}
        }
    }
    prompt
}

fn statement(
    tokens: &[JinjaToken<'_>],
    active: bool,
    open: &mut Vec<Branches>,
    variables: &mut Variables,
) {
    let Some((JinjaToken::Name(word), condition)) = tokens.split_first() else { return };
    match *word {
        "if" => {
            let active = active && holds(condition, variables);
            let outer = open.last().is_none_or(|branches| branches.active);
            open.push(Branches { outer, taken: active, active });
        }
        "for" => open.push(Branches { outer: active, taken: true, active }),
        // Where the part that is read begins in a branch, its statement is not open.
        "elif" if open.is_empty() => {
            open.push(Branches { outer: true, taken: true, active: true });
        }
        "elif" | "else" => {
            if let Some(branches) = open.last_mut() {
                let holds = *word == "else" || holds(condition, variables);
                branches.active = branches.outer && !branches.taken && holds;
                branches.taken |= branches.active;
            }
        }
        "endif" | "endfor" => {
            open.pop();
        }
        "set" if active => assign(tokens, variables),
        _ => {}
    }
}

/// Takes over what `set NAME = VALUE` says.
fn assign(tokens: &[JinjaToken<'_>], variables: &mut Variables) {
    if let [JinjaToken::Name("set"), JinjaToken::Name(name), JinjaToken::Sign('='), given @ ..] =
        tokens
    {
        let value = value(given, variables);
        variables.insert((*name).to_owned(), value);
    }
}

/// Cuts a template into texts, statements and outputs; comments are left out.
fn parts(template: &str) -> Vec<TemplatePart<'_>> {
    let mut parts = Vec::new();
    let mut rest = template;
    while let Some(at) = rest.find('{') {
        let (text, behind) = rest.split_at_checked(at).unwrap_or((rest, ""));
        let sign = behind.chars().nth(1);
        let end = match sign {
            Some('%') => tag_end(behind, "%}"),
            Some('{') => tag_end(behind, "}}"),
            Some('#') => behind.find("#}").unwrap_or(behind.len()),
            _ => 0,
        };
        if end == 0 {
            let (text, behind) = rest.split_at_checked(at + 1).unwrap_or((rest, ""));
            parts.push(TemplatePart::Text(text));
            rest = behind;
            continue;
        }
        parts.push(TemplatePart::Text(text));
        let inner = behind.get(2..end).unwrap_or_default();
        let inner = inner.trim_matches(['-', '+']).trim();
        match sign {
            Some('%') => parts.push(TemplatePart::Statement(inner)),
            Some('{') => parts.push(TemplatePart::Output(inner)),
            _ => {}
        }
        rest = behind.get(end + 2..).unwrap_or_default();
    }
    parts.push(TemplatePart::Text(rest));
    parts
}

/// Where a tag ends; the signs of its end may stand in a text.
fn tag_end(tag: &str, end: &str) -> usize {
    let mut at = 2;
    while let Some(rest) = tag.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with(end) {
            return at;
        }
        let first = rest.chars().next().unwrap_or_default();
        at += if matches!(first, '\'' | '"') { text_length(rest, first) } else { first.len_utf8() };
    }
    tag.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_switches_of_reasoning_have_their_defaults() {
        let cases = [
            ("{% if add_generation_prompt %}<a>\n{% endif %}", "<a>\n"),
            ("{{- '<a>\\n' if add_generation_prompt }}", "<a>\n"),
            (
                "{%- if add_generation_prompt %}{{- '<a>' }}{%- if enable_thinking is defined and \
                 enable_thinking is false %}{{- '<t></t>' }}{%- else %}{{- '<t>' }}{%- endif %}\
                 {%- endif %}",
                "<a><t>",
            ),
            (
                "{% if not thinking is defined %}{% set thinking = false %}{% endif %}\
                 {%- if add_generation_prompt and not ns.is_tool %}{{'<a>'}}{%- if not thinking %}\
                 {{'</t>'}}{%- else %}{{'<t>'}}{%- endif %}{% endif %}",
                "<a></t>",
            ),
            (
                "{%- set think = think if think is defined else True %}\
                 {%- if add_generation_prompt %}{%- if think %}<t>{% else %}</t>{% endif %}\
                 {% endif %}",
                "<t>",
            ),
            (
                "{%- if add_generation_prompt -%}<a>{{- '</t>' if (enable_thinking is defined and \
                 not enable_thinking) else '<t>' -}}{%- endif -%}",
                "<a><t>",
            ),
            (
                "{% set t = thinking | default(true) %}{{ '<t>' if t and add_generation_prompt }}",
                "<t>",
            ),
            ("{% if add_generation_prompt %}a{% elif x %}b{% else %}c{% endif %}d", "ad"),
            ("{# {% if add_generation_prompt %}<t>{% endif %} #}", ""),
            ("{{ '}}' ~ add_generation_prompt }}", "}}"),
        ];
        for (template, prompt) in cases {
            assert_eq!(generation_prompt(template), prompt, "{template}");
        }
    }

    #[test]
    fn a_broken_template_is_read_as_far_as_it_goes() {
        let tag = "{% if add_generation_prompt ";
        for broken in [tag, "{{ add_generation_prompt '", "{%", "{", "{% endif %}{% else %}", "é{é"]
        {
            generation_prompt(broken);
            generation_prompt(&format!("{tag}%}}{broken}"));
        }
        generation_prompt(&format!("{tag}{}", "(".repeat(100_000)));
        generation_prompt(&format!("{tag}%}}{}", "{{ a if b else ".repeat(20_000)));
    }
}
