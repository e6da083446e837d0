//! Resolution of CEL expressions to the paths that they read, such as `self.items[*].name`.

use genclient_cel::ast::{Comprehension, Expr, ExprKind, Literal};
use genclient_cel::escape;

use crate::model::Schema;

/// Resolver of expressions to paths, with the paths of the loop variables in scope.
#[derive(Debug, Default)]
pub(super) struct FieldPaths<'e> {
    variables: Variables<'e, String>,
}

impl<'e> FieldPaths<'e> {
    /// Returns the path that an expression reads, such as `self.items[*].name`; `None` if it is no
    /// path.
    pub(super) fn path_of(&self, node: &Expr) -> Option<String> {
        match &node.kind {
            ExprKind::Ident(name) => {
                let object = || matches!(name.as_str(), "self" | "oldSelf").then(|| name.clone());
                self.variables.find(name, object)
            }
            ExprKind::Select(select) => Some(format!(
                "{}.{}",
                self.path_of(&select.operand)?,
                select.field
            )),
            _ => None,
        }
    }

    /// Returns the path that an optional selection reads: `self.limits` for `self.?limits`,
    /// `self.limits.low` for `self.?limits.low`.
    pub(super) fn optional_path_of(&self, node: &Expr) -> Option<String> {
        let (operand, field) = match &node.kind {
            ExprKind::Select(select) => (self.optional_path_of(&select.operand)?, &select.field),
            ExprKind::Call { function, args, .. } if function == "_?._" => {
                let [operand, field] = args.as_slice() else {
                    return None;
                };
                let ExprKind::Literal(Literal::Text(field)) = &field.kind else {
                    return None;
                };
                let operand = self
                    .optional_path_of(operand)
                    .or_else(|| self.path_of(operand))?;
                (operand, field)
            }
            _ => return None,
        };
        Some(format!("{operand}.{field}"))
    }

    /// Calls `visit` for every part of a loop while the variables of that part are in scope.
    pub(super) fn in_loop(
        &mut self,
        fold: &'e Comprehension,
        mut visit: impl FnMut(&mut Self, Evaluated, &'e Expr),
    ) {
        visit(self, Evaluated::Once, &fold.range);
        visit(self, Evaluated::Once, &fold.start);
        let values = self.path_of(&fold.range).map(|range| range + "[*]");
        let entered = self.variables.enter(fold, values.clone(), values);
        visit(self, Evaluated::PerElement, &fold.condition);
        visit(self, Evaluated::PerElement, &fold.step);
        self.variables.enter_result(&entered);
        visit(self, Evaluated::Once, &fold.result);
        self.variables.leave(entered);
    }
}

/// How often a part of a loop is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Evaluated {
    Once,
    /// Once for each element, so never for an empty range.
    PerElement,
}

/// Yields the ancestors of a path and the path itself, such as `self.a` and `self.a.b`. If the path
/// is present, its ancestors are present too.
pub(super) fn path_and_ancestors(path: &str) -> impl Iterator<Item = String> {
    let ends = path.match_indices('.').map(|(end, _)| end).skip(1);
    ends.chain([path.len()]).map(|end| path[..end].to_owned())
}

/// Returns the steps of a path from `self` or `oldSelf`: a field, or `[*]` for items or values.
pub(super) fn path_steps(path: &str) -> Vec<String> {
    let below = path
        .trim_start_matches("oldSelf")
        .trim_start_matches("self")
        .replace("[*]", ".[*]");
    below.split('.').skip(1).map(str::to_owned).collect()
}

/// Returns the schema that a step leads to.
pub(super) fn schema_of_step<'s>(schema: &'s Schema, step: &str) -> Option<&'s Schema> {
    if step == "[*]" {
        let values = schema.additional_properties.as_deref();
        return schema.items.as_deref().or(values);
    }
    let mut properties = schema.properties.iter();
    let (_, property) = properties.find(|(name, _)| escape(name).as_deref() == Some(step))?;
    Some(property)
}

/// Returns the schema of the value at a path, if `schema` declares `self`.
pub(super) fn schema_at<'s>(schema: &'s Schema, path: &str) -> Option<&'s Schema> {
    let mut steps = path_steps(path).into_iter();
    steps.try_fold(schema, |schema, step| schema_of_step(schema, &step))
}

/// The loop variables in scope, innermost last. Each has a value of type `T`, or `None` if its
/// value is unknown.
#[derive(Debug)]
pub(super) struct Variables<'e, T> {
    variables: Vec<(&'e str, Option<T>)>,
}

impl<T> Default for Variables<'_, T> {
    fn default() -> Self {
        Self {
            variables: Vec::new(),
        }
    }
}

impl<'e, T: Clone> Variables<'e, T> {
    /// Returns the value of the loop variable `name`. For any other name, returns
    /// `known_otherwise()`.
    pub(super) fn find(
        &self,
        name: &str,
        known_otherwise: impl FnOnce() -> Option<T>,
    ) -> Option<T> {
        let mut inner_first = self.variables.iter().rev();
        match inner_first.find(|(variable, _)| *variable == name) {
            Some((_, known)) => known.clone(),
            None => known_otherwise(),
        }
    }

    /// Adds the variables of a loop. A single variable has the value `only`. Of two variables, the
    /// first has an unknown value, and the second has the value `second`. The value of the
    /// accumulator is unknown.
    pub(super) fn enter(
        &mut self,
        fold: &'e Comprehension,
        only: Option<T>,
        second: Option<T>,
    ) -> Entered {
        let outer = Entered(self.variables.len());
        self.variables.push((&fold.accumulator, None));
        match &fold.second_variable {
            None => self.variables.push((&fold.variable, only)),
            Some(name) => {
                self.variables.push((&fold.variable, None));
                self.variables.push((name, second));
            }
        }
        outer
    }

    /// Removes the variables of a loop except the accumulator, since the loop's result expression
    /// can use no other variable of the loop.
    pub(super) fn enter_result(&mut self, entered: &Entered) {
        self.variables.truncate(entered.0 + 1);
    }

    pub(super) fn leave(&mut self, entered: Entered) {
        let Entered(outer) = entered;
        self.variables.truncate(outer);
    }
}

/// Number of variables in scope before a loop.
pub(super) struct Entered(usize);
