//! [`DefinedKinds`]: the kinds that packages define, for commands that act on their CRDs.

use std::collections::BTreeSet;

use genclient_codegen::{Crd, Diagnostic, Diagnostics, Project};

use super::console::Console;
use super::render::DEPLOYMENT_ARTEFACTS;
use super::selection::Packages;
use crate::render::Documents;

/// The CRDs of the selected packages. The packages need no settings for a deployment.
pub(super) struct DefinedKinds {
    pub(super) documents: Documents,
    pub(super) kinds: Vec<DefinedKind>,
    /// True if `genclient run` finds exactly one deployment, and its package has a program.
    pub(super) has_program: bool,
}

/// A kind with its CRD.
pub(super) struct DefinedKind {
    pub(super) kind: String,
    pub(super) plural: String,
    /// The name of the CRD.
    pub(super) crd: String,
    /// The version that objects are stored as.
    pub(super) storage: Option<String>,
}

impl DefinedKind {
    fn from_crd(crd: &Crd) -> Self {
        let stored = crd.versions.iter().find(|version| version.storage);
        Self {
            kind: crd.kind.clone(),
            plural: crd.plural.clone(),
            crd: format!("{}.{}", crd.plural, crd.group),
            storage: stored.map(|version| version.name.clone()),
        }
    }

    /// Whether the name is that of the kind, its plural or its CRD.
    pub(super) fn is_named(&self, name: &str) -> bool {
        self.crd == name
            || [&self.kind, &self.plural]
                .iter()
                .any(|it| it.eq_ignore_ascii_case(name))
    }
}

impl DefinedKinds {
    /// Reads the kinds of the packages, and prints the warnings about them.
    pub(super) fn resolve(packages: &Packages, console: &Console) -> Result<Self, Diagnostics> {
        let mut projects = packages.projects()?;
        for project in &mut projects {
            // These commands do not apply on the client's side, so the size does not matter.
            project.server_side_apply = true;
        }
        let mut documents = Documents::default();
        let mut kinds = Vec::new();
        let mut errors = Diagnostics::default();
        for project in &projects {
            match genclient_codegen::understand(project, &BTreeSet::from(DEPLOYMENT_ARTEFACTS)) {
                Ok((model, warnings)) => {
                    console.print_findings(&warnings);
                    let (deploy, name) = (project.deploy.as_ref(), &project.name);
                    documents.extend(Documents::from_definitions(&model, deploy, name));
                    kinds.extend(model.crds.iter().map(DefinedKind::from_crd));
                }
                Err(found) => errors.extend(found),
            }
        }
        if errors.is_empty() && documents.is_empty() {
            errors.extend(no_kinds(&projects).into());
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let mut deployed = projects.iter().filter(|project| project.deploy.is_some());
        let has_program = deployed.next().is_some_and(|project| project.has_program);
        Ok(Self {
            documents,
            kinds,
            has_program: has_program && deployed.next().is_none(),
        })
    }
}

fn no_kinds(projects: &[Project]) -> Diagnostic {
    let names: Vec<_> = projects.iter().map(|it| format!("`{}`", it.name)).collect();
    let defines = if names.len() == 1 {
        "defines"
    } else {
        "define"
    };
    let finding = Diagnostic::error(format!("{} {defines} no kinds", names.join(", ")));
    if projects.iter().any(|project| project.deploy.is_some()) {
        finding.help("deploy the program with `genclient deploy`")
    } else {
        finding.help("apply CRDs of other projects with `kubectl apply --server-side -f FILE`")
    }
}
