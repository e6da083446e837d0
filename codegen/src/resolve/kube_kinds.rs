//! Kinds that kube's `#[derive(CustomResource)]` makes of their specs.

use std::collections::BTreeMap;

use genclient_syntax::{Flag, KubeAttrs, Problems, SchemaMode, derives};
use syn::{Attribute, Fields, Ident, Item};

use super::kind::{Kind, KubeRoot, two_stored};
use crate::diagnostic::{Diagnostic, Sink};
use crate::sources::{Module, ModuleId, Sources};

/// Reads a type that has `#[kube(…)]`; one without group, version or kind is reported and no kind.
pub(super) fn read<'a>(
    item: &'a Item,
    id: ModuleId,
    module: &Module,
    findings: &mut Sink,
) -> Option<Kind<'a>> {
    let (attrs, ident, fields) = parts(item)?;
    if !derives(attrs, "CustomResource") {
        findings.push(
            Diagnostic::error(
                "`#[kube(…)]` is read by `#[derive(CustomResource)]`, which is not there",
            )
            .at(module.locate(ident))
            .help("add `CustomResource` to the derives, or remove `#[kube(…)]`"),
        );
        return None;
    }
    let mut problems = Problems::new();
    let kube = KubeAttrs::parse(attrs, ident, fields, &mut problems);
    let faulty = !problems.is_empty();
    findings.problems(problems, &module.source);
    let kube = kube?;
    let version = kube.resource.version.clone()?;
    Some(Kind {
        module: id,
        item,
        attrs: kube.resource,
        version,
        faulty,
        findings: Sink::new(),
        set_aside: false,
        kube: Some(KubeRoot {
            doc: kube.doc,
            status: kube.status,
            no_spec: kube.no_spec.is_set(),
            schema: kube.schema,
            storage: kube.storage.map(|storage| storage.value),
            dropped_scale: kube.dropped_scale,
        }),
    })
}

/// A struct or an enum; kube makes nothing of anything else.
fn parts(item: &Item) -> Option<(&[Attribute], &Ident, Option<&Fields>)> {
    match item {
        Item::Struct(item) => Some((&item.attrs, &item.ident, Some(&item.fields))),
        Item::Enum(item) => Some((&item.attrs, &item.ident, None)),
        _ => None,
    }
}

/// What concerns CRDs alone: schemas that cannot be seen, a `scale` without effect, and which version is stored.
pub(super) fn prepare_crds(kinds: &mut [Kind<'_>], sources: &Sources, sink: &mut Sink) {
    for kind in kinds.iter_mut() {
        let Some(root) = &kind.kube else { continue };
        let at = kind.place(sources);
        if root.schema != SchemaMode::Derived && !kind.attrs.skip_crd.is_set() {
            sink.push(
                Diagnostic::warning(format!(
                    "the program makes the schema of `{}`: it gets clients, and no CRD",
                    kind.attrs.kind.value
                ))
                .at(at)
                .help("say so with `#[genclient(skip_crd)]`, or remove `schema = ..` for a schema of its type"),
            );
            kind.attrs.skip_crd = Flag::at(kind.attrs.ident.span());
        } else if let Some(span) = root.dropped_scale.span() {
            sink.push(
                Diagnostic::warning("kube has no `scale` without a status, and leaves it out")
                    .at(kind.locate(sources, span))
                    .help("add `status = \"..\"` with the number of replicas, or remove `scale`"),
            );
        }
    }
    choose_stored(kinds, sources, sink);
}

/// kube calls every version stored that does not say otherwise; of several, all but one have to.
fn choose_stored(kinds: &mut [Kind<'_>], sources: &Sources, sink: &mut Sink) {
    let mut definitions: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
    for (at, kind) in kinds.iter().enumerate() {
        let key = (
            kind.attrs.group.value.clone(),
            kind.attrs.kind.value.clone(),
        );
        definitions.entry(key).or_default().push(at);
    }
    for versions in definitions
        .into_values()
        .filter(|versions| versions.len() > 1)
    {
        let silent = |at: &usize| {
            let root = kinds[*at].kube.as_ref();
            root.is_some_and(|root| root.storage.is_none())
        };
        let silent: Vec<usize> = versions.iter().copied().filter(silent).collect();
        let stated = versions.iter().any(|at| kinds[*at].attrs.storage.is_set());
        if let Some(first) = silent.first().filter(|_| !stated) {
            let span = kinds[*first].attrs.ident.span();
            kinds[*first].attrs.storage = Flag::at(span);
        }
        if !stated && silent.len() > 1 {
            let finding = two_stored(&kinds[silent[0]], &kinds[silent[1]], sources);
            let help = "write `storage = false` into the `#[kube(…)]` of all versions but one";
            sink.push(finding.help(help));
        }
    }
}
