//! Custom resource definitions, each with all versions of a kind.

mod checks;
mod conversions;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use genclient_apimachinery::version::version_order;
use genclient_syntax::{Deprecated, Spanned};

use super::cel::{self, SchemaDialect};
use super::kind::{Kind, two_stored};
use super::{docs, json_paths, schema};
use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::{Crd, CrdVersion, GroupKind, PrinterColumn, Scale};
use crate::sources::Sources;
pub(super) use checks::CrdSources;
use checks::{CrdOfKinds, Defined};
use conversions::stated_webhook;

/// Returns the definitions of kinds. `define` returns the definition of a kind from its versions,
/// and reports findings about it.
pub(super) fn resolve<'a>(
    kinds: &[Kind<'a>],
    from: CrdSources<'_, 'a>,
    define: &mut dyn FnMut(&[&Kind<'a>], &mut Sink) -> Defined,
    sink: &mut Sink,
) -> Vec<Crd> {
    let mut all_versions: BTreeMap<(&str, &str), Vec<&Kind<'a>>> = BTreeMap::new();
    for kind in kinds {
        let attrs = &kind.attrs;
        if attrs.skip_crd.is_set() || attrs.skip_version.is_set() {
            continue;
        }
        let key = (attrs.group.value.as_str(), attrs.kind.value.as_str());
        all_versions.entry(key).or_default().push(kind);
    }
    let mut definitions = Vec::new();
    for mut versions in all_versions.into_values() {
        // The newest stable version comes first: the API server lists and prefers versions in this
        // order.
        versions.sort_by_key(|kind| Reverse(version_order(&kind.version.value)));
        let defined = define(&versions, sink);
        definitions.push(CrdOfKinds::new(defined, versions));
    }
    definitions.sort_by_key(|definition| definition.crd.file_name());
    sink.stage(Code::Crd, |sink| {
        checks::check_names(&definitions, from.sources, sink)
    });
    sink.stage(Code::Version, |sink| {
        conversions::check_spokes(&definitions, from, sink)
    });
    definitions
        .into_iter()
        .map(|definition| definition.crd)
        .collect()
}

/// Definitions by kind, each with the findings about it alone.
pub(super) struct KnownDefinitions<'a> {
    by_name: BTreeMap<GroupKind, (Defined, Sink)>,
    shared: schema::SharedState<'a>,
    /// How often a definition has been resolved.
    #[cfg(test)]
    pub(super) resolved: usize,
}

impl<'a> KnownDefinitions<'a> {
    /// No definitions yet; `kinds` are all kinds of the package.
    pub(super) fn new(kinds: &[Kind<'a>]) -> Self {
        Self {
            by_name: BTreeMap::new(),
            shared: schema::SharedState::new(kinds),
            #[cfg(test)]
            resolved: 0,
        }
    }

    /// Returns the definition of a kind. It is resolved at the first call.
    pub(super) fn define(
        &mut self,
        versions: &[&Kind<'a>],
        from: CrdSources<'_, 'a>,
        sink: &mut Sink,
    ) -> Defined {
        let name = versions[0].name();
        let (defined, findings) = self.by_name.entry(name).or_insert_with(|| {
            let mut findings = Sink::new();
            self.shared.forget_types();
            let defined = define_crd(versions, from, &mut self.shared, &mut findings);
            #[cfg(test)]
            {
                self.resolved += 1;
            }
            (defined, findings)
        });
        sink.extend(findings);
        defined.clone()
    }
}

/// Builds and checks the definition of a kind from its versions (at least one).
pub(super) fn define_crd<'a>(
    versions: &[&Kind<'a>],
    from: CrdSources<'_, 'a>,
    shared: &mut schema::SharedState<'a>,
    sink: &mut Sink,
) -> Defined {
    let (sources, project) = (from.sources, from.project);
    let defined = build_definition(versions, from, shared, sink);
    let stored = defined.stored;
    let definition = CrdOfKinds::new(defined, versions.to_vec());
    // Every way to install a deployment is a server-side apply: `install`, `deploy`, and the
    // commands that docs/deploying.md has for renderings.
    let is_annotated = !project.server_side_apply && project.deploy.is_none();
    sink.stage(Code::Crd, |sink| {
        checks::check_size(&definition, is_annotated, sources, sink);
        checks::check_items_field(&definition, sources, sink);
        checks::check_root_keywords(&definition, sources, sink);
    });
    if !definition.faulty {
        sink.stage(Code::Version, |sink| {
            conversions::check_conversion(&definition, sources, sink);
        });
        sink.stage(Code::Crd, |sink| {
            checks::check_selectable_fields(&definition, sources, sink);
        });
        sink.stage(Code::Default, |sink| {
            checks::check_defaults(&definition, sources, sink)
        });
    }
    Defined {
        crd: definition.crd,
        stored,
        faulty: definition.faulty,
    }
}

fn build_definition<'a>(
    versions: &[&Kind<'a>],
    from: CrdSources<'_, 'a>,
    shared: &mut schema::SharedState<'a>,
    sink: &mut Sink,
) -> Defined {
    let (sources, project) = (from.sources, from.project);
    let mut faulty = versions.iter().any(|kind| kind.faulty);
    let mut dropped = Sink::new();
    let compared = if faulty { &mut dropped } else { &mut *sink };
    let storage = compared.stage(Code::Version, |compared| {
        check_shared_names(versions, sources, compared);
        let storage = storage_version(versions, sources, compared);
        check_once(versions, versions[storage], sources, compared);
        check_served(versions, sources, compared);
        storage
    });
    let main = versions[storage];
    let mark = sink.mark();
    let attrs = &main.attrs;
    let to_texts =
        |values: &[Spanned<String>]| values.iter().map(|value| value.value.clone()).collect();
    let to_map = |pairs: &[(Spanned<String>, Spanned<String>)]| -> BTreeMap<String, String> {
        pairs
            .iter()
            .map(|(key, value)| (key.value.clone(), value.value.clone()))
            .collect()
    };
    let mut annotations = project.crd_annotations.clone();
    annotations.extend(to_map(&attrs.annotations));
    let crd = Crd {
        group: attrs.group.value.clone(),
        kind: attrs.kind.value.clone(),
        plural: attrs.plural.value.clone(),
        singular: attrs.singular.value.clone(),
        short_names: to_texts(&attrs.short_names),
        categories: to_texts(&attrs.categories),
        scope: attrs.scope,
        annotations,
        labels: to_map(&attrs.labels),
        conversion: sink.stage(Code::Version, |sink| {
            conversions::resolve_webhook(main, sources, project, sink)
        }),
        cfg: cfg_condition(versions, sources),
        converted: sink.stage(Code::Version, |sink| {
            conversions::version_types(versions, main, from, sink)
        }),
        versions: versions
            .iter()
            .enumerate()
            .map(|(at, kind)| build_version(kind, at == storage, from, shared, sink))
            .collect(),
    };
    faulty |= sink.since(mark).iter().any(Diagnostic::is_error);
    Defined {
        crd,
        stored: storage,
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
                .at(kind.location(sources))
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

/// Returns the attributes that state schemas in the sources of a kind.
fn schema_dialect(kind: &Kind<'_>, sources: &Sources) -> SchemaDialect {
    match kind.kube {
        None => SchemaDialect::Crd,
        Some(_) => SchemaDialect::of_schemars(sources),
    }
}

fn build_version<'a>(
    kind: &Kind<'a>,
    storage: bool,
    from: CrdSources<'_, 'a>,
    shared: &mut schema::SharedState<'a>,
    sink: &mut Sink,
) -> CrdVersion {
    let (attrs, sources) = (&kind.attrs, from.sources);
    let mut schema = sink.stage(Code::Schema, |sink| {
        schema::resolve_kind_schema(kind, sources, from.paths, shared, sink)
    });
    let module = &sources[kind.id.module];
    sink.stage(Code::Crd, |sink| {
        json_paths::check_paths(attrs, &schema, module, sink)
    });
    sink.stage(Code::Cel, |sink| {
        cel::report_rules(&schema, schema_dialect(kind, sources), &shared.rules, sink);
    });
    if let Some(length) = from.project.max_description_length {
        schema.shorten_descriptions(length);
    }
    let rust_deprecation = docs::deprecation(kind.attributes());
    CrdVersion {
        name: kind.version.value.clone(),
        served: !attrs.unserved.is_set(),
        storage,
        deprecated: attrs.deprecated.is_some() || rust_deprecation.is_some(),
        deprecation_warning: match &attrs.deprecated {
            Some(deprecated) => deprecation_warning(deprecated),
            None => rust_deprecation.flatten(),
        },
        schema,
        status: attrs.status_subresource,
        scale: attrs.scale.as_ref().map(|scale| Scale {
            spec_replicas_path: scale.spec_replicas_path.value.clone(),
            status_replicas_path: scale.status_replicas_path.value.clone(),
            label_selector_path: scale.label_selector_path.as_ref().map(|p| p.value.clone()),
        }),
        columns: attrs.printcolumns.iter().map(printer_column).collect(),
        selectable_fields: attrs
            .selectable_fields
            .iter()
            .map(|f| f.value.clone())
            .collect(),
    }
}

fn deprecation_warning(deprecated: &Deprecated) -> Option<String> {
    deprecated
        .warning
        .as_ref()
        .map(|warning| warning.value.clone())
}

fn printer_column(column: &genclient_syntax::PrintColumn) -> PrinterColumn {
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
fn cfg_condition(versions: &[&Kind<'_>], sources: &Sources) -> Option<String> {
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

/// Checks that all versions have the same plural and scope.
pub(super) fn check_shared_names(versions: &[&Kind<'_>], sources: &Sources, sink: &mut Sink) {
    for kind in versions {
        let (first, other) = (&versions[0].attrs, &kind.attrs);
        let (what, help) = if first.plural.value != other.plural.value {
            ("plural", "write the same `plural` on all versions")
        } else if first.scope != other.scope {
            (
                "scope",
                "write `non_namespaced` on all versions, or on none",
            )
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
            .at(kind.location(sources))
            .label(versions[0].location(sources), "the other version")
            .help(help),
        );
    }
}

/// Checks properties that a CRD has once for all versions, such as short names. The CRD takes them
/// from the storage version, `main`. Other versions may leave them out, but must not state other
/// values.
fn check_once(versions: &[&Kind<'_>], main: &Kind<'_>, sources: &Sources, sink: &mut Sink) {
    let to_texts = |values: &[Spanned<String>]| -> Vec<String> {
        values.iter().map(|value| value.value.clone()).collect()
    };
    // The values of each property as text, to be compared.
    let properties_of = |kind: &Kind<'_>| {
        let attrs = &kind.attrs;
        let join_pairs = |pairs: &[(Spanned<String>, Spanned<String>)]| -> Vec<String> {
            pairs
                .iter()
                .map(|(key, value)| format!("{}={}", key.value, value.value))
                .collect()
        };
        let conversion = attrs
            .conversion
            .as_ref()
            .map(|c| format!("{:?}", stated_webhook(c, None)));
        [
            ("singular", vec![attrs.singular.value.clone()]),
            ("short_names", to_texts(&attrs.short_names)),
            ("categories", to_texts(&attrs.categories)),
            ("annotation", join_pairs(&attrs.annotations)),
            ("label", join_pairs(&attrs.labels)),
            ("conversion", conversion.into_iter().collect()),
        ]
    };
    for kind in versions {
        for ((what, other), (_, main_has)) in
            properties_of(kind).into_iter().zip(properties_of(main))
        {
            if other.is_empty() || other == main_has {
                continue;
            }
            let (stored, version) = (&main.version.value, &kind.version.value);
            sink.push(
                Diagnostic::error(format!(
                    "`{what}` of {version} differs from that of the storage version {stored}"
                ))
                .at(kind.location(sources))
                .label(main.location(sources), "the storage version")
                .help(format!(
                    "it applies to the whole CRD: write it only on {stored}"
                )),
            );
        }
    }
}

/// Checks that at least one version is served.
fn check_served(versions: &[&Kind<'_>], sources: &Sources, sink: &mut Sink) {
    if let [first, ..] = versions
        && versions.iter().all(|kind| kind.attrs.unserved.is_set())
    {
        sink.push(
            Diagnostic::error(format!(
                "no version of `{}` is served",
                first.attrs.kind.value
            ))
            .at(first.location(sources))
            .help("remove `unserved` from one of them, or add `skip_crd` to `#[genclient]`"),
        );
    }
}
