//! Endpoint of a webhook: path, port or URL, and the versions of reviews.

use syn::spanned::Spanned as _;

use crate::keys::Keys;
use crate::table::Key;
use crate::{Problems, Spanned, dns, service};

/// The path, which becomes the `PATH` of the impl.
pub(super) fn path(
    keys: &Keys,
    item: &syn::ItemImpl,
    problems: &mut Problems,
) -> Option<Spanned<String>> {
    let written = item.items.iter().find_map(|inner| match inner {
        syn::ImplItem::Const(constant) if constant.ident == "PATH" => Some(constant.span()),
        _ => None,
    });
    if let Some(span) = written {
        problems.report(
            span,
            "the configuration of the webhook does not follow a `PATH` that is written by hand",
            "remove it, and write `#[webhook(path = \"..\")]`",
        );
    }
    service::path(keys, problems)
}

pub(super) fn port(keys: &Keys, problems: &mut Problems) -> Option<u16> {
    service::port(keys, problems).map(|port| port.value)
}

/// The URL, as the API server checks it (`k8s.io/apiserver/pkg/util/webhook`,
/// `ValidateWebhookURL`).
pub(super) fn url(keys: &Keys, problems: &mut Problems) -> Option<String> {
    let url = keys.text(Key::URL)?;
    if let Some((message, help)) = refused(&url.value) {
        problems.report(url.span, message, help);
    }
    Some(url.value)
}

/// Why the API server refuses a URL, and what to write.
fn refused(url: &str) -> Option<(&'static str, String)> {
    const SAMPLE: &str = "write `url = \"https://host:port/path\"`";
    let Some(rest) = url.strip_prefix("https://") else {
        let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
        let help = format!("write `url = \"https://{}\"`", rest.trim_start_matches('/'));
        return Some(("the API server calls webhooks by https", help));
    };
    let end = rest.find(['?', '#']).unwrap_or(rest.len());
    let (before, after) = rest.split_at(end);
    let (authority, path) = before.split_at(before.find('/').unwrap_or(before.len()));
    let with = |authority: &str| format!("write `url = \"https://{authority}{path}\"`");
    if !after.is_empty() {
        return Some((
            "the URL of a webhook has no query and no fragment",
            with(authority),
        ));
    }
    if let Some((_, host)) = authority.rsplit_once('@') {
        return Some(("the URL of a webhook has no user", with(host)));
    }
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, port),
        _ => (authority, ""),
    };
    let is_host = |c: char| c.is_ascii_alphanumeric() || "-._~[]:".contains(c);
    if host.is_empty() || !host.chars().all(is_host) || !port.chars().all(|c| c.is_ascii_digit()) {
        return Some(("the URL of a webhook has a host", SAMPLE.to_owned()));
    }
    None
}

/// The versions of `AdmissionReview`, one of which the API server has to know.
pub(super) fn review_versions(keys: &Keys, problems: &mut Problems) -> Vec<String> {
    const KNOWN: [&str; 2] = ["v1", "v1beta1"];
    let versions = keys.texts(Key::REVIEW_VERSIONS);
    for version in versions
        .iter()
        .filter(|version| !dns::is_label(&version.value))
    {
        problems.report(
            version.span,
            format!("`{}` is not a version of AdmissionReview", version.value),
            dns::lower_case(&version.value, dns::is_label, "write `\"v1\"`"),
        );
    }
    let is_known = |version: &Spanned<String>| KNOWN.contains(&&*version.value);
    if let Some(key) = keys.get(Key::REVIEW_VERSIONS)
        && !versions.iter().any(is_known)
        && versions.iter().all(|version| dns::is_label(&version.value))
    {
        problems.report(
            key.span,
            "the API server sends reviews of v1 and v1beta1",
            "write `review_versions = [\"v1\"]`",
        );
    }
    versions.into_iter().map(|version| version.value).collect()
}
