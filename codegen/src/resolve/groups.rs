//! Kinds → groups and versions with clients.

use std::collections::BTreeMap;

use genclient_syntax::{
    MethodVerb, Scope as SyntaxScope, Spanned, Verb as SyntaxVerb, names as syntax_names,
};

use super::kinds::Kind;
use super::{docs, names, paths};
use crate::diagnostic::{Diagnostic, Sink};
use crate::load::Sources;
use crate::model::{Artefact, Group, Method, Resource, Scope, Verb, Version};
use crate::project::Project;

/// Methods of the informer factory, which a group's accessor stands beside.
const FACTORY_METHODS: [&str; 7] = [
    "builder",
    "for_resource",
    "informer_for",
    "new",
    "shutdown",
    "start",
    "wait_for_cache_sync",
];

pub(super) fn resolve(
    kinds: &[Kind<'_>],
    sources: &Sources,
    project: &Project,
    sink: &mut Sink,
) -> Vec<Group> {
    let mut groups: BTreeMap<&str, BTreeMap<&str, Vec<Resource>>> = BTreeMap::new();
    check_unique(kinds, sources, sink);
    check_aliases(kinds, project, sink);
    for kind in kinds {
        if kind.attrs.skip_client.is_set() {
            continue;
        }
        if let Some(resource) = resource(kind, sources, project, sink) {
            groups
                .entry(&kind.attrs.group.value)
                .or_default()
                .entry(&kind.version.value)
                .or_default()
                .push(resource);
        }
    }
    let mut groups: Vec<_> = groups
        .into_iter()
        .map(|(name, versions)| group(name, versions, project))
        .collect();
    check_group_modules(&groups, kinds, sources, sink);
    for group in &groups {
        for version in &group.versions {
            check_generated_names(group, version, kinds, sources, sink);
        }
    }
    name_variants(&mut groups);
    groups
}

fn group(name: &str, versions: BTreeMap<&str, Vec<Resource>>, project: &Project) -> Group {
    let mut versions: Vec<_> = versions
        .into_iter()
        .map(|(name, mut resources)| {
            resources.sort_by(|a, b| a.kind.cmp(&b.kind));
            Version {
                name: name.to_owned(),
                module: names::module(&syntax_names::version_module(name)),
                resources,
            }
        })
        .collect();
    versions.sort_by(|a, b| syntax_names::compare_versions(&a.name, &b.name));
    let module = match project.group_aliases.get(name) {
        Some(alias) => alias.clone(),
        None => syntax_names::group_module(name),
    };
    // A module may not hide the crate that the types are in, nor be called like the one that it stands in.
    let hides = project.types.split("::").next() == Some(&*module)
        || Artefact::ALL
            .iter()
            .any(|artefact| artefact.module() == module);
    let module = if hides { format!("{module}_") } else { module };
    Group {
        name: name.to_owned(),
        module: names::module(&module),
        versions,
    }
}

fn resource(
    kind: &Kind<'_>,
    sources: &Sources,
    project: &Project,
    sink: &mut Sink,
) -> Option<Resource> {
    let attrs = &kind.attrs;
    let path = paths::public_path(sources, kind.module, &attrs.ident.to_string());
    let Some(path) = path.filter(|_| paths::is_public(kind.visibility())) else {
        let why = if paths::is_public(kind.visibility()) {
            "a module above it is private"
        } else {
            "it is private"
        };
        sink.push(
            Diagnostic::error(format!(
                "generated code cannot reach `{}`: {why}",
                attrs.ident
            ))
            .at(kind.locate(sources, attrs.ident.span()))
            .help("make the struct and the modules above it `pub`, or re-export it with `pub use`"),
        );
        return None;
    };
    Some(Resource {
        kind: attrs.kind.value.clone(),
        plural: attrs.plural.value.clone(),
        scope: scope(attrs.scope),
        type_path: format!("{}::{path}", project.types),
        docs: docs::first_paragraph(kind.attributes()),
        cfg: kind.cfg(sources),
        names: names::of_kind(&attrs.kind.value),
        verbs: attrs.verbs.iter().map(|verb| self::verb(*verb)).collect(),
        scale: attrs.scale.is_some(),
        methods: methods(kind, sources, project, sink),
    })
}

pub(super) fn scope(scope: SyntaxScope) -> Scope {
    match scope {
        SyntaxScope::Namespaced => Scope::Namespaced,
        SyntaxScope::Cluster => Scope::Cluster,
    }
}

fn verb(verb: SyntaxVerb) -> Verb {
    match verb {
        SyntaxVerb::Create => Verb::Create,
        SyntaxVerb::Update => Verb::Update,
        SyntaxVerb::UpdateStatus => Verb::UpdateStatus,
        SyntaxVerb::Delete => Verb::Delete,
        SyntaxVerb::DeleteCollection => Verb::DeleteCollection,
        SyntaxVerb::Get => Verb::Get,
        SyntaxVerb::List => Verb::List,
        SyntaxVerb::Watch => Verb::Watch,
        SyntaxVerb::Patch => Verb::Patch,
        SyntaxVerb::Apply => Verb::Apply,
        SyntaxVerb::ApplyStatus => Verb::ApplyStatus,
    }
}

fn methods(kind: &Kind<'_>, sources: &Sources, project: &Project, sink: &mut Sink) -> Vec<Method> {
    let mut out = Vec::new();
    for method in &kind.attrs.methods {
        let mut path = |written: &Spanned<syn::Path>| {
            let found = paths::type_path(sources, kind.module, &written.value, &project.types);
            if found.is_none() {
                let name = paths::display(&written.value);
                sink.push(
                    Diagnostic::error(format!("cannot find the type `{name}`"))
                        .at(kind.locate(sources, written.span))
                        .help(
                            "name it by a path that starts at a crate, or import it in this module",
                        ),
                );
            }
            found
        };
        let input = method.input.as_ref().map(&mut path);
        let result = method.result.as_ref().map(&mut path);
        out.push(Method {
            name: method.name.value.clone(),
            verb: match method.verb.value {
                MethodVerb::Create => Verb::Create,
                MethodVerb::Update => Verb::Update,
                MethodVerb::Get => Verb::Get,
                MethodVerb::List => Verb::List,
                MethodVerb::Patch => Verb::Patch,
                MethodVerb::Apply => Verb::Apply,
            },
            subresource: method.subresource.as_ref().map(|s| s.value.clone()),
            input: input.flatten(),
            result: result.flatten(),
        });
    }
    out
}

/// An alias is a name for a module, and for a group that is there.
fn check_aliases(kinds: &[Kind<'_>], project: &Project, sink: &mut Sink) {
    for (group, alias) in &project.group_aliases {
        let word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if !alias.starts_with(|c: char| c.is_ascii_lowercase()) || !alias.chars().all(word) {
            sink.push(
                Diagnostic::error(format!("the alias `{alias}` of `{group}` is no name of a module"))
                    .help("use lower-case letters, digits and `_`, with a letter in front, in `[package.metadata.genclient.group-aliases]`"),
            );
        }
        if !kinds.iter().any(|kind| kind.attrs.group.value == *group) {
            let mut groups: Vec<_> = kinds.iter().map(|kind| &*kind.attrs.group.value).collect();
            groups.sort_unstable();
            groups.dedup();
            sink.push(
                Diagnostic::error(format!(
                    "the alias `{alias}` is for `{group}`, and no type has that group"
                ))
                .help(format!("the groups are: {}", groups.join(", "))),
            );
        }
    }
}

/// No two kinds of one version may share a kind or a plural.
fn check_unique(kinds: &[Kind<'_>], sources: &Sources, sink: &mut Sink) {
    let mut seen: BTreeMap<(&str, &str, &str, &str), &Kind<'_>> = BTreeMap::new();
    for kind in kinds {
        let attrs = &kind.attrs;
        let names = [
            ("kind", &attrs.kind, "#[kind = \"…\"]"),
            ("plural", &attrs.plural, "#[crd(plural = \"…\")]"),
        ];
        for (what, name, setting) in names {
            let key = (
                attrs.group.value.as_str(),
                kind.version.value.as_str(),
                what,
                name.value.as_str(),
            );
            let Some(first) = seen.insert(key, kind) else {
                continue;
            };
            sink.push(
                Diagnostic::error(format!(
                    "two types of {}/{} have the {what} `{}`",
                    key.0, key.1, name.value
                ))
                .at(kind.locate(sources, attrs.ident.span()))
                .label(
                    first.locate(sources, first.attrs.ident.span()),
                    "the first of them",
                )
                .help(if both_conditional(first, kind, sources) {
                    "a kind is one type in every build: put what differs into types of its fields"
                        .to_owned()
                } else {
                    format!("give one of them another: `{setting}`")
                }),
            );
            // One message for each pair of types.
            break;
        }
    }
}

fn both_conditional(first: &Kind<'_>, second: &Kind<'_>, sources: &Sources) -> bool {
    !first.cfg(sources).is_empty() && !second.cfg(sources).is_empty()
}

/// Two kinds may differ for the API server, and yet have one name in generated code: `GPUTask` and `GpuTask`.
fn check_generated_names(
    group: &Group,
    version: &Version,
    kinds: &[Kind<'_>],
    sources: &Sources,
    sink: &mut Sink,
) {
    let find = |resource: &Resource| {
        kinds.iter().find(|kind| {
            kind.attrs.kind.value == resource.kind
                && kind.attrs.group.value == group.name
                && kind.version.value == version.name
        })
    };
    let mut seen: BTreeMap<String, &Resource> = BTreeMap::new();
    for resource in &version.resources {
        for name in names::generated(resource) {
            let Some(first) = seen.insert(name.clone(), resource) else {
                continue;
            };
            let (Some(first), Some(second)) = (find(first), find(resource)) else {
                continue;
            };
            if first.attrs.plural.value == second.attrs.plural.value {
                // Said already.
                break;
            }
            sink.push(
                Diagnostic::error(format!(
                    "`{}` and `{}` would both have a `{name}` in generated code",
                    first.attrs.kind.value, second.attrs.kind.value
                ))
                .at(second.locate(sources, second.attrs.ident.span()))
                .label(
                    first.locate(sources, first.attrs.ident.span()),
                    "the first of them",
                )
                .help("rename one of them, or make no client for it: `#[genclient(skip_client)]`"),
            );
            break;
        }
    }
}

/// Groups that would share a module, or a name that the factory has already, need an alias.
fn check_group_modules(groups: &[Group], kinds: &[Kind<'_>], sources: &Sources, sink: &mut Sink) {
    let mut report = |group: &Group, message: String| {
        let at = kinds
            .iter()
            .find(|kind| kind.attrs.group.value == group.name)
            .map(|kind| kind.locate(sources, kind.attrs.group.span));
        let mut finding = Diagnostic::error(message).help(format!(
            "give it another name in Cargo.toml: `[package.metadata.genclient.group-aliases]` and `\"{}\" = \"…\"`",
            group.name
        ));
        finding.location = at;
        sink.push(finding);
    };
    for (at, group) in groups.iter().enumerate() {
        if let Some(first) = groups[..at]
            .iter()
            .find(|first| first.module == group.module)
        {
            report(
                group,
                format!(
                    "the groups `{}` and `{}` would both be called `{}`",
                    first.name, group.name, group.module
                ),
            );
        }
        if FACTORY_METHODS.contains(&group.module.as_str()) {
            report(
                group,
                format!(
                    "the group `{}` would be called `{}`, which the informer factory has already",
                    group.name, group.module
                ),
            );
        }
    }
}

/// Variants of `AnyObject`: the kind, with group and version before it where several kinds have that name.
fn name_variants(groups: &mut [Group]) {
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    let resources = |group: &Group| -> Vec<String> {
        let versions = group.versions.iter();
        versions
            .flat_map(|version| version.resources.iter().map(|r| r.kind.clone()))
            .collect()
    };
    for kind in groups.iter().flat_map(resources) {
        *count.entry(kind).or_default() += 1;
    }
    for group in groups {
        for version in &mut group.versions {
            for resource in &mut version.resources {
                if count.get(&resource.kind).is_some_and(|count| *count > 1) {
                    let prefix = format!("{}_{}", group.module, version.name);
                    resource.names.variant =
                        format!("{}{}", heck::AsUpperCamelCase(prefix), resource.kind);
                }
            }
        }
    }
}
