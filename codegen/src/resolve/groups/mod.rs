//! Groups and versions of the kinds with clients.

mod clashes;

use std::collections::{BTreeMap, BTreeSet};

use genclient_syntax::{Spanned, names as syntax_names};

pub(super) use clashes::check_aliases;

use super::kind::Kind;
use super::names;
use super::paths::{Paths, display, is_public};
use crate::diagnostic::{Diagnostic, Sink};
use crate::group_module;
use crate::model::{Artefact, Group, Method, Resource, Version};
use crate::project::{Project, StatedKind};
use crate::sources::{ModuleId, Sources};

pub(super) fn resolve(
    kinds: &[Kind<'_>],
    stated: &[&StatedKind],
    sources: &Sources,
    paths: &Paths<'_>,
    project: &Project,
    artefacts: &BTreeSet<Artefact>,
    sink: &mut Sink,
) -> Vec<Group> {
    // If only manifests are generated, a kind may be private: manifests do not refer to Rust types.
    let is_reached = artefacts.iter().any(|artefact| artefact.is_module());
    let mut groups: BTreeMap<&str, BTreeMap<&str, Vec<Resource>>> = BTreeMap::new();
    let claims = clashes::claims(kinds, stated, sources, paths);
    clashes::unique(&claims, sink);
    for kind in kinds {
        if kind.attrs.skip_client.is_set() {
            continue;
        }
        let resource = match type_path(kind, sources, paths, project) {
            Ok(path) => Some(resource(kind, path, sources, paths, sink)),
            Err(unreachable) => {
                if is_reached {
                    sink.push(*unreachable);
                }
                None
            }
        };
        if let Some(resource) = resource {
            groups
                .entry(&kind.attrs.group.value)
                .or_default()
                .entry(&kind.version.value)
                .or_default()
                .push(resource);
        }
    }
    for kind in stated {
        let versions = groups.entry(&kind.group).or_default();
        let resources = versions.entry(&kind.version).or_default();
        resources.push(kind.resource());
    }
    let groups: Vec<_> = groups
        .into_iter()
        .map(|(name, versions)| group(name, versions, project))
        .collect();
    clashes::group_modules(&groups, &claims, sink);
    for group in &groups {
        for version in &group.versions {
            clashes::generated_names(group, version, &claims, sink);
        }
    }
    groups
}

fn group(name: &str, versions: BTreeMap<&str, Vec<Resource>>, project: &Project) -> Group {
    let mut versions: Vec<_> = versions
        .into_iter()
        .map(|(name, mut resources)| {
            resources.sort_by(|a, b| a.kind.cmp(&b.kind));
            Version {
                name: name.to_owned(),
                module: syntax_names::module(&syntax_names::version_module(name)),
                resources,
            }
        })
        .collect();
    versions.sort_by(|a, b| syntax_names::compare_versions(&a.name, &b.name));
    Group {
        name: name.to_owned(),
        module: group_module::of(name, &project.group_aliases, &project.types),
        versions,
    }
}

fn resource(
    kind: &Kind<'_>,
    type_path: String,
    sources: &Sources,
    paths: &Paths<'_>,
    sink: &mut Sink,
) -> Resource {
    let attrs = &kind.attrs;
    Resource {
        kind: attrs.kind.value.clone(),
        plural: attrs.plural.value.clone(),
        scope: attrs.scope,
        type_path,
        cfg: kind.cfg(sources),
        names: names::of_kind(&attrs.kind.value),
        verbs: attrs.verbs.iter().copied().collect(),
        scale: attrs.scale.is_some(),
        methods: methods(kind, sources, paths, sink),
    }
}

/// Returns the path by which generated code refers to the type of a kind.
///
/// # Errors
///
/// Returns an error if the type is not visible to generated code.
pub(super) fn type_path(
    kind: &Kind<'_>,
    sources: &Sources,
    paths: &Paths<'_>,
    project: &Project,
) -> Result<String, Box<Diagnostic>> {
    match paths.public_path(kind.id.module, &kind.attrs.ident.to_string()) {
        Ok(path) if is_public(kind.visibility()) => Ok(format!("{}::{path}", project.types)),
        found => Err(Box::new(unreachable(kind, found.err(), sources))),
    }
}

/// The error for a kind that generated code cannot reach: the module `hidden` above the type is
/// private. If `hidden` is `None`, the type itself is private.
fn unreachable(kind: &Kind<'_>, hidden: Option<ModuleId>, sources: &Sources) -> Diagnostic {
    let name = &kind.attrs.ident;
    let private = hidden.map(|id| &sources[id]);
    let (why, help) = match private {
        Some(module) => (
            "a module above it is private",
            format!(
                "write `pub mod {}`, or re-export the type with `pub use`",
                module.name
            ),
        ),
        None => ("it is private", "make the struct `pub`".to_owned()),
    };
    let finding = Diagnostic::error(format!("generated code cannot reach `{name}`: {why}"))
        .at(kind.locate(sources, name.span()))
        .help(help);
    match private.and_then(|module| module.declared.clone()) {
        Some(place) => finding.label(place, "the private module"),
        None => finding,
    }
}

fn methods(kind: &Kind<'_>, sources: &Sources, paths: &Paths<'_>, sink: &mut Sink) -> Vec<Method> {
    let mut out = Vec::new();
    for method in &kind.attrs.methods {
        let mut path = |written: &Spanned<syn::Path>| {
            let found = paths.type_path(kind.id.module, &written.value);
            if found.is_none() {
                let name = display(&written.value);
                sink.push(
                    Diagnostic::error(format!("cannot find the type `{name}`"))
                        .at(kind.locate(sources, written.span))
                        .help("write a path that starts at a crate, or import it in this module"),
                );
            }
            found
        };
        let input = method.input.as_ref().map(&mut path);
        let result = method.result.as_ref().map(&mut path);
        out.push(Method {
            name: method.name.value.clone(),
            verb: method.verb.value,
            subresource: method.subresource.as_ref().map(|s| s.value.clone()),
            input: input.flatten(),
            result: result.flatten(),
        });
    }
    out
}
