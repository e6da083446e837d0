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
    /// The files of the kinds without errors. What an earlier run wrote below `config` for one of
    /// the others is not stale: its definition, and its roles and webhooks.
    pub files: FileSet,
    /// What was found: the errors of the kinds that were left out, and every warning.
    pub findings: Diagnostics,
    /// How many kinds the package declares, all versions of one counted once.
    pub kinds: usize,
    /// The kinds that were left out, in the order of the sources.
    pub left_out: Vec<LeftOut>,
}

/// A kind that an [`Attempt`] left out.
#[derive(Clone, Debug)]
pub struct LeftOut {
    /// The kind.
    pub name: KindName,
    /// What is wrong with it.
    pub errors: Diagnostics,
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

/// Passes over some of the kinds, which tell the errors of one kind from those of another: in a
/// pass over all of them, only the first user of a broken type has its error.
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

    /// The kinds that have no errors, neither alone nor beside each other.
    fn without_errors(&mut self, names: &[KindName]) -> BTreeSet<KindName> {
        let mut good = names.to_vec();
        good.retain(|name| self.passes(name, &BTreeSet::from([name.clone()])));
        let together = BTreeSet::from_iter(good.iter().cloned());
        if !self.pass.run(Subset::Of(&together)).1.has_errors() {
            return together;
        }
        // Of two kinds that want one name, the first has it.
        let mut kept = BTreeSet::new();
        for name in good {
            kept.insert(name.clone());
            if !self.passes(&name, &kept) {
                kept.remove(&name);
            }
        }
        kept
    }

    /// Whether a pass over some kinds finds no errors; otherwise one of them is left out.
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
