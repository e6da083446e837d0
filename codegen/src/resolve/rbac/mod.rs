//! Roles of controllers: the rules of `#[rbac]`, by namespace and name of the role.

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

/// The role of rules that name none, as in kubebuilder's projects: with the name of the deployment
/// in front.
const ROLE: &str = "manager-role";

/// The roles of the package's rules; a rule with a mistake is reported and left out.
pub(super) fn resolve(
    kinds: &[Kind<'_>],
    sources: &Sources,
    paths: &Paths<'_>,
    deploy: Option<&Deploy>,
    sink: &mut Sink,
) -> Vec<Role> {
    let own = deploy.map_or_else(|| ROLE.to_owned(), |deploy| deploy.named(ROLE));
    // Paths that are no resources are in no namespace.
    let namespace = |rule: &PolicyRule| {
        let deploy = deploy.filter(|deploy| deploy.namespaced && rule.urls.is_empty());
        deploy.map(|deploy| deploy.namespace.clone())
    };
    let mut roles: BTreeMap<(Option<String>, String), Vec<PolicyRule>> = BTreeMap::new();
    if deploy.is_some() {
        let events = events();
        roles.insert((namespace(&events), own.clone()), vec![events]);
    }
    for id in sources.rbac_modules() {
        for written in read(&sources[id], sink) {
            let stated = written.namespace.clone();
            let role = written.role.clone().unwrap_or_else(|| own.clone());
            if let Some(rule) = rule(written, id, kinds, sources, paths, sink) {
                let key = (stated.or_else(|| namespace(&rule)), role);
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

/// What every manager writes: events of `core/v1`, of its leader election and of its controllers.
fn events() -> PolicyRule {
    PolicyRule {
        groups: [String::new()].into(),
        resources: ["events".to_owned()].into(),
        verbs: ["create", "patch"].map(str::to_owned).into(),
        ..PolicyRule::default()
    }
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
