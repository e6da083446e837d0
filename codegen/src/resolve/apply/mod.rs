//! Apply configurations of the kinds whose clients apply, and of the types below them.

mod checks;
mod config_path;
mod draft;
mod generics;
mod granular;
mod json_form;
mod keys;
mod modules;
mod reader;
mod site;
#[cfg(test)]
mod tests;
mod values;

use std::collections::{BTreeMap, BTreeSet};

use super::kind::Kind;
use super::kind_lookup::KindLookup;
use crate::diagnostic::Sink;
use crate::model::{ApplyForm, ApplyModule, ApplyType, Crd, Group, Resource, Schema, Verb};
use crate::project::Project;
use config_path::config_path;
use draft::{ApplyDraft, configs_in};
use modules::build_modules;
use reader::{ApplyReader, ReadKinds};

/// Returns the path of the apply configuration of a kind in generated code, from the path of its
/// type. `None` if its client does not apply, or if the setting is off.
pub(super) fn path_of_kind(kind: &Kind<'_>, type_path: &str, project: &Project) -> Option<String> {
    let applies = [Verb::Apply, Verb::ApplyStatus]
        .iter()
        .any(|verb| kind.attrs.verbs.contains(verb));
    let path = || config_path(type_path, project).type_name(project).path;
    (project.apply_configurations && applies).then(path)
}

/// Returns the modules of apply configurations for the kinds in `groups` that have one.
///
/// A kind without a CRD in `crds` has one as well, but no keys are known of its lists.
pub(super) fn resolve(
    lookup: KindLookup<'_, '_>,
    groups: &[Group],
    crds: &[Crd],
    project: &Project,
    sink: &mut Sink,
) -> Vec<ApplyModule> {
    let mut reader = ApplyReader::new(lookup.sources, lookup.paths, project);
    let mut kinds: Vec<_> = lookup
        .kinds
        .iter()
        .filter_map(|kind| {
            let resource = find_resource(kind, groups)?;
            resource.apply.as_ref()?;
            Some((kind, resource, find_schema(kind, crds)))
        })
        .collect();
    // Types that several kinds share get their keys from the schema of the first.
    kinds.sort_by_key(|(_, _, schema)| schema.is_none());
    for (kind, resource, schema) in kinds {
        reader.read_kind(kind, resource, schema);
    }
    let ReadKinds {
        mut drafts,
        keys,
        unreachable,
        deprecated,
    } = reader.finish();
    checks::check_unique(&drafts, sink);
    checks::check_reachable(&drafts, &unreachable, sink);
    keys::add_keys(&mut drafts, keys, project);
    compare_by_contents(&mut drafts, project);
    note_deprecated(&mut drafts, &deprecated);
    build_modules(drafts)
}

fn find_resource<'g>(kind: &Kind<'_>, groups: &'g [Group]) -> Option<&'g Resource> {
    let group = groups
        .iter()
        .find(|group| group.name == kind.attrs.group.value)?;
    let mut versions = group.versions.iter();
    let version = versions.find(|version| version.name == kind.version.value)?;
    let mut resources = version.resources.iter();
    resources.find(|resource| resource.kind == kind.attrs.kind.value)
}

fn find_schema<'c>(kind: &Kind<'_>, crds: &'c [Crd]) -> Option<&'c Schema> {
    let is_of =
        |crd: &&Crd| crd.group == kind.attrs.group.value && crd.kind == kind.attrs.kind.value;
    let crd = crds.iter().find(is_of)?;
    let mut versions = crd.versions.iter();
    let version = versions.find(|version| version.name == kind.version.value)?;
    Some(&version.schema)
}

/// Notes the configurations that name a type at one of the paths.
fn note_deprecated(drafts: &mut [ApplyDraft], deprecated: &BTreeSet<String>) {
    for draft in drafts {
        let form = &draft.config.form;
        let values = form.values().into_iter();
        let mut plain = values.flat_map(|(value, _)| value.plain_types());
        let is_kind =
            matches!(form, ApplyForm::Kind(kind, _) if deprecated.contains(&kind.type_path));
        draft.config.names_deprecated =
            is_kind || plain.any(|name| deprecated.contains(&name.path));
    }
}

/// Configurations that contain one without `PartialEq` do not implement it either.
fn compare_by_contents(drafts: &mut [ApplyDraft], project: &Project) {
    loop {
        let comparable: BTreeMap<_, _> = drafts
            .iter()
            .map(|draft| {
                (
                    draft.path.type_name(project).path,
                    draft.config.is_comparable,
                )
            })
            .collect();
        let is_wrong = |config: &ApplyType| {
            let values = config.form.values().into_iter();
            let inner = values.flat_map(|(value, _)| configs_in(value));
            let mut inner = inner.map(|name| comparable.get(&name.path));
            config.is_comparable && inner.any(|is_comparable| is_comparable == Some(&false))
        };
        let mut is_changed = false;
        for draft in drafts.iter_mut().filter(|draft| is_wrong(&draft.config)) {
            draft.config.is_comparable = false;
            is_changed = true;
        }
        if !is_changed {
            return;
        }
    }
}
