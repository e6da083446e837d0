//! Schemas of types in source: paths to items, known types, lists, and generic arguments.

use std::collections::BTreeMap;
use std::sync::Arc;

use genclient_syntax::SchemaAttrs;
use syn::{
    Expr, ExprPath, GenericArgument, GenericParam, Generics, Ident, Item, PathArguments, Type,
};

use super::{FieldSchema, Resolver};
use crate::known::{self, Known};
use crate::model::{JsonType, ListType, Schema};
use crate::resolve::kind;
use crate::resolve::paths::{self, Found};
use crate::sources::{DefId, ModuleId, Namespace, is_cfg_test};

impl<'a> Resolver<'a, '_> {
    /// Returns the schema of a type as source writes it, such as `Vec<Task>`.
    pub(super) fn resolve_type(&mut self, ty: &Type) -> FieldSchema {
        if self.is_stated(ty) {
            return FieldSchema {
                optional: is_option(ty),
                ..FieldSchema::default()
            };
        }
        match ty {
            Type::Path(path) if path.qself.is_none() => self.resolve_path(&path.path),
            Type::Reference(reference) => self.resolve_type(&reference.elem),
            Type::Paren(inner) => self.resolve_type(&inner.elem),
            Type::Group(inner) => self.resolve_type(&inner.elem),
            Type::Slice(slice) => {
                let items = self.resolve_type(&slice.elem);
                FieldSchema::new(Schema::array(items.always_present()))
            }
            Type::Array(array) => {
                let items = self.resolve_type(&array.elem);
                let mut schema = Schema::array(items.always_present());
                let length = self.array_length(&array.len);
                (schema.min_items, schema.max_items) = (length, length);
                FieldSchema::new(schema)
            }
            other => {
                let help = format!(
                    "use a struct with named fields, a list or a map; or give the schema: {}",
                    self.stating()
                );
                self.report(other, "this type has no schema", help);
                FieldSchema::default()
            }
        }
    }

    /// True for the part of a field's type whose schema an attribute states.
    fn is_stated(&self, ty: &Type) -> bool {
        let stated = self.stated.as_ref();
        stated.is_some_and(|stated| *stated == self.locate(ty))
    }

    fn resolve_path(&mut self, path: &syn::Path) -> FieldSchema {
        if let Some(parameter) = path
            .get_ident()
            .and_then(|name| self.parameters.type_argument(name))
        {
            return parameter.clone();
        }
        if path.is_ident("Self") {
            return self.refuse_recursion(path);
        }
        if let Some(stated) = self.find_stated(path) {
            return stated;
        }
        match self.paths.find(self.module, path) {
            Some(Found::Item(id, item)) => self.resolve_item((id, item), path),
            Some(Found::Foreign(names)) => match self.known_by_name(names) {
                // Type arguments do not matter: `DateTime<Utc>` has the same form for every time
                // zone.
                Some(Known::Is(schema)) => FieldSchema::new(*schema),
                Some(known) => {
                    let arguments = self.arguments(path);
                    self.known_schema(known, arguments, path)
                }
                None => self.root_type_schema(path),
            },
            Some(Found::Unreadable(why)) => self.report_unreadable(why, path),
            None => self.root_type_schema(path),
        }
    }

    fn known_by_name(&mut self, names: Vec<String>) -> Option<Known> {
        let release = self.sources.kubernetes;
        self.shared
            .known
            .entry(names)
            .or_insert_with_key(|names| known::find_known_in_release(names, release))
            .clone()
    }

    fn known_schema(
        &mut self,
        known: Known,
        arguments: Vec<FieldSchema>,
        path: &syn::Path,
    ) -> FieldSchema {
        let mut arguments = arguments.into_iter();
        match known {
            Known::Is(schema) => FieldSchema::new(*schema),
            Known::Optional => FieldSchema {
                schema: arguments.next().unwrap_or_default().nullable(),
                optional: true,
                closed: false,
            },
            Known::Inner => arguments.next().unwrap_or_default(),
            Known::List => FieldSchema::new(Schema::array(
                arguments.next().unwrap_or_default().always_present(),
            )),
            Known::Set => {
                let items = arguments.next().unwrap_or_default().always_present();
                if items.nullable {
                    let message = "the items of a set must not be nullable";
                    self.report(path, message, "use a list, or a set without `Option`");
                }
                let scalar = !items.is_unknown()
                    && !matches!(items.type_, Some(JsonType::Object | JsonType::Array));
                let mut schema = Schema::array(items);
                schema.list_type = scalar.then_some(ListType::Set);
                FieldSchema::new(schema)
            }
            Known::Map => {
                let keys = arguments.next().unwrap_or_default();
                // serde_json writes integer and boolean keys as strings.
                let written = [JsonType::String, JsonType::Integer, JsonType::Boolean];
                let fits = keys
                    .schema
                    .type_
                    .is_some_and(|type_| written.contains(&type_));
                if !fits && !keys.schema.is_unknown() {
                    self.report(
                        path,
                        "the keys of a map must be strings",
                        "JSON has string keys only: use `BTreeMap<String, …>`",
                    );
                }
                let values = arguments.next().unwrap_or_default().always_present();
                if self.from_kube
                    && let Some(properties) = property_per_key(&keys.schema, &values)
                {
                    return FieldSchema::new(Schema {
                        properties,
                        ..Schema::typed(JsonType::Object)
                    });
                }
                FieldSchema::new(Schema {
                    keys: Some(Box::new(keys.schema)),
                    ..Schema::map(values)
                })
            }
            Known::Discouraged(schema, _) if self.from_kube => FieldSchema::new(*schema),
            Known::Discouraged(_, help) | Known::Refused(help) => {
                let message = format!("`{}` is not supported in a CRD", paths::display(path));
                self.report(path, message, help);
                FieldSchema::default()
            }
        }
    }

    /// Returns the schema of a struct, enum or alias that `path` names in the current module.
    pub(super) fn resolve_item(
        &mut self,
        (id, item): (DefId, &'a Item),
        path: &syn::Path,
    ) -> FieldSchema {
        let module = id.module;
        let name = paths::item_name(item).unwrap_or_default();
        if let Some(stated) = self.find_stated_definition(module, &name) {
            return stated;
        }
        let key = (module, name);
        let cache_key = (id, self.from_kube);
        if let Some(cached) = self.shared.items.get(&cache_key) {
            return cached.clone();
        }
        self.refuse_crd_without_derive(item, module);
        let generics = generics_of(item);
        let arguments = self.generic_arguments(generics, path);
        if self.open.contains(&key) {
            return self.refuse_recursion(path);
        }
        self.open.push(key.clone());
        let described = self.described_schema(item, module, &arguments);
        self.open.pop();
        if let Some(field_schema) = described {
            return field_schema;
        }
        if let Some(field_schema) = self.hand_written_schema((id, item), &arguments) {
            if arguments.is_empty() {
                self.shared.items.insert(cache_key, field_schema.clone());
            }
            return field_schema;
        }
        if let Some(field_schema) = self.schema_of_adapter_derive(item, module) {
            return field_schema;
        }
        if self.is_hand_written(item, &key, path) {
            return FieldSchema::default();
        }
        self.warn_of_own_schema(item, path);
        self.report_duplicate_definitions(&key, path);
        let mark = self.sink.mark();
        self.open.push(key.clone());
        self.shared.read.insert(id);
        let field_schema = self.within(module, |resolver| {
            resolver.bind(generics, arguments);
            match item {
                Item::Struct(item) => resolver.resolve_struct(item),
                Item::Enum(item) => resolver.resolve_enum(item),
                Item::Type(item) => resolver.resolve_type(&item.ty),
                _ => FieldSchema::default(),
            }
        });
        self.open.pop();
        let field_schema = self.check_schema_size(field_schema, path);
        self.add_use_location(mark, &key, path);
        if generics.is_none_or(|generics| generics.params.is_empty()) {
            self.shared.items.insert(cache_key, field_schema.clone());
        }
        field_schema
    }

    /// Reports two types that have the same name in different builds, since a CRD is the same for
    /// every build.
    fn report_duplicate_definitions(
        &mut self,
        (module, name): &(ModuleId, String),
        path: &syn::Path,
    ) {
        let krate = self.sources[*module].krate;
        let definitions = self
            .sources
            .items_named(*module, name, Namespace::Types)
            .filter(|(_, item)| !kind::attributes(item).iter().any(is_cfg_test));
        if definitions.count() > 1 && !self.sources[krate].foreign {
            let message =
                format!("`{name}` has two definitions, but a CRD must be the same in every build");
            self.report(
                path,
                message,
                "remove the `cfg`s, give the types different names, and put each in an `Option` field",
            );
        }
    }

    /// Reports `#[crd(skip)]` on a type that a kind uses.
    pub(super) fn refuse_skipped(&mut self, attrs: &SchemaAttrs, name: &syn::Ident) {
        if let Some(span) = attrs.skip.span() {
            self.report(
                &span,
                format!("`skip` is not allowed on `{name}`: a kind uses it in a field"),
                "remove `skip`, or give a schema on the field: `#[crd(schema = { … })]`",
            );
        }
    }

    /// True if the innermost type that is being resolved is an alias.
    fn is_in_alias(&self) -> bool {
        self.open.last().is_some_and(|(module, name)| {
            self.sources
                .items_named(*module, name, Namespace::Types)
                .any(|(_, item)| matches!(item, Item::Type(_)))
        })
    }

    /// Reports a type that contains itself.
    pub(super) fn refuse_recursion(&mut self, path: &syn::Path) -> FieldSchema {
        let name = match self.open.last() {
            Some((_, open)) if path.is_ident("Self") => open.clone(),
            _ => path
                .segments
                .last()
                .map_or_else(String::new, |last| last.ident.to_string()),
        };
        let help = if self.is_in_alias() {
            "break the cycle at the field with the alias: `#[crd(schemaless, preserve_unknown_fields)]`"
        } else {
            "break the cycle at this field: `#[crd(schemaless, preserve_unknown_fields)]`"
        };
        let message = format!("`{name}` is recursive, which a structural schema cannot express");
        self.report(path, message, help);
        FieldSchema::default()
    }
}

