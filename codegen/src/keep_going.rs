//! Generation without the kinds that have errors (`--keep-going`).

use std::collections::BTreeSet;

use crate::diagnostic::{Diagnostic, Diagnostics, Sink};
use crate::emit::emit;
use crate::file_set::FileSet;
use crate::model::{Artefact, GroupKind, Model};
use crate::nesting;
use crate::pass::Pass;
use crate::project::Project;
use crate::resolve::PackageKinds;
use crate::with_included_artefacts;

/// Result of a generation that leaves out kinds with errors.
#[derive(Clone, Debug)]
pub struct PartialGeneration {
    /// Generated files of the kinds without errors. If a kind is left out, this set owns no path
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

/// A kind that a [`PartialGeneration`] left out.
#[derive(Clone, Debug)]
pub struct LeftOut {
    /// The kind.
    pub name: GroupKind,
    /// The errors of the kind.
    pub errors: Diagnostics,
}

/// Runs all stages up to the files in memory, for the kinds that have no errors.
///
/// # Errors
///
/// All findings, if an error belongs to no kind: for example, a file cannot be read.
pub fn generate_partial(
    project: &Project,
    artefacts: &BTreeSet<Artefact>,
) -> Result<PartialGeneration, Diagnostics> {
    let artefacts = &with_included_artefacts(artefacts, project);
    nesting::with_stack(|| {
        let mut pass = Pass::new(project, artefacts)?;
        let (resolved, findings) = pass.run();
        let kinds = resolved.names.len();
        let mut model = resolved.model;
        let mut left_out: Vec<LeftOut> = Vec::new();
        if findings.has_errors() {
            (model, left_out) = resolve_kinds_without_errors(&mut pass);
            left_out.sort_by_key(|kind| resolved.names.iter().position(|name| *name == kind.name));
            // An error that is not among those of the kinds concerns the whole package.
            let is_of_a_kind = |error: &Diagnostic| {
                let mut kinds = left_out.iter();
                kinds.any(|kind| kind.errors.iter().any(|known| known == error))
            };
            if left_out.is_empty() || !findings.errors().all(is_of_a_kind) {
                return Err(findings.into());
            }
        }
        let mut files = emit(&model, project, artefacts);
        if !left_out.is_empty() {
            files.disown(&project.config);
        }
        Ok(PartialGeneration {
            files,
            findings: findings.into(),
            kinds,
            left_out,
        })
    })
}

/// Resolves the kinds that have no errors. Returns their model, and the other kinds.
fn resolve_kinds_without_errors(pass: &mut Pass<'_>) -> (Model, Vec<LeftOut>) {
    loop {
        let mut trials = Trials {
            all_kinds: pass.kinds(),
            left_out: Vec::new(),
        };
        let good = trials.find_good_kinds();
        let model = trials.all_kinds.resolve_some(&good);
        // The pass over all kinds has loaded the files that it needs. The resolution of fewer kinds
        // may need others.
        let Trials {
            all_kinds,
            left_out,
        } = trials;
        if !pass.load(all_kinds.into_wanted()) {
            return (model, left_out);
        }
    }
}

/// Checks of subsets of the kinds, to find out which kinds cause an error. A pass over all kinds is
/// not enough: if several kinds use a type with an error, that pass reports the error for the first
/// kind only.
struct Trials<'p> {
    all_kinds: PackageKinds<'p>,
    left_out: Vec<LeftOut>,
}

impl Trials<'_> {
    /// Returns the kinds to generate. They have no errors, neither alone nor together.
    fn find_good_kinds(&mut self) -> BTreeSet<GroupKind> {
        let mut good = self.all_kinds.names();
        good.retain(|name| self.passes(name, &BTreeSet::from([name.clone()])));
        let together = BTreeSet::from_iter(good.iter().cloned());
        if !self.check(&together).has_errors() {
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

    /// Returns whether a check of `kinds` finds no errors. If it finds errors, records them in
    /// `left_out` as the errors of `name`.
    fn passes(&mut self, name: &GroupKind, kinds: &BTreeSet<GroupKind>) -> bool {
        let errors = Diagnostics::from(self.check(kinds)).errors();
        let passes = errors.is_empty();
        if !passes {
            let name = name.clone();
            self.left_out.push(LeftOut { name, errors });
        }
        passes
    }

    fn check(&self, kinds: &BTreeSet<GroupKind>) -> Sink {
        let mut findings = Sink::new();
        self.all_kinds.check(kinds, &mut findings);
        findings
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use super::Trials;
    use crate::model::Artefact;
    use crate::pass::Pass;

    const HEADER: &str = "use genclient::prelude::*;\n";

    /// A kind with a field of the type.
    fn kind(name: &str, keys: &str, field: &str) -> String {
        format!(
            "#[genclient]\n#[group = \"example.com\"]\n#[version = \"v1\"]\n{keys}\n\
             pub struct {name} {{ pub metadata: ObjectMeta, pub spec: {field} }}\n"
        )
    }

    #[test]
    fn every_definition_is_resolved_once_in_all_trials() {
        let folder = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let mut types = HEADER.to_owned();
        for name in ["B", "C", "D", "E"] {
            types += &kind(name, "", "Good");
        }
        let plural = "#[crd(plural = \"things\")]";
        types += &kind("A", plural, "Good");
        types += &kind("Shared", "", "Bad");
        types += &kind("SharesToo", "", "Bad");
        types += &kind("Clashes", plural, "Good");
        types += "#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]\npub struct Good { pub a: String }\n";
        types += "#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]\npub struct Bad { pub a: (String, i32) }\n";
        write("src/apis/mod.rs", &types);
        write("src/lib.rs", "pub mod apis;\npub mod client;\n");
        write("Cargo.toml", "[package]\nname = \"trials\"\n");
        let manifest = folder.path().join("Cargo.toml");
        let project = crate::discover(Some(&manifest), &[]).unwrap().remove(0);
        let artefacts = BTreeSet::from([Artefact::Crd]);
        let pass = Pass::new(&project, &artefacts).unwrap();
        let mut trials = Trials {
            all_kinds: pass.kinds(),
            left_out: Vec::new(),
        };
        let good = trials.find_good_kinds();
        trials.all_kinds.resolve_some(&good);
        let kinds: Vec<_> = good.iter().map(|name| name.kind.as_str()).collect();
        assert_eq!(kinds, ["A", "B", "C", "D", "E"]);
        let left_out: Vec<_> = trials
            .left_out
            .iter()
            .map(|kind| kind.name.kind.as_str())
            .collect();
        assert_eq!(left_out, ["Shared", "SharesToo", "Clashes"]);
        assert_eq!(trials.all_kinds.count_of_definitions(), 8);
    }
}
