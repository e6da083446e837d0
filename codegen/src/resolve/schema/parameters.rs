//! Bindings of type and const parameters to their arguments.

use std::collections::BTreeMap;

use syn::Ident;

use super::slot::Slot;

/// What the parameters around a type stand for.
#[derive(Clone, Debug, Default)]
pub(super) struct Parameters {
    pub(super) types: BTreeMap<String, Slot>,
    /// Numbers; `None` where one cannot be told.
    pub(super) numbers: BTreeMap<String, Option<u64>>,
}

impl Parameters {
    /// What a type parameter stands for.
    pub(super) fn of_type(&self, name: &Ident) -> Option<&Slot> {
        let mut types = self.types.iter();
        types.find_map(|(known, slot)| (name == known).then_some(slot))
    }

    /// What a const parameter stands for.
    pub(super) fn of_number(&self, name: &Ident) -> Option<Option<u64>> {
        self.numbers.get(&name.to_string()).copied()
    }
}
