//! Checks of list types and merge keys.

use genclient_syntax::{Spanned, suggest};

use super::Apply;
use crate::model::{JsonType, ListType, MapType, Schema};

impl Apply<'_> {
    /// Checks that the items fit the list type and the merge keys.
    pub(super) fn check_list(&mut self, schema: &Schema) {
        let Some(items) = &schema.items else {
            return;
        };
        if items.is_unknown() {
            return;
        }
        let attrs = self.attrs;
        for key in &attrs.list_map_keys {
            self.check_map_key(key, items);
        }
        let Some(list_type) = attrs.list_type.as_ref().map(|list_type| list_type.span) else {
            return;
        };
        let type_ = items.type_;
        let granular = match type_ {
            Some(JsonType::Object) => items.map_type != Some(MapType::Atomic),
            Some(JsonType::Array) => items
                .list_type
                .is_some_and(|list_type| list_type != ListType::Atomic),
            _ => false,
        };
        match schema.list_type {
            Some(ListType::Map)
                if type_ != Some(JsonType::Object) && !attrs.list_map_keys.is_empty() =>
            {
                self.error(
                    list_type,
                    "the items of a `map` list are objects",
                    "write `list_type = \"set\"` or `list_type = \"atomic\"`, and remove `list_map_keys`",
                )
            }
            Some(ListType::Set) if granular => self.error(
                list_type,
                "the items of a `set` are compared whole",
                "write `items(struct_type = \"atomic\")`, or a `map` list with `list_map_keys`",
            ),
            Some(ListType::Set | ListType::Map) if items.nullable => {
                self.error(
                    list_type,
                    "the items of a `set` or a `map` list may not be null",
                    "use a list without `Option`",
                );
            }
            _ => {}
        }
    }

    /// Checks that a merge key is a scalar field of the items and always present.
    fn check_map_key(&mut self, key: &Spanned<String>, items: &Schema) {
        if items.type_ != Some(JsonType::Object) {
            return;
        }
        let name = &key.value;
        let Some(property) = items.properties.get(name) else {
            let help = match suggest::closest(name, items.properties.keys().map(String::as_str)) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => "write the name of a field of the items as it is in JSON".to_owned(),
            };
            self.error(key.span, format!("the items have no field `{name}`"), help);
            return;
        };
        if matches!(property.type_, Some(JsonType::Object | JsonType::Array)) {
            self.error(
                key.span,
                format!("`{name}` is not a scalar, which a key has to be"),
                "name a string, a number or a boolean",
            );
        } else if property.nullable {
            self.error(
                key.span,
                format!("`{name}` may be null, which a key cannot be"),
                "remove the `Option`, or add `#[serde(skip_serializing_if = \"Option::is_none\")]` and \
                 `#[crd(default = ..)]`",
            );
        } else if !items.required.contains(name) && property.default.is_none() {
            self.error(
                key.span,
                format!("`{name}` may be absent, which a key cannot be"),
                "make the field required, or give it a default: `#[crd(default = ..)]`",
            );
        }
    }
}
