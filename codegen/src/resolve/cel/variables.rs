//! Scopes of loop variables.

use genclient_schema::cel::ast::Comprehension;

/// The loop variables in scope, the innermost last, each with its value if known.
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
    /// Returns the value of a variable. For a name that is no variable, returns
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

    /// Enters a loop. A single loop variable has the value `only`; of two, the second has `second`.
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

    /// Enters the result of a loop, where only the accumulator is in scope.
    pub(super) fn enter_result(&mut self, entered: &Entered) {
        self.variables.truncate(entered.0 + 1);
    }

    /// Leaves a loop.
    pub(super) fn leave(&mut self, entered: Entered) {
        let Entered(outer) = entered;
        self.variables.truncate(outer);
    }
}

/// Number of variables in scope before a loop.
pub(super) struct Entered(usize);
