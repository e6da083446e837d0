//! Rules stated by `#[rbac]` attributes, with the items that the attributes stand on.

use genclient_syntax::{Problems, RbacRule};
use proc_macro2::Span;

use crate::diagnostic::Sink;
use crate::model::PolicyRule;
use crate::resolve::kind::Kind;
use crate::resolve::object;
use crate::resolve::paths::Paths;
use crate::sources::{Module, ModuleId, Sources};

/// A rule stated by an attribute.
pub(super) struct Stated {
    pub(super) module: ModuleId,
    /// Index of the item in its module. The attribute is on the item or on a part of it, such as a
    /// method.
    pub(super) item: usize,
    pub(super) span: Span,
    pub(super) namespace: Option<String>,
    pub(super) role: Option<String>,
    pub(super) rule: PolicyRule,
}

/// Returns the rules of all attributes. A rule with an error is reported and left out.
pub(super) fn find(
    kinds: &[Kind<'_>],
    sources: &Sources,
    paths: &Paths<'_>,
    sink: &mut Sink,
) -> Vec<Stated> {
    let mut stated = Vec::new();
    for module in sources.rbac_modules() {
        for (item, written) in read(&sources[module], sink) {
            let (namespace, role) = (written.namespace.clone(), written.role.clone());
            let span = written.span;
            if let Some(rule) = rule(written, module, kinds, sources, paths, sink) {
                stated.push(Stated {
                    module,
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

/// Rules of a module's items, each with the index of its item.
fn read(module: &Module, sink: &mut Sink) -> Vec<(usize, RbacRule)> {
    let mut rules = Vec::new();
    for (at, item) in module.items.iter().enumerate() {
        let mut problems = Problems::new();
        let written = RbacRule::of_item(item, &mut problems);
        rules.extend(written.into_iter().map(|rule| (at, rule)));
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
                let help = "write `group = \"..\", resources = [\"..\"]` instead";
                sink.push(object::unknown(ty, why, help, &sources[module], kinds));
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
