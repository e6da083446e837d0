//! Kinds → custom resource definitions: the versions of one kind together.

use std::collections::BTreeMap;

use genclient_syntax::{Deprecated, Spanned, names as syntax_names};

use super::kinds::Kind;
use super::{cel, groups, json_paths, schema};
use crate::diagnostic::{Diagnostic, Sink};
use crate::load::Sources;
use crate::model::{Conversion, Crd, CrdVersion, PrinterColumn, Scale};
use crate::project::Project;

pub(super) fn resolve(
    kinds: &[Kind<'_>],
    sources: &Sources,
    project: &Project,
    sink: &mut Sink,
) -> Vec<Crd> {
    let mut definitions: BTreeMap<(&str, &str), Vec<&Kind<'_>>> = BTreeMap::new();
    for kind in kinds {
        let attrs = &kind.attrs;
        if attrs.skip_crd.is_set() || attrs.skip_version.is_set() {
            continue;
        }
        let key = (attrs.group.value.as_str(), attrs.kind.value.as_str());
        definitions.entry(key).or_default().push(kind);
    }
    let mut crds: Vec<_> = definitions
        .into_values()
        .map(|versions| definition(versions, sources, project, sink))
        .collect();
    crds.sort_by_key(Crd::file_name);
    check_plurals(&crds, kinds, sources, sink);
    crds
}

/// One definition of all versions of a kind, of which there is at least one.
fn definition(
    mut versions: Vec<&Kind<'_>>,
    sources: &Sources,
    project: &Project,
    sink: &mut Sink,
) -> Crd {
    // The API server prefers the newest stable version, and so do its listings.
    versions.sort_by(|a, b| syntax_names::compare_versions(&b.version.value, &a.version.value));
    check_agreement(&versions, sources, sink);
    let storage = storage_version(&versions, sources, sink);
    let main = versions[storage];
    check_once(&versions, main, sources, sink);
    let attrs = &main.attrs;
    let text =
        |values: &[Spanned<String>]| values.iter().map(|value| value.value.clone()).collect();
    let pairs = |pairs: &[(Spanned<String>, Spanned<String>)]| -> BTreeMap<String, String> {
        let pairs = pairs.iter();
        pairs
            .map(|(key, value)| (key.value.clone(), value.value.clone()))
            .collect()
    };
    let mut annotations = project.crd_annotations.clone();
    annotations.extend(pairs(&attrs.annotations));
    Crd {
        group: attrs.group.value.clone(),
        kind: attrs.kind.value.clone(),
        plural: attrs.plural.value.clone(),
        singular: attrs.singular.value.clone(),
        short_names: text(&attrs.short_names),
        categories: text(&attrs.categories),
        scope: groups::scope(attrs.scope),
        annotations,
        labels: pairs(&attrs.labels),
        conversion: attrs.conversion.as_ref().map(conversion),
        cfg: condition(&versions, sources),
        versions: versions
            .iter()
            .enumerate()
            .map(|(at, kind)| version(kind, at == storage, sources, project, sink))
            .collect(),
    }
}

/// Which version objects are stored as.
fn storage_version(versions: &[&Kind<'_>], sources: &Sources, sink: &mut Sink) -> usize {
    let marked: Vec<_> = (0..versions.len())
        .filter(|at| versions[*at].attrs.storage.is_set())
        .collect();
    match marked[..] {
        [at] => at,
        [] if versions.len() == 1 => 0,
        // Said already: one version twice.
        [] if versions
            .windows(2)
            .any(|pair| pair[0].version.value == pair[1].version.value) =>
        {
            0
        }
        [] => {
            let kind = versions[0];
            let names: Vec<_> = versions.iter().map(|v| v.version.value.as_str()).collect();
            sink.push(
                Diagnostic::error(format!(
                    "`{}` has the versions {}, and none of them is the stored one",
                    kind.attrs.kind.value,
                    names.join(", ")
                ))
                .at(kind.locate(sources, kind.attrs.ident.span()))
                .help("write `#[crd(storage)]` on one of them"),
            );
            0
        }
        [first, second, ..] => {
            let (first, second) = (versions[first], versions[second]);
            let span =
                |kind: &Kind<'_>| kind.attrs.storage.span().unwrap_or(kind.attrs.ident.span());
            sink.push(
                Diagnostic::error(format!(
                    "`{}` has two stored versions, {} and {}",
                    first.attrs.kind.value, first.version.value, second.version.value
                ))
                .at(second.locate(sources, span(second)))
                .label(first.locate(sources, span(first)), "the other one")
                .help("keep `#[crd(storage)]` on one of them"),
            );
            0
        }
    }
}

/// All versions have one plural, scope and set of names.
fn check_agreement(versions: &[&Kind<'_>], sources: &Sources, sink: &mut Sink) {
    for kind in versions {
        let (first, other) = (&versions[0].attrs, &kind.attrs);
        let what = if first.plural.value != other.plural.value {
            "plural"
        } else if first.scope != other.scope {
            "scope"
        } else {
            continue;
        };
        sink.push(
            Diagnostic::error(format!(
                "the versions {} and {version} of `{}` differ in their {what}",
                versions[0].version.value,
                first.kind.value,
                version = kind.version.value
            ))
            .at(kind.locate(sources, other.ident.span()))
            .label(
                versions[0].locate(sources, first.ident.span()),
                "the other version",
            )
            .help("a kind has one plural and one scope in all its versions"),
        );
    }
}

/// What a CRD has once is taken from the stored version; another version cannot state something else.
fn check_once(versions: &[&Kind<'_>], main: &Kind<'_>, sources: &Sources, sink: &mut Sink) {
    let texts = |values: &[Spanned<String>]| -> Vec<String> {
        values.iter().map(|value| value.value.clone()).collect()
    };
    let stated = |kind: &Kind<'_>| {
        let attrs = &kind.attrs;
        let pairs = |pairs: &[(Spanned<String>, Spanned<String>)]| -> Vec<String> {
            let pairs = pairs.iter();
            pairs
                .map(|(key, value)| format!("{}={}", key.value, value.value))
                .collect()
        };
        let conversion = attrs
            .conversion
            .as_ref()
            .map(|c| format!("{:?}", conversion(c)));
        [
            ("singular", vec![attrs.singular.value.clone()]),
            ("short_names", texts(&attrs.short_names)),
            ("categories", texts(&attrs.categories)),
            ("annotation", pairs(&attrs.annotations)),
            ("label", pairs(&attrs.labels)),
            ("conversion", conversion.into_iter().collect()),
        ]
    };
    for kind in versions {
        for ((what, other), (_, main_has)) in stated(kind).into_iter().zip(stated(main)) {
            if other.is_empty() || other == main_has {
                continue;
            }
            let (stored, version) = (&main.version.value, &kind.version.value);
            sink.push(
                Diagnostic::error(format!(
                    "`{what}` of {version} is not that of the stored version {stored}"
                ))
                .at(kind.locate(sources, kind.attrs.ident.span()))
                .label(
                    main.locate(sources, main.attrs.ident.span()),
                    "the stored version",
                )
                .help(format!("a CRD has it once: write it on {stored} alone")),
            );
        }
    }
}

/// Two kinds of a group cannot share a plural, in whatever versions they are.
fn check_plurals(crds: &[Crd], kinds: &[Kind<'_>], sources: &Sources, sink: &mut Sink) {
    for (at, crd) in crds.iter().enumerate() {
        let same = |other: &&Crd| other.group == crd.group && other.plural == crd.plural;
        let Some(first) = crds[..at].iter().find(same) else {
            continue;
        };
        let find = |kind: &str| {
            let mut kinds = kinds.iter();
            kinds.find(|k| k.attrs.kind.value == kind && k.attrs.group.value == crd.group)
        };
        let (Some(first), Some(second)) = (find(&first.kind), find(&crd.kind)) else {
            continue;
        };
        if first.version.value == second.version.value {
            // Said already, where clients are made.
            continue;
        }
        sink.push(
            Diagnostic::error(format!(
                "`{}` and `{}` of `{}` have the plural `{}`",
                first.attrs.kind.value, second.attrs.kind.value, crd.group, crd.plural
            ))
            .at(second.locate(sources, second.attrs.ident.span()))
            .label(
                first.locate(sources, first.attrs.ident.span()),
                "the first of them",
            )
            .help("give one of them another: `#[crd(plural = \"…\")]`"),
        );
    }
}

fn version(
    kind: &Kind<'_>,
    storage: bool,
    sources: &Sources,
    project: &Project,
    sink: &mut Sink,
) -> CrdVersion {
    let attrs = &kind.attrs;
    let mut schema = schema::of_kind(kind, sources, &project.types, sink);
    let module = &sources.modules[kind.module];
    json_paths::check(attrs, &schema, module, sink);
    cel::report(&schema, true, sink);
    if let Some(length) = project.max_description_length {
        schema.shorten_descriptions(length);
    }
    CrdVersion {
        name: kind.version.value.clone(),
        served: !attrs.unserved.is_set(),
        storage,
        deprecated: attrs.deprecated.is_some(),
        deprecation_warning: attrs.deprecated.as_ref().and_then(warning),
        schema,
        status: attrs.status_subresource,
        scale: attrs.scale.as_ref().map(|scale| Scale {
            spec_replicas_path: scale.spec_replicas_path.value.clone(),
            status_replicas_path: scale.status_replicas_path.value.clone(),
            label_selector_path: scale.label_selector_path.as_ref().map(|p| p.value.clone()),
        }),
        columns: attrs.printcolumns.iter().map(column).collect(),
        selectable_fields: attrs
            .selectable_fields
            .iter()
            .map(|f| f.value.clone())
            .collect(),
    }
}

fn warning(deprecated: &Deprecated) -> Option<String> {
    deprecated
        .warning
        .as_ref()
        .map(|warning| warning.value.clone())
}

fn column(column: &genclient_syntax::PrintColumn) -> PrinterColumn {
    let text = |value: &Option<Spanned<String>>| value.as_ref().map(|value| value.value.clone());
    PrinterColumn {
        name: column.name.value.clone(),
        type_: column.column_type.value.clone(),
        json_path: column.json_path.value.clone(),
        description: text(&column.description),
        format: text(&column.format),
        priority: column.priority.as_ref().map(|priority| priority.value),
    }
}

fn conversion(conversion: &genclient_syntax::Conversion) -> Conversion {
    Conversion {
        namespace: conversion.service_namespace.value.clone(),
        name: conversion.service_name.value.clone(),
        path: conversion.path.as_ref().map(|path| path.value.clone()),
        port: conversion.port.as_ref().map(|port| port.value),
        review_versions: conversion
            .review_versions
            .iter()
            .map(|v| v.value.clone())
            .collect(),
    }
}

/// When any of the versions is compiled; `None` if one of them always is.
fn condition(versions: &[&Kind<'_>], sources: &Sources) -> Option<String> {
    let mut alternatives = Vec::new();
    for kind in versions {
        let conditions = kind.cfg(sources);
        alternatives.push(match &conditions[..] {
            [] => return None,
            [one] => one.clone(),
            all => format!("all({})", all.join(", ")),
        });
    }
    alternatives.dedup();
    match &alternatives[..] {
        [one] => Some(one.clone()),
        any => Some(format!("any({})", any.join(", "))),
    }
}
