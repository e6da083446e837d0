//! Rules stated by `#[rbac]` attributes, with the items that the attributes stand on, and warnings
//! about parts of them that grant nothing: unknown groups and resources, verbs that a resource does
//! not have, and verbs of requests without a name in a rule for names.

use genclient_syntax::{API_VERBS, Help, Problems, RbacRule, Scope, Spanned, closest};
use proc_macro2::Span;
use syn::spanned::Spanned as _;

use crate::diagnostic::{Diagnostic, Location, Sink};
use crate::known;
use crate::model::PolicyRule;
use crate::resolve::explanation::Explanation;
use crate::resolve::kind::Kind;
use crate::resolve::kind_lookup::{self, KindLookup};
use crate::sources::{DefId, Module, ModuleId, Sources};

/// A rule stated by an attribute.
pub(super) struct StatedRule {
    /// The item that has the attribute, or has it on a part of it, such as a method.
    pub(super) item: DefId,
    pub(super) span: Span,
    pub(super) namespace: Option<String>,
    pub(super) role: Option<String>,
    pub(super) rule: PolicyRule,
}

/// Returns the rules of all attributes. A rule with an error is reported and left out.
pub(super) fn find_stated_rules(lookup: KindLookup<'_, '_>, sink: &mut Sink) -> Vec<StatedRule> {
    let mut stated = Vec::new();
    for module in lookup.sources.rbac_modules() {
        for (item, written) in read_rules(module, lookup.sources, sink) {
            let (namespace, role) = (written.namespace.clone(), written.role.clone());
            let span = written.span;
            if let Some(rule) = resolve_rule(written, module, lookup, sink) {
                stated.push(StatedRule {
                    item,
                    span,
                    namespace,
                    role,
                    rule,
                });
            }
        }
    }
    stated
}

/// Rules of a module's items, each with the id of its item.
fn read_rules(module: ModuleId, sources: &Sources, sink: &mut Sink) -> Vec<(DefId, RbacRule)> {
    let mut rules = Vec::new();
    for (id, item) in sources.items(module) {
        let mut problems = Problems::new();
        let written = RbacRule::of_item(item, &mut problems);
        rules.extend(written.into_iter().map(|rule| (id, rule)));
        sink.problems(problems, &sources[module].source);
    }
    rules
}

fn resolve_rule(
    mut written: RbacRule,
    module: ModuleId,
    lookup: KindLookup<'_, '_>,
    sink: &mut Sink,
) -> Option<PolicyRule> {
    if let Some(ty) = &written.resource {
        match lookup.find_kind(ty, module) {
            Ok(object) => {
                let object = object?;
                written.groups = vec![Spanned::new(object.group, ty.0.span())];
                written.resources = vec![Spanned::new(object.plural, ty.0.span())];
            }
            Err(why) => {
                let help = match kind_lookup::find_unimported_kind(ty) {
                    Some(kind) => format!(
                        "write `group = \"{}\", resources = [\"{}\"]` instead, or import the type: `use {};`",
                        kind.group,
                        kind.plural,
                        kind.path()
                    ),
                    None => "write `group = \"..\", resources = [\"..\"]` instead".to_owned(),
                };
                sink.push(lookup.unresolved_error(ty, why, &help, module));
                return None;
            }
        }
    }
    check_rule(&written, lookup.kinds, &lookup.sources[module], sink);
    let values = |texts: Vec<Spanned<String>>| texts.into_iter().map(|text| text.value).collect();
    Some(PolicyRule {
        groups: values(written.groups),
        resources: values(written.resources),
        names: written.names.into_iter().collect(),
        urls: written.urls.into_iter().collect(),
        verbs: values(written.verbs),
    })
}

