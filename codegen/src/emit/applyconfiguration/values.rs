//! Types of fields, parameters of setters, and bodies of setters.

use super::imports::Imports;
use crate::emit::names::ident;
use crate::model::{ApplyField, ApplyPlace, ApplyValue};
use crate::template::rust;

impl ApplyField {
    /// The type of the field.
    pub(super) fn type_text(&self, cfg: &[String], imports: &mut Imports<'_>) -> String {
        let type_ = self.value.type_text(cfg, imports);
        match self.place {
            ApplyPlace::Member | ApplyPlace::FlattenedOption => format!("Option<{type_}>"),
            ApplyPlace::Flattened | ApplyPlace::FlattenedMap => type_,
        }
    }

    /// Whether the setter adds to what earlier calls stated.
    pub(super) fn is_extended(&self) -> bool {
        matches!(self.value, ApplyValue::List { .. } | ApplyValue::Map { .. })
    }

    /// The statements of the setter, which sets the field to its parameter, or adds that to it.
    pub(super) fn assignment(&self) -> String {
        let name = ident(&self.name);
        let place = match self.place {
            ApplyPlace::Member | ApplyPlace::FlattenedOption => {
                format!("self.{name}.get_or_insert_default()")
            }
            ApplyPlace::Flattened | ApplyPlace::FlattenedMap => format!("self.{name}"),
        };
        match &self.value {
            ApplyValue::List { item, .. } if item.is_text() => {
                format!("{place}.extend({name}.into_iter().map(Into::into));\n")
            }
            ApplyValue::Map { key, value, .. } if key.is_text() || value.is_text() => {
                self.insertion(&place, key.is_text(), value.is_text())
            }
            ApplyValue::List { .. } | ApplyValue::Map { .. } => {
                format!("{place}.extend({name});\n")
            }
            value => {
                let argument = if value.is_text() {
                    format!("{name}.into()")
                } else {
                    name.clone()
                };
                if self.place == ApplyPlace::Flattened {
                    format!("self.{name} = {argument};\n")
                } else {
                    format!("self.{name} = Some({argument});\n")
                }
            }
        }
    }

