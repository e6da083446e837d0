//! Bindings of type and const parameters to their arguments.

use std::collections::BTreeMap;

use syn::Ident;

use super::slot::Slot;

/// Arguments of the parameters in scope.
#[derive(Clone, Debug, Default)]
pub(super) struct Parameters {
    pub(super) types: BTreeMap<String, Slot>,
    /// Values of const parameters; `None` for an unknown one.
    pub(super) numbers: BTreeMap<String, Option<u64>>,
}

impl Parameters {
    /// Returns the argument of a type parameter.
    pub(super) fn of_type(&self, name: &Ident) -> Option<&Slot> {
        let mut types = self.types.iter();
        types.find_map(|(known, slot)| (name == known).then_some(slot))
    }

    /// Returns the argument of a const parameter.
    pub(super) fn of_number(&self, name: &Ident) -> Option<Option<u64>> {
        self.numbers.get(&name.to_string()).copied()
    }
}