/// HTTP methods, which are the verbs of non-resource URLs, each with the verb of resources for it.
const HTTP_METHODS: [(&str, &str); 7] = [
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
pub(super) fn check_rule(rule: &RbacRule, kinds: &[Kind<'_>], module: &Module, sink: &mut Sink) {
    // The type of `resource = ..` may be a kind of another crate, in a group of this package.
    if rule.resource.is_none() {
        for group in &rule.groups {
            if let Some(finding) = explain_unknown_group(&group.value, &rule.resources, kinds) {
                push_warning(finding, group.span, module, sink);
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
        if let Some(finding) = explain_cluster_scoped(&resource.value, rule, kinds) {
            push_warning(finding, resource.span, module, sink);
        }
    }
    for verb in &rule.verbs {
        if let Some(mut warning) =
            explain_unnamed_verb(verb, rule).or_else(|| explain_idle_verb(verb, rule))
        {
            if rule.verbs.len() == 1 {
                warning.help = name_rule(warning.help);
            }
            push_warning(warning, verb.span, module, sink);
        }
    }
}

/// The finding for a cluster-scoped resource in a rule for one namespace.
fn explain_cluster_scoped(
    resource: &str,
    rule: &RbacRule,
    kinds: &[Kind<'_>],
) -> Option<Explanation> {
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
        Explanation::new(
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
        if let Some(mut warning) = explain_absent_resource(&resource.value, groups, kinds) {
            if resources.len() == 1 {
                warning.help = name_rule(warning.help);
            }
            push_warning(warning, resource.span, module, sink);
        }
    }
}

/// Help for the only element of a rule.
fn name_rule(help: Help) -> Help {
    match help.strip_prefix("remove it") {
        Some(rest) => format!("remove the rule{rest}").into(),
        None => help,
    }
}

fn push_warning(warning: Explanation, span: Span, module: &Module, sink: &mut Sink) {
    let at = Location::new(&module.source, span);
    sink.push(
        Diagnostic::warning(warning.message)
            .at(at)
            .help(warning.help),
    );
}

/// The finding for a resource that no group of the rule has. Groups in which neither this package
/// nor Kubernetes has kinds have any resource.
fn explain_absent_resource(
    resource: &str,
    groups: &[String],
    kinds: &[Kind<'_>],
) -> Option<Explanation> {
    if resource.contains('*') {
        return None;
    }
    let (plural, subresource) = match resource.split_once('/') {
        Some((plural, subresource)) => (plural, Some(subresource)),
        None => (resource, None),
    };
    if let Some(meant) = find_own_plural(plural, groups, kinds) {
        return Some(Explanation::new(
            format!("no kind of this package has the plural `{plural}`"),
            Help::did_you_mean(resource, resource.replacen(plural, meant, 1)),
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
        return explain_absent_own_resource(plural, subresource, &own);
    }
    if let (Some(subresource), true) = (subresource, has(plural)) {
        let all: Vec<_> = known::subresources(plural).collect();
        let meant = closest(resource, all.iter().copied());
        return Some(Explanation::new(
            format!("`{plural}` has no subresource `{subresource}`"),
            match meant {
                Some(meant) => Help::did_you_mean(resource, meant),
                None => Help::remove("remove it"),
            },
        ));
    }
    let group = match groups {
        [group] if group.is_empty() => "the core group".to_owned(),
        [group] => format!("the group `{group}`"),
        _ => "these groups".to_owned(),
    };
    let message = format!("Kubernetes has no resource `{plural}` in {group}");
    let all: Vec<_> = known::BuiltinKind::all().collect();
    let here = all
        .iter()
        .filter(|kind| groups.iter().any(|it| it == kind.group));
    let meant = closest(plural, here.map(|kind| kind.plural.as_str()));
    let elsewhere = all.iter().find(|kind| kind.plural == plural);
    // A resource without a similar one may be in an unstable or an older version.
    let help = match (elsewhere, meant) {
        (Some(other), _) => format!("write `group = \"{}\"`", other.group).into(),
        (None, meant) => Help::did_you_mean(plural, meant?),
    };
    Some(Explanation { message, help })
}

/// The finding for a resource that is none of the package's kinds in the groups of a rule. Another
/// project may have more kinds in these groups.
fn explain_absent_own_resource(
    plural: &str,
    subresource: Option<&str>,
    own: &[&Kind<'_>],
) -> Option<Explanation> {
    let mut versions = own.iter().filter(|kind| kind.attrs.plural.value == plural);
    if versions.clone().next().is_none() {
        let mut plurals: Vec<_> = own.iter().map(|kind| &*kind.attrs.plural.value).collect();
        plurals.sort_unstable();
        plurals.dedup();
        let help = match closest(plural, plurals.iter().copied()) {
            Some(meant) => {
                let rest = subresource.map_or_else(String::new, |it| format!("/{it}"));
                Help::did_you_mean(format!("{plural}{rest}"), format!("{meant}{rest}"))
            }
            None => format!(
                "this package has `{}`; ignore this if another project defines `{plural}`",
                plurals.join("`, `")
            )
            .into(),
        };
        let message = format!("no kind of this package has the plural `{plural}`");
        return Some(Explanation { message, help });
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
        (Some(meant), _) => Help::did_you_mean(
            format!("{plural}/{subresource}"),
            format!("{plural}/{meant}"),
        ),
        (None, "scale") => "remove it, or add `scale(..)` to `#[crd]` of the kind".into(),
        (None, _) => Help::remove("remove it"),
    };
    Some(Explanation::new(
        format!("`{plural}` has no subresource `{subresource}`"),
        help,
    ))
}

/// The plural of a kind of the package that the rule names in the singular.
fn find_own_plural<'k>(name: &str, groups: &[String], kinds: &'k [Kind<'_>]) -> Option<&'k str> {
    let of_groups = kinds.iter().map(|kind| &kind.attrs);
    let mut own = of_groups.filter(|kind| groups.contains(&kind.group.value));
    if own.clone().any(|kind| kind.plural.value == name) {
        return None;
    }
    let meant = own.find(|kind| kind.kind.value.to_lowercase() == name)?;
    Some(&meant.plural.value)
}

/// The finding for a verb of requests without a name, in a rule for names.
fn explain_unnamed_verb(verb: &Spanned<String>, rule: &RbacRule) -> Option<Explanation> {
    if rule.names.is_empty() {
        return None;
    }
    let has_patch = rule.verbs.iter().any(|verb| verb.value == "patch");
    // A subresource is created below the name of its object.
    let has_objects = rule.resources.iter().any(|one| !one.value.contains('/'));
    match verb.value.as_str() {
        // `RequestInfoFactory.NewRequestInfo`: only `list` and `watch` take the name from a field
        // selector.
        "deletecollection" => Some(Explanation::new(
            "`deletecollection` with `names` grants nothing: its requests have no name".to_owned(),
            "remove it, or declare it in a rule without `names`".to_owned(),
        )),
        // Server-side apply is authorized to create with a name (`createAuthorizerAttributes` in
        // handlers/patch.go), a POST without one.
        "create" if has_objects && !has_patch => Some(Explanation::new(
            "`create` with `names` does not permit POST: its requests have no name".to_owned(),
            "declare `create` in a rule without `names`, or add `patch` if only server-side apply \
             creates the object"
                .to_owned(),
        )),
        _ => None,
    }
}

/// The finding for a verb that no resource or URL of the rule has.
fn explain_idle_verb(verb: &Spanned<String>, rule: &RbacRule) -> Option<Explanation> {
    let verb = verb.value.as_str();
    if !rule.urls.is_empty() {
        let is_known = verb == "*" || HTTP_METHODS.iter().any(|(method, _)| *method == verb);
        let message = format!("URLs have no verb `{verb}`");
        let meant = HTTP_METHODS.iter().find(|(_, verb_of)| *verb_of == verb);
        let help = match (verb, meant) {
            ("list" | "watch", _) => Help::write(verb, "get"),
            // Of two methods for a verb, the first is the usual one.
            (_, Some((method, _))) => Help::write(verb, method),
            (_, None) => Help::remove("remove it"),
        };
        return (!is_known).then(|| Explanation::new(message, help));
    }
    if let Some((_, meant)) = HTTP_METHODS
        .iter()
        .find(|(method, of)| *method == verb && method != of)
    {
        return Some(Explanation::new(
            format!("resources have no verb `{verb}`"),
            Help::write(verb, meant),
        ));
    }
    let verbs_of = |resource: &Spanned<String>| {
        let mut groups = rule.groups.iter();
        groups.find_map(|group| known::verbs(&group.value, &resource.value))
    };
    if !API_VERBS.contains(&verb) {
        return explain_special_verb(verb, rule);
    }
    let all: Vec<_> = rule.resources.iter().map(verbs_of).collect::<Option<_>>()?;
    if all.iter().any(|verbs| verbs.contains(&verb)) {
        return None;
    }
    Some(match (&rule.resources[..], &all[..]) {
        ([one], [verbs]) => Explanation::new(
            format!("`{}` has no verb `{verb}`", one.value),
            match &verbs[..] {
                [only] => Help::write(verb, only),
                verbs => Help::remove(format!("remove it; the verbs are `{}`", verbs.join("`, `"))),
            },
        ),
        _ => Explanation::new(
            format!("no resource of this rule has the verb `{verb}`"),
            Help::remove("remove it"),
        ),
    })
}

/// Verbs that the authorizer is asked for on few resources, with these resources and their groups:
/// `bind` and `escalate` by `rbac.authorization.k8s.io`, `approve`, `sign` and `attest` by
/// admission of certificates, `impersonate` by `WithImpersonation`, `use` by Pod security policies.
const SPECIAL_VERBS: [(&str, &[(&str, &str)]); 7] = [
    ("bind", ROLE_RESOURCES),
    ("escalate", ROLE_RESOURCES),
    ("approve", SIGNER_RESOURCES),
    ("sign", SIGNER_RESOURCES),
    ("attest", SIGNER_RESOURCES),
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
const ROLE_RESOURCES: &[(&str, &str)] = &[
    ("rbac.authorization.k8s.io", "roles"),
    ("rbac.authorization.k8s.io", "clusterroles"),
];
const SIGNER_RESOURCES: &[(&str, &str)] = &[("certificates.k8s.io", "signers")];

/// The finding for a verb of few resources. Groups that Kubernetes does not have may have the verb
/// for any resource.
fn explain_special_verb(verb: &str, rule: &RbacRule) -> Option<Explanation> {
    let (_, on) = SPECIAL_VERBS.iter().find(|(name, _)| *name == verb)?;
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
    Some(Explanation::new(
        message,
        Help::remove(format!("remove it; only {} have it", plurals.join(", "))),
    ))
}

/// Message and help for a group that does not exist. A group with a dot may be of another project,
/// unless it differs from a known one by a slip of the keyboard.
pub(super) fn explain_unknown_group(
    group: &str,
    resources: &[Spanned<String>],
    kinds: &[Kind<'_>],
) -> Option<Explanation> {
    let own: Vec<_> = kinds.iter().map(|kind| &*kind.attrs.group.value).collect();
    if group == "*" || group.is_empty() || known::is_group(group) || own.contains(&group) {
        return None;
    }
    let all: Vec<_> = own.iter().copied().chain(known::groups()).collect();
    if group.contains('.') {
        let meant = all
            .iter()
            .find(|other| is_slip(group, other))
            .copied()
            .or_else(|| find_group_without_domain(group, resources))?;
        return Some(Explanation::new(
            format!("unknown API group `{group}`"),
            Help::did_you_mean(group, meant),
        ));
    }
    let labeled = |label: &str| all.iter().find(|other| first_label(other) == label);
    let labels: Vec<_> = all
        .iter()
        .map(|other| first_label(other))
        .filter(|label| !label.is_empty())
        .collect();
    let meant = labeled(group)
        .or_else(|| labeled(closest(group, labels.iter().copied())?))
        .copied()
        .filter(|_| group != "extensions")
        .or_else(|| known::groups().find(|known| has_all(known, resources)));
    let help = match meant {
        Some("") => "write `\"\"` for the core group".into(),
        Some(meant) => Help::write(format!("{group:?}"), format!("{meant:?}")),
        None => "write the whole group with its domain, such as `\"apps.example.com\"`".into(),
    };
    let message = if group == "extensions" {
        "Kubernetes 1.22 removed the API group `extensions`".to_owned()
    } else {
        format!("Kubernetes has no API group `{group}`")
    };
    Some(Explanation::new(message, help))
}

fn first_label(group: &str) -> &str {
    group.split('.').next().unwrap_or_default()
}

fn has_all(group: &str, resources: &[Spanned<String>]) -> bool {
    resources
        .iter()
        .all(|resource| known::has_resource(group, &resource.value))
}

/// Returns the group without a domain that `apps.k8s.io` means, if it has the resources.
/// `autoscaling.k8s.io` is a group of the vertical Pod autoscaler.
fn find_group_without_domain<'a>(group: &str, resources: &[Spanned<String>]) -> Option<&'a str> {
    let label = group.strip_suffix(".k8s.io")?;
    let meant = known::groups().find(|known| *known == label)?;
    has_all(meant, resources).then_some(meant)
}

/// True if one letter is missing, added or swapped with its neighbour. A replaced letter only
/// counts in the domain, since projects name groups alike, such as `team-a` and `team-b`.
fn is_slip(group: &str, other: &str) -> bool {
    let has_digits = |text: &str| text.bytes().any(|byte| byte.is_ascii_digit());
    let (label, of_other) = (first_label(group), first_label(other));
    if !other.contains('.') || label.len() < 4 || of_other.len() < 4 || group == other {
        return false;
    }
    if label == of_other {
        return is_near(&group[label.len()..], &other[label.len()..], true);
    }
    group[label.len()..] == other[of_other.len()..]
        && !has_digits(label)
        && !has_digits(of_other)
        && is_near(label, of_other, false)
}

/// True if two texts differ by one letter that is missing or swapped with its neighbour, or also
/// replaced.
fn is_near(text: &str, other: &str, replaced: bool) -> bool {
    let (short, long) = if text.len() < other.len() {
        (text, other)
    } else {
        (other, text)
    };
    let (short, long) = (short.as_bytes(), long.as_bytes());
    let same = short.iter().zip(long).take_while(|(a, b)| a == b).count();
    let (short, long) = (&short[same..], &long[same..]);
    match (short, long) {
        (short, [_, rest @ ..]) if short == rest => true,
        ([a, b, short @ ..], [c, d, long @ ..]) if short == long && (a, b) == (d, c) => true,
        ([_, short @ ..], [_, long @ ..]) => replaced && short == long,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_slip;

    #[test]
    fn only_slips_of_the_keyboard_are_reported() {
        for (group, other, expected) in [
            ("sale.acme.dev", "sales.acme.dev", true),
            ("slaes.acme.dev", "sales.acme.dev", true),
            ("sales.acne.dev", "sales.acme.dev", true),
            ("sales.acme.de", "sales.acme.dev", true),
            ("tales.acme.dev", "sales.acme.dev", false),
            ("sales.acme.com", "sales.acme.dev", false),
            ("db.acme.dev", "dbs.acme.dev", false),
            ("team1.acme.dev", "team.acme.dev", false),
            ("metrics.k8s.io", "events.k8s.io", false),
            ("gateway.networking.k8s.io", "networking.k8s.io", false),
            ("network.k8s.io", "networking.k8s.io", false),
            ("coordinaton.k8s.io", "coordination.k8s.io", true),
        ] {
            assert_eq!(is_slip(group, other), expected, "{group}");
        }
    }
}
