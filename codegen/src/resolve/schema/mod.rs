//! Rust types → structural schemas, as serde reads and writes them.

mod adapters;
mod constraints;
mod defaults;
mod enums;
mod fields;
mod flatten;
mod known;
mod re2;
mod rename;
mod serde_attrs;
mod structs;
mod structural;
mod union;
mod values;

use std::collections::BTreeMap;

use genclient_syntax::{Problems, SchemaAttrs, Shape};
use syn::spanned::Spanned;
use syn::{GenericArgument, GenericParam, Generics, Item, PathArguments, Type};

use super::docs;
use super::kinds::Kind;
use super::paths::{self, Found};
use crate::diagnostic::{Diagnostic, Location, Sink};
use crate::load::{Module, Sources};
use crate::model::Schema;
use known::Known;

/// True for paths into other crates that mean something here.
pub(super) fn is_known(path: &[String]) -> bool {
    known::is_known(path)
}

/// The schema of a served type's objects.
pub(super) fn of_kind(kind: &Kind<'_>, sources: &Sources, types: &str, sink: &mut Sink) -> Schema {
    let mut resolver = Resolver {
        sources,
        types,
        sink,
        open: Vec::new(),
    };
    resolver.kind(kind)
}

/// A type as it stands in a field, a list or a map.
#[derive(Clone, Debug, Default)]
struct Slot {
    schema: Schema,
    /// True for `Option<T>`: serde may write `null`, and reads an absent field.
    optional: bool,
}

impl Slot {
    fn of(schema: Schema) -> Self {
        Self {
            schema,
            optional: false,
        }
    }

    /// The schema in a place where serde writes `None` as `null`.
    fn nullable(mut self) -> Schema {
        if self.optional {
            self.schema.nullable = true;
            union::let_null_pass(&mut self.schema);
        }
        self.schema
    }
}

/// What the type parameters around a type stand for.
type Parameters = BTreeMap<String, Slot>;

struct Resolver<'a, 'b> {
    sources: &'a Sources,
    /// How the root of the sources is reached.
    types: &'b str,
    sink: &'b mut Sink,
    /// The types whose schema is being made, to find a circle.
    open: Vec<(usize, String)>,
}

