//! RBAC roles of controllers: rules stated by `#[rbac]`, and rules inferred from declarations, such
//! as watches.

mod declared;
mod inferred;
mod stated;

use std::collections::{BTreeMap, BTreeSet};
use std::mem;

use super::kind::Kind;
use super::paths::Paths;
use crate::diagnostic::{Diagnostic, Location, Sink};
use crate::model::{InferredRule, PolicyRule, Role};
use crate::project::Deploy;
use crate::sources::Sources;
use inferred::Inferred;
use stated::Stated;
pub(super) use stated::warn_of_absent;

/// The rules of a role before they are merged.
#[derive(Default)]
struct RoleRules {
    all: Vec<PolicyRule>,
    inferred: Vec<InferredRule>,
}

/// Returns the roles of the package, sorted by namespace and name. A rule with an error is reported
/// and left out.
pub(super) fn resolve(
    kinds: &[Kind<'_>],
    sources: &Sources,
    paths: &Paths<'_>,
    deploy: Option<&Deploy>,
    sink: &mut Sink,
) -> Vec<Role> {
    let place = RolePlace::of(kinds, deploy);
    let stated = stated::find(kinds, sources, paths, sink);
    let inferred = inferred::find(kinds, sources, paths, &stated, deploy, sink);
    let mut roles: BTreeMap<(Option<String>, String), RoleRules> = BTreeMap::new();
    if let Some(rule) = place.own_rule() {
        let role = roles.entry(place.key(None, None, &rule)).or_default();
        role.all.push(rule);
    }
    for Stated {
        item,
        span,
        namespace,
        role,
        rule,
    } in stated
    {
        if let Some(role) = role.as_deref().filter(|role| place.has_other(role)) {
            let at = Location::of(&sources[item.module].source, span);
            sink.push(taken(role).at(at));
            continue;
        }
        for rule in by_resource(rule) {
            let key = place.key(namespace.clone(), role.clone(), &rule);
            roles.entry(key).or_default().all.push(rule);
        }
    }
    for Inferred { namespace, rule } in inferred {
        let role = roles
            .entry(place.key(namespace, None, &rule.rule))
            .or_default();
        role.all.push(rule.rule.clone());
        role.inferred.push(rule);
    }
    let roles = roles.into_iter().map(|((namespace, name), rules)| Role {
        namespace,
        name,
        rules: joined(rules.all),
        inferred: rules.inferred,
    });
    roles.collect()
}

fn taken(role: &str) -> Diagnostic {
    Diagnostic::error(format!(
        "duplicate role name `{role}`: the deployment already has this role"
    ))
    .help(format!("name another role: `role = \"{role}-2\"`"))
}

type Texts = BTreeSet<String>;

/// Merges the rules, and orders them as controller-gen does.
fn joined(rules: Vec<PolicyRule>) -> Vec<PolicyRule> {
    let mut rules: Vec<_> = rules.into_iter().flat_map(by_resource).collect();
    let lists: [fn(&mut PolicyRule) -> &mut Texts; 4] = [
        |rule| &mut rule.verbs,
        |rule| &mut rule.resources,
        |rule| &mut rule.groups,
        |rule| &mut rule.urls,
    ];
    for list in lists {
        rules = join(rules, list);
    }
    rules.sort_by_cached_key(order);
    for rule in &mut rules {
        if rule.verbs.contains("*") {
            rule.verbs.retain(|verb| verb == "*");
        }
    }
    rules
}

/// Splits a rule by resource. A rule for URLs stays whole.
fn by_resource(rule: PolicyRule) -> Vec<PolicyRule> {
    if rule.resources.is_empty() {
        return vec![rule];
    }
    let of = |resource: &String| PolicyRule {
        resources: Texts::from([resource.clone()]),
        ..rule.clone()
    };
    rule.resources.iter().map(of).collect()
}

/// Merges rules that differ only in the field that `list` returns.
fn join(rules: Vec<PolicyRule>, list: fn(&mut PolicyRule) -> &mut Texts) -> Vec<PolicyRule> {
    let mut joined: BTreeMap<PolicyRule, Texts> = BTreeMap::new();
    for mut rule in rules {
        let items = mem::take(list(&mut rule));
        joined.entry(rule).or_default().extend(items);
    }
    let joined = joined.into_iter().map(|(mut rule, items)| {
        *list(&mut rule) = items;
        rule
    });
    joined.collect()
}

fn order(rule: &PolicyRule) -> String {
    let lists = [&rule.groups, &rule.resources, &rule.names, &rule.urls];
    let lists = lists.map(|list| {
        list.iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join("&")
    });
    lists.join(" + ")
}

/// Name of the role for rules that name no role, as in kubebuilder's projects. In a deployment, the
/// name of the deployment precedes it.
const ROLE: &str = "manager-role";

/// Names of the other roles that the module `manifests` writes for a deployment. The name of the
/// deployment precedes them.
const OTHERS: [&str; 4] = [
    "certificates-role",
    "leader-election-role",
    "metrics-auth-role",
    "metrics-reader",
];

/// Suffixes of the roles for users. Each kind has a role with each suffix.
const OF_KINDS: [&str; 3] = ["-admin-role", "-editor-role", "-viewer-role"];

/// Assignment of rules to the roles of a package.
struct RolePlace<'a> {
    kinds: &'a [Kind<'a>],
    deploy: Option<&'a Deploy>,
}

