//! Modules → [`Model`]. Every check is here, and each goes on after a mistake.

mod cel;
mod crds;
mod docs;
mod groups;
mod json_paths;
mod json_values;
mod kind;
mod kinds;
mod kube_kinds;
mod markers;
mod names;
mod object;
mod paths;
mod rbac;
mod rule_places;
mod schema;
mod types;
mod webhooks;

use std::collections::BTreeSet;

use crate::diagnostic::{Diagnostic, Sink};
use crate::lookup::Wanted;
use crate::model::{Artefact, Model};
use crate::project::Project;
use crate::sources::Sources;
use paths::Paths;

/// Result of one pass over the sources.
pub struct Resolved {
    /// What the package serves, as far as its files are read.
    pub model: Model,
    /// Paths that lead through unread files. Unless this is empty, the model lacks what they lead
    /// to.
    pub wanted: BTreeSet<Wanted>,
}

/// Finds out what a package serves.
///
/// Schemas are resolved only if `artefacts` has CRDs: clients never wait for a schema.
pub fn resolve(
    sources: &Sources,
    project: &Project,
    artefacts: &BTreeSet<Artefact>,
    sink: &mut Sink,
) -> Resolved {
    let with_crds = [Artefact::Crd, Artefact::Crds, Artefact::Conversion]
        .iter()
        .any(|artefact| artefacts.contains(artefact));
    let mut kinds = kinds::find(sources, sink);
    let paths = Paths::new(sources, &project.types);
    let mut made = schema::Made::default();
    let mut model = Model::default();
    if with_crds {
        markers::check(sources, sink);
        kube_kinds::prepare_crds(&mut kinds, sources, sink);
    }
    if !kinds.is_empty() {
        model.groups = groups::resolve(&kinds, sources, &paths, project, artefacts, sink);
    }
    if with_crds {
        model.crds = crds::resolve(&kinds, sources, &paths, project, &mut made, sink);
        types::check(sources, &made, sink);
    }
    if artefacts.contains(&Artefact::Webhook) {
        model.webhooks = webhooks::resolve(&kinds, sources, &paths, project.deploy.as_ref(), sink);
    }
    if artefacts.contains(&Artefact::Rbac) {
        model.roles = rbac::resolve(&kinds, sources, &paths, project.deploy.as_ref(), sink);
    }
    let has_modules_beside = sources.webhooks.is_some() || sources.controllers.is_some();
    // A project that was just begun has no kinds yet.
    let is_begun = project.domain.is_some();
    if kinds.is_empty() && !has_modules_beside && !is_begun {
        report_nothing(sources, project, sink);
    }
    Resolved {
        model,
        wanted: paths.into_wanted(),
    }
}

fn report_nothing(sources: &Sources, project: &Project, sink: &mut Sink) {
    if sources.files.is_empty() || sink.has_errors() {
        return;
    }
    let files = sources.files.iter().map(|file| file.path.as_str());
    let files: Vec<_> = files.collect();
    sink.push(
        Diagnostic::error(format!(
            "no #[genclient] type under {}",
            project.shown(&project.apis)
        ))
        .help(format!(
            "write `use genclient::prelude::*;`, and `#[genclient]`, `#[group = \"example.com\"]` and \
             `#[version = \"v1\"]` above a struct with `metadata: ObjectMeta`; looked in {}",
            files.join(", ")
        )),
    );
}
