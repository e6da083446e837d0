//! Approval annotation of CustomResourceDefinitions in groups under `k8s.io` and `kubernetes.io`
//! (k8s.io/apiextensions-apiserver/pkg/apihelpers). Also the validation of `preserveUnknownFields`.

use genclient_apimachinery::field;
use genclient_apimachinery::go::quoted;
use genclient_apimachinery::strfmt;
use genclient_apimachinery::unstructured::{bool_field, str_field};
use serde_json::Value;

use crate::meta::Metadata;

/// The annotation that records the approval of a definition: a URL, or `unapproved` with a reason.
pub const APPROVAL: &str = "api-approved.kubernetes.io";

/// Checks the approval annotation (`validateAPIApproval`) and rejects `preserveUnknownFields: true`
/// (`validatePreserveUnknownFields`). An update may keep an error that the old definition has.
pub(super) fn validate_approval(definition: &Value, old: Option<&Value>) -> field::ErrorList {
    let mut causes: Vec<_> = unapproved(definition, old).into_iter().collect();
    let keeps = |definition: &Value| {
        let spec = definition.get("spec");
        spec.is_some_and(|spec| bool_field(spec, "preserveUnknownFields"))
    };
    if keeps(definition) && !old.is_some_and(keeps) {
        causes.push(field::Error::invalid(
            "spec.preserveUnknownFields",
            &true.into(),
            "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in \
             spec.versions[*].schema instead",
        ));
    }
    causes
}

/// State of the approval annotation (`APIApprovalState`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApprovalState {
    /// There is no annotation.
    Missing,
    /// The annotation has the URL of an approval.
    Approved,
    /// The annotation gives the reason why there is no approval.
    Bypassed,
    /// The annotation has another value.
    Invalid,
}

/// Returns whether the API server accepts this approval annotation in the group. Groups outside of
/// `k8s.io` and `kubernetes.io` require none.
pub fn is_approved(group: &str, annotation: &str) -> bool {
    let is_approval = || {
        let (state, _) = approval_state(annotation);
        matches!(state, ApprovalState::Approved | ApprovalState::Bypassed)
    };
    !is_protected_group(group) || is_approval()
}

fn is_protected(definition: &Value) -> bool {
    let spec = definition.get("spec");
    is_protected_group(spec.map_or("", |spec| str_field(spec, "group")))
}

/// Returns whether definitions in the group must be approved (`IsProtectedCommunityGroup`).
#[must_use]
pub fn is_protected_group(group: &str) -> bool {
    ["k8s.io", "kubernetes.io"].iter().any(|domain| {
        let subdomain = group.strip_suffix(domain);
        subdomain.is_some_and(|it| it.is_empty() || it.ends_with('.'))
    })
}

fn unapproved(definition: &Value, old: Option<&Value>) -> Option<field::Error> {
    if !is_protected(definition) {
        return None;
    }
    let annotation = annotation(definition);
    let (state, reason) = approval_state(annotation);
    if old.is_some_and(|old| approval_state(self::annotation(old)).0 == state) {
        return None;
    }
    let field = format!("metadata.annotations[{APPROVAL}]");
    match state {
        ApprovalState::Missing => Some(field::Error::required(field, &reason)),
        ApprovalState::Invalid => Some(field::Error::invalid(field, &annotation.into(), &reason)),
        ApprovalState::Approved | ApprovalState::Bypassed => None,
    }
}

fn annotation(definition: &Value) -> &str {
    let annotations = Metadata::from_object(definition).get("annotations");
    annotations.map_or("", |annotations| str_field(annotations, APPROVAL))
}

/// Returns the state of an annotation, and the reason as in conditions and errors
/// (`GetAPIApprovalState`).
#[must_use]
pub fn approval_state(annotation: &str) -> (ApprovalState, String) {
    const LINK: &str = "see https://github.com/kubernetes/enhancements/pull/1111";
    let has_host = annotation.split_once("://").is_some_and(|(scheme, rest)| {
        let is_scheme = scheme.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let starts = scheme.starts_with(|letter: char| letter.is_ascii_alphabetic());
        is_scheme && starts && !rest.is_empty() && !rest.starts_with(['/', '?'])
    });
    let rule = format!("protected groups must have approval annotation \"{APPROVAL}\"");
    match annotation {
        "" => (ApprovalState::Missing, format!("{rule}, {LINK}")),
        _ if annotation.starts_with("unapproved") => {
            let reason = format!("not approved: {}", quoted(annotation));
            (ApprovalState::Bypassed, reason)
        }
        _ if has_host && strfmt::admits("uri", annotation) => {
            (ApprovalState::Approved, format!("approved in {annotation}"))
        }
        _ => {
            let form = "with either a URL or a reason starting with \"unapproved\"";
            (ApprovalState::Invalid, format!("{rule} {form}, {LINK}"))
        }
    }
}
