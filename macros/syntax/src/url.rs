//! URL endpoints of webhooks, the alternative to a service.

use crate::keys::Keys;
use crate::table::Key;
use crate::{Help, Problems, Spanned};

/// Reads the URL and checks it as the API server does (`k8s.io/apiserver/pkg/util/webhook`,
/// `ValidateWebhookURL`).
pub(crate) fn read_url(keys: &Keys, problems: &mut Problems) -> Option<Spanned<String>> {
    let url = keys.text(Key::URL)?;
    if let Some((message, help)) = find_url_error(&url.value) {
        problems.report(url.span, message, help);
    }
    Some(url)
}

/// Returns whether the URL has a path, at least `/`.
pub(crate) fn has_path(url: &str) -> bool {
    !written_path(url).is_empty()
}

/// Returns the path that the API server calls, `/` if the URL has none.
pub(crate) fn url_path(url: &str) -> &str {
    match written_path(url) {
        "" => "/",
        path => path,
    }
}

fn written_path(url: &str) -> &str {
    split_at_path(url.strip_prefix(HTTPS_SCHEME).unwrap_or(url)).1
}

const HTTPS_SCHEME: &str = "https://";

/// Splits a URL without its scheme into authority and path.
fn split_at_path(url: &str) -> (&str, &str) {
    url.split_at(url.find('/').unwrap_or(url.len()))
}

/// Returns the reason why the API server rejects a URL, and the help.
fn find_url_error(url: &str) -> Option<(&'static str, Help)> {
    const SAMPLE: &str = "write `url = \"https://host:port/path\"`";
    let write = |rest: &str| Help::write_key(format!("url = {:?}", format!("https://{rest}")));
    let Some(rest) = url.strip_prefix(HTTPS_SCHEME) else {
        let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
        let help = write(rest.trim_start_matches('/'));
        return Some(("the URL of a webhook must use https", help));
    };
    let end = rest.find(['?', '#']).unwrap_or(rest.len());
    let (before, after) = rest.split_at(end);
    let (authority, path) = split_at_path(before);
    let with = |authority: &str| write(&format!("{authority}{path}"));
    if !after.is_empty() {
        return Some((
            "the URL of a webhook must not have a query or fragment",
            with(authority),
        ));
    }
    if let Some((_, host)) = authority.rsplit_once('@') {
        return Some((
            "the URL of a webhook must not contain user information",
            with(host),
        ));
    }
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, port),
        _ => (authority, ""),
    };
    let is_host = |c: char| c.is_ascii_alphanumeric() || "-._~[]:".contains(c);
    if host.is_empty() || !host.chars().all(is_host) || !port.chars().all(|c| c.is_ascii_digit()) {
        return Some(("the URL of a webhook needs a valid host", SAMPLE.into()));
    }
    None
}
