//! Roles of controllers: the rules of `#[rbac]`, by namespace and name of the role.

mod deployed;
mod joined;

use std::collections::BTreeMap;

use genclient_syntax::{Problems, RbacRule};

use super::kind::Kind;
use super::object;
use super::paths::Paths;
use crate::diagnostic::Sink;
use crate::model::{PolicyRule, Role};
use crate::project::Deploy;
use crate::sources::{Module, ModuleId, Sources};
use deployed::RolePlace;

/// The roles of the package's rules; a rule with a mistake is reported and left out.
pub(super) fn resolve(
    kinds: &[Kind<'_>],
    sources: &Sources,
    paths: &Paths<'_>,
    deploy: Option<&Deploy>,
    sink: &mut Sink,
) -> Vec<Role> {
    let place = RolePlace::of(kinds, deploy);
    let mut roles: BTreeMap<(Option<String>, String), Vec<PolicyRule>> = BTreeMap::new();
    if let Some(rule) = place.own_rule() {
        roles.insert(place.key(None, None, &rule), vec![rule]);
    }
    for id in sources.rbac_modules() {
        for written in read(&sources[id], sink) {
            let (namespace, role) = (written.namespace.clone(), written.role.clone());
            let rule = rule(written, id, kinds, sources, paths, sink);
            for rule in rule.into_iter().flat_map(joined::by_resource) {
                let key = place.key(namespace.clone(), role.clone(), &rule);
                roles.entry(key).or_default().push(rule);
            }
        }
    }
    let roles = roles.into_iter().map(|((namespace, name), rules)| Role {
        namespace,
        name,
        rules: joined::rules(rules),
    });
    roles.collect()
}

/// The rules of a module's items.
fn read(module: &Module, sink: &mut Sink) -> Vec<RbacRule> {
    let mut rules = Vec::new();
    for item in &module.items {
        let mut problems = Problems::new();
        rules.extend(RbacRule::of_item(item, &mut problems));
        sink.problems(problems, &module.source);
    }
    rules
}

fn rule(
    written: RbacRule,
    module: ModuleId,
    kinds: &[Kind<'_>],
    sources: &Sources,
    paths: &Paths<'_>,
    sink: &mut Sink,
) -> Option<PolicyRule> {
    let (groups, resources) = match &written.resource {
        None => (written.groups, written.resources),
        Some(ty) => match object::find(ty, module, kinds, sources, paths) {
            Ok(object) => object.map(|object| (vec![object.group], vec![object.plural]))?,
            Err(why) => {
                let help = "write `group = \"..\", resources = [\"..\"]` in its place";
                sink.push(object::unknown(ty, why, help, &sources[module]));
                return None;
            }
        },
    };
    Some(PolicyRule {
        groups: groups.into_iter().collect(),
        resources: resources.into_iter().collect(),
        names: written.names.into_iter().collect(),
        urls: written.urls.into_iter().collect(),
        verbs: written.verbs.into_iter().collect(),
    })
}