impl<'a> Resolver<'a, '_> {
    fn kind(&mut self, kind: &Kind<'a>) -> Schema {
        let module = &self.sources.modules[kind.module];
        let mut schema = self.fields(
            &kind.item.attrs,
            &kind.item.fields,
            &kind.attrs.fields,
            kind.module,
            &Parameters::new(),
        );
        let text = |description: &str| Schema {
            description: Some(description.to_owned()),
            ..Schema::typed("string")
        };
        let api_version = match kind.attrs.group.value.as_str() {
            "" => kind.version.value.clone(),
            group => format!("{group}/{}", kind.version.value),
        };
        let meta = [
            (
                "apiVersion",
                text(&format!(
                    "Group and version of this representation: `{api_version}`."
                )),
            ),
            (
                "kind",
                text(&format!(
                    "What this object is: `{}`.",
                    kind.attrs.kind.value
                )),
            ),
            ("metadata", Schema::typed("object")),
        ];
        for (name, property) in meta {
            schema.properties.insert(name.to_owned(), property);
            schema.required.remove(name);
        }
        schema.description = docs::description(&kind.item.attrs);
        constraints::apply(
            &kind.attrs.schema,
            schema,
            &Shape::Struct,
            module,
            self.sink,
        )
    }

    /// The schema of a type that is written inside `module`.
    fn slot(&mut self, ty: &Type, module: usize, parameters: &Parameters) -> Slot {
        match ty {
            Type::Path(path) if path.qself.is_none() => self.path(&path.path, module, parameters),
            Type::Reference(reference) => self.slot(&reference.elem, module, parameters),
            Type::Paren(inner) => self.slot(&inner.elem, module, parameters),
            Type::Group(inner) => self.slot(&inner.elem, module, parameters),
            Type::Slice(slice) => {
                let items = self.slot(&slice.elem, module, parameters);
                Slot::of(Schema::array(items.nullable()))
            }
            Type::Array(array) => {
                let items = self.slot(&array.elem, module, parameters);
                let mut schema = Schema::array(items.nullable());
                if let syn::Expr::Lit(syn::ExprLit {
                    lit: syn::Lit::Int(length),
                    ..
                }) = &array.len
                {
                    let length = length.base10_parse().ok();
                    (schema.min_items, schema.max_items) = (length, length);
                }
                Slot::of(schema)
            }
            other => {
                self.report(
                    module,
                    other,
                    "a type that has no schema".to_owned(),
                    "use a struct with named fields, a list or a map; or state it: `#[crd(schema = { … })]`",
                );
                Slot::default()
            }
        }
    }

    fn path(&mut self, path: &syn::Path, module: usize, parameters: &Parameters) -> Slot {
        if let Some(parameter) = path
            .get_ident()
            .and_then(|name| parameters.get(&name.to_string()))
        {
            return parameter.clone();
        }
        match paths::find(self.sources, module, path, self.types) {
            Some(Found::Item(owner, item)) => {
                let arguments = self.arguments(path, module, parameters);
                self.item(owner, item, &arguments, module, path)
            }
            Some(Found::Foreign(names)) => match known::of(&names) {
                // `DateTime<Utc>` is written alike for every time zone.
                Some(Known::Is(schema)) => Slot::of(*schema),
                Some(known) => {
                    let arguments = self.arguments(path, module, parameters);
                    self.known(known, arguments, module, path)
                }
                None => self.unknown(path, module),
            },
            None => self.unknown(path, module),
        }
    }

    fn arguments(&mut self, path: &syn::Path, module: usize, parameters: &Parameters) -> Vec<Slot> {
        let Some(PathArguments::AngleBracketed(arguments)) =
            path.segments.last().map(|segment| &segment.arguments)
        else {
            return Vec::new();
        };
        arguments
            .args
            .iter()
            .filter_map(|argument| match argument {
                GenericArgument::Type(ty) => Some(self.slot(ty, module, parameters)),
                _ => None,
            })
            .collect()
    }

    fn known(
        &mut self,
        known: Known,
        arguments: Vec<Slot>,
        module: usize,
        path: &syn::Path,
    ) -> Slot {
        let mut arguments = arguments.into_iter();
        match known {
            Known::Is(schema) => Slot::of(*schema),
            Known::Optional => Slot {
                schema: arguments.next().unwrap_or_default().nullable(),
                optional: true,
            },
            Known::Inner => arguments.next().unwrap_or_default(),
            Known::List => Slot::of(Schema::array(
                arguments.next().unwrap_or_default().nullable(),
            )),
            Known::Set => {
                let items = arguments.next().unwrap_or_default();
                let scalar = !matches!(items.schema.type_.as_deref(), Some("object" | "array"));
                let mut schema = Schema::array(items.nullable());
                schema.list_type = scalar.then(|| "set".to_owned());
                Slot::of(schema)
            }
            Known::Map => {
                let keys = arguments.next().unwrap_or_default();
                // serde_json writes numbers and booleans as text.
                let written = ["string", "integer", "boolean"];
                if !written.contains(&keys.schema.type_.as_deref().unwrap_or_default()) {
                    self.report(
                        module,
                        path,
                        "a map whose keys are not strings".to_owned(),
                        "JSON has string keys only: use `BTreeMap<String, …>`",
                    );
                }
                Slot::of(Schema::map(arguments.next().unwrap_or_default().nullable()))
            }
            Known::Refused(help) => {
                let message = format!("`{}` cannot be served", paths::display(path));
                self.report(module, path, message, help);
                Slot::default()
            }
        }
    }

    fn unknown(&mut self, path: &syn::Path, module: usize) -> Slot {
        let message = format!("the schema of `{}` is not known", paths::display(path));
        self.report(
            module,
            path,
            message,
            "define the type below the API module, or state its schema at the field: `#[crd(schema = { … })]`, \
             or `#[crd(preserve_unknown_fields, type = \"object\")]`",
        );
        Slot::default()
    }

    /// The schema of a struct, enum or alias with its type parameters filled in.
    fn item(
        &mut self,
        module: usize,
        item: &'a Item,
        arguments: &[Slot],
        user: usize,
        used_as: &syn::Path,
    ) -> Slot {
        let name = paths::item_name(item).unwrap_or_default();
        let key = (module, name.clone());
        if self.open.contains(&key) {
            self.report(
                user,
                used_as,
                format!("`{name}` contains itself, which a structural schema cannot express"),
                "end the circle at this field: `#[crd(schemaless, preserve_unknown_fields)]`",
            );
            return Slot::default();
        }
        self.open.push(key);
        let slot = match item {
            Item::Struct(item) => {
                let parameters = parameters(&item.generics, arguments);
                self.structure(item, module, &parameters)
            }
            Item::Enum(item) => {
                let parameters = parameters(&item.generics, arguments);
                self.enumeration(item, module, &parameters)
            }
            Item::Type(item) => {
                let parameters = parameters(&item.generics, arguments);
                self.slot(&item.ty, module, &parameters)
            }
            _ => Slot::default(),
        };
        self.open.pop();
        slot
    }

    /// The attributes of a field or type that no derive macro's whole-item check has read yet.
    fn report_problems(&mut self, problems: Problems, module: usize) {
        let source = &self.sources.modules[module].source;
        self.sink.problems(problems, source);
    }

    fn report(&mut self, module: usize, node: &impl Spanned, message: String, help: &str) {
        let module: &Module = &self.sources.modules[module];
        self.sink.push(
            Diagnostic::error(message)
                .at(Location::of(&module.source, node.span()))
                .help(help),
        );
    }

    fn constrain(
        &mut self,
        attrs: &SchemaAttrs,
        schema: Schema,
        shape: &Shape,
        module: usize,
    ) -> Schema {
        let module = &self.sources.modules[module];
        constraints::apply(attrs, schema, shape, module, self.sink)
    }
}

fn parameters(generics: &Generics, arguments: &[Slot]) -> Parameters {
    let names = generics
        .params
        .iter()
        .filter_map(|parameter| match parameter {
            GenericParam::Type(parameter) => Some(parameter.ident.to_string()),
            _ => None,
        });
    names.zip(arguments.iter().cloned()).collect()
}
