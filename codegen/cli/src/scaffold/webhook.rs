//! `genclient create webhook`: scaffolding of defaults, validation and conversion of a kind, with
//! tests.

use genclient_codegen::{Diagnostic, Diagnostics};

use super::admission::Admission;
use super::existing::{self, Existing};
use super::files::Scaffold;
use super::kind::KindNames;
use super::{Typed, dependencies, hub, names};

/// Webhooks to add to a kind.
#[derive(Clone, Debug)]
pub(crate) struct CreateWebhook {
    /// Group, version and kind. For a conversion, the version is the hub.
    pub(crate) typed: Typed,
    /// Whether to add a mutating webhook.
    pub(crate) defaulting: bool,
    /// Whether to add a validating webhook.
    pub(crate) validation: bool,
    pub(crate) conversion: bool,
    /// The versions to convert to and from the hub; empty for all other versions.
    pub(crate) spokes: Vec<String>,
}

impl CreateWebhook {
    /// Collects the files of the webhooks.
    ///
    /// # Errors
    ///
    /// No webhook is requested, a name is invalid, the kind or a version does not exist, a webhook
    /// or file exists already, or a conversion is impossible: the kind belongs to another project
    /// or to Kubernetes, has only one version, or its source is not found.
    pub(crate) fn plan(&self, existing: &Existing) -> Result<Scaffold, Diagnostics> {
        let mut files = existing.scaffold();
        if !self.defaulting && !self.validation && !self.conversion {
            files.report(Diagnostic::error("nothing to create: no type of webhook is requested").help(
                "pass one or more of `--defaulting`, `--programmatic-validation` and `--conversion`",
            ));
        }
        let external = self.typed.external.as_ref();
        if let Some(external) = external {
            names::check_external(&self.typed, external, files.sink());
        }
        let served = existing.find(&self.typed);
        let about = match (external, served, existing::built_in(&self.typed)) {
            (Some(external), ..) => KindNames::of_external(&self.typed, external),
            (None, Some(served), _) => KindNames::of_project(served),
            (None, None, Some((path, kind))) => KindNames::of_kubernetes(&path, &kind),
            (None, None, None) => {
                files.report(self.unknown(existing));
                return files.finish();
            }
        };
        if external.is_none()
            && let Some(reading) = existing.reading(&self.typed, served.is_some())
        {
            files.state_reading(reading);
        }
        if self.defaulting || self.validation {
            let admission = Admission {
                defaulting: self.defaulting,
                validation: self.validation,
                about: &about,
                existing,
            };
            admission.add(&mut files);
        }
        if self.conversion && !about.is_foreign() {
            hub::add(&about, &self.spokes, existing, &mut files);
        } else if self.conversion {
            let kind = &about.kind;
            let owner = if about.is_external {
                "another project"
            } else {
                "Kubernetes"
            };
            files.report(
                Diagnostic::error(format!(
                    "`--conversion` does not apply to {kind}: it belongs to {owner}"
                ))
                .help("remove `--conversion`"),
            );
        }
        dependencies::expect(external, existing, &mut files);
        files.finish()
    }

    fn unknown(&self, existing: &Existing) -> Diagnostic {
        let Typed {
            group,
            version,
            kind,
            ..
        } = &self.typed;
        let full = existing.group(group);
        let versions: Vec<_> = existing
            .versions(&full, kind)
            .map(|(_, of, _)| of.name.as_str())
            .collect();
        let wrong = Diagnostic::error(format!("no kind {kind} in {full}/{version}"));
        match (versions.last(), existing::similar_built_in(&self.typed)) {
            (Some(known), _) => wrong.help(format!(
                "its versions are {}: pass `--version {known}`",
                versions.join(", ")
            )),
            (None, Some(meant)) => wrong.help(format!(
                "did you mean {} of Kubernetes? Pass `--version {} --kind {}`",
                meant.kind, meant.version, meant.kind
            )),
            (None, None) => wrong.help(format!(
                "create it first: `genclient create api --group {group} --version {version} --kind {kind}`"
            )),
        }
    }
}
