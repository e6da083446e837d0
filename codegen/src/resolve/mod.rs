//! Resolution of modules into a [`Model`], with all checks. An error does not stop other checks.

mod apply;
mod cel;
mod crds;
mod docs;
mod explanation;
mod groups;
mod json_paths;
mod json_values;
mod kind;
mod kind_lookup;
mod kinds;
mod kube_kinds;
mod paths;
mod rbac;
mod schema;
mod skip;
mod types;
mod versions;
mod webhooks;

use std::cell::RefCell;
use std::collections::BTreeSet;

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::lookup::PathLookup;
use crate::model::{Artefact, GroupKind, Model, Scope};
use crate::project::{Project, ShardBy, StatedKind};
use crate::sources::Sources;
use crds::{CrdSources, KnownDefinitions};
use kind::Kind;
use kind_lookup::KindLookup;
use kinds::{DeclaredKinds, Subset};
use paths::Paths;
use skip::UnknownName;

/// Result of one pass over the sources.
pub struct Resolved {
    /// The kinds of the package, as far as loaded files determine them.
    pub model: Model,
    /// Names of the declared kinds except skipped ones. Kinds read from source come first, then
    /// stated kinds, then refused kinds.
    pub names: Vec<GroupKind>,
    /// Paths that lead through unloaded files. Until this set is empty, the model is incomplete.
    pub wanted: BTreeSet<PathLookup>,
}

/// Resolves all kinds, and reports findings about them and about the package as a whole.
///
/// Schemas are resolved only if `artefacts` include CRDs, conversions or apply configurations:
/// clients need no schemas.
pub fn resolve(
    sources: &Sources,
    project: &Project,
    artefacts: &BTreeSet<Artefact>,
    sink: &mut Sink,
) -> Resolved {
    let all = PackageKinds::find(sources, project, artefacts);
    let names = all.names();
    let model = all.resolve_all(&names, sink);
    Resolved {
        model,
        names,
        wanted: all.into_wanted(),
    }
}

/// The kinds that a package declares, to be resolved together or in subsets.
pub(crate) struct PackageKinds<'a> {
    sources: &'a Sources,
    project: &'a Project,
    artefacts: &'a BTreeSet<Artefact>,
    paths: Paths<'a>,
    declared: DeclaredKinds<'a>,
    /// Findings in settings that name kinds.
    whole: Sink,
    /// Definitions that [`PackageKinds::check`] has resolved.
    known: RefCell<KnownDefinitions<'a>>,
}

impl<'a> PackageKinds<'a> {
    pub(crate) fn find(
        sources: &'a Sources,
        project: &'a Project,
        artefacts: &'a BTreeSet<Artefact>,
    ) -> Self {
        let paths = Paths::new(sources, &project.types);
        let mut declared = kinds::find_kinds(sources, project, &paths);
        let mut whole = Sink::new();
        for idle in skip::skip_kinds(&mut declared, &project.skip, &paths) {
            whole.push(idle_skip(&idle).with_code(Code::Settings));
        }
        let known = KnownDefinitions::new(&declared.kinds);
        Self {
            sources,
            project,
            artefacts,
            paths,
            declared,
            whole,
            known: RefCell::new(known),
        }
    }

    /// Names of the declared kinds, as in [`Resolved::names`].
    pub(crate) fn names(&self) -> Vec<GroupKind> {
        self.declared.names()
    }

    /// Paths that lead through unloaded files.
    pub(crate) fn into_wanted(self) -> BTreeSet<PathLookup> {
        self.paths.into_wanted()
    }

