//! RBAC roles of controllers: rules of `#[rbac]`, and rules inferred from what the controllers
//! declare.

mod declared;
mod deployed;
mod inferred;
mod joined;
mod reads;
mod runtime_types;
mod scoped;
mod stated;

use std::collections::BTreeMap;

use super::kind::Kind;
use super::paths::Paths;
use crate::diagnostic::{Diagnostic, Location, Sink};
use crate::model::{InferredRule, PolicyRule, Role};
use crate::project::Deploy;
use crate::sources::Sources;
use deployed::RolePlace;
use inferred::Inferred;
use stated::Stated;

/// The rules of a role before they are merged.
#[derive(Default)]
struct RoleRules {
    all: Vec<PolicyRule>,
    inferred: Vec<InferredRule>,
}

/// Returns the roles of the package, by namespace and name. A rule with an error is reported and
/// left out.
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
        module,
        span,
        namespace,
        role,
        rule,
        ..
    } in stated
    {
        if let Some(role) = role.as_deref().filter(|role| place.has_other(role)) {
            let at = Location::of(&sources[module].source, span);
            sink.push(taken(role).at(at));
            continue;
        }
        for rule in joined::by_resource(rule) {
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
        rules: joined::rules(rules.all),
        inferred: rules.inferred,
    });
    roles.collect()
}

fn taken(role: &str) -> Diagnostic {
    Diagnostic::error(format!("`{role}` is another role of the deployment"))
        .help(format!("name another role: `role = \"{role}-2\"`"))
}