/// Returns the properties of a map with an enum as its keys: one for each value of the enum, since
/// serde refuses other keys.
fn property_per_key(keys: &Schema, values: &Schema) -> Option<BTreeMap<String, Arc<Schema>>> {
    let names = keys
        .enum_
        .iter()
        .map(|key| key.as_str().map(str::to_owned))
        .collect::<Option<Vec<_>>>()
        .filter(|names| !names.is_empty())?;
    let values = Arc::new(values.clone());
    Some(
        names
            .into_iter()
            .map(|name| (name, Arc::clone(&values)))
            .collect(),
    )
}

impl Resolver<'_, '_> {
    /// Returns the length of an array, and reports an unknown length.
    fn array_length(&mut self, length: &Expr) -> Option<u64> {
        let number = self.number(length);
        if number.is_none() {
            self.report(
                length,
                "cannot determine the length of this array",
                "write a number, or a `const` with a literal value",
            );
        }
        number
    }

    /// Evaluates a constant expression. `None` if source does not determine an unsigned integer.
    fn number(&self, value: &Expr) -> Option<u64> {
        self.value_of(value)?.as_u64()
    }
}

#[derive(Clone)]
pub(super) enum Argument {
    Type(Box<FieldSchema>),
    /// Argument of a const parameter; `None` if its value is unknown.
    Number(Option<u64>),
}

