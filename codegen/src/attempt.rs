//! Generation without the kinds that have errors (`--keep-going`).

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

/// Result of a generation that leaves out kinds with errors.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// Generated files of the kinds without errors. If a kind is left out, this set owns no place
    /// below the config folder, so that no file of that kind is deleted there as stale.
    pub files: FileSet,
    /// The errors of the kinds that were left out, and every warning.
    pub findings: Diagnostics,
    /// Number of kinds that the package declares, except skipped ones. A kind with several versions
    /// counts once.
    pub kinds: usize,
    /// The kinds that were left out. Kinds that could be read from source come first, then stated
    /// kinds, then kinds whose declarations have errors that prevent their use.
    pub left_out: Vec<LeftOut>,
}

/// A kind that an [`Attempt`] left out.
#[derive(Clone, Debug)]
pub struct LeftOut {
    /// The kind.
    pub name: KindName,
    /// The errors of the kind.
    pub errors: Diagnostics,
}

/// Runs all stages up to the files in memory, for the kinds that have no errors.
///
/// # Errors
///
/// All findings, if an error belongs to no kind: for example, a file cannot be read.
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
            left_out = trials.left_out;
            left_out.sort_by_key(|kind| resolved.names.iter().position(|name| *name == kind.name));
            let of_a_kind = |error: &Diagnostic| {
                let mut all = left_out
                    .iter()
                    .flat_map(|kind: &LeftOut| kind.errors.iter());
                all.any(|known| known == error)
            };
            if left_out.is_empty() || !findings.errors().all(of_a_kind) {
                return Err(findings.into());
            }
            (resolved, _) = pass.run(Subset::Of(&good));
        }
        let mut files = emit(&resolved.model, project, artefacts);
        if !left_out.is_empty() {
            files.disown(&project.config);
        }
        Ok(Attempt {
            files,
            findings: findings.into(),
            kinds,
            left_out,
        })
    })
}

/// Passes over subsets of the kinds, to find out which kinds cause an error. A pass over all kinds
/// is not enough: if several kinds use a type with an error, that pass reports the error for the
/// first kind only.
struct Trials<'t, 'p> {
    pass: &'t mut Pass<'p>,
    left_out: Vec<LeftOut>,
}

impl<'t, 'p> Trials<'t, 'p> {
    fn new(pass: &'t mut Pass<'p>) -> Self {
        Self {
            pass,
            left_out: Vec::new(),
        }
    }

    /// Returns the kinds to generate. They have no errors, neither alone nor together.
    fn without_errors(&mut self, names: &[KindName]) -> BTreeSet<KindName> {
        let mut good = names.to_vec();
        good.retain(|name| self.passes(name, &BTreeSet::from([name.clone()])));
        let together = BTreeSet::from_iter(good.iter().cloned());
        if !self.pass.run(Subset::Of(&together)).1.has_errors() {
            return together;
        }
        // Some kinds have errors only together, for example two kinds that claim the same name.
        // Kinds are added one by one, so that the first of two such kinds is kept.
        let mut kept = BTreeSet::new();
        for name in good {
            kept.insert(name.clone());
            if !self.passes(&name, &kept) {
                kept.remove(&name);
            }
        }
        kept
    }

    /// Returns whether a pass over `kinds` finds no errors. If it finds errors, records them in
    /// `left_out` as the errors of `name`.
    fn passes(&mut self, name: &KindName, kinds: &BTreeSet<KindName>) -> bool {
        let (_, findings) = self.pass.run(Subset::Of(kinds));
        let errors = Diagnostics::from(findings).errors();
        let passes = errors.is_empty();
        if !passes {
            let name = name.clone();
            self.left_out.push(LeftOut { name, errors });
        }
        passes
    }
}
