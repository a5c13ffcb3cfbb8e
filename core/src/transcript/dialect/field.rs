//! Finds what records of many dialects have, under any of the keys that they use for it.

use std::borrow::Cow;

use crate::json::value::Json;

/// The text under the first of some keys that has one.
pub(super) fn first_text<'a>(object: Json<'a>, keys: &[&str]) -> Option<Cow<'a, str>> {
    keys.iter().find_map(|key| object.text_of(key))
}

/// The value under the first of some keys that has one, unless it is null.
pub(super) fn first<'a>(object: Json<'a>, keys: &[&str]) -> Option<Json<'a>> {
    keys.iter().find_map(|key| object.get(key).filter(|value| !value.is_null()))
}

/// The list under the first of some keys that has one, or the document if it is a list itself.
pub(super) fn list_in<'a>(document: Json<'a>, keys: &[&str]) -> Option<Json<'a>> {
    Some(first(document, keys).unwrap_or(document)).filter(|list| list.is_array())
}

/// The value behind some keys, each in the object of the one before.
pub(in crate::transcript) fn at<'a>(object: Json<'a>, path: &[&str]) -> Option<Json<'a>> {
    path.iter().try_fold(object, |inner, key| inner.get(key))
}

/// The text behind some keys.
pub(super) fn text_at<'a>(object: Json<'a>, path: &[&str]) -> Option<Cow<'a, str>> {
    at(object, path)?.text()
}

/// Whether an object has all of some keys.
pub(super) fn has(object: Json<'_>, keys: &[&str]) -> bool {
    keys.iter().all(|key| object.get(key).is_some())
}

/// Whether a value is an array with an item that fits.
pub(super) fn any(list: Option<Json<'_>>, fits: impl Fn(Json<'_>) -> bool) -> bool {
    list.is_some_and(|list| list.items().any(fits))
}

/// The keys of times that logs use, the surest first.
const TIMES: [&[u8]; 10] = [
    b"timestamp",
    b"time",
    b"created_at",
    b"createdAt",
    b"ts",
    b"created",
    b"timestamp_ms",
    b"datetime",
    b"time_created",
    b"start_time",
];

/// When a record was written, under any of the keys that logs use.
pub(super) fn written_at(record: Json<'_>) -> Option<i64> {
    let mut found = [None; TIMES.len()];
    record.each_member(|name, value| {
        if matches!(name.first(), Some(b't' | b'c' | b'd' | b's'))
            && let Some(place) = TIMES.iter().position(|key| *key == name)
            && let Some(time) = found.get_mut(place)
        {
            *time = Some(value);
        }
    });
    found.into_iter().flatten().find_map(moment)
}

/// A moment in milliseconds since 1970: a text as in RFC 3339, or a number of seconds,
/// milliseconds or nanoseconds, told apart by their size.
pub(super) fn moment(value: Json<'_>) -> Option<i64> {
    if let Some(text) = value.text() {
        return moment_of_text(&text);
    }
    if let Some(whole) = value.as_i64() {
        return Some(match whole.unsigned_abs() {
            0..100_000_000_000 if whole > 100_000_000 => whole.saturating_mul(1000),
            0..100_000_000_000_000 => whole,
            100_000_000_000_000..100_000_000_000_000_000 => whole / 1000,
            _ => whole / 1_000_000,
        });
    }
    let seconds: f64 = value.raw().parse().ok()?;
    let is_seconds = (1e8..1e11).contains(&seconds);
    let milliseconds = if is_seconds { seconds * 1000.0 } else { seconds };
    #[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
    (milliseconds.abs() < 1e15).then_some(milliseconds as i64)
}

/// The moment of a text as in RFC 3339, also with a space in it.
pub(super) fn moment_of_text(text: &str) -> Option<i64> {
    if let Ok(at) = text.parse::<jiff::Timestamp>() {
        return Some(at.as_millisecond());
    }
    if let Ok(nanoseconds) = text.parse::<i64>() {
        return (nanoseconds > 1_000_000_000_000_000).then_some(nanoseconds / 1_000_000);
    }
    let local: jiff::civil::DateTime = text.parse().ok()?;
    Some(local.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().as_millisecond())
}

/// A whole number of milliseconds out of a number of seconds.
pub(super) fn seconds(value: Json<'_>) -> Option<i64> {
    let seconds: f64 = value.raw().parse().ok()?;
    let is_sane = (0.0..1e12).contains(&seconds);
    #[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
    is_sane.then_some((seconds * 1000.0) as i64)
}

/// Whether a record may be a message in the form of OpenAI's or Anthropic's API.
pub(super) fn is_message(record: Json<'_>) -> bool {
    record.get("type").is_none_or(|kind| kind.text().as_deref() == Some("message"))
        && record.get("role").is_some_and(Json::is_text)
        && record.get("content").is_some()
}
