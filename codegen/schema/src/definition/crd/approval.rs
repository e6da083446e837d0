//! Groups of the Kubernetes community, which need an approval, and `preserveUnknownFields`.

use serde_json::Value;

use super::names::{is_set, text};
use crate::cause::Cause;
use crate::meta::Metadata;

const ANNOTATION: &str = "api-approved.kubernetes.io";

/// `validateAPIApproval` and `validatePreserveUnknownFields`
pub(super) fn causes(definition: &Value, old: Option<&Value>) -> Vec<Cause> {
    let mut causes: Vec<_> = approval(definition, old).into_iter().collect();
    let keeps = |definition: &Value| {
        let spec = definition.get("spec");
        spec.is_some_and(|spec| is_set(spec, "preserveUnknownFields"))
    };
    if keeps(definition) && !old.is_some_and(keeps) {
        causes.push(Cause::invalid(
            "spec.preserveUnknownFields",
            &true.into(),
            "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in \
             spec.versions[*].schema instead",
        ));
    }
    causes
}

#[derive(PartialEq, Eq)]
enum Approval {
    Missing,
    Given,
    Bypassed,
    Invalid,
}

fn approval(definition: &Value, old: Option<&Value>) -> Option<Cause> {
    let group = definition
        .get("spec")
        .map_or("", |spec| text(spec, "group"));
    let domains = ["k8s.io", "kubernetes.io"];
    let is_protected = |domain: &&str| {
        let subdomain = group.strip_suffix(*domain);
        subdomain.is_some_and(|it| it.is_empty() || it.ends_with('.'))
    };
    if !domains.iter().any(is_protected) {
        return None;
    }
    let state = state(definition);
    if old.is_some_and(|old| self::state(old) == state) {
        return None;
    }
    let field = format!("metadata.annotations[{ANNOTATION}]");
    let rule = format!("protected groups must have approval annotation \"{ANNOTATION}\"");
    let link = "see https://github.com/kubernetes/enhancements/pull/1111";
    match state {
        Approval::Missing => Some(Cause::required(field, &format!("{rule}, {link}"))),
        Approval::Invalid => {
            let detail = format!(
                "{rule} with either a URL or a reason starting with \"unapproved\", {link}"
            );
            Some(Cause::invalid(
                field,
                &annotation(definition).into(),
                &detail,
            ))
        }
        Approval::Given | Approval::Bypassed => None,
    }
}

fn annotation(definition: &Value) -> &str {
    let annotations = Metadata::of(definition).get("annotations");
    annotations.map_or("", |annotations| text(annotations, ANNOTATION))
}

/// `GetAPIApprovalState`
fn state(definition: &Value) -> Approval {
    let annotation = annotation(definition);
    let has_host = annotation.split_once("://").is_some_and(|(scheme, rest)| {
        let is_scheme = scheme.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let starts = scheme.starts_with(|letter: char| letter.is_ascii_alphabetic());
        is_scheme && starts && !rest.is_empty() && !rest.starts_with(['/', '?'])
    });
    match annotation {
        "" => Approval::Missing,
        _ if annotation.starts_with("unapproved") => Approval::Bypassed,
        _ if has_host && crate::formats::admits("uri", annotation) => Approval::Given,
        _ => Approval::Invalid,
    }
}
