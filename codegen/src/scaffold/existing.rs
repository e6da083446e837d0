//! A project as it is: its settings, the kinds that it serves, and where its modules are.

use std::path::Path;

use super::{Typed, built_in};
use crate::diagnostic::Diagnostics;
use crate::model::{Artefact, Group, Model, Resource, Version, WebhookEndpoint};
use crate::project::Project;

/// A project that something is added to.
#[derive(Debug)]
pub(crate) struct Existing {
    pub(crate) project: Project,
    model: Model,
}

/// A kind of the project.
pub(super) type Served<'a> = (&'a Group, &'a Version, &'a Resource);

impl Existing {
    /// Reads the kinds of a project.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with them.
    pub(crate) fn read(project: Project) -> Result<Self, Diagnostics> {
        let (model, _) = crate::understand(&project, &Artefact::ALL.into())?;
        Ok(Self { project, model })
    }

    /// The group of what was typed: `webapp` is `webapp.example.com` in the domain `example.com`.
    pub(super) fn group(&self, typed: &str) -> String {
        if self.groups().any(|(name, _)| name == typed) {
            return typed.to_owned();
        }
        match &self.project.domain {
            Some(domain) if typed.is_empty() => domain.clone(),
            Some(domain) if !in_domain(typed, domain) => format!("{typed}.{domain}"),
            _ => typed.to_owned(),
        }
    }

    /// The kind of a group in each of its versions, the oldest first.
    pub(super) fn versions<'a>(
        &'a self,
        group: &'a str,
        kind: &'a str,
    ) -> impl Iterator<Item = Served<'a>> {
        let served = self.model.resources();
        served.filter(move |(of, _, resource)| of.name == group && resource.kind == kind)
    }

    /// The kind that was typed, if it is one of the project.
    pub(super) fn find(&self, typed: &Typed) -> Option<Served<'_>> {
        let group = self.group(&typed.group);
        self.model.resources().find(|(of, version, resource)| {
            of.name == group && version.name == typed.version && resource.kind == typed.kind
        })
    }

    /// Whether a type and a controller are missing, as far as can be seen.
    pub(crate) fn what_it_may_need(&self, typed: &Typed) -> (bool, bool) {
        let is_served = self.find(typed).is_some();
        let is_built_in = built_in::find(typed).is_some();
        let group = self.group(&typed.group);
        let has_other_version = self.versions(&group, &typed.kind).next().is_some();
        (!is_served && !is_built_in, is_served || !has_other_version)
    }

    /// The group of a module, and the module of a group.
    pub(super) fn groups(&self) -> impl Iterator<Item = (&str, &str)> {
        let groups = self.model.groups.iter();
        groups.map(|group| (group.name.as_str(), group.module.as_str()))
    }

    /// Whether there is a module of clients.
    pub(super) fn has_clients(&self) -> bool {
        !self.model.groups.is_empty()
    }

    /// Whether objects of a kind are stored in a version.
    pub(super) fn is_stored(&self, group: &str, kind: &str, version: &str) -> bool {
        let mut crds = self.model.crds.iter();
        let crd = crds.find(|crd| crd.group == group && crd.kind == kind);
        let mut versions = crd.iter().flat_map(|crd| &crd.versions);
        versions.any(|found| found.name == version && found.storage)
    }

    /// The module that the settings name for a group.
    pub(super) fn group_alias(&self, group: &str) -> Option<String> {
        self.project.group_aliases.get(group).cloned()
    }

    /// Whether the program is deployed for one namespace.
    pub(super) fn is_namespaced(&self) -> bool {
        self.project
            .deploy
            .as_ref()
            .is_some_and(|deploy| deploy.namespaced)
    }

    /// Namespace and name of the Service of the webhooks.
    pub(super) fn webhook_service(&self) -> (String, String) {
        let admission = self.model.webhooks.iter().flat_map(|all| &all.webhooks);
        let mut services = admission.filter_map(|webhook| match &webhook.endpoint {
            WebhookEndpoint::Service {
                namespace, name, ..
            } => Some((namespace.clone(), name.clone())),
            WebhookEndpoint::Url(_) => None,
        });
        services
            .next()
            .unwrap_or_else(|| match &self.project.deploy {
                Some(deploy) => (deploy.namespace.clone(), deploy.webhook_service()),
                None => ("system".to_owned(), "webhook-service".to_owned()),
            })
    }

    /// The folder of the API types, below that of the project.
    pub(super) fn apis(&self) -> String {
        self.below(&self.project.apis)
    }

    /// A folder beside the API types, below that of the project.
    pub(super) fn beside(&self, stated: Option<&Path>, name: &str) -> String {
        match stated {
            Some(folder) => self.below(folder),
            None => self.below(&self.project.apis.with_file_name(name)),
        }
    }

    /// A path below the folder of the project.
    pub(super) fn below(&self, path: &Path) -> String {
        let below = path.strip_prefix(&self.project.dir).unwrap_or(path);
        below.display().to_string()
    }
}

fn in_domain(group: &str, domain: &str) -> bool {
    let rest = group.strip_suffix(domain);
    rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}