impl<'a> RolePlace<'a> {
    fn of(kinds: &'a [Kind<'a>], deploy: Option<&'a Deploy>) -> Self {
        Self { kinds, deploy }
    }

    /// Returns the namespace and name of a rule's role.
    fn key(
        &self,
        namespace: Option<String>,
        role: Option<String>,
        rule: &PolicyRule,
    ) -> (Option<String>, String) {
        let own = || match self.deploy {
            Some(deploy) => deploy.named(ROLE),
            None => ROLE.to_owned(),
        };
        (
            namespace.or_else(|| self.namespace(rule)),
            role.unwrap_or_else(own),
        )
    }

    /// True if `role` is a role of the deployment other than [`ROLE`].
    fn has_other(&self, role: &str) -> bool {
        let is_other = |deploy: &Deploy| {
            let own = role.strip_prefix(&deploy.name)?.strip_prefix('-')?;
            let mut kinds = OF_KINDS.iter().filter_map(|end| own.strip_suffix(end));
            Some(kinds.any(|kind| self.is_kind(kind)) || OTHERS.contains(&own))
        };
        self.deploy.and_then(is_other).unwrap_or_default()
    }

    /// True if `name` is the prefix of a kind's roles for users: the kind in lower case, with or
    /// without its group before it.
    fn is_kind(&self, name: &str) -> bool {
        self.kinds.iter().any(|kind| {
            let lower = kind.attrs.kind.value.to_lowercase();
            let group = kind.attrs.group.value.replace('.', "-");
            name == lower || name == format!("{group}-{lower}")
        })
    }

    /// The rule that every manager in a deployment needs, because managers create `core/v1` events
    /// for leader election and for their controllers.
    fn own_rule(&self) -> Option<PolicyRule> {
        self.deploy.map(|_| PolicyRule {
            groups: [String::new()].into(),
            resources: ["events".to_owned()].into(),
            verbs: ["create", "patch"].map(str::to_owned).into(),
            ..PolicyRule::default()
        })
    }

    /// Returns the namespace for a rule that states none: the deployment's, if the program is
    /// deployed for one namespace. Rules for URLs and cluster-scoped resources get no namespace,
    /// since a Role cannot grant them.
    fn namespace(&self, rule: &PolicyRule) -> Option<String> {
        let deploy = self.deploy.filter(|deploy| deploy.namespaced)?;
        let is_of_cluster = |resource: &String| {
            let plural = resource.split('/').next().unwrap_or_default();
            let mut groups = rule.groups.iter();
            groups.any(|group| stated::is_of_cluster(group, plural, self.kinds))
        };
        let is_namespaced = rule.urls.is_empty() && !rule.resources.iter().any(is_of_cluster);
        is_namespaced.then(|| deploy.namespace.clone())
    }
}
