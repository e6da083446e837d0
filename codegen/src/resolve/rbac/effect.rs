//! Warnings about parts of stated rules that grant nothing: resources that Kubernetes does not
//! have, verbs that a resource does not have, and verbs of requests without a name in a rule for
//! names.

use genclient_syntax::{API_VERBS, RbacRule, Scope, Spanned, closest};
use proc_macro2::Span;

use super::groups;
use crate::diagnostic::{Diagnostic, Location, Sink};
use crate::known;
use crate::resolve::kind::Kind;
use crate::sources::Module;

/// A message and its help.
type RuleWarning = (String, String);

/// HTTP methods, which are the verbs of non-resource URLs, each with the verb of resources for it.
const METHODS: [(&str, &str); 7] = [
    ("get", "get"),
    ("head", "get"),
    ("post", "create"),
    ("put", "update"),
    ("patch", "patch"),
    ("delete", "delete"),
    ("options", "get"),
];

/// Warns of each resource and verb of a rule that grants nothing. `resource = ..` of the rule is
/// resolved to its group and plural.
pub(super) fn check(rule: &RbacRule, kinds: &[Kind<'_>], module: &Module, sink: &mut Sink) {
    // The type of `resource = ..` may be a kind of another crate, in a group of this package.
    if rule.resource.is_none() {
        for group in &rule.groups {
            if let Some(finding) = groups::unknown(&group.value, &rule.resources, kinds) {
                warn(finding, group.span, module, sink);
            }
        }
        let groups: Vec<_> = rule
            .groups
            .iter()
            .map(|group| group.value.clone())
            .collect();
        warn_of_absent(&rule.resources, &groups, kinds, module, sink);
    }
    for resource in &rule.resources {
        if let Some(finding) = cluster_scoped(&resource.value, rule, kinds) {
            warn(finding, resource.span, module, sink);
        }
    }
    for verb in &rule.verbs {
        if let Some((message, mut help)) = named(verb, rule).or_else(|| idle(verb, rule)) {
            if rule.verbs.len() == 1 {
                help = help.replace("remove it", "remove the rule");
            }
            warn((message, help), verb.span, module, sink);
        }
    }
}

/// The finding for a cluster-scoped resource in a rule for one namespace.
fn cluster_scoped(resource: &str, rule: &RbacRule, kinds: &[Kind<'_>]) -> Option<RuleWarning> {
    rule.namespace.as_ref()?;
    let plural = resource.split('/').next().unwrap_or_default();
    // Requests for the Namespace `a` are authorized in the namespace `a`
    // (`RequestInfoFactory.NewRequestInfo`). Impersonation has no namespace at all.
    let is_cluster_scoped = plural != "namespaces"
        && rule
            .groups
            .iter()
            .all(|group| is_of_cluster(&group.value, plural, kinds));
    let others = rule.resources.len() > 1;
    is_cluster_scoped.then(|| {
        (
            format!("`{plural}` is cluster-scoped: a rule with `namespace` grants nothing on it"),
            if others {
                format!("move `{resource}` to a rule without `namespace`")
            } else {
                "remove `namespace`".to_owned()
            },
        )
    })
}

/// True if a resource belongs to a cluster-scoped kind of the package or of Kubernetes.
pub(super) fn is_of_cluster(group: &str, plural: &str, kinds: &[Kind<'_>]) -> bool {
    let mut own = kinds.iter().map(|kind| &kind.attrs);
    let is_own = own.any(|kind| {
        kind.scope == Scope::Cluster && kind.group.value == group && kind.plural.value == plural
    });
    is_own || known::is_cluster_scoped(group, plural)
}

/// Warns of each resource that the groups of a rule do not have.
pub(in crate::resolve) fn warn_of_absent(
    resources: &[Spanned<String>],
    groups: &[String],
    kinds: &[Kind<'_>],
    module: &Module,
    sink: &mut Sink,
) {
    for resource in resources {
        if let Some((message, mut help)) = absent(&resource.value, groups, kinds) {
            if resources.len() == 1 {
                help = help.replace("remove it", "remove the rule");
            }
            warn((message, help), resource.span, module, sink);
        }
    }
}

fn warn((message, help): RuleWarning, span: Span, module: &Module, sink: &mut Sink) {
    let at = Location::of(&module.source, span);
    sink.push(Diagnostic::warning(message).at(at).help(help));
}

/// The finding for a resource that no group of the rule has. Groups in which neither this package
/// nor Kubernetes has kinds have any resource.
fn absent(resource: &str, groups: &[String], kinds: &[Kind<'_>]) -> Option<RuleWarning> {
    if resource.contains('*') {
        return None;
    }
    let (plural, subresource) = match resource.split_once('/') {
        Some((plural, subresource)) => (plural, Some(subresource)),
        None => (resource, None),
    };
    if let Some(meant) = own_plural(plural, groups, kinds) {
        return Some((
            format!("no kind of this package has the plural `{plural}`"),
            format!("did you mean `{}`?", resource.replacen(plural, meant, 1)),
        ));
    }
    let has = |resource: &str| {
        let mut groups = groups.iter();
        groups.any(|group| known::has_resource(group, resource))
    };
    let own: Vec<_> = kinds
        .iter()
        .filter(|kind| groups.contains(&kind.attrs.group.value))
        .collect();
    let is_own = |group: &String| own.iter().any(|kind| kind.attrs.group.value == *group);
    let is_complete = |group: &String| known::is_group(group) || is_own(group);
    if !groups.iter().all(is_complete) || has(resource) {
        return None;
    }
    if !own.is_empty() && !has(plural) {
        return absent_of_package(plural, subresource, &own);
    }
    if let (Some(subresource), true) = (subresource, has(plural)) {
        let all: Vec<_> = known::subresources(plural).collect();
        let meant = closest(resource, all.iter().copied());
        return Some((
            format!("`{plural}` has no subresource `{subresource}`"),
            match meant {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => "remove it".to_owned(),
            },
        ));
    }
    let group = match groups {
        [group] if group.is_empty() => "the core group".to_owned(),
        [group] => format!("the group `{group}`"),
        _ => "these groups".to_owned(),
    };
    let message = format!("Kubernetes has no resource `{plural}` in {group}");
    let all: Vec<_> = known::BuiltInKind::all().collect();
    let here = all
        .iter()
        .filter(|kind| groups.iter().any(|it| it == kind.group));
    let meant = closest(plural, here.map(|kind| kind.plural.as_str()));
    let elsewhere = all.iter().find(|kind| kind.plural == plural);
    // A resource without a similar one may be in an unstable or an older version.
    let help = match (elsewhere, meant) {
        (Some(other), _) => format!("write `group = \"{}\"`", other.group),
        (None, meant) => format!("did you mean `{}`?", meant?),
    };
    Some((message, help))
}

/// The finding for a resource that is none of the package's kinds in the groups of a rule. Another
/// project may have more kinds in these groups.
fn absent_of_package(
    plural: &str,
    subresource: Option<&str>,
    own: &[&Kind<'_>],
) -> Option<RuleWarning> {
    let mut versions = own.iter().filter(|kind| kind.attrs.plural.value == plural);
    if versions.clone().next().is_none() {
        let mut plurals: Vec<_> = own.iter().map(|kind| &*kind.attrs.plural.value).collect();
        plurals.sort_unstable();
        plurals.dedup();
        let help = match closest(plural, plurals.iter().copied()) {
            Some(meant) => {
                let rest = subresource.map_or_else(String::new, |it| format!("/{it}"));
                format!("did you mean `{meant}{rest}`?")
            }
            None => format!(
                "this package has `{}`; ignore this if another project defines `{plural}`",
                plurals.join("`, `")
            ),
        };
        let message = format!("no kind of this package has the plural `{plural}`");
        return Some((message, help));
    }
    let subresource = subresource?;
    // A kind without a CRD is served by an API server that may have any subresource.
    let has_any = versions.clone().any(|kind| kind.attrs.skip_crd.is_set());
    let declared = [
        ("finalizers", true),
        (
            "scale",
            versions.clone().any(|kind| kind.attrs.scale.is_some()),
        ),
        (
            "status",
            versions.any(|kind| kind.attrs.has_status || kind.attrs.status_subresource),
        ),
    ];
    let known: Vec<_> = declared
        .iter()
        .filter_map(|(name, is_declared)| is_declared.then_some(*name))
        .collect();
    if has_any || known.contains(&subresource) {
        return None;
    }
    let help = match (closest(subresource, known), subresource) {
        (Some(meant), _) => format!("did you mean `{plural}/{meant}`?"),
        (None, "scale") => "remove it, or add `scale(..)` to `#[crd]` of the kind".to_owned(),
        (None, _) => "remove it".to_owned(),
    };
    Some((
        format!("`{plural}` has no subresource `{subresource}`"),
        help,
    ))
}

/// The plural of a kind of the package that the rule names in the singular.
fn own_plural<'k>(name: &str, groups: &[String], kinds: &'k [Kind<'_>]) -> Option<&'k str> {
    let of_groups = kinds.iter().map(|kind| &kind.attrs);
    let mut own = of_groups.filter(|kind| groups.contains(&kind.group.value));
    if own.clone().any(|kind| kind.plural.value == name) {
        return None;
    }
    let meant = own.find(|kind| kind.kind.value.to_lowercase() == name)?;
    Some(&meant.plural.value)
}

/// The finding for a verb of requests without a name, in a rule for names.
fn named(verb: &Spanned<String>, rule: &RbacRule) -> Option<RuleWarning> {
    if rule.names.is_empty() {
        return None;
    }
    let has_patch = rule.verbs.iter().any(|verb| verb.value == "patch");
    // A subresource is created below the name of its object.
    let has_objects = rule.resources.iter().any(|one| !one.value.contains('/'));
    match verb.value.as_str() {
        // `RequestInfoFactory.NewRequestInfo`: only `list` and `watch` take the name from a field
        // selector.
        "deletecollection" => Some((
            "`deletecollection` with `names` grants nothing: its requests have no name".to_owned(),
            "remove it, or declare it in a rule without `names`".to_owned(),
        )),
        // Server-side apply is authorized to create with a name (`createAuthorizerAttributes` in
        // handlers/patch.go), a POST without one.
        "create" if has_objects && !has_patch => Some((
            "`create` with `names` does not permit POST: its requests have no name".to_owned(),
            "declare `create` in a rule without `names`, or add `patch` if only server-side apply \
             creates the object"
                .to_owned(),
        )),
        _ => None,
    }
}

/// The finding for a verb that no resource or URL of the rule has.
fn idle(verb: &Spanned<String>, rule: &RbacRule) -> Option<RuleWarning> {
    let verb = verb.value.as_str();
    if !rule.urls.is_empty() {
        let is_known = verb == "*" || METHODS.iter().any(|(method, _)| *method == verb);
        let message = format!("URLs have no verb `{verb}`");
        let meant = METHODS.iter().find(|(_, verb_of)| *verb_of == verb);
        let help = match (verb, meant) {
            ("list" | "watch", _) => "write `get`".to_owned(),
            // Of two methods for a verb, the first is the usual one.
            (_, Some((method, _))) => format!("write `{method}`"),
            (_, None) => "remove it".to_owned(),
        };
        return (!is_known).then_some((message, help));
    }
    if let Some((_, meant)) = METHODS
        .iter()
        .find(|(method, of)| *method == verb && method != of)
    {
        return Some((
            format!("resources have no verb `{verb}`"),
            format!("write `{meant}`"),
        ));
    }
    let verbs_of = |resource: &Spanned<String>| {
        let mut groups = rule.groups.iter();
        groups.find_map(|group| known::verbs(&group.value, &resource.value))
    };
    if !API_VERBS.contains(&verb) {
        return special(verb, rule);
    }
    let all: Vec<_> = rule.resources.iter().map(verbs_of).collect::<Option<_>>()?;
    if all.iter().any(|verbs| verbs.contains(&verb)) {
        return None;
    }
    Some(match (&rule.resources[..], &all[..]) {
        ([one], [verbs]) => (
            format!("`{}` has no verb `{verb}`", one.value),
            match &verbs[..] {
                [only] => format!("write `{only}`"),
                verbs => format!("remove it; the verbs are `{}`", verbs.join("`, `")),
            },
        ),
        _ => (
            format!("no resource of this rule has the verb `{verb}`"),
            "remove it".to_owned(),
        ),
    })
}

/// Verbs that the authorizer is asked for on few resources, with these resources and their groups:
/// `bind` and `escalate` by `rbac.authorization.k8s.io`, `approve`, `sign` and `attest` by
/// admission of certificates, `impersonate` by `WithImpersonation`, `use` by Pod security policies.
const SPECIAL: [(&str, &[(&str, &str)]); 7] = [
    ("bind", ROLES),
    ("escalate", ROLES),
    ("approve", SIGNERS),
    ("sign", SIGNERS),
    ("attest", SIGNERS),
    (
        "impersonate",
        &[
            ("", "users"),
            ("", "groups"),
            ("", "serviceaccounts"),
            ("authentication.k8s.io", "userextras"),
            ("authentication.k8s.io", "uids"),
        ],
    ),
    ("use", &[("policy", "podsecuritypolicies")]),
];
const ROLES: &[(&str, &str)] = &[
    ("rbac.authorization.k8s.io", "roles"),
    ("rbac.authorization.k8s.io", "clusterroles"),
];
const SIGNERS: &[(&str, &str)] = &[("certificates.k8s.io", "signers")];

/// The finding for a verb of few resources. Groups that Kubernetes does not have may have the verb
/// for any resource.
fn special(verb: &str, rule: &RbacRule) -> Option<RuleWarning> {
    let (_, on) = SPECIAL.iter().find(|(name, _)| *name == verb)?;
    let is_known = rule
        .groups
        .iter()
        .all(|group| known::is_group(&group.value));
    let may_have = |resource: &Spanned<String>| {
        let plural = resource.value.split('/').next().unwrap_or_default();
        plural == "*" || on.iter().any(|(_, known)| *known == plural)
    };
    if !is_known || rule.resources.is_empty() || rule.resources.iter().any(may_have) {
        return None;
    }
    let plurals: Vec<_> = on.iter().map(|(_, plural)| format!("`{plural}`")).collect();
    let message = match &rule.resources[..] {
        [one] => format!("`{}` has no verb `{verb}`", one.value),
        _ => format!("no resource of this rule has the verb `{verb}`"),
    };
    Some((
        message,
        format!("remove it; only {} have it", plurals.join(", ")),
    ))
}
