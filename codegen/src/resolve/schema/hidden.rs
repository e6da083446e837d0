//! Types whose fields do not tell what is written: another type describes them, or serde is implemented by hand.

use genclient_syntax::{derives, described_by};
use syn::{Attribute, Item};

use super::{Parameters, Resolver, Slot};
use crate::resolve::paths;

impl<'a> Resolver<'a, '_> {
    /// The schema of a type that is not made of its fields; nothing for one that is.
    pub(super) fn hidden(
        &mut self,
        item: &'a Item,
        module: usize,
        user: usize,
        used_as: &syn::Path,
    ) -> Option<Slot> {
        let attrs: &[Attribute] = match item {
            Item::Struct(item) => &item.attrs,
            Item::Enum(item) => &item.attrs,
            _ => return None,
        };
        if let Some(other) = described_by(attrs) {
            return Some(self.slot(&other.0, module, &Parameters::new()));
        }
        if ["Deserialize", "Serialize", "CustomResource"]
            .iter()
            .any(|name| derives(attrs, name))
        {
            return None;
        }
        let name = paths::display(used_as);
        self.report(
            user,
            used_as,
            format!("`{name}` derives neither `Serialize` nor `Deserialize`: what it is written as cannot be seen"),
            "derive them, or state the schema at the field: `#[crd(schema = { … })]`",
        );
        Some(Slot::default())
    }
}
