//! Rules stated by `#[rbac]` attributes, with the items that the attributes stand on.

use genclient_syntax::{Problems, RbacRule, Spanned};
use proc_macro2::Span;
use syn::spanned::Spanned as _;

use super::effect;
use crate::diagnostic::Sink;
use crate::model::PolicyRule;
use crate::resolve::kind::Kind;
use crate::resolve::object;
use crate::resolve::paths::Paths;
use crate::sources::{DefId, ModuleId, Sources};

/// A rule stated by an attribute.
pub(super) struct Stated {
    /// The item that has the attribute, or has it on a part of it, such as a method.
    pub(super) item: DefId,
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
        for (item, written) in read(module, sources, sink) {
            let (namespace, role) = (written.namespace.clone(), written.role.clone());
            let span = written.span;
            if let Some(rule) = rule(written, module, kinds, sources, paths, sink) {
                stated.push(Stated {
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
fn read(module: ModuleId, sources: &Sources, sink: &mut Sink) -> Vec<(DefId, RbacRule)> {
    let mut rules = Vec::new();
    for (id, item) in sources.items(module) {
        let mut problems = Problems::new();
        let written = RbacRule::of_item(item, &mut problems);
        rules.extend(written.into_iter().map(|rule| (id, rule)));
        sink.problems(problems, &sources[module].source);
    }
    rules
}

fn rule(
    mut written: RbacRule,
    module: ModuleId,
    kinds: &[Kind<'_>],
    sources: &Sources,
    paths: &Paths<'_>,
    sink: &mut Sink,
) -> Option<PolicyRule> {
    if let Some(ty) = &written.resource {
        match object::find(ty, module, kinds, sources, paths) {
            Ok(object) => {
                let object = object?;
                written.groups = vec![Spanned::new(object.group, ty.0.span())];
                written.resources = vec![Spanned::new(object.plural, ty.0.span())];
            }
            Err(why) => {
                let help = match object::not_imported(ty) {
                    Some(kind) => format!(
                        "write `group = \"{}\", resources = [\"{}\"]` instead, or import the type: `use {};`",
                        kind.group,
                        kind.plural,
                        kind.path()
                    ),
                    None => "write `group = \"..\", resources = [\"..\"]` instead".to_owned(),
                };
                sink.push(object::unknown(ty, why, &help, &sources[module], kinds));
                return None;
            }
        }
    }
    effect::check(&written, kinds, &sources[module], sink);
    let values = |texts: Vec<Spanned<String>>| texts.into_iter().map(|text| text.value).collect();
    Some(PolicyRule {
        groups: values(written.groups),
        resources: values(written.resources),
        names: written.names.into_iter().collect(),
        urls: written.urls.into_iter().collect(),
        verbs: values(written.verbs),
    })
}
