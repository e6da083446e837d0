//! Errors that `genclient update` is going to report in imported files.

use std::collections::BTreeSet;
use std::path::Path;

use genclient_codegen::{Artefact, Diagnostic, Diagnostics, Project, Severity};

/// Runs the generator on a package whose pending files are those of the import. Returns each error
/// in a new file as a warning.
pub(super) fn warnings<'f>(project: &Project, new: impl Iterator<Item = &'f Path>) -> Diagnostics {
    let mut warnings = Diagnostics::default();
    let Err(findings) = genclient_codegen::understand(project, &artefacts()) else {
        return warnings;
    };
    let new: BTreeSet<_> = new.map(|path| project.shown(path)).collect();
    for error in findings.errors().iter().filter(|error| is_in(error, &new)) {
        warnings.extend(announced(error).into());
    }
    warnings
}

/// The artefacts that are made from API types. Those of webhooks and controllers are left out,
/// because an error in these modules would keep the types from being checked.
fn artefacts() -> BTreeSet<Artefact> {
    let of_types = |artefact: &Artefact| artefact.is_module() || *artefact == Artefact::Crd;
    Artefact::ALL.into_iter().filter(of_types).collect()
}

/// True if a location of the finding is in one of the files. The error of an existing kind may be
/// a clash with an imported one.
fn is_in(finding: &Diagnostic, files: &BTreeSet<String>) -> bool {
    let labels = finding.labels.iter().map(|label| &label.location);
    let mut places = finding.location.iter().chain(labels);
    places.any(|place| files.contains(&place.source.path))
}

fn announced(error: &Diagnostic) -> Diagnostic {
    Diagnostic {
        severity: Severity::Warning,
        message: format!("`genclient update` will refuse this: {}", error.message),
        ..error.clone()
    }
}
