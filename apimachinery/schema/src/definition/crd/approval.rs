//! Approval annotation of CustomResourceDefinitions in groups under `k8s.io` and `kubernetes.io`:
//! its validation and the resulting condition. Also the validation of `preserveUnknownFields`.

use genclient_apimachinery::field::Cause;
use genclient_apimachinery::go::quoted;
use genclient_apimachinery::strfmt;
use serde_json::Value;

use super::conflicts::Condition;
use super::names::{is_set, text};
use crate::meta::Metadata;

/// The annotation that records the approval of a definition: a URL, or `unapproved` with a reason.
pub const APPROVAL: &str = "api-approved.kubernetes.io";
const LINK: &str = "see https://github.com/kubernetes/enhancements/pull/1111";

/// Checks the approval annotation (`validateAPIApproval`) and rejects `preserveUnknownFields: true`
/// (`validatePreserveUnknownFields`). An update may keep an error that the old definition has.
pub(super) fn causes(definition: &Value, old: Option<&Value>) -> Vec<Cause> {
    let mut causes: Vec<_> = unapproved(definition, old).into_iter().collect();
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

/// Returns the condition `KubernetesAPIApprovalPolicyConformant` (`calculateCondition`), or `None`
/// if the group requires no approval.
pub fn approval(definition: &Value) -> Option<Condition> {
    if !is_protected(definition) {
        return None;
    }
    let annotation = quoted(annotation(definition));
    let rule = format!("protected groups must have approval annotation \"{APPROVAL}\"");
    let (status, reason, message) = match state(definition) {
        Approval::Missing => ("False", "MissingAnnotation", format!("{rule}, {LINK}")),
        Approval::Invalid => (
            "False",
            "InvalidAnnotation",
            format!("{rule} with either a URL or a reason starting with \"unapproved\", {LINK}"),
        ),
        Approval::Bypassed => (
            "False",
            "UnapprovedAnnotation",
            format!("not approved: {annotation}"),
        ),
        Approval::Given => (
            "True",
            "ApprovedAnnotation",
            format!("approved in {}", self::annotation(definition)),
        ),
    };
    Some(Condition {
        type_: "KubernetesAPIApprovalPolicyConformant",
        status,
        reason,
        message,
    })
}

/// Returns whether the API server accepts this approval annotation in the group. Groups outside of
/// `k8s.io` and `kubernetes.io` require none.
pub fn is_approved(group: &str, annotation: &str) -> bool {
    let is_approval = || matches!(state_of(annotation), Approval::Given | Approval::Bypassed);
    !is_protected_group(group) || is_approval()
}

fn is_protected(definition: &Value) -> bool {
    let spec = definition.get("spec");
    is_protected_group(spec.map_or("", |spec| text(spec, "group")))
}

fn is_protected_group(group: &str) -> bool {
    ["k8s.io", "kubernetes.io"].iter().any(|domain| {
        let subdomain = group.strip_suffix(domain);
        subdomain.is_some_and(|it| it.is_empty() || it.ends_with('.'))
    })
}

fn unapproved(definition: &Value, old: Option<&Value>) -> Option<Cause> {
    if !is_protected(definition) {
        return None;
    }
    let state = state(definition);
    if old.is_some_and(|old| self::state(old) == state) {
        return None;
    }
    let field = format!("metadata.annotations[{APPROVAL}]");
    let rule = format!("protected groups must have approval annotation \"{APPROVAL}\"");
    match state {
        Approval::Missing => Some(Cause::required(field, &format!("{rule}, {LINK}"))),
        Approval::Invalid => {
            let detail = format!(
                "{rule} with either a URL or a reason starting with \"unapproved\", {LINK}"
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
    annotations.map_or("", |annotations| text(annotations, APPROVAL))
}

fn state(definition: &Value) -> Approval {
    state_of(annotation(definition))
}

/// Returns the state of an annotation (`GetAPIApprovalState`).
fn state_of(annotation: &str) -> Approval {
    let has_host = annotation.split_once("://").is_some_and(|(scheme, rest)| {
        let is_scheme = scheme.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let starts = scheme.starts_with(|letter: char| letter.is_ascii_alphabetic());
        is_scheme && starts && !rest.is_empty() && !rest.starts_with(['/', '?'])
    });
    match annotation {
        "" => Approval::Missing,
        _ if annotation.starts_with("unapproved") => Approval::Bypassed,
        _ if has_host && strfmt::admits("uri", annotation) => Approval::Given,
        _ => Approval::Invalid,
    }
}
