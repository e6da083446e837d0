//! Custom resource definitions, each with all versions of a kind.

mod agreement;
mod checks;
mod conversions;
mod definition;
mod names;

use std::collections::BTreeMap;

use genclient_syntax::{Deprecated, Spanned, names as syntax_names};

use super::kind::{Kind, two_stored};
use super::paths::Paths;
use super::{cel, docs, json_paths, schema};
use crate::diagnostic::{Diagnostic, Sink};
use crate::model::{Crd, CrdVersion, PrinterColumn, Scale};
use crate::project::Project;
use crate::sources::Sources;
use definition::CrdOfKinds;

pub(super) fn resolve<'a>(
    kinds: &[Kind<'a>],
    sources: &'a Sources,
    paths: &Paths<'a>,
    project: &Project,
    made: &mut schema::Made<'a>,
    sink: &mut Sink,
) -> Vec<Crd> {
    let mut definitions: BTreeMap<(&str, &str), Vec<&Kind<'a>>> = BTreeMap::new();
    for kind in kinds {
        let attrs = &kind.attrs;
        if attrs.skip_crd.is_set() || attrs.skip_version.is_set() {
            continue;
        }
        let key = (attrs.group.value.as_str(), attrs.kind.value.as_str());
        definitions.entry(key).or_default().push(kind);
    }
    let mut definitions: Vec<_> = definitions
        .into_values()
        .map(|versions| definition(versions, sources, paths, project, made, sink))
        .collect();
    definitions.sort_by_key(|definition| definition.crd.file_name());
    names::check(&definitions, sources, sink);
    conversions::check_spokes(&definitions, sources, paths, project, sink);
    for definition in &definitions {
        // Every way to install a deployment is a server-side apply: `install`, `deploy`, and the
        // commands that docs/deploying.md has for renderings.
        let is_annotated = !project.server_side_apply && project.deploy.is_none();
        checks::size(definition, is_annotated, sources, sink);
        checks::list_kind(definition, sources, sink);
        checks::root_keywords(definition, sources, sink);
        if !definition.faulty {
            conversions::check(definition, sources, sink);
            checks::selectable_fields(definition, sources, sink);
        }
    }
    definitions
        .into_iter()
        .map(|definition| definition.crd)
        .collect()
}

/// Builds the definition of a kind from its versions (at least one).
fn definition<'k, 'a>(
    mut versions: Vec<&'k Kind<'a>>,
    sources: &'a Sources,
    paths: &Paths<'a>,
    project: &Project,
    made: &mut schema::Made<'a>,
    sink: &mut Sink,
) -> CrdOfKinds<'k> {
    // The newest stable version comes first: the API server lists and prefers versions in this
    // order.
    versions.sort_by(|a, b| syntax_names::compare_versions(&b.version.value, &a.version.value));
    let mut faulty = versions.iter().any(|kind| kind.faulty);
    let mut dropped = Sink::new();
    let compared = if faulty { &mut dropped } else { &mut *sink };
    agreement::check(&versions, sources, compared);
    let storage = storage_version(&versions, sources, compared);
    let main = versions[storage];
    agreement::check_once(&versions, main, sources, compared);
    agreement::check_served(&versions, sources, compared);
    let mark = sink.mark();
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
    let crd = Crd {
        group: attrs.group.value.clone(),
        kind: attrs.kind.value.clone(),
        plural: attrs.plural.value.clone(),
        singular: attrs.singular.value.clone(),
        short_names: text(&attrs.short_names),
        categories: text(&attrs.categories),
        scope: attrs.scope,
        annotations,
        labels: pairs(&attrs.labels),
        conversion: conversions::conversion(main, sources, project, sink),
        cfg: condition(&versions, sources),
        converted: conversions::types(&versions, main, sources, paths, project, sink),
        versions: versions
            .iter()
            .enumerate()
            .map(|(at, kind)| version(kind, at == storage, sources, paths, project, made, sink))
            .collect(),
    };
    faulty |= sink.since(mark).iter().any(Diagnostic::is_error);
    CrdOfKinds {
        crd,
        stored: main,
        versions,
        faulty,
    }
}

/// Returns the index of the version that is marked as stored, or of the only version. If there are
/// several versions, and none or more than one is marked, reports an error and returns 0.
fn storage_version(versions: &[&Kind<'_>], sources: &Sources, sink: &mut Sink) -> usize {
    let marked: Vec<_> = (0..versions.len())
        .filter(|at| versions[*at].attrs.storage.is_set())
        .collect();
    match marked[..] {
        [at] => at,
        [] if versions.len() == 1 => 0,
        // `resolve::groups` reports a version that occurs twice.
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
                    "`{}` has the versions {}, but no storage version",
                    kind.attrs.kind.value,
                    names.join(", ")
                ))
                .at(kind.place(sources))
                .help(format!("write {} on one of them", kind.stored_by())),
            );
            0
        }
        [first, second, ..] => {
            let finding = two_stored(versions[first], versions[second], sources);
            let stored_by = versions[second].stored_by();
            sink.push(finding.help(format!("keep {stored_by} on one of them")));
            0
        }
    }
}

fn version<'a>(
    kind: &Kind<'a>,
    storage: bool,
    sources: &'a Sources,
    paths: &Paths<'a>,
    project: &Project,
    made: &mut schema::Made<'a>,
    sink: &mut Sink,
) -> CrdVersion {
    let attrs = &kind.attrs;
    let mut schema = schema::of_kind(kind, sources, paths, made, sink);
    let module = &sources[kind.module];
    json_paths::check(attrs, &schema, module, sink);
    cel::report(&schema, true, &made.rules, sink);
    if let Some(length) = project.max_description_length {
        schema.shorten_descriptions(length);
    }
    let rust_deprecation = docs::deprecation(kind.attributes());
    CrdVersion {
        name: kind.version.value.clone(),
        served: !attrs.unserved.is_set(),
        storage,
        deprecated: attrs.deprecated.is_some() || rust_deprecation.is_some(),
        deprecation_warning: match &attrs.deprecated {
            Some(deprecated) => warning(deprecated),
            None => rust_deprecation.flatten(),
        },
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

/// The `cfg` condition under which at least one version is compiled. `None` if a version is
/// compiled in every build.
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
