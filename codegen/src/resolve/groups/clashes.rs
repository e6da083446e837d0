//! Name clashes between kinds, modules and generated items, and checks of group aliases.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::Span;

use crate::diagnostic::{Diagnostic, Location, Sink};
use crate::group_module;
use crate::model::{Group, Resource, Version};
use crate::project::{Project, StatedKind};
use crate::resolve::kind::Kind;
use crate::resolve::names;
use crate::resolve::paths::Paths;
use crate::sources::Sources;

/// Checks each group alias in Cargo.toml: the alias must be a valid module name, and at least one
/// kind must have the group.
pub(in crate::resolve) fn check_aliases(
    kinds: &[Kind<'_>],
    stated: &[&StatedKind],
    project: &Project,
    sink: &mut Sink,
) {
    let read = kinds.iter().map(|kind| &*kind.attrs.group.value);
    let groups: BTreeSet<_> = read.chain(stated.iter().map(|kind| &*kind.group)).collect();
    for (group, alias) in &project.group_aliases {
        let word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if !alias.starts_with(|c: char| c.is_ascii_lowercase()) || !alias.chars().all(word) {
            sink.push(
                Diagnostic::error(format!("invalid module name `{alias}` in the alias of `{group}`"))
                    .help("use lower-case letters, digits and `_`, starting with a letter, in `[package.metadata.genclient.group-aliases]`"),
            );
        }
        if !groups.contains(&**group) {
            let groups: Vec<_> = groups.iter().copied().collect();
            sink.push(
                Diagnostic::error(format!(
                    "the alias `{alias}` is for the group `{group}`, but no kind has that group"
                ))
                .help(format!("the groups are: {}", groups.join(", "))),
            );
        }
    }
}

/// The names that a kind claims, with their locations.
pub(super) struct Claim<'k> {
    group: &'k str,
    version: &'k str,
    kind: &'k str,
    plural: &'k str,
    place: Option<Location>,
    group_place: Option<Location>,
    is_conditional: bool,
    /// Path of the module that defines the type.
    module: String,
    /// The kind that was read from source; `None` for a kind stated in Cargo.toml.
    read: Option<&'k Kind<'k>>,
}

impl Claim<'_> {
    fn type_name(&self) -> String {
        match self.read {
            Some(kind) => kind.attrs.ident.to_string(),
            None => self.kind.to_owned(),
        }
    }
}

/// Returns the claims of all kinds: first of the kinds read from source, then of stated kinds.
pub(super) fn claims<'k>(
    kinds: &'k [Kind<'k>],
    stated: &[&'k StatedKind],
    sources: &Sources,
    paths: &Paths<'_>,
) -> Vec<Claim<'k>> {
    let of_type = |kind: &'k Kind<'k>| Claim {
        group: &kind.attrs.group.value,
        version: &kind.version.value,
        kind: &kind.attrs.kind.value,
        plural: &kind.attrs.plural.value,
        place: Some(kind.place(sources)),
        group_place: Some(kind.locate(sources, kind.attrs.group.span)),
        is_conditional: !kind.cfg(sources).is_empty(),
        module: paths.of_module(kind.id.module),
        read: Some(kind),
    };
    let of_table = |stated: &&'k StatedKind| Claim {
        group: &stated.group,
        version: &stated.version,
        kind: &stated.kind,
        plural: &stated.plural,
        place: stated.place.clone(),
        group_place: stated.place.clone(),
        is_conditional: false,
        module: stated.module().to_owned(),
        read: None,
    };
    let read = kinds.iter().map(of_type);
    read.chain(stated.iter().map(of_table)).collect()
}

/// An error about two claims, located at the second.
fn clash(message: String, first: &Claim<'_>, second: &Claim<'_>) -> Diagnostic {
    let mut finding = Diagnostic::error(message);
    finding.location = second.place.clone();
    match &first.place {
        Some(place) => finding.label(place.clone(), "first defined here"),
        None => finding,
    }
}

