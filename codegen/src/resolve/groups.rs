//! Groups and versions of the kinds with clients.

use std::collections::{BTreeMap, BTreeSet};

use genclient_apimachinery::version::version_order;
use genclient_syntax::{Spanned, names as syntax_names};
use proc_macro2::Span;

use super::apply;
use super::kind::{Kind, names_of_kind};
use super::kind_lookup::KindLookup;
use super::paths::{Paths, display, is_public, unreachable_error};
use crate::diagnostic::{Diagnostic, Location, Sink};
use crate::group_module;
use crate::model::{Artefact, Group, Method, Resource, Verb, Version};
use crate::project::{Project, StatedKind};
use crate::sources::Sources;

pub(super) fn resolve(
    lookup: KindLookup<'_, '_>,
    stated: &[&StatedKind],
    project: &Project,
    artefacts: &BTreeSet<Artefact>,
    sink: &mut Sink,
) -> Vec<Group> {
    let KindLookup {
        kinds,
        sources,
        paths,
    } = lookup;
    // If only manifests are generated, a kind may be private: manifests do not refer to Rust types.
    let is_reached = artefacts.iter().any(|artefact| artefact.is_module());
    let mut groups: BTreeMap<&str, BTreeMap<&str, Vec<Resource>>> = BTreeMap::new();
    let claims = collect_claims(kinds, stated, sources, paths);
    check_unique(&claims, sink);
    for kind in kinds {
        if kind.attrs.skip_client.is_set() {
            continue;
        }
        let resource = match type_path(kind, sources, paths, project) {
            Ok(path) => {
                let apply = apply::path_of_kind(kind, &path, project);
                let resource = build_resource(kind, path, sources, paths, sink);
                if apply.is_some() {
                    check_methods(kind, sources, sink);
                }
                Some(Resource { apply, ..resource })
            }
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
        .map(|(name, versions)| build_group(name, versions, project))
        .collect();
    check_group_modules(&groups, &claims, sink);
    for group in &groups {
        for version in &group.versions {
            check_generated_names(group, version, &claims, sink);
        }
    }
    groups
}

fn build_group(name: &str, versions: BTreeMap<&str, Vec<Resource>>, project: &Project) -> Group {
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
    versions.sort_by_key(|version| version_order(&version.name));
    Group {
        name: name.to_owned(),
        module: group_module::group_module_name(name, &project.group_aliases, &project.types),
        versions,
    }
}

fn build_resource(
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
        names: names_of_kind(&attrs.kind.value),
        verbs: attrs.verbs.iter().copied().collect(),
        scale: attrs.scale.is_some(),
        apply: None,
        methods: resolve_methods(kind, sources, paths, sink),
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
        found => {
            let name = &kind.attrs.ident;
            let place = kind.location(sources);
            let finding = unreachable_error((name, "struct"), found.err(), sources);
            Err(Box::new(finding.at(place)))
        }
    }
}

fn resolve_methods(
    kind: &Kind<'_>,
    sources: &Sources,
    paths: &Paths<'_>,
    sink: &mut Sink,
) -> Vec<Method> {
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

/// Checks that no method has the name of one that takes an apply configuration. The macros, which
/// report other names that are taken, do not know whether a package has apply configurations.
fn check_methods(kind: &Kind<'_>, sources: &Sources, sink: &mut Sink) {
    for method in &kind.attrs.methods {
        let name = &method.name.value;
        let is_taken = |verb: &Verb| {
            kind.attrs.verbs.contains(verb) && *name == format!("{}_with", verb.as_str())
        };
        if [Verb::Apply, Verb::ApplyStatus].iter().any(is_taken) {
            sink.push(
                Diagnostic::error(format!("the client already has a method `{name}`"))
                    .at(kind.locate(sources, method.name.span))
                    .help("choose another name"),
            );
        }
    }
}

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
struct Claim<'k> {
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
fn collect_claims<'k>(
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
        place: Some(kind.location(sources)),
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
fn clash_error(message: String, first: &Claim<'_>, second: &Claim<'_>) -> Diagnostic {
    let mut finding = Diagnostic::error(message);
    finding.location = second.place.clone();
    match &first.place {
        Some(place) => finding.label(place.clone(), "first defined here"),
        None => finding,
    }
}

/// Checks that the kinds of one version have different names and plurals, and that no kind is both
/// read from source and stated in Cargo.toml.
fn check_unique(claims: &[Claim<'_>], sink: &mut Sink) {
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
                let help = match [first, claim].iter().find(|claim| is_explicit(claim, what)) {
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
            sink.push(clash_error(message, first, claim).help(help));
            // One message for each pair of types is enough.
            break;
        }
    }
}

/// True if the claim's kind or plural, as `what` says, is written in an attribute or in Cargo.toml,
/// not derived from another name.
fn is_explicit(claim: &Claim<'_>, what: &str) -> bool {
    let Some(kind) = claim.read else {
        return true;
    };
    let attrs = &kind.attrs;
    let written = match what {
        "kind" => attrs.kind.span,
        _ => attrs.plural.span,
    };
    // A derived name has the span of the name that it is derived from: the kind that of the type,
    // the plural that of the type or of `kind`.
    let origins = [attrs.ident.span(), attrs.kind.span];
    let origins = if what == "kind" {
        &origins[..1]
    } else {
        &origins
    };
    let is_same = |origin: &Span| origin.byte_range() == written.byte_range();
    !origins.iter().any(is_same)
}

/// Checks that kinds have different names in generated code. Two names that differ for the API
/// server can lead to the same generated name, as `GPUTask` and `GpuTask` do.
fn check_generated_names(group: &Group, version: &Version, claims: &[Claim<'_>], sink: &mut Sink) {
    let find = |resource: &Resource| {
        claims.iter().find(|claim| {
            claim.kind == resource.kind
                && claim.group == group.name
                && claim.version == version.name
        })
    };
    let mut seen: BTreeMap<String, &Resource> = BTreeMap::new();
    for resource in &version.resources {
        for name in claimed_names(resource) {
            let Some(first) = seen.insert(name.clone(), resource) else {
                continue;
            };
            let (Some(first), Some(second)) = (find(first), find(resource)) else {
                continue;
            };
            if first.plural == second.plural {
                // `check_unique` reports equal plurals.
                break;
            }
            let message = format!(
                "`{}` and `{}` would both generate `{name}`",
                first.kind, second.kind
            );
            sink.push(clash_error(message, first, second).help(
                "rename one of them, or generate no client for it: add `skip_client` to `#[genclient]`",
            ));
            break;
        }
    }
}

/// Checks that the module names of groups differ from each other, and from the names that the
/// informer factory uses. An alias gives a group another module name.
fn check_group_modules(groups: &[Group], claims: &[Claim<'_>], sink: &mut Sink) {
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
        if group_module::is_factory_method(&group.module) {
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

/// Returns all names that a kind claims in the modules of its version.
fn claimed_names(resource: &Resource) -> Vec<String> {
    let kind = &resource.kind;
    let mut all = vec![
        resource.names.module.clone(),
        resource.names.client.clone(),
        resource.names.accessor.clone(),
        format!("{kind}Lister"),
        format!("{kind}Informer"),
    ];
    if resource.is_namespaced() {
        all.push(format!("{kind}NamespaceLister"));
        all.push(resource.names.all.clone());
    }
    // The module and the accessor of a one-letter kind have the same name, but do not clash.
    all.sort();
    all.dedup();
    all
}
