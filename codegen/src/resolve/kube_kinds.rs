//! Kinds that kube's `#[derive(CustomResource)]` derives from specs, and lookup of their root
//! types.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use genclient_apimachinery::version::version_order;
use genclient_schema::definition::crd::{APPROVAL, is_approved};
use genclient_syntax::{Flag, KubeAttrs, Problems, SchemaMode, derives};
use syn::{Attribute, Fields, Ident, Item};

use super::kind::{Kind, KubeRoot, two_stored};
use super::paths::Paths;
use crate::diagnostic::{Diagnostic, Sink};
use crate::lookup::{PathLookup, Reach, Target};
use crate::model::GroupKind;
use crate::project::{CUSTOM_RESOURCE, Project};
use crate::sources::{DefId, Module, ModuleId, Sources, bare_name};

/// Reads a kind from a type with `#[kube(…)]`. If the derive, the group, the version or the kind is
/// missing, reports it and returns `None`.
pub(super) fn read_kube_kind<'a>(
    item: &'a Item,
    id: DefId,
    module: &Module,
    findings: &mut Sink,
) -> Option<Kind<'a>> {
    let (attrs, ident, fields) = type_parts(item)?;
    if !derives(attrs, CUSTOM_RESOURCE) {
        findings.push(
            Diagnostic::error("`#[kube(…)]` needs `#[derive(CustomResource)]`")
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
        id,
        item,
        attrs: kube.resource,
        version,
        faulty,
        findings: Sink::new(),
        skipped: false,
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

/// Attributes, name and, for a struct, fields of the type. kube derives kinds from structs and
/// enums only.
fn type_parts(item: &Item) -> Option<(&[Attribute], &Ident, Option<&Fields>)> {
    match item {
        Item::Struct(item) => Some((&item.attrs, &item.ident, Some(&item.fields))),
        Item::Enum(item) => Some((&item.attrs, &item.ident, None)),
        _ => None,
    }
}

/// Prepares kinds of kube's derive for CRDs. Leaves out CRDs that cannot be generated or lack the
/// approval annotation, warns about an ineffective `scale`, and chooses the storage version.
pub(super) fn prepare_crds(
    kinds: &mut [Kind<'_>],
    sources: &Sources,
    project: &Project,
    sink: &mut Sink,
) {
    for kind in kinds.iter_mut() {
        let Some(root) = &kind.kube else { continue };
        let at = kind.location(sources);
        if kind.attrs.skip_crd.is_set() {
            continue;
        }
        if root.schema != SchemaMode::Derived {
            sink.push(
                Diagnostic::warning(format!(
                    "the schema of `{}` is known only at run time: clients are generated, but no CRD",
                    kind.attrs.kind.value
                ))
                .at(at)
                .help("confirm it with `#[genclient(skip_crd)]`, or remove `schema = ..` to derive the schema from the type"),
            );
            kind.attrs.skip_crd = Flag::at(kind.attrs.ident.span());
        } else if !has_approval(kind, project) {
            sink.push(
                Diagnostic::warning(format!(
                    "the group `{}` belongs to Kubernetes: clients are generated for `{}`, but no CRD",
                    kind.attrs.group.value, kind.attrs.kind.value
                ))
                .at(at)
                .help(format!(
                    "confirm it with `#[genclient(skip_crd)]`; if the CRD is yours, write `#[kube(annotation(\"{APPROVAL}\", \"unapproved, experimental\"))]`"
                )),
            );
            kind.attrs.skip_crd = Flag::at(kind.attrs.ident.span());
        } else if let Some(span) = root.dropped_scale.span() {
            sink.push(
                Diagnostic::warning("kube omits `scale` for a kind without a status")
                    .at(kind.locate(sources, span))
                    .help("add `status = \"..\"` with the number of replicas, or remove `scale`"),
            );
        }
    }
    choose_stored(kinds, sources, project, sink);
}

/// True if the group needs no approval, or if an annotation states the approval.
fn has_approval(kind: &Kind<'_>, project: &Project) -> bool {
    let stated = kind
        .attrs
        .annotations
        .iter()
        .find(|(key, _)| key.value == APPROVAL)
        .map(|(_, value)| &value.value);
    let approval = stated.or_else(|| project.crd_annotations.get(APPROVAL));
    is_approved(&kind.attrs.group.value, approval.map_or("", String::as_str))
}

/// Chooses the storage version of each kind: the version that Cargo.toml names, else the version
/// with `storage = true`, else the first version that states no `storage`. In the last case,
/// several such versions are an error, since kube would mark each of them as stored.
fn choose_stored(kinds: &mut [Kind<'_>], sources: &Sources, project: &Project, sink: &mut Sink) {
    let mut definitions: BTreeMap<GroupKind, Vec<usize>> = BTreeMap::new();
    for (at, kind) in kinds.iter().enumerate() {
        definitions.entry(kind.name()).or_default().push(at);
    }
    for (name, versions) in definitions {
        let silent = |at: &usize| {
            let root = kinds[*at].kube.as_ref();
            root.is_some_and(|root| root.storage.is_none())
        };
        let silent: Vec<usize> = versions.iter().copied().filter(silent).collect();
        if let Some(version) = project.storage.get(&name.kind) {
            let named = |at: &&usize| kinds[**at].version.value == *version;
            let stored = versions.iter().find(named);
            if let Some(finding) = storage_version_error(
                version,
                stored.map(|at| &kinds[*at]),
                &kinds[versions[0]],
                sources,
            ) {
                sink.push(finding);
            }
            let stored = &mut kinds[*stored.unwrap_or(&versions[0])];
            stored.attrs.storage = Flag::at(stored.attrs.ident.span());
            continue;
        }
        let stated = versions.iter().any(|at| kinds[*at].attrs.storage.is_set());
        if versions.len() < 2 || stated {
            continue;
        }
        if let Some(first) = silent.first() {
            let span = kinds[*first].attrs.ident.span();
            kinds[*first].attrs.storage = Flag::at(span);
        }
        if let [first, second, ..] = silent[..]
            && kinds[first].version.value != kinds[second].version.value
        {
            let mut all: Vec<_> = silent.iter().map(|at| &*kinds[*at].version.value).collect();
            all.sort_by_key(|version| Reverse(version_order(version)));
            let finding = two_stored(&kinds[first], &kinds[second], sources);
            sink.push(finding.help(format!(
                "write `storage = false` into the `#[kube(…)]` of all versions but one, or \
                 `storage = {{ {} = \"{}\" }}` in `[package.metadata.genclient]`; the versions are {}",
                name.kind,
                all[0],
                all.join(", ")
            )));
        }
    }
}

/// The error for a storage version in Cargo.toml that is unknown or has `storage = false`.
fn storage_version_error(
    version: &str,
    found: Option<&Kind<'_>>,
    first: &Kind<'_>,
    sources: &Sources,
) -> Option<Diagnostic> {
    let name = &first.attrs.kind.value;
    let (kind, why) = match found {
        None => (first, "there is no such version"),
        Some(kind) => {
            kind.kube
                .as_ref()
                .filter(|root| root.storage == Some(false))?;
            (kind, "it has `storage = false`")
        }
    };
    let message = format!("`{version}` cannot be the storage version of `{name}`: {why}");
    let finding = Diagnostic::error(message).at(kind.location(sources));
    Some(finding.help("fix `storage` in `[package.metadata.genclient]`"))
}

/// Returns the kind whose root type the path names. Path lookup finds only types that are written
/// in source, but kube's derive generates root types.
pub(super) fn find_by_root_type<'k, 'a>(
    path: &PathLookup,
    kinds: &'k [Kind<'a>],
    sources: &Sources,
    paths: &Paths<'_>,
) -> Option<&'k Kind<'a>> {
    let (name, above) = path.segments.split_last()?;
    let names = sources.names(path.module);
    let mut candidates = vec![(above.to_vec(), name.clone())];
    if above.is_empty() {
        candidates.extend(names.imports(name).filter_map(|import| {
            let (name, above) = import.path.split_last()?;
            Some((above.to_vec(), name.clone()))
        }));
        candidates.extend(names.globs().map(|glob| (glob.path.clone(), name.clone())));
    }
    candidates.into_iter().find_map(|(segments, name)| {
        let module = if segments.is_empty() {
            path.module
        } else {
            module_of_root(
                PathLookup {
                    segments,
                    ..path.clone()
                },
                paths,
            )?
        };
        let is_root = |kind: &&Kind<'_>| {
            let ident = bare_name(&kind.attrs.ident);
            kind.kube.is_some() && kind.id.module == module && ident == name
        };
        kinds.iter().find(is_root)
    })
}

fn module_of_root(path: PathLookup, paths: &Paths<'_>) -> Option<ModuleId> {
    match paths.look_up(&path, Reach::Everywhere)? {
        Target::Module(module) => Some(module),
        Target::Unloaded(_) => {
            paths.want(path);
            None
        }
        _ => None,
    }
}
