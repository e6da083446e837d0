//! The defaults of types: of the standard library, derived, and written by hand.

use serde_json::{Map, Value};
use syn::{Field, Fields, Item, Path, Type};

use super::{Expected, Reader, Scope};
use crate::resolve::kind::is_derived;
use crate::resolve::paths::Found;
use crate::resolve::schema::generics::type_arguments;
use crate::sources::ModuleId;

impl<'a> Reader<'a> {
    pub(super) fn default_of(&self, expected: Expected<'_, 'a>) -> Option<Value> {
        let Type::Path(path) = expected.ty else {
            return None;
        };
        match self.type_at(&path.path, expected.scope)? {
            Found::Item(module, item) => self.default_of_item(module, item, expected.scope),
            Found::Unreadable(_) => None,
            Found::Foreign(names) => {
                self.default_of_foreign(names.last()?, &path.path, expected.scope)
            }
        }
    }

    pub(super) fn default_of_item(
        &self,
        module: ModuleId,
        item: &'a Item,
        scope: Scope<'a>,
    ) -> Option<Value> {
        let inside = scope.into(module, Some((module, item)))?;
        match item {
            Item::Type(alias) => self.default_of(Expected {
                ty: &alias.ty,
                scope: inside,
            }),
            Item::Struct(item) if is_derived("Default", &item.attrs) => {
                let default = |field: &Field| {
                    let ty = &field.ty;
                    self.default_of(Expected { ty, scope: inside })
                };
                match (&item.fields, item.fields.len()) {
                    (Fields::Named(_), _) => {
                        self.structure(module, item, Map::new(), |field| Some(default(field)))
                    }
                    (Fields::Unnamed(fields), 1) => {
                        let field = &fields.unnamed[0];
                        self.newtype_of(module, item, field, default(field)?)
                    }
                    _ => None,
                }
            }
            Item::Enum(enumeration) if is_derived("Default", &enumeration.attrs) => {
                let mut variants = enumeration.variants.iter();
                let marked = variants.find(|variant| {
                    let mut attrs = variant.attrs.iter();
                    attrs.any(|attr| attr.path().is_ident("default"))
                })?;
                self.variant(module, item, &marked.ident.to_string(), None, inside)
            }
            _ => self.associated(module, item, "default", Some("Default"), scope),
        }
    }

    pub(super) fn default_of_foreign(
        &self,
        name: &str,
        path: &Path,
        scope: Scope<'a>,
    ) -> Option<Value> {
        Some(match name {
            "String" | "str" => "".into(),
            "bool" => false.into(),
            "i8" | "i16" | "i32" | "i64" | "isize" | "u8" | "u16" | "u32" | "u64" | "usize" => {
                0.into()
            }
            "f32" | "f64" => 0.0.into(),
            "Vec" | "VecDeque" | "HashSet" | "BTreeSet" | "IndexSet" => Value::Array(Vec::new()),
            "HashMap" | "BTreeMap" | "IndexMap" => Value::Object(Map::new()),
            "Option" => Value::Null,
            "Box" | "Rc" | "Arc" | "Cow" => {
                let ty = type_arguments(path).next()?;
                return self.default_of(Expected { ty, scope });
            }
            _ => return None,
        })
    }
}