    /// Resolves the kinds with these names, and reports findings about them only. Each definition
    /// is resolved once and apart from the others, so that an error in a type that several kinds
    /// use is found for each of them.
    pub(crate) fn check(&self, names: &BTreeSet<GroupKind>, sink: &mut Sink) -> Model {
        let subset = Subset::Of(names);
        let mut kinds = sink.stage(Code::Kind, |sink| self.declared.in_subset(subset, sink));
        let mut model = self.groups(&mut kinds, &self.declared.stated(subset), sink);
        if self.has_crds() {
            let mut known = self.known.borrow_mut();
            let mut define =
                |versions: &[&Kind<'a>], sink: &mut Sink| known.define(versions, self.crds(), sink);
            model.crds = crds::resolve(&kinds, self.crds(), &mut define, sink);
        }
        self.add_apply_configurations(&kinds, &mut model, sink);
        model
    }

    /// Resolves the kinds with these names for generation, as [`PackageKinds::check`] does.
    pub(crate) fn resolve_some(&self, names: &BTreeSet<GroupKind>) -> Model {
        let mut model = self.check(names, &mut Sink::new());
        self.add_controllers(&mut model, &mut Sink::new());
        model
    }

    /// How often [`PackageKinds::check`] has resolved a definition.
    #[cfg(test)]
    pub(crate) fn count_of_definitions(&self) -> usize {
        self.known.borrow().resolved
    }

    fn resolve_all(&self, names: &[GroupKind], sink: &mut Sink) -> Model {
        let (sources, project) = (self.sources, self.project);
        sink.extend(&self.whole);
        let is_idle = |kind: &&String| !names.iter().any(|name| name.kind == **kind);
        for name in project.storage.keys().filter(is_idle) {
            sink.push(idle_storage(name).with_code(Code::Settings));
        }
        let mut kinds = sink.stage(Code::Kind, |sink| {
            self.declared.in_subset(Subset::All, sink)
        });
        let stated = self.declared.stated(Subset::All);
        if self.artefacts.iter().any(|artefact| artefact.is_module()) {
            sink.stage(Code::Settings, |sink| {
                versions::check_dependencies(&kinds, &stated, sources, project, sink);
            });
        }
        if !kinds.is_empty() || !stated.is_empty() {
            sink.stage(Code::Settings, |sink| {
                groups::check_aliases(&kinds, &stated, project, sink);
            });
        }
        let mut model = self.groups(&mut kinds, &stated, sink);
        if self.has_crds() {
            sink.stage(Code::Attribute, |sink| docs::warn_of_markers(sources, sink));
            let mut shared = schema::SharedState::new(&self.declared.kinds);
            let mut define = |versions: &[&Kind<'a>], sink: &mut Sink| {
                crds::define_crd(versions, self.crds(), &mut shared, sink)
            };
            model.crds = crds::resolve(&kinds, self.crds(), &mut define, sink);
            sink.stage(Code::Settings, |sink| {
                schema::warn_of_unused_schemas(&project.schemas, &shared.stated_paths, sink);
                schema::check_stated_schemas(&project.schemas, sink);
            });
            sink.stage(Code::Schema, |sink| {
                types::check_unused_types(sources, &shared, sink)
            });
        }
        self.add_apply_configurations(&kinds, &mut model, sink);
        if self.has_apply_configurations() && model.apply.is_empty() && !kinds.is_empty() {
            sink.push(idle_apply_configurations().with_code(Code::Settings));
        }
        self.add_controllers(&mut model, sink);
        self.check_shard_by(&kinds, &stated, sink);
        let has_modules_beside = sources.webhooks.is_some() || sources.controllers.is_some();
        // `genclient init` writes a domain. A project with a domain may have no kinds yet.
        let is_begun = project.domain.is_some();
        if self.declared.is_empty() && !has_modules_beside && !is_begun && !project.is_guessed {
            sink.stage(Code::Kind, |sink| {
                report_missing_types(sources, project, sink)
            });
        }
        model
    }

    fn has_crds(&self) -> bool {
        let of_schemas = [Artefact::Crd, Artefact::Crds, Artefact::Conversion];
        let has = |artefact| self.artefacts.contains(artefact);
        of_schemas.iter().any(has) || self.has_apply_configurations()
    }

    fn has_apply_configurations(&self) -> bool {
        self.project.apply_configurations && self.artefacts.contains(&Artefact::ApplyConfiguration)
    }

    /// Adds the apply configurations. They follow the schemas of the definitions.
    fn add_apply_configurations(&self, kinds: &[Kind<'a>], model: &mut Model, sink: &mut Sink) {
        if self.has_apply_configurations() {
            let lookup = KindLookup {
                kinds,
                sources: self.sources,
                paths: &self.paths,
            };
            model.apply = sink.stage(Code::ApplyConfiguration, |sink| {
                apply::resolve(lookup, &model.groups, &model.crds, self.project, sink)
            });
        }
    }

    fn crds(&self) -> CrdSources<'_, 'a> {
        CrdSources {
            sources: self.sources,
            paths: &self.paths,
            project: self.project,
        }
    }

    /// A model with the groups of the kinds, and the definitions of stated kinds.
    fn groups(&self, kinds: &mut [Kind<'a>], stated: &[&StatedKind], sink: &mut Sink) -> Model {
        let (sources, project) = (self.sources, self.project);
        let mut model = Model {
            is_partial: sources.is_partial,
            ..Model::default()
        };
        sink.stage(Code::Settings, |sink| {
            kinds::check_stated(stated, project, sink)
        });
        if self.has_crds() {
            sink.stage(Code::Kind, |sink| {
                kube_kinds::prepare_crds(kinds, sources, project, sink);
            });
            model.written = kinds::stated_definitions(stated);
        }
        if !kinds.is_empty() || !stated.is_empty() {
            let lookup = KindLookup {
                kinds,
                sources,
                paths: &self.paths,
            };
            model.groups = sink.stage(Code::Kind, |sink| {
                groups::resolve(lookup, stated, project, self.artefacts, sink)
            });
        }
        model
    }

    /// Warns of `shard-by = "namespace"` if no kind is namespaced.
    fn check_shard_by(&self, kinds: &[Kind<'_>], stated: &[&StatedKind], sink: &mut Sink) {
        let scopes = kinds.iter().map(|kind| kind.attrs.scope);
        let scopes: Vec<_> = scopes.chain(stated.iter().map(|kind| kind.scope)).collect();
        let deploy = self.project.deploy.as_ref();
        if deploy.is_some_and(|deploy| deploy.shard_by == Some(ShardBy::Namespace))
            && !scopes.is_empty()
            && !scopes.contains(&Scope::Namespaced)
        {
            sink.push(unshared_objects().with_code(Code::Settings));
        }
    }

    /// Adds the webhooks and roles. They may refer to any kind that was read, even if it is not in
    /// the subset.
    fn add_controllers(&self, model: &mut Model, sink: &mut Sink) {
        let lookup = KindLookup {
            kinds: &self.declared.kinds,
            sources: self.sources,
            paths: &self.paths,
        };
        let deploy = self.project.deploy.as_ref();
        if self.artefacts.contains(&Artefact::Webhook) {
            model.webhooks = sink.stage(Code::Webhook, |sink| {
                webhooks::resolve(lookup, deploy, sink)
            });
        }
        if self.artefacts.contains(&Artefact::Rbac) {
            model.roles = sink.stage(Code::Rbac, |sink| rbac::resolve(lookup, deploy, sink));
        }
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

fn idle_apply_configurations() -> Diagnostic {
    Diagnostic::warning(
        "`apply-configurations` has no effect: no kind has a client with the verb `apply`",
    )
    .help("remove it from `[package.metadata.genclient]`, or allow the verb")
}

fn unshared_objects() -> Diagnostic {
    Diagnostic::warning(
        "`shard-by = \"namespace\"` gives all objects to one Pod: the kinds are cluster-scoped",
    )
    .help("write `shard-by = \"name\"` in `[package.metadata.genclient.deploy]`")
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