pub(in crate::resolve) fn generics_of(item: &Item) -> Option<&Generics> {
    match item {
        Item::Struct(item) => Some(&item.generics),
        Item::Enum(item) => Some(&item.generics),
        Item::Type(item) => Some(&item.generics),
        _ => None,
    }
}

/// Type and const parameters, without lifetimes.
pub(in crate::resolve) fn declared_parameters(
    generics: Option<&Generics>,
) -> impl Iterator<Item = &GenericParam> {
    let all = generics.into_iter().flat_map(|generics| &generics.params);
    all.filter(|parameter| !matches!(parameter, GenericParam::Lifetime(_)))
}

/// Type and const arguments of a path, without lifetimes.
fn written_arguments(path: &syn::Path) -> impl Iterator<Item = &GenericArgument> + Clone {
    let arguments = match path.segments.last().map(|segment| &segment.arguments) {
        Some(PathArguments::AngleBracketed(arguments)) => Some(&arguments.args),
        _ => None,
    };
    let all = arguments.into_iter().flatten();
    all.filter(|argument| {
        matches!(
            argument,
            GenericArgument::Type(_) | GenericArgument::Const(_)
        )
    })
}

/// What a generic parameter stands for, as source writes it.
pub(in crate::resolve) enum GenericValue<'s> {
    Type(&'s Type),
    Number(Box<Expr>),
}

/// Returns the parameters of an item for which a path has arguments. The value is `None` if the
/// argument is of the wrong kind.
pub(in crate::resolve) fn stated_arguments<'s>(
    generics: Option<&'s Generics>,
    path: &'s syn::Path,
) -> impl Iterator<Item = (&'s GenericParam, Option<GenericValue<'s>>)> {
    let pairs = declared_parameters(generics).zip(written_arguments(path));
    pairs.map(|(parameter, argument)| {
        let value = match (parameter, argument) {
            (GenericParam::Const(_), GenericArgument::Const(number)) => {
                Some(GenericValue::Number(Box::new(number.clone())))
            }
            // The name of a constant parses as a type.
            (GenericParam::Const(_), GenericArgument::Type(Type::Path(path))) => {
                let number = Expr::Path(ExprPath {
                    attrs: Vec::new(),
                    qself: path.qself.clone(),
                    path: path.path.clone(),
                });
                Some(GenericValue::Number(Box::new(number)))
            }
            (GenericParam::Type(_), GenericArgument::Type(ty)) => Some(GenericValue::Type(ty)),
            _ => None,
        };
        (parameter, value)
    })
}

