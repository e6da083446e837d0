//! Lists in the rules of webhooks and roles: operations, groups, versions, resources.

use super::{Help, Operation, Problems, Spanned, dns};
use crate::keys::Keys;
use crate::table::Key;

/// Matches every value of a list.
pub(crate) const WILDCARD: &str = "*";

pub(crate) fn read_operations(keys: &Keys, problems: &mut Problems) -> Vec<Operation> {
    let names = read_texts(Key::OPERATIONS, keys, problems);
    check_wildcard(Key::OPERATIONS, &names, problems);
    let operations = names
        .iter()
        .filter_map(|name| Operation::from_name(&name.value));
    operations.collect()
}

pub(crate) fn read_groups(keys: &Keys, problems: &mut Problems) -> Vec<Spanned<String>> {
    let groups = read_texts(Key::GROUPS, keys, problems);
    check_wildcard(Key::GROUPS, &groups, problems);
    for group in &groups {
        check_group(group, problems);
    }
    groups
}

pub(crate) fn check_group(Spanned { value, span }: &Spanned<String>, problems: &mut Problems) {
    if value == "core" {
        let help = "write `\"\"` for the core group";
        problems.report(*span, "invalid API group `core`", help);
    } else if !value.is_empty() && value != WILDCARD && !dns::is_subdomain(value) {
        let sample = "write a domain in lower case, for example `\"example.com\"`";
        // `apps/v1`, as in `apiVersion`
        let group = value.split_once('/').map(|(group, _)| group);
        let help = match group.filter(|group| dns::is_subdomain(group)) {
            Some(group) => Help::write(format!("{value:?}"), format!("{group:?}"))
                .map_text(|help| format!("{help}, without the version")),
            None => suggest_several(value)
                .map(Help::from)
                .unwrap_or_else(|| dns::suggest_lower_case(value, dns::is_subdomain, sample)),
        };
        problems.report(*span, format!("invalid API group `{value}`"), help);
    }
}

pub(crate) fn read_versions(keys: &Keys, problems: &mut Problems) -> Vec<String> {
    let versions = read_texts(Key::VERSIONS, keys, problems);
    check_wildcard(Key::VERSIONS, &versions, problems);
    for Spanned { value, span } in &versions {
        if value != WILDCARD && !dns::is_label(value) {
            let sample = "write lower-case letters and digits, for example `\"v1beta1\"`";
            let help = dns::suggest_lower_case(value, dns::is_label, sample);
            problems.report(*span, format!("invalid API version `{value}`"), help);
        }
    }
    into_plain_values(versions)
}

/// Reads resources and subresources. Overlapping patterns, such as `pods/*` and `pods/status`, are
/// an error, although the API server accepts some of them.
pub(crate) fn read_resources(keys: &Keys, problems: &mut Problems) -> Vec<Spanned<String>> {
    let resources = read_texts(Key::RESOURCES, keys, problems);
    for one in &resources {
        if !is_resource(&one.value) {
            let sample = "write a plural in lower case: `\"pods\"`, `\"pods/status\"`";
            let help = suggest_several(&one.value)
                .map(Help::from)
                .unwrap_or_else(|| dns::suggest_lower_case(&one.value, is_resource, sample));
            problems.report(
                one.span,
                format!("invalid resource name `{}`", one.value),
                help,
            );
        }
        let mut others = resources.iter().map(|other| other.value.as_str());
        if let Some(other) = others.find(|other| covers(&one.value, other)) {
            problems.report(
                one.span,
                format!("`{}` covers `{other}`", one.value),
                "keep one of them",
            );
        }
    }
    resources
}

/// Returns the help for a text that holds several values, as in controller-gen's markers:
/// `"get;list"`.
pub(crate) fn suggest_several(text: &str) -> Option<String> {
    let parts = text.split([';', ',']).map(str::trim);
    let values: Vec<_> = parts.filter(|part| !part.is_empty()).collect();
    let quoted: Vec<_> = values.iter().map(|value| format!("{value:?}")).collect();
    (values.len() > 1).then(|| format!("write `{}`", quoted.join(", ")))
}

fn is_resource(name: &str) -> bool {
    let mut parts = name.split('/');
    parts.clone().count() <= 2 && parts.all(|part| part == WILDCARD || dns::is_label(part))
}

/// Returns whether `pattern` matches everything that a different pattern `other` matches.
fn covers(pattern: &str, other: &str) -> bool {
    if pattern == other {
        return false;
    }
    match (pattern.split_once('/'), other.split_once('/')) {
        (Some((WILDCARD, WILDCARD)), _) => true,
        (None, None) => pattern == WILDCARD,
        (Some((left, WILDCARD)), Some((right, _))) => left == right,
        (Some((WILDCARD, left)), Some((_, right))) => left == right,
        _ => false,
    }
}

/// Reports `*` in a list with other values, because `*` already includes them.
pub(crate) fn check_wildcard(key: Key, all: &[Spanned<String>], problems: &mut Problems) {
    let wildcard = all.iter().find(|one| one.value == WILDCARD);
    if let Some(wildcard) = wildcard.filter(|_| all.len() > 1) {
        problems.report(
            wildcard.span,
            format!("`*` cannot be combined with other values in `{key}`"),
            format!("write `{key} = [\"*\"]`, or remove it"),
        );
    }
}

/// Reads a list of strings, and reports an empty list.
pub(crate) fn read_texts(key: Key, keys: &Keys, problems: &mut Problems) -> Vec<Spanned<String>> {
    if let Some(written) = keys.get(key).filter(|written| written.is_empty_list()) {
        let message = format!("`{key}` must not be empty");
        problems.report(written.span, message, "add a value, or remove it");
    }
    keys.texts(key)
}

pub(crate) fn into_plain_values(texts: Vec<Spanned<String>>) -> Vec<String> {
    texts.into_iter().map(|text| text.value).collect()
}
