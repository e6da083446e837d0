//! The deployment that a command acts on: the one selected package with a `deploy` table in
//! Cargo.toml.

use std::collections::BTreeSet;

use super::selection::Packages;
use super::talk::Talk;
use crate::{Artefact, Deploy, Diagnostic, Diagnostics, Model, Project};

/// Artefacts that a deployment consists of.
pub(super) const PARTS: [Artefact; 4] = [
    Artefact::Crd,
    Artefact::Rbac,
    Artefact::Webhook,
    Artefact::Deploy,
];

/// Deployment of one package.
pub(super) struct Deployment {
    pub(super) project: Project,
    pub(super) deploy: Deploy,
    pub(super) model: Model,
}

impl Deployment {
    /// Returns the only deployment among the selected packages.
    pub(super) fn of(packages: &Packages, talk: &Talk) -> Result<Self, Diagnostics> {
        let projects = packages.projects()?.into_iter();
        let found = projects.filter_map(|project| Some((project.deploy.clone()?, project)));
        let mut found: Vec<_> = found.collect();
        if found.len() > 1 {
            let names: Vec<_> = found
                .iter()
                .map(|(_, it)| format!("`-p {}`", it.name))
                .collect();
            let finding = Diagnostic::error("several packages have a deployment");
            return Err(finding
                .help(format!("choose one: {}", names.join(", ")))
                .into());
        }
        let (deploy, project) = found.pop().ok_or_else(no_table)?;
        let (model, warnings) = crate::understand(&project, &BTreeSet::from(PARTS))?;
        talk.say_findings(&warnings);
        Ok(Self {
            project,
            deploy,
            model,
        })
    }
}

fn no_table() -> Diagnostic {
    Diagnostic::error("no package says how it is deployed")
        .help("add the line `[package.metadata.genclient.deploy]` to Cargo.toml")
}
