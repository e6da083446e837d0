//! Values of `Default::default()`: derived, hand-written, and of well-known types.

use serde_json::{Map, Value};
use syn::{Attribute, Expr, Field, Fields, Item, Meta, Path, Type};

use super::{Expected, Reader, Scope};
use crate::known::{self, Known};
use crate::model::JsonType;
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
            Found::Foreign(names) => self
                .default_of_foreign(names.last()?, &path.path, expected.scope)
                .or_else(|| default_of_kubernetes(&names)),
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
            Item::Struct(item) if has_derived_default(&item.attrs) => {
                let default = |field: &Field| {
                    let expected = Expected {
                        ty: &field.ty,
                        scope: inside,
                    };
                    match smart_default(&field.attrs) {
                        Some(stated) => self.value(&stated?, Some(expected), inside),
                        None => self.default_of(expected),
                    }
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
            Item::Enum(enumeration) if has_derived_default(&enumeration.attrs) => {
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

fn has_derived_default(attrs: &[Attribute]) -> bool {
    is_derived("Default", attrs) || is_derived("SmartDefault", attrs)
}

/// Returns the default in an attribute of the crate `smart-default`: `#[default = 3]` or
/// `#[default(3)]`. Returns `Some(None)` for another form, and `None` without the attribute.
fn smart_default(attrs: &[Attribute]) -> Option<Option<Expr>> {
    let attr = attrs.iter().find(|attr| attr.path().is_ident("default"))?;
    Some(match &attr.meta {
        Meta::NameValue(stated) => Some(stated.value.clone()),
        Meta::List(stated) => stated.parse_args().ok(),
        Meta::Path(_) => None,
    })
}

/// Returns the default of a Kubernetes type without required fields: an empty object. The type's
/// `Default` leaves all fields unset, and unset fields are not serialized.
fn default_of_kubernetes(names: &[String]) -> Option<Value> {
    if names.first().map(String::as_str) != Some("k8s_openapi") {
        return None;
    }
    match known::of(names)? {
        Known::Is(schema)
            if schema.type_ == Some(JsonType::Object) && schema.required.is_empty() =>
        {
            Some(Value::Object(Map::new()))
        }
        _ => None,
    }
}
