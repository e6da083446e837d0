//! Names that two would have: kinds, modules and what is generated for them.

use std::collections::BTreeMap;

use proc_macro2::Span;

use crate::diagnostic::{Diagnostic, Sink};
use crate::group_module;
use crate::model::{Group, Resource, Version};
use crate::project::Project;
use crate::resolve::kind::Kind;
use crate::resolve::names;
use crate::sources::Sources;

/// An alias is a name for a module, and for a group that is there.
pub(in crate::resolve) fn check_aliases(kinds: &[Kind<'_>], project: &Project, sink: &mut Sink) {
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
pub(super) fn unique(kinds: &[Kind<'_>], sources: &Sources, sink: &mut Sink) {
    let mut seen: BTreeMap<(&str, &str, &str, &str), &Kind<'_>> = BTreeMap::new();
    for kind in kinds {
        let attrs = &kind.attrs;
        let names = [("kind", &attrs.kind), ("plural", &attrs.plural)];
        for (what, name) in names {
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
                .at(kind.place(sources))
                .label(first.place(sources), "the first of them")
                .help(if both_conditional(first, kind, sources) {
                    "a kind is one type in every build: write one without `cfg`, and put each of these in an \
                     `Option` field of the kind"
                        .to_owned()
                } else {
                    match [first, kind].iter().find(|kind| states(kind, what)) {
                        Some(kind) => format!("change the `{what}` of `{}`", kind.attrs.ident),
                        None => "rename one of them".to_owned(),
                    }
                }),
            );
            // One message for each pair of types.
            break;
        }
    }
}

/// True if the name is written in an attribute, and none that the type's own name makes.
fn states(kind: &Kind<'_>, what: &str) -> bool {
    let attrs = &kind.attrs;
    let written = match what {
        "kind" => attrs.kind.span,
        _ => attrs.plural.span,
    };
    let made = [attrs.ident.span(), attrs.kind.span];
    let made = if what == "kind" { &made[..1] } else { &made };
    let is_made = |made: &Span| made.byte_range() == written.byte_range();
    !made.iter().any(is_made)
}

fn both_conditional(first: &Kind<'_>, second: &Kind<'_>, sources: &Sources) -> bool {
    !first.cfg(sources).is_empty() && !second.cfg(sources).is_empty()
}

/// Two kinds may differ for the API server, and yet have one name in generated code: `GPUTask` and `GpuTask`.
pub(super) fn generated_names(
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
                .at(second.place(sources))
                .label(first.place(sources), "the first of them")
                .help("rename one of them, or make no client for it: add `skip_client` to `#[genclient]`"),
            );
            break;
        }
    }
}

/// Groups that would share a module, or a name that the factory has already, need an alias.
pub(super) fn group_modules(
    groups: &[Group],
    kinds: &[Kind<'_>],
    sources: &Sources,
    sink: &mut Sink,
) {
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
        if group_module::is_taken(&group.module) {
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
