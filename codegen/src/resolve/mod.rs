//! Modules → [`Model`]. Every check is here, and each goes on after a mistake.
//!
//! [`part`] looks at what its sources have, which may be a share of the API types; [`join`] makes a model of all parts.

mod cel;
mod crds;
mod docs;
mod groups;
mod join;
mod json_paths;
mod kinds;
mod kube_kinds;
mod markers;
mod names;
mod paths;
mod re2;
mod schema;
mod types;

use std::collections::BTreeSet;

use crate::diagnostic::Sink;
use crate::load::Sources;
use crate::model::{Artefact, Model};
use crate::project::Project;

pub(crate) use cel::RuleTokens;
pub(crate) use join::{Part, are_apart, join};
pub(crate) use schema::is_known;

/// Finds out what a package serves.
///
/// Schemas are resolved only if `artefacts` has CRDs: clients never wait for a schema.
pub fn resolve(
    sources: &Sources,
    project: &Project,
    artefacts: &BTreeSet<Artefact>,
    sink: &mut Sink,
) -> Model {
    let part = part(sources, project, artefacts, sink);
    join(vec![part], project, sink)
}

/// Finds out what the kinds of `sources` come to, as far as no others matter to them.
pub(crate) fn part(
    sources: &Sources,
    project: &Project,
    artefacts: &BTreeSet<Artefact>,
    sink: &mut Sink,
) -> Part {
    let with_crds = artefacts.contains(&Artefact::Crd) || artefacts.contains(&Artefact::Crds);
    let mut kinds = kinds::find(sources, sink);
    if with_crds {
        markers::check(sources, sink);
        kube_kinds::prepare_crds(&mut kinds, sources, sink);
    }
    let mut part = Part::of(&kinds, sources);
    part.model.groups = groups::resolve(&kinds, sources, project, sink);
    if with_crds {
        let mut made = schema::Made::default();
        part.model.crds = crds::resolve(&kinds, sources, project, &mut made, sink);
        types::check(sources, &made, sink);
        part.stated = Some(made.paths);
    }
    part
}
