//! Passes over a package's sources. Each pass resolves the sources. If it needs files that are not
//! loaded yet, they are loaded and another pass follows.

use std::collections::BTreeSet;

use super::load;
use crate::diagnostic::{Code, Diagnostics, Sink};
use crate::lookup::PathLookup;
use crate::model::{Artefact, Crd, Model};
use crate::project::Project;
use crate::resolve::{PackageKinds, Resolved, resolve};
use crate::sources::Sources;

/// Passes over one package. Its sources grow: each pass also has the files that lookups of earlier
/// passes led to.
pub(crate) struct Pass<'p> {
    project: &'p Project,
    artefacts: &'p BTreeSet<Artefact>,
    sources: Sources,
    /// Findings of [`Pass::new`], which are part of every pass's findings.
    loaded: Sink,
}

impl<'p> Pass<'p> {
    /// Reads the API types of a project, and its webhooks and controllers if an artefact needs
    /// them.
    ///
    /// # Errors
    ///
    /// Findings with errors, such as files that cannot be read.
    pub(crate) fn new(
        project: &'p Project,
        artefacts: &'p BTreeSet<Artefact>,
    ) -> Result<Self, Diagnostics> {
        let mut loaded = Sink::new();
        let sources = loaded.stage(Code::Module, |sink| {
            let mut sources = load::load(project, sink);
            let with_rules = artefacts.contains(&Artefact::Rbac);
            if with_rules || artefacts.contains(&Artefact::Webhook) {
                load::read_webhooks(project, &mut sources, sink);
            }
            if with_rules {
                load::read_controllers(project, &mut sources, sink);
            }
            sources
        });
        let sources = loaded.finish(sources)?;
        Ok(Self {
            project,
            artefacts,
            sources,
            loaded,
        })
    }

    /// Resolves all kinds. As long as a lookup leads to files that are not loaded, loads them and
    /// resolves again.
    pub(crate) fn run(&mut self) -> (Resolved, Sink) {
        loop {
            let mut findings = self.loaded.clone();
            let mut resolved = resolve(&self.sources, self.project, self.artefacts, &mut findings);
            if !self.load(std::mem::take(&mut resolved.wanted)) {
                findings.stage(Code::Client, |sink| {
                    self.check_output_folders(&resolved.model, sink);
                });
                return (resolved, findings);
            }
        }
    }

    /// The declared kinds, to resolve subsets of them.
    pub(crate) fn kinds(&self) -> PackageKinds<'_> {
        PackageKinds::find(&self.sources, self.project, self.artefacts)
    }

    /// Loads the files that the lookups lead to. Returns false if none is loaded.
    pub(crate) fn load(&mut self, lookups: BTreeSet<PathLookup>) -> bool {
        load::load_for_lookups(lookups, &mut self.sources, self.project)
    }

    /// Reports a client module that another file conflicts with or that no `mod` line declares, and
    /// files that an earlier run wrote before the setting `client` or `config` was changed.
    fn check_output_folders(&self, model: &Model, sink: &mut Sink) {
        let makes_clients = self.artefacts.iter().any(|artefact| artefact.is_module());
        if makes_clients && !model.groups.is_empty() {
            load::check_client(self.project, sink);
        }
        if self.artefacts.contains(&Artefact::Crd) {
            let names: Vec<_> = model.crds.iter().map(Crd::file_name).collect();
            load::check_config(self.project, &names, sink);
        }
    }
}