/// Checks that the kinds of one version have different names and plurals, and that no kind is both
/// read from source and stated in Cargo.toml.
pub(super) fn unique(claims: &[Claim<'_>], sink: &mut Sink) {
    let mut seen: BTreeMap<(&str, &str, &str, &str), &Claim<'_>> = BTreeMap::new();
    let mut read: BTreeMap<(&str, &str), &Claim<'_>> = BTreeMap::new();
    for claim in claims {
        match (claim.read, read.get(&(claim.group, claim.kind))) {
            (Some(_), _) => {
                read.insert((claim.group, claim.kind), claim);
            }
            (None, None) => {}
            (None, Some(first)) => {
                let message = format!(
                    "`{}` is given twice: in `[[package.metadata.genclient.kinds]]` and as a type",
                    claim.kind
                );
                let mut finding = Diagnostic::error(message);
                finding.location = claim.place.clone();
                if let Some(place) = &first.place {
                    finding = finding.label(place.clone(), "the type");
                }
                sink.push(finding.help("remove it from `[[package.metadata.genclient.kinds]]`"));
                continue;
            }
        }
        for (what, name) in [("kind", claim.kind), ("plural", claim.plural)] {
            let key = (claim.group, claim.version, what, name);
            let Some(first) = seen.insert(key, claim) else {
                continue;
            };
            let message = format!(
                "two types of {}/{} have the same {what} `{name}`",
                key.0, key.1
            );
            let help = if first.is_conditional && claim.is_conditional {
                "a kind must be the same type in every build: write one type without \
                 `cfg`, with an `Option` field for each of these types"
                    .to_owned()
            } else {
                let help = match [first, claim].iter().find(|claim| states(claim, what)) {
                    Some(claim) => format!("change the `{what}` of `{}`", claim.type_name()),
                    None => "rename one of them".to_owned(),
                };
                if first.module == claim.module {
                    help
                } else {
                    format!(
                        "{help}, or skip one of the modules: `skip = [\"{}\"]` in `[package.metadata.genclient]`",
                        claim.module
                    )
                }
            };
            sink.push(clash(message, first, claim).help(help));
            // One message for each pair of types is enough.
            break;
        }
    }
}

/// True if the claim's kind or plural, as `what` says, is written in an attribute or in Cargo.toml,
/// not derived from another name.
fn states(claim: &Claim<'_>, what: &str) -> bool {
    let Some(kind) = claim.read else {
        return true;
    };
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

/// Checks that kinds have different names in generated code. Two names that differ for the API
/// server can lead to the same generated name, as `GPUTask` and `GpuTask` do.
pub(super) fn generated_names(
    group: &Group,
    version: &Version,
    claims: &[Claim<'_>],
    sink: &mut Sink,
) {
    let find = |resource: &Resource| {
        claims.iter().find(|claim| {
            claim.kind == resource.kind
                && claim.group == group.name
                && claim.version == version.name
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
            if first.plural == second.plural {
                // `unique` reports equal plurals.
                break;
            }
            let message = format!(
                "`{}` and `{}` would both generate `{name}`",
                first.kind, second.kind
            );
            sink.push(clash(message, first, second).help(
                "rename one of them, or generate no client for it: add `skip_client` to `#[genclient]`",
            ));
            break;
        }
    }
}

/// Checks that the module names of groups differ from each other, and from the names that the
/// informer factory uses. An alias gives a group another module name.
pub(super) fn group_modules(groups: &[Group], claims: &[Claim<'_>], sink: &mut Sink) {
    let mut report = |group: &Group, message: String| {
        let first = claims.iter().find(|claim| claim.group == group.name);
        let mut finding = Diagnostic::error(message).help(format!(
            "give it an alias in Cargo.toml: `[package.metadata.genclient.group-aliases]` and `\"{}\" = \"…\"`",
            group.name
        ));
        finding.location = first.and_then(|claim| claim.group_place.clone());
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
                    "the groups `{}` and `{}` would both have the module name `{}`",
                    first.name, group.name, group.module
                ),
            );
        }
        if group_module::is_taken(&group.module) {
            report(
                group,
                format!(
                    "the group `{}` would have the module name `{}`, which the informer factory already uses",
                    group.name, group.module
                ),
            );
        }
    }
}
