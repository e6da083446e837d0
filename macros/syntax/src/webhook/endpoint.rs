//! Endpoint of an admission webhook: path, port of the service, and review versions.

use syn::spanned::Spanned as _;

use crate::keys::Keys;
use crate::table::Key;
use crate::{Problems, Spanned, dns, service, url};

/// Returns the path of the key `path`, or else the path in the URL. Reports a hand-written constant
/// `PATH` in the impl, since the generator does not read it.
pub(super) fn path(
    keys: &Keys,
    url: Option<&Spanned<String>>,
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
            "a hand-written `PATH` is not part of the webhook configuration",
            "remove it, and write `#[webhook(path = \"..\")]`",
        );
    }
    let of_url = url.map(|url| Spanned::new(url::path(&url.value).to_owned(), url.span));
    service::path(keys, problems).or(of_url)
}

pub(super) fn port(keys: &Keys, problems: &mut Problems) -> Option<u16> {
    service::port(keys, problems).map(|port| port.value)
}

/// Reads the versions of `AdmissionReview`. The API server has to support at least one of them.
pub(super) fn review_versions(keys: &Keys, problems: &mut Problems) -> Vec<String> {
    const KNOWN: [&str; 2] = ["v1", "v1beta1"];
    let versions = keys.texts(Key::REVIEW_VERSIONS);
    for version in versions
        .iter()
        .filter(|version| !dns::is_label(&version.value))
    {
        problems.report(
            version.span,
            format!("invalid AdmissionReview version `{}`", version.value),
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
            "`review_versions` must include `v1` or `v1beta1`",
            "write `review_versions = [\"v1\"]`",
        );
    }
    versions.into_iter().map(|version| version.value).collect()
}