    /// The loop that inserts the entries of the parameter into the map at `place`.
    fn insertion(&self, place: &str, is_text_key: bool, is_text_value: bool) -> String {
        let name = ident(&self.name);
        let key = if is_text_key { "key.into()" } else { "key" };
        let value = if is_text_value {
            "value.into()"
        } else {
            "value"
        };
        if self.place == ApplyPlace::FlattenedMap {
            return rust!(name, place, key, value => "
                for (key, value) in $name {
                    $place.insert($key, $value);
                }
            ");
        }
        let map = if self.name == "entries" {
            "map"
        } else {
            "entries"
        };
        rust!(map, place, name, key, value => "
            let $map = $place;
            for (key, value) in $name {
                $map.insert($key, $value);
            }
        ")
    }
}

impl ApplyValue {
    /// The type of the value.
    pub(super) fn type_text(&self, cfg: &[String], imports: &mut Imports<'_>) -> String {
        match self {
            Self::Text => "String".to_owned(),
            Self::Plain(type_) | Self::Config(type_) => imports.type_name(type_, cfg),
            Self::Option(value) => format!("Option<{}>", value.type_text(cfg, imports)),
            Self::List { collection, item } => {
                let collection = imports.type_name(collection, cfg);
                format!("{collection}<{}>", item.type_text(cfg, imports))
            }
            Self::Map {
                collection,
                key,
                value,
            } => {
                let collection = imports.type_name(collection, cfg);
                let [key, value] = [key, value].map(|part| part.type_text(cfg, imports));
                format!("{collection}<{key}, {value}>")
            }
            Self::Array(item, length) => format!("[{}; {length}]", item.type_text(cfg, imports)),
        }
    }

    /// The type of a parameter for the value.
    pub(super) fn parameter(&self, cfg: &[String], imports: &mut Imports<'_>) -> String {
        match self {
            Self::List { item, .. } => {
                let item = item.element(cfg, imports);
                format!("impl IntoIterator<Item = {item}>")
            }
            Self::Map { key, value, .. } => {
                let [key, value] = [key, value].map(|part| part.element(cfg, imports));
                format!("impl IntoIterator<Item = ({key}, {value})>")
            }
            value => value.element(cfg, imports),
        }
    }

    /// The type of a parameter, or of an element of an iterator.
    fn element(&self, cfg: &[String], imports: &mut Imports<'_>) -> String {
        if self.is_text() {
            "impl Into<String>".to_owned()
        } else {
            self.type_text(cfg, imports)
        }
    }

    fn is_text(&self) -> bool {
        *self == Self::Text
    }
}

#[cfg(test)]
mod tests {
    use super::ApplyValue;
    use crate::emit::applyconfiguration::imports::Imports;
    use crate::emit::kind_paths::KindPaths;
    use crate::model::{ApplyField, ApplyPlace, TypeName};

    fn plain(path: &str) -> ApplyValue {
        ApplyValue::Plain(type_name(path))
    }

    fn type_name(path: &str) -> TypeName {
        TypeName {
            path: path.to_owned(),
            arguments: Vec::new(),
        }
    }

    fn list(item: ApplyValue) -> ApplyValue {
        ApplyValue::List {
            collection: type_name("Vec"),
            item: Box::new(item),
        }
    }

    fn map(key: ApplyValue, value: ApplyValue) -> ApplyValue {
        ApplyValue::Map {
            collection: type_name("std::collections::BTreeMap"),
            key: Box::new(key),
            value: Box::new(value),
        }
    }

    /// Type of the field, parameter of the setter, statements of the setter.
    fn texts(name: &str, place: ApplyPlace, value: ApplyValue) -> [String; 3] {
        let field = ApplyField {
            name: name.to_owned(),
            setter: name.to_owned(),
            cfg: Vec::new(),
            rename: None,
            place,
            value,
            summary: Vec::new(),
            notes: Vec::new(),
        };
        let kinds = KindPaths::default();
        let mut imports = Imports::new("crate::m".to_owned(), &kinds, []);
        [
            field.type_text(&[], &mut imports),
            field.value.parameter(&[], &mut imports),
            field.assignment(),
        ]
    }

    #[test]
    fn members_replace_values_and_extend_collections() {
        use ApplyValue::{Array, Option, Text};
        for (value, expected) in [
            (
                Text,
                [
                    "Option<String>",
                    "impl Into<String>",
                    "self.x = Some(x.into());\n",
                ],
            ),
            (plain("a::B"), ["Option<B>", "B", "self.x = Some(x);\n"]),
            (
                Option(Box::new(Text)),
                [
                    "Option<Option<String>>",
                    "Option<String>",
                    "self.x = Some(x);\n",
                ],
            ),
            (
                Array(Box::new(Text), "3".to_owned()),
                ["Option<[String; 3]>", "[String; 3]", "self.x = Some(x);\n"],
            ),
            (
                list(Text),
                [
                    "Option<Vec<String>>",
                    "impl IntoIterator<Item = impl Into<String>>",
                    "self.x.get_or_insert_default().extend(x.into_iter().map(Into::into));\n",
                ],
            ),
            (
                list(list(Text)),
                [
                    "Option<Vec<Vec<String>>>",
                    "impl IntoIterator<Item = Vec<String>>",
                    "self.x.get_or_insert_default().extend(x);\n",
                ],
            ),
            (
                map(plain("i32"), plain("bool")),
                [
                    "Option<BTreeMap<i32, bool>>",
                    "impl IntoIterator<Item = (i32, bool)>",
                    "self.x.get_or_insert_default().extend(x);\n",
                ],
            ),
            (
                map(Text, plain("bool")),
                [
                    "Option<BTreeMap<String, bool>>",
                    "impl IntoIterator<Item = (impl Into<String>, bool)>",
                    "let entries = self.x.get_or_insert_default();\n\
                     for (key, value) in x {\n    entries.insert(key.into(), value);\n}\n",
                ],
            ),
        ] {
            assert_eq!(texts("x", ApplyPlace::Member, value), expected);
        }
    }

    #[test]
    fn flattened_fields_have_no_presence_of_their_own() {
        for (place, value, expected) in [
            (
                ApplyPlace::Flattened,
                plain("a::B"),
                ["B", "B", "self.x = x;\n"],
            ),
            (
                ApplyPlace::FlattenedOption,
                plain("a::B"),
                ["Option<B>", "B", "self.x = Some(x);\n"],
            ),
            (
                ApplyPlace::FlattenedMap,
                map(ApplyValue::Text, plain("a::B")),
                [
                    "BTreeMap<String, B>",
                    "impl IntoIterator<Item = (impl Into<String>, B)>",
                    "for (key, value) in x {\n    self.x.insert(key.into(), value);\n}\n",
                ],
            ),
            (
                ApplyPlace::FlattenedMap,
                map(plain("a::B"), plain("a::B")),
                [
                    "BTreeMap<B, B>",
                    "impl IntoIterator<Item = (B, B)>",
                    "self.x.extend(x);\n",
                ],
            ),
        ] {
            assert_eq!(texts("x", place, value), expected);
        }
    }

    #[test]
    fn parameters_are_not_hidden_by_variables() {
        let [.., statements] = texts(
            "entries",
            ApplyPlace::Member,
            map(ApplyValue::Text, ApplyValue::Text),
        );
        assert_eq!(
            statements,
            "let map = self.entries.get_or_insert_default();\n\
             for (key, value) in entries {\n    map.insert(key.into(), value.into());\n}\n"
        );
    }
}
