//! The variables of loops.

use genclient_schema::cel::ast::Comprehension;

/// The variables around an expression, the innermost last, with what is known of each.
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
    /// What is known of a variable; `known_otherwise` of a name that is none.
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

    /// Goes into a loop, of which `only` is known of its variable, or else `second` of the second of two.
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

    /// Goes to the result of a loop, which sees the accumulator alone.
    pub(super) fn enter_result(&mut self, entered: &Entered) {
        self.variables.truncate(entered.0 + 1);
    }

    /// Leaves a loop.
    pub(super) fn leave(&mut self, entered: Entered) {
        let Entered(outer) = entered;
        self.variables.truncate(outer);
    }
}

/// How many variables there were before a loop.
pub(super) struct Entered(usize);
