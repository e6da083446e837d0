//! Restoration of fields that only the hub has, from the hub object kept in the spoke's annotation.

use syn::{Item, Member};

use super::declared::{Meant, TypeId};
use super::fields::{FieldsOf, members};
use super::pairs::{Conversions, Pair, text as shown};
use super::value::FieldType;

impl Conversions<'_> {
    /// Statements that restore the fields that only the hub has: `hub.spec.size = kept.spec.size;`.
    /// Fields of fields are included, unless the types are in `Conversions::nested`.
    pub(super) fn restored(&self, pair: Pair) -> String {
        self.below(pair, "")
    }

    fn below(&self, pair: Pair, path: &str) -> String {
        let mut text = String::new();
        let below = |name: &Member| format!("{path}.{}", shown(name));
        for name in self.hub_only.get(&pair).into_iter().flatten() {
            let place = below(name);
            text.push_str(&format!("hub{place} = kept{place};\n"));
        }
        let (Item::Struct(spoke), Item::Struct(hub)) =
            (self.spoke.types.item(pair.0), self.hub.types.item(pair.1))
        else {
            return text;
        };
        let hub = FieldsOf::of(pair.1, hub);
        for (name, field) in members(&spoke.fields) {
            let Some(other) = hub.find(&name) else {
                continue;
            };
            let types = (
                self.spoke.typed(pair.0, field),
                self.hub.typed(pair.1, other),
            );
            let place = below(&name);
            if let Some(inner) = self.direct(types.0.own(), types.1.own()) {
                text.push_str(&self.below(inner, &place));
            } else if let (Some(one), Some(other)) = (types.0.optional(), types.1.optional())
                && let Some(inner) = self.direct(one.own(), other.own())
            {
                let inner = self.below(inner, "");
                if !inner.is_empty() {
                    text.push_str(&format!(
                        "if let (Some(hub), Some(kept)) = (&mut hub{place}, kept{place}) \
                         {{ {inner} }}\n"
                    ));
                }
            }
        }
        text
    }

    /// The pair of two types, if it has a conversion and is not in `Conversions::nested`.
    fn direct(&self, spoke: Option<TypeId>, hub: Option<TypeId>) -> Option<Pair> {
        let pair = (spoke?, hub?);
        (self.pairs.contains(&pair) && !self.nested.contains(&pair)).then_some(pair)
    }
}

impl FieldType<'_> {
    /// The type, if the version's module declares it.
    fn own(self) -> Option<TypeId> {
        match self.resolved().meant()? {
            Meant::Own(id) => Some(id),
            Meant::Other(_) => None,
        }
    }

    /// The type inside an `Option`.
    fn optional(self) -> Option<Self> {
        match self.resolved().container() {
            (name, arguments) if name == "Option" => arguments.first().copied(),
            _ => None,
        }
    }
}
