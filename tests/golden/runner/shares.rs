//! The same is understood of a package whose modules are looked at by several threads.

use codegen::stages::{Cut, Share, in_shares, whole};
use codegen::{Artefact, Project};
use libtest_mimic::Failed;

/// As many shares as there can be.
const FINEST: Cut = Cut {
    most: 16,
    least_bytes: 1,
};

/// Shares come to the model that one thread comes to, or to none where there is none.
pub fn check(project: &Project) -> Result<(), Failed> {
    let artefacts = Artefact::ALL.into();
    let shares = Share::of(project, FINEST);
    let whole = whole(project, &artefacts);
    match in_shares(&shares, project, &artefacts) {
        together if together == whole.ok() => Ok(()),
        Some(_) => Err(format!("{shares:?} come to another model").into()),
        None => Err(format!("{shares:?} come to no model").into()),
    }
}
