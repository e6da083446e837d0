//! RBAC roles of controllers: rules stated by `#[rbac]`, and rules inferred from declarations, such
//! as watches.

mod declared;
mod inferred;
mod stated;

use std::collections::{BTreeMap, BTreeSet};
use std::mem;

use super::kind::Kind;
use super::kind_lookup::KindLookup;
use crate::diagnostic::{Diagnostic, Location, Sink};
use crate::model::{InferredRule, PolicyRule, Role};
use crate::project::Deploy;
use inferred::Inferred;
use stated::StatedRule;
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
    lookup: KindLookup<'_, '_>,
    deploy: Option<&Deploy>,
    sink: &mut Sink,
) -> Vec<Role> {
    let names = RoleNames::new(lookup.kinds, deploy);
    let stated = stated::find_stated_rules(lookup, sink);
    let inferred = inferred::infer_rules(lookup, &stated, deploy, sink);
    let mut roles: BTreeMap<(Option<String>, String), RoleRules> = BTreeMap::new();
    if let Some(rule) = names.own_rule() {
        let role = roles.entry(names.key(None, None, &rule)).or_default();
        role.all.push(rule);
    }
    for StatedRule {
        item,
        span,
        namespace,
        role,
        rule,
    } in stated
    {
        if let Some(role) = role.as_deref().filter(|role| names.has_other(role)) {
            let at = Location::new(&lookup.sources[item.module].source, span);
            sink.push(taken_role_error(role).at(at));
            continue;
        }
        for rule in split_by_resource(rule) {
            let key = names.key(namespace.clone(), role.clone(), &rule);
            roles.entry(key).or_default().all.push(rule);
        }
    }
    for Inferred { namespace, rule } in inferred {
        let role = roles
            .entry(names.key(namespace, None, &rule.rule))
            .or_default();
        role.all.push(rule.rule.clone());
        role.inferred.push(rule);
    }
    let roles = roles.into_iter().map(|((namespace, name), rules)| Role {
        namespace,
        name,
        rules: merge_rules(rules.all),
        inferred: rules.inferred,
    });
    roles.collect()
}

fn taken_role_error(role: &str) -> Diagnostic {
    Diagnostic::error(format!(
        "duplicate role name `{role}`: the deployment already has this role"
    ))
    .help(format!("name another role: `role = \"{role}-2\"`"))
}

type Texts = BTreeSet<String>;

/// Merges the rules, and orders them as controller-gen does.
fn merge_rules(rules: Vec<PolicyRule>) -> Vec<PolicyRule> {
    let mut rules: Vec<_> = rules.into_iter().flat_map(split_by_resource).collect();
    let lists: [fn(&mut PolicyRule) -> &mut Texts; 4] = [
        |rule| &mut rule.verbs,
        |rule| &mut rule.resources,
        |rule| &mut rule.groups,
        |rule| &mut rule.urls,
    ];
    for list in lists {
        rules = merge_equal_rules(rules, list);
    }
    rules.sort_by_cached_key(sort_key);
    for rule in &mut rules {
        if rule.verbs.contains("*") {
            rule.verbs.retain(|verb| verb == "*");
        }
    }
    rules
}

/// Splits a rule by resource. A rule for URLs stays whole.
fn split_by_resource(rule: PolicyRule) -> Vec<PolicyRule> {
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
fn merge_equal_rules(
    rules: Vec<PolicyRule>,
    list: fn(&mut PolicyRule) -> &mut Texts,
) -> Vec<PolicyRule> {
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

fn sort_key(rule: &PolicyRule) -> String {
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
const MANAGER_ROLE: &str = "manager-role";

/// Names of the other roles that the module `manifests` writes for a deployment. The name of the
/// deployment precedes them.
const OTHER_ROLES: [&str; 4] = [
    "certificates-role",
    "leader-election-role",
    "metrics-auth-role",
    "metrics-reader",
];

/// Suffixes of the roles for users. Each kind has a role with each suffix.
const KIND_ROLE_SUFFIXES: [&str; 3] = ["-admin-role", "-editor-role", "-viewer-role"];

/// Assignment of rules to the roles of a package.
struct RoleNames<'a> {
    kinds: &'a [Kind<'a>],
    deploy: Option<&'a Deploy>,
}

impl<'a> RoleNames<'a> {
    fn new(kinds: &'a [Kind<'a>], deploy: Option<&'a Deploy>) -> Self {
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
            Some(deploy) => deploy.named(MANAGER_ROLE),
            None => MANAGER_ROLE.to_owned(),
        };
        (
            namespace.or_else(|| self.namespace(rule)),
            role.unwrap_or_else(own),
        )
    }

    /// True if `role` is a role of the deployment other than [`MANAGER_ROLE`].
    fn has_other(&self, role: &str) -> bool {
        let is_other = |deploy: &Deploy| {
            let own = role.strip_prefix(&deploy.name)?.strip_prefix('-')?;
            let mut kinds = KIND_ROLE_SUFFIXES
                .iter()
                .filter_map(|end| own.strip_suffix(end));
            Some(kinds.any(|kind| self.is_kind(kind)) || OTHER_ROLES.contains(&own))
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
