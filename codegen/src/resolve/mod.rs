//! Resolution of modules into a [`Model`], with all checks. An error does not stop other checks.

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
mod schema;
mod skip;
mod stated_kinds;
mod types;
mod unread;
mod versions;
mod webhooks;

use std::collections::BTreeSet;

use crate::diagnostic::{Diagnostic, Sink};
use crate::lookup::Wanted;
use crate::model::{Artefact, KindName, Model};
use crate::project::Project;
use crate::sources::Sources;
pub use kinds::Subset;
use paths::Paths;
pub(crate) use schema::schema_error;
use skip::UnknownName;

/// Result of one pass over the sources.
pub struct Resolved {
    /// The kinds of the package, as far as loaded files determine them.
    pub model: Model,
    /// Names of the declared kinds except skipped ones. Kinds read from source come first, then
    /// stated kinds, then refused kinds.
    pub names: Vec<KindName>,
    /// Paths that lead through unread files. Until this set is empty, the model is incomplete.
    pub wanted: BTreeSet<Wanted>,
}

/// Resolves the kinds of a subset, and reports findings about them. Findings about the package as a
/// whole are reported only for [`Subset::All`].
///
/// Schemas are resolved only if `artefacts` include CRDs or conversions: clients need no schemas.
pub fn resolve(
    sources: &Sources,
    project: &Project,
    artefacts: &BTreeSet<Artefact>,
    subset: Subset<'_>,
    sink: &mut Sink,
) -> Resolved {
    let with_crds = [Artefact::Crd, Artefact::Crds, Artefact::Conversion]
        .iter()
        .any(|artefact| artefacts.contains(artefact));
    let paths = Paths::new(sources, &project.types);
    let mut declared = kinds::find(sources, project, &paths);
    // Findings about the package as a whole.
    let mut whole = Sink::new();
    for idle in skip::skip(&mut declared, &project.skip, &paths) {
        whole.push(idle_skip(&idle));
    }
    let names = declared.names();
    let is_idle = |kind: &&String| !names.iter().any(|name| name.kind == **kind);
    for name in project.storage.keys().filter(is_idle) {
        whole.push(idle_storage(name));
    }
    let mut kinds = declared.of(subset, sink);
    let stated = declared.stated(subset);
    stated_kinds::check(&stated, project, sink);
    if artefacts.iter().any(|artefact| artefact.is_module()) {
        versions::check(&kinds, &stated, project, &mut whole);
    }
    let mut made = schema::Made::of(&declared.kinds);
    let mut model = Model {
        is_partial: sources.is_partial,
        ..Model::default()
    };
    if with_crds {
        markers::check(sources, &mut whole);
        kube_kinds::prepare_crds(&mut kinds, sources, project, sink);
    }
    if !kinds.is_empty() || !stated.is_empty() {
        groups::check_aliases(&kinds, &stated, project, &mut whole);
        model.groups = groups::resolve(&kinds, &stated, sources, &paths, project, artefacts, sink);
    }
    if with_crds {
        model.written = stated_kinds::definitions(&stated);
        model.crds = crds::resolve(&kinds, sources, &paths, project, &mut made, sink);
        made.paths.warn_of_idle(&project.schemas, &mut whole);
        schema::check_stated(&project.schemas, &mut whole);
        types::check(sources, &made, &mut whole);
    }
    // Webhooks and RBAC rules may refer to any kind that was read, even if it is not in the subset.
    let (all, deploy) = (&declared.kinds, project.deploy.as_ref());
    if artefacts.contains(&Artefact::Webhook) {
        model.webhooks = webhooks::resolve(all, sources, &paths, deploy, &mut whole);
    }
    if artefacts.contains(&Artefact::Rbac) {
        model.roles = rbac::resolve(all, sources, &paths, deploy, &mut whole);
    }
    if let Subset::All = subset {
        sink.extend(&whole);
        let has_modules_beside = sources.webhooks.is_some() || sources.controllers.is_some();
        // `genclient init` writes a domain. A project with a domain may have no kinds yet.
        let is_begun = project.domain.is_some();
        if declared.is_empty() && !has_modules_beside && !is_begun && !project.is_guessed {
            report_missing_types(sources, project, sink);
        }
    }
    Resolved {
        model,
        names,
        wanted: paths.into_wanted(),
    }
}

fn idle_skip(idle: &UnknownName<'_>) -> Diagnostic {
    let finding = Diagnostic::warning(format!("unknown kind or module `{}`", idle.name));
    match &idle.meant {
        Some(meant) => finding.help(format!(
            "write `{meant}`, or remove the name in `skip`, in `[package.metadata.genclient]`"
        )),
        None => finding.help(
            "write a kind, or the path of a type or module, such as `crate::drafts`, or remove the \
             name in `skip`, in `[package.metadata.genclient]`",
        ),
    }
}

fn idle_storage(name: &str) -> Diagnostic {
    Diagnostic::warning(format!("unknown kind `{name}`"))
        .help("fix or remove the name in `storage`, in `[package.metadata.genclient]`")
}

fn report_missing_types(sources: &Sources, project: &Project, sink: &mut Sink) {
    if sources.files.is_empty() || sink.has_errors() {
        return;
    }
    let files = sources.files.iter().map(|file| file.path.as_str());
    let mut places = files.take(MAX_PLACES).collect::<Vec<_>>().join(", ");
    if let Some(more @ 1..) = sources.files.len().checked_sub(MAX_PLACES) {
        places.push_str(&format!(" and {more} more"));
    }
    sink.push(
        Diagnostic::error(format!(
            "no type with `#[genclient]` or `#[kube(..)]` under {}",
            project.shown(&project.apis)
        ))
        .help(format!(
            "write `use genclient::prelude::*;`, and `#[genclient]`, `#[group = \"example.com\"]` and \
             `#[version = \"v1\"]` above a struct with `metadata: ObjectMeta`; looked in {places}"
        )),
    );
}

/// Maximum number of files that a message names.
const MAX_PLACES: usize = 5;
