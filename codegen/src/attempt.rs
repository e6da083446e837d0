//! Generation that leaves out the kinds with errors.

use std::collections::BTreeSet;

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::emit::emit;
use crate::file_set::FileSet;
use crate::model::{Artefact, KindName};
use crate::nesting;
use crate::pass::Pass;
use crate::project::Project;
use crate::resolve::Subset;
use crate::with_parts;

/// What a run in memory ends with, kinds with errors aside.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// The files of the kinds without errors. A definition that an earlier run wrote for one of
    /// the others is not stale.
    pub files: FileSet,
    /// What was found: the errors of the kinds that were left out, and every warning.
    pub findings: Diagnostics,
    /// How many kinds the package declares, all versions of one counted once.
    pub kinds: usize,
    /// The kinds that were left out, in the order of the sources.
    pub left_out: Vec<KindName>,
}

/// Runs the whole pipeline in memory, for the kinds that have no errors.
///
/// # Errors
///
/// Everything that is wrong with the package's API types, if some of it belongs to no kind.
pub fn attempt(project: &Project, artefacts: &BTreeSet<Artefact>) -> Result<Attempt, Diagnostics> {
    let artefacts = &with_parts(artefacts, project);
    nesting::with_stack(|| {
        let mut pass = Pass::new(project, artefacts)?;
        let (mut resolved, findings) = pass.run(Subset::All);
        let kinds = resolved.names.len();
        let mut left_out = Vec::new();
        if findings.has_errors() {
            let mut trials = Trials::new(&mut pass);
            let good = trials.without_errors(&resolved.names);
            let of_a_kind = |error: &Diagnostic| trials.errors.contains(error);
            let are_of_kinds = findings.errors().all(of_a_kind);
            left_out.clone_from(&resolved.names);
            left_out.retain(|name| !good.contains(name));
            if !are_of_kinds || left_out.is_empty() {
                return Err(findings.into());
            }
            (resolved, _) = pass.run(Subset::Of(&good));
        }
        let mut files = emit(&resolved.model, project, artefacts);
        if !left_out.is_empty() {
            files.disown(&project.config.join("crd"));
        }
        Ok(Attempt {
            files,
            findings: findings.into(),
            kinds,
            left_out,
        })
    })
}

/// Passes over some of the kinds, which tell the errors of one kind from those of another: in a
/// pass over all of them, only the first user of a broken type has its error.
struct Trials<'t, 'p> {
    pass: &'t mut Pass<'p>,
    /// The errors that belong to a kind.
    errors: Vec<Diagnostic>,
}

impl<'t, 'p> Trials<'t, 'p> {
    fn new(pass: &'t mut Pass<'p>) -> Self {
        Self {
            pass,
            errors: Vec::new(),
        }
    }

    /// The kinds that have no errors, neither alone nor beside each other.
    fn without_errors(&mut self, names: &[KindName]) -> BTreeSet<KindName> {
        let alone = |name: &&KindName| self.passes(&BTreeSet::from([(*name).clone()]));
        let good: Vec<_> = names.iter().filter(alone).cloned().collect();
        let together = BTreeSet::from_iter(good.iter().cloned());
        if self.passes(&together) {
            return together;
        }
        // Of two kinds that want one name, the first has it.
        let mut kept = BTreeSet::new();
        for name in good {
            kept.insert(name.clone());
            if !self.passes(&kept) {
                kept.remove(&name);
            }
        }
        kept
    }

    fn passes(&mut self, kinds: &BTreeSet<KindName>) -> bool {
        let (_, findings) = self.pass.run(Subset::Of(kinds));
        self.errors.extend(findings.errors().cloned());
        !findings.has_errors()
    }
}
