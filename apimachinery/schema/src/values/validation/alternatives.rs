//! Validation of `allOf`, `anyOf`, `oneOf` and `not`.

use serde_json::Value;

use super::Validator;
use crate::Schema;
use crate::values::violation::{BranchRule, Violation, ViolationKind};

impl Validator<'_> {
    pub(super) fn alternatives(&mut self, schema: &Schema, value: &Value) {
        if !schema.any_of.is_empty() {
            let branches = self.branches(&schema.any_of, value);
            match branches.iter().find(|branch| !branch.refuses()) {
                Some(branch) => self.checks += branch.checks,
                None => {
                    self.report(ViolationKind::Branches(BranchRule::AnyOf));
                    self.show_best(branches);
                }
            }
        }
        if !schema.one_of.is_empty() {
            let branches = self.branches(&schema.one_of, value);
            let admitting: Vec<_> = branches.iter().filter(|it| !it.refuses()).collect();
            match admitting[..] {
                [branch] => self.checks += branch.checks,
                [] => {
                    self.report(ViolationKind::Branches(BranchRule::OneOf { admitting: 0 }));
                    self.show_best(branches);
                }
                _ => {
                    let admitting = admitting.len();
                    self.report(ViolationKind::Branches(BranchRule::OneOf { admitting }));
                }
            }
        }
        let branches = self.branches(&schema.all_of, value);
        let refusing = branches.iter().filter(|branch| branch.refuses()).count();
        let none = refusing == branches.len();
        for branch in branches {
            self.checks += branch.checks;
            self.violations.extend(branch.violations);
        }
        if refusing > 0 {
            self.report(ViolationKind::Branches(BranchRule::AllOf { none }));
        }
        if let Some(not) = &schema.not
            && !self.branch(not, value).refuses()
        {
            self.report(ViolationKind::Branches(BranchRule::Not));
        }
        self.checks += 2;
    }

    fn branches<'n>(&self, schemas: &[Schema], value: &Value) -> Vec<Validator<'n>> {
        let branch = |schema| self.branch(schema, value);
        schemas.iter().map(branch).collect()
    }

    fn branch<'n>(&self, schema: &Schema, value: &Value) -> Validator<'n> {
        let mut branch = Validator {
            path: self.path.clone(),
            is_branch: true,
            is_definition_default: self.is_definition_default,
            ..Validator::default()
        };
        branch.value(schema, value);
        branch
    }

    fn refuses(&self) -> bool {
        !self.violations.is_empty()
    }

    /// Adds the violations of the branch with the most `checks` (the API server's `MatchCount`), or
    /// of the first of several such branches.
    fn show_best(&mut self, branches: Vec<Validator<'_>>) {
        let best = branches
            .into_iter()
            .rev()
            .max_by_key(|branch| branch.checks);
        let Some(best) = best else { return };
        self.checks += best.checks;
        let shown = best.violations.into_iter().map(|violation| Violation {
            in_branch: true,
            ..violation
        });
        self.violations.extend(shown);
    }
}
