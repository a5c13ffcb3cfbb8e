//! Configurations of equal options, which are arranged once in a process.
//!
//! To arrange the forms of calls that a detector looks for takes longer than to search a text, and
//! up to a megabyte. A program may make a detector for each text all the same.

use std::sync::Arc;

use super::Config;
use crate::detect::options::Options;
use crate::detect::profile::Profile;
use crate::detect::rule::accept::CallRules;
use crate::detect::rule::tools::Tools;
use crate::error::Error;
use crate::recent::RecentlyUsed;

static CONFIGS: RecentlyUsed<Wanted, Arc<Config>> = RecentlyUsed::new();

/// Options without a set of seen calls.
struct Wanted(Options);

impl PartialEq for Wanted {
    fn eq(&self, other: &Self) -> bool {
        // All options are named, so that a new one is not left out.
        let Options {
            formats,
            profile,
            thinking,
            tools,
            renamed,
            fences,
            reasoning,
            repair,
            schemas,
            seen: _,
            html_class,
            presets: _,
            limits,
        } = &self.0;
        let other = &other.0;
        same(profile.as_ref(), other.profile.as_ref(), Profile::is_as)
            && same(tools.as_ref(), other.tools.as_ref(), Tools::are_as)
            && *formats == other.formats
            && *thinking == other.thinking
            && *renamed == other.renamed
            && (fences, reasoning, repair) == (&other.fences, &other.reasoning, &other.repair)
            && (schemas, limits, html_class) == (&other.schemas, &other.limits, &other.html_class)
    }
}

fn same<T>(one: Option<&T>, other: Option<&T>, same: fn(&T, &T) -> bool) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => same(one, other),
        (one, other) => one.is_none() && other.is_none(),
    }
}

/// The configuration of these options; that of equal options, if it is among those that were used
/// last.
///
/// # Errors
/// The errors of [`Config::new`].
pub(crate) fn config(mut options: Options) -> Result<Arc<Config>, Error> {
    let seen = options.seen.take();
    let make = |wanted: &Wanted| Config::new(wanted.0.clone()).map(Arc::new);
    let shared = CONFIGS.find_or_make(Wanted(options), make)?;
    if seen.is_none() {
        return Ok(shared);
    }
    let rules = CallRules { seen, ..shared.rules.clone() };
    Ok(Arc::new(Config { rules, ..Config::clone(&shared) }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::detect::rule::seen::Seen;

    fn options(settings: &[(&str, serde_json::Value)]) -> Options {
        let mut options = Options::default();
        for (name, value) in settings {
            options.set(name, value).unwrap();
        }
        options
    }

    fn is_shared(one: &Options, other: &Options) -> bool {
        Arc::ptr_eq(&config(one.clone()).unwrap(), &config(other.clone()).unwrap())
    }

    #[test]
    fn equal_options_share_one_configuration() {
        let settings = [
            vec![],
            vec![("formats", json!(["tag", "hermes"]))],
            vec![("formats", json!("auto")), ("repair", json!("safe"))],
            vec![("model", json!("Qwen/Qwen3-8B")), ("thinking", json!(true))],
            vec![("tools", json!(["a", "b"])), ("aliases", json!({"c": "a"}))],
        ];
        for one in &settings {
            assert!(is_shared(&options(one), &options(one)), "{one:?}");
            let others = settings.iter().filter(|other| *other != one);
            others.for_each(|other| assert!(!is_shared(&options(one), &options(other))));
        }
    }

    #[test]
    fn options_that_differ_share_nothing() {
        let schema = json!([{"name": "a", "parameters": {"type": "object"}}]);
        let tools = options(&[("tools", schema.clone())]);
        assert!(is_shared(&tools, &tools));
        // Schemas are not compared, since that may take longer than to read them.
        assert!(!is_shared(&tools, &options(&[("tools", schema)])));
        for (name, one, other) in [
            ("fences", json!("none"), json!("all")),
            ("reasoning", json!("keep"), json!("calls")),
            ("validate", json!("report"), json!("reject")),
            ("coerce", json!(true), json!(false)),
            ("max_calls", json!(1), json!(2)),
            ("legacy", json!({"a": "b"}), json!({"a": "c"})),
            ("tools", json!(["a"]), json!(["a", "b"])),
            ("thinking", json!(true), json!(false)),
            ("html_class", json!("a"), json!("b")),
        ] {
            assert!(!is_shared(&options(&[(name, one)]), &options(&[(name, other)])), "{name}");
        }
        let known = options(&[("model", json!("deepseek-v3.2"))]);
        assert!(!is_shared(&known, &options(&[("model", json!("deepseek-v3.4"))])));
        let named = options(&[("model", json!("qwen3"))]);
        let prompted = options(&[("model", json!("qwen3")), ("prompt", json!("x"))]);
        assert!(!is_shared(&named, &prompted));
    }

    #[test]
    fn a_set_of_seen_calls_is_of_one_detector() {
        let with = |seen: &Seen| Options { seen: Some(seen.clone()), ..Options::default() };
        let [one, other] = [Seen::default(), Seen::default()];
        let text = b"<tool:a>{}</tool>";
        let calls = |options| crate::Detector::new(options).unwrap().detect(text).calls.len();
        assert_eq!([calls(with(&one)), calls(with(&one)), calls(with(&other))], [1, 0, 1]);
        assert_eq!([calls(Options::default()), calls(Options::default())], [1, 1]);
    }

    #[test]
    fn wrong_options_stay_wrong() {
        let mut deep = Options::default();
        deep.limits.max_depth = usize::MAX;
        assert!(config(deep.clone()).is_err() && config(deep).is_err());
    }
}
