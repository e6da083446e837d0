//! Schemas of types in source: paths to items, known types, lists and generic parameters.

use std::collections::BTreeMap;
use std::ptr;
use std::sync::Arc;

use genclient_syntax::SchemaAttrs;
use syn::{Expr, Item, Type};

use super::fields::is_option;
use super::{Resolver, Slot, generics};
use crate::known::{self, Known};
use crate::model::{JsonType, ListType, Schema};
use crate::resolve::kind;
use crate::resolve::paths::{self, Found};
use crate::sources::{ModuleId, Namespace, is_cfg_test};

impl<'a> Resolver<'a, '_> {
    /// Returns the slot of a type as source writes it, such as `Vec<Task>`.
    pub(super) fn slot(&mut self, ty: &Type) -> Slot {
        if ptr::eq(ty, self.stated) {
            return Slot {
                optional: is_option(ty),
                ..Slot::default()
            };
        }
        match ty {
            Type::Path(path) if path.qself.is_none() => self.path(&path.path),
            Type::Reference(reference) => self.slot(&reference.elem),
            Type::Paren(inner) => self.slot(&inner.elem),
            Type::Group(inner) => self.slot(&inner.elem),
            Type::Slice(slice) => {
                let items = self.slot(&slice.elem);
                Slot::of(Schema::array(items.written()))
            }
            Type::Array(array) => {
                let items = self.slot(&array.elem);
                let mut schema = Schema::array(items.written());
                let length = self.length(&array.len);
                (schema.min_items, schema.max_items) = (length, length);
                Slot::of(schema)
            }
            other => {
                let help = format!(
                    "use a struct with named fields, a list or a map; or give the schema: {}",
                    self.stating()
                );
                self.report(other, "this type has no schema", help);
                Slot::default()
            }
        }
    }

    fn path(&mut self, path: &syn::Path) -> Slot {
        if let Some(parameter) = path
            .get_ident()
            .and_then(|name| self.parameters.of_type(name))
        {
            return parameter.clone();
        }
        if path.is_ident("Self") {
            return self.circle(path);
        }
        if let Some(stated) = self.stated(path) {
            return stated;
        }
        match self.find(path) {
            Some(Found::Item(owner, item)) => self.item((owner, item), path),
            Some(Found::Foreign(names)) => match self.known_by_name(names) {
                // Type arguments do not matter: `DateTime<Utc>` has the same form for every time
                // zone.
                Some(Known::Is(schema)) => Slot::of(*schema),
                Some(known) => {
                    let arguments = self.arguments(path);
                    self.known(known, arguments, path)
                }
                None => self.made_by_kube(path),
            },
            Some(Found::Unreadable(why)) => self.unreadable(why, path),
            None => self.made_by_kube(path),
        }
    }

    /// Looks up a path. Single names are cached, since many fields use the same one.
    fn find(&mut self, path: &syn::Path) -> Option<Found<'a>> {
        let (1, None, Some(name)) = (
            path.segments.len(),
            path.leading_colon,
            path.segments.first(),
        ) else {
            return self.paths.find(self.module, path);
        };
        let key = (self.module, name.ident.to_string());
        if let Some(found) = self.made.found.get(&key) {
            return Some(found.clone());
        }
        let found = self.paths.find(self.module, path)?;
        self.made.found.insert(key, found.clone());
        Some(found)
    }

    fn known_by_name(&mut self, names: Vec<String>) -> Option<Known> {
        let release = self.sources.kubernetes;
        let known = self.made.known.entry(names);
        let known = known.or_insert_with_key(|names| known::of_release(names, release));
        known.clone()
    }

    fn known(&mut self, known: Known, arguments: Vec<Slot>, path: &syn::Path) -> Slot {
        let mut arguments = arguments.into_iter();
        match known {
            Known::Is(schema) => Slot::of(*schema),
            Known::Optional => Slot {
                schema: arguments.next().unwrap_or_default().nullable(),
                optional: true,
                closed: false,
            },
            Known::Inner => arguments.next().unwrap_or_default(),
            Known::List => Slot::of(Schema::array(
                arguments.next().unwrap_or_default().written(),
            )),
            Known::Set => {
                let items = arguments.next().unwrap_or_default().written();
                if items.nullable {
                    let message = "the items of a set must not be nullable";
                    self.report(path, message, "use a list, or a set without `Option`");
                }
                let scalar = !items.is_unknown()
                    && !matches!(items.type_, Some(JsonType::Object | JsonType::Array));
                let mut schema = Schema::array(items);
                schema.list_type = scalar.then_some(ListType::Set);
                Slot::of(schema)
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
                let values = arguments.next().unwrap_or_default().written();
                if self.from_kube
                    && let Some(properties) = property_per_key(&keys.schema, &values)
                {
                    return Slot::of(Schema {
                        properties,
                        ..Schema::typed(JsonType::Object)
                    });
                }
                Slot::of(Schema {
                    keys: Some(Box::new(keys.schema)),
                    ..Schema::map(values)
                })
            }
            Known::Discouraged(schema, _) if self.from_kube => Slot::of(*schema),
            Known::Discouraged(_, help) | Known::Refused(help) => {
                let message = format!("`{}` is not supported in a CRD", paths::display(path));
                self.report(path, message, help);
                Slot::default()
            }
        }
    }

    /// Returns the slot of a struct, enum or alias that `path` names in the current module.
    pub(super) fn item(&mut self, (module, item): (ModuleId, &'a Item), path: &syn::Path) -> Slot {
        let name = paths::item_name(item).unwrap_or_default();
        if let Some(stated) = self.stated_where_defined(module, &name) {
            return stated;
        }
        let key = (module, name);
        let made_key = (module, key.1.clone(), self.from_kube);
        if let Some(made) = self.made.items.get(&made_key) {
            return made.clone();
        }
        self.refuse_crd_without_derive(item, module);
        let generics = generics::of_item(item);
        let arguments = self.generic_arguments(generics, path);
        if self.open.contains(&key) {
            return self.circle(path);
        }
        self.open.push(key.clone());
        let described = self.described(item, module, &arguments);
        self.open.pop();
        if let Some(slot) = described {
            return slot;
        }
        if let Some(slot) = self.described_by_hand(item, module, &arguments) {
            if arguments.is_empty() {
                self.made.items.insert(made_key, slot.clone());
            }
            return slot;
        }
        if let Some(slot) = self.schema_of_adapter_derive(item, module) {
            return slot;
        }
        if self.is_hand_written(item, &key, path) {
            return Slot::default();
        }
        self.warn_of_own_schema(item, path);
        self.report_duplicate_definitions(&key, path);
        let mark = self.sink.mark();
        self.open.push(key.clone());
        self.made.read.insert(ptr::from_ref(item));
        let slot = self.within(module, |resolver| {
            resolver.bind(generics, arguments);
            match item {
                Item::Struct(item) => resolver.structure(item),
                Item::Enum(item) => resolver.enumeration(item),
                Item::Type(item) => resolver.slot(&item.ty),
                _ => Slot::default(),
            }
        });
        self.open.pop();
        let slot = self.check_schema_size(slot, path);
        self.add_use_location(mark, &key, path);
        if generics.is_none_or(|generics| generics.params.is_empty()) {
            self.made.items.insert(made_key, slot.clone());
        }
        slot
    }

    /// Reports two types that have the same name in different builds, since a CRD is the same for
    /// every build.
    fn report_duplicate_definitions(
        &mut self,
        (module, name): &(ModuleId, String),
        path: &syn::Path,
    ) {
        let place = &self.sources[*module];
        let names = self.sources.names(*module);
        let named = names.items(name, Namespace::Types).iter();
        let is_built = |at: &&usize| !kind::attributes(&place.items[**at]).iter().any(is_cfg_test);
        if named.filter(is_built).count() > 1 && !self.sources[place.krate].foreign {
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
            let items = self.sources.names(*module).items(name, Namespace::Types);
            let mut items = items.iter().map(|at| &self.sources[*module].items[*at]);
            items.any(|item| matches!(item, Item::Type(_)))
        })
    }

    /// Reports a type that contains itself.
    pub(super) fn circle(&mut self, path: &syn::Path) -> Slot {
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
        Slot::default()
    }
}

/// Returns the properties of a map with an enum as its keys: one for each value of the enum, since
/// serde refuses other keys.
fn property_per_key(keys: &Schema, values: &Schema) -> Option<BTreeMap<String, Arc<Schema>>> {
    let names = keys.enum_.iter().map(|key| key.as_str().map(str::to_owned));
    let names = names
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
    pub(super) fn length(&mut self, length: &Expr) -> Option<u64> {
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
    pub(super) fn number(&self, value: &Expr) -> Option<u64> {
        self.value_of(value)?.as_u64()
    }
}