/// Returns the default of a parameter.
pub(in crate::resolve) fn default_of(parameter: &GenericParam) -> Option<GenericValue<'_>> {
    match parameter {
        GenericParam::Type(parameter) => {
            let (_, ty) = parameter.default.as_ref()?;
            Some(GenericValue::Type(ty))
        }
        GenericParam::Const(parameter) => {
            let (_, number) = parameter.default.as_ref()?;
            Some(GenericValue::Number(Box::new(number.clone())))
        }
        GenericParam::Lifetime(_) => None,
    }
}

/// Returns the name of a type or const parameter.
pub(in crate::resolve) fn parameter_name(parameter: &GenericParam) -> Option<&Ident> {
    match parameter {
        GenericParam::Type(parameter) => Some(&parameter.ident),
        GenericParam::Const(parameter) => Some(&parameter.ident),
        GenericParam::Lifetime(_) => None,
    }
}

pub(in crate::resolve) fn type_arguments(path: &syn::Path) -> impl Iterator<Item = &Type> + Clone {
    written_arguments(path).filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

pub(super) fn is_option(ty: &syn::Type) -> bool {
    let syn::Type::Path(path) = ty else {
        return false;
    };
    let last = path.path.segments.last();
    last.is_some_and(|last| last.ident == "Option")
}

impl Resolver<'_, '_> {
    /// Returns the schemas of a known type's arguments.
    fn arguments(&mut self, path: &syn::Path) -> Vec<FieldSchema> {
        type_arguments(path)
            .map(|ty| self.resolve_type(ty))
            .collect()
    }

    /// Resolves the generic arguments in a path. `generics` declares their parameters.
    pub(super) fn generic_arguments(
        &mut self,
        generics: Option<&Generics>,
        path: &syn::Path,
    ) -> Vec<Argument> {
        stated_arguments(generics, path)
            .map(|(_, value)| match value {
                Some(value) => self.resolve_argument(value),
                None => Argument::Number(None),
            })
            .collect()
    }

    fn resolve_argument(&mut self, value: GenericValue<'_>) -> Argument {
        match value {
            GenericValue::Type(ty) => Argument::Type(Box::new(self.resolve_type(ty))),
            GenericValue::Number(number) => Argument::Number(self.number(&number)),
        }
    }

    /// Binds each parameter of the current item to its argument, or to its default.
    pub(super) fn bind(&mut self, generics: Option<&Generics>, arguments: Vec<Argument>) {
        let mut arguments = arguments.into_iter();
        for parameter in declared_parameters(generics) {
            let argument = arguments
                .next()
                .or_else(|| default_of(parameter).map(|value| self.resolve_argument(value)));
            match (parameter, argument) {
                (GenericParam::Type(parameter), Some(Argument::Type(field_schema))) => {
                    self.parameters
                        .types
                        .insert(parameter.ident.to_string(), *field_schema);
                }
                (GenericParam::Const(parameter), Some(Argument::Number(number))) => {
                    self.parameters
                        .numbers
                        .insert(parameter.ident.to_string(), number);
                }
                _ => {}
            }
        }
    }
}

/// Number of schemas at which a type is refused. JSON of a schema takes at least 20 bytes, so a
/// definition with that many schemas would exceed the 1.5 MB that etcd stores.
const MAX_SCHEMAS: usize = 75_000;

impl Resolver<'_, '_> {
    /// Reports a schema that is too large, and replaces it by a schema that admits any value.
    fn check_schema_size(&mut self, field_schema: FieldSchema, path: &syn::Path) -> FieldSchema {
        if count_schemas(&field_schema.schema, MAX_SCHEMAS) < MAX_SCHEMAS {
            return field_schema;
        }
        let message = format!(
            "the schema of `{}` has more than {MAX_SCHEMAS} parts, more than etcd can store",
            paths::display(path)
        );
        self.report(
            path,
            message,
            "write `#[crd(schemaless, preserve_unknown_fields)]` on a field with this type, or on a large field in the type",
        );
        FieldSchema::default()
    }
}

/// Counts the schemas in a schema, itself included, up to `limit`.
fn count_schemas(schema: &Schema, limit: usize) -> usize {
    let mut count = 0;
    let mut rest = vec![schema];
    while let Some(schema) = rest.pop() {
        count += 1;
        if count >= limit {
            break;
        }
        rest.extend(schema.properties.values().map(|property| &**property));
        rest.extend(schema.items.as_deref());
        rest.extend(schema.additional_properties.as_deref());
        rest.extend(schema.not.as_deref());
        rest.extend(
            schema
                .all_of
                .iter()
                .chain(&schema.any_of)
                .chain(&schema.one_of),
        );
    }
    count
}
