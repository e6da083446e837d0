//! `Warning` headers of the API server, for example about deprecated versions and unknown fields
//! (client-go, `rest/warnings.go`; apimachinery, `ParseWarningHeaders` in `pkg/util/net/http.go`).

use http::HeaderMap;
use http::header::WARNING;
use parking_lot::Mutex;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Warn code of every warning that the API server sends. Warnings with other codes are ignored.
const MISCELLANEOUS_CODE: &str = "299";

/// Maximum number of remembered texts; at this limit, all are forgotten. Without a limit their
/// number would grow forever, since a text may contain the name of an object.
const MAX_REMEMBERED_WARNINGS: usize = 1000;

pub(super) enum Warnings {
    /// Logs a warning, unless its text is in this set of remembered texts.
    Log(Mutex<HashSet<String>>),
    /// Passes every warning to this handler.
    To(Box<dyn Fn(&str) + Send + Sync>),
}

impl Default for Warnings {
    fn default() -> Self {
        Self::Log(Mutex::default())
    }
}

impl Warnings {
    pub(super) fn handle(&self, headers: &HeaderMap) {
        for header in headers.get_all(WARNING) {
            let Ok(header) = std::str::from_utf8(header.as_bytes()) else {
                continue;
            };
            for (code, text) in parse_warnings(header) {
                if code == MISCELLANEOUS_CODE && !text.is_empty() {
                    self.report(text);
                }
            }
        }
    }

    fn report(&self, text: String) {
        match self {
            // The handler runs before the response is returned. If its panic were not caught, the
            // caller, such as an informer, would not get the response.
            Self::To(handler) => {
                if catch_unwind(AssertUnwindSafe(|| handler(&text))).is_err() {
                    tracing::error!(warning = text, "on_warning panicked");
                }
            }
            Self::Log(logged) => {
                let mut logged = logged.lock();
                if logged.len() >= MAX_REMEMBERED_WARNINGS {
                    logged.clear();
                }
                if !logged.contains(&text) {
                    tracing::warn!("Warning: {text}");
                    logged.insert(text);
                }
            }
        }
    }
}

/// Parses a header `299 - "text" "date", …` into codes and texts. Stops at the first syntax error.
pub(super) fn parse_warnings(header: &str) -> Vec<(&str, String)> {
    let mut warnings = Vec::new();
    let mut rest = header;
    while let Some((warning, after)) = parse_warning(rest.trim()) {
        warnings.push(warning);
        rest = after;
    }
    warnings
}

/// Parses the first warning. Returns this warning, and the header after the comma that follows it.
fn parse_warning(header: &str) -> Option<((&str, String), &str)> {
    let (code, rest) = header.split_once(' ')?;
    if code.len() != 3 || !code.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (agent, rest) = rest.trim_start().split_once(' ')?;
    if agent.chars().any(char::is_control) {
        return None;
    }
    let (text, rest) = parse_quoted(rest.trim_start())?;
    if text.chars().any(char::is_control) {
        return None;
    }
    let mut rest = rest.trim_start();
    if rest.starts_with('"') {
        let (_date, after) = rest[1..].split_once('"')?;
        rest = after.trim_start();
    }
    let after = match rest.strip_prefix(',') {
        Some(after) => after,
        None if rest.is_empty() => rest,
        None => return None,
    };
    Some(((code, text), after))
}

/// Parses a quoted string. Returns its unescaped text, and the rest of the header.
fn parse_quoted(text: &str) -> Option<(String, &str)> {
    let inner = text.strip_prefix('"')?;
    let mut unquoted = String::new();
    let mut characters = inner.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((unquoted, &inner[at + 1..])),
            '\\' => unquoted.push(characters.next()?.1),
            other => unquoted.push(other),
        }
    }
    None
}
