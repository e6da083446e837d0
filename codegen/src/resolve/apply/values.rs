//! Types of fields as apply configurations have them.

use quote::ToTokens;
use syn::{Expr, Fields, GenericArgument, Item, PathArguments, Type};

use super::config_path::name_of;
use super::draft::has_config;
use super::json_form::{UNNAMEABLE, json_form};
use super::reader::ApplyReader;
use super::site::{ApplySite, BoundArgument, ReadValue, TypeScope};
use crate::known::{self, Known};
use crate::model::{ApplyValue, TypeArgument, TypeName};
use crate::resolve::paths::{self, Found, is_public};
use crate::resolve::schema::{GenericValue, stated_arguments, type_arguments};
use crate::sources::{CrateId, DefId};

impl ApplyReader<'_, '_> {
    /// Returns a type as configurations have it.
    pub(super) fn read_type(
        &mut self,
        ty: &Type,
        scope: TypeScope<'_>,
        site: ApplySite<'_>,
    ) -> ReadValue {
        match ty {
            Type::Path(path) if path.qself.is_none() => self.read_path(&path.path, scope, site),
            Type::Reference(reference) => self.read_type(&reference.elem, scope, site),
            Type::Paren(inner) => self.read_type(&inner.elem, scope, site),
            Type::Group(inner) => self.read_type(&inner.elem, scope, site),
            Type::Slice(slice) => self.read_list(name_of("Vec"), &slice.elem, scope, site),
            Type::Array(array) => match self.number(&array.len, scope) {
                Some(length) => {
                    let item = self.read_type(&array.elem, scope, site.items());
                    item.within(|item| ApplyValue::Array(item, length.to_string()))
                }
                None => self.read_list(name_of("Vec"), &array.elem, scope, site),
            },
            Type::Tuple(tuple) if tuple.elems.is_empty() => {
                ReadValue::new(ApplyValue::Plain(name_of("()")))
            }
            _ => json_form(site.schema, UNNAMEABLE),
        }
    }

    fn read_path(
        &mut self,
        path: &syn::Path,
        scope: TypeScope<'_>,
        site: ApplySite<'_>,
    ) -> ReadValue {
        if let Some(BoundArgument::Type(ty, of)) = self.argument(path, scope) {
            return self.read_type(ty, of, site);
        }
        if path.is_ident("Self") {
            return self.whole((scope.owner, "contains itself"), path, scope, site);
        }
        match self.paths.find(scope.module, path) {
            Some(Found::Item(id, item)) => self.read_item((id, item), path, scope, site),
            Some(Found::Foreign(names)) => self.read_foreign(&names, path, scope, site),
            Some(Found::Unreadable(_)) | None => self.plain(path, scope, site),
        }
    }

    /// Returns an alias, a struct or an enum as configurations have it.
    pub(super) fn read_item(
        &mut self,
        (id, item): (DefId, &Item),
        path: &syn::Path,
        scope: TypeScope<'_>,
        site: ApplySite<'_>,
    ) -> ReadValue {
        match item {
            Item::Type(alias) => {
                let parameters = self.bind(&alias.generics, path, scope);
                let inside = TypeScope {
                    module: id.module,
                    owner: id,
                    parameters: &parameters,
                };
                let value = self.read_type(&alias.ty, inside, site);
                let name = alias.ident.to_string();
                let is_seen_through = has_config(&value.value)
                    || matches!(value.value, ApplyValue::Text | ApplyValue::Option(_))
                    || !is_public(&alias.vis)
                    || self.paths.own_path(id.module, &name).is_err();
                if is_seen_through {
                    return value;
                }
                let plain = self.plain(path, scope, site);
                if value.is_replaced || plain.is_replaced {
                    return plain;
                }
                ReadValue {
                    notes: value.notes,
                    ..plain
                }
            }
            Item::Struct(_) | Item::Enum(_) => {
                if !site.is_stated()
                    && let Some(name) = self.find_config(id)
                {
                    return ReadValue::new(ApplyValue::Config(name));
                }
                if let Some(reason) = self.why_whole((id, item), site) {
                    return self.whole((id, reason), path, scope, site);
                }
                self.read_definition((id, item), path, scope, site)
            }
            _ => self.plain(path, scope, site),
        }
    }

    /// Returns a struct or enum that is sent whole. A note says so if the type has fields that the
    /// caller may not want to state.
    pub(super) fn whole(
        &mut self,
        (id, reason): (DefId, &str),
        path: &syn::Path,
        scope: TypeScope<'_>,
        site: ApplySite<'_>,
    ) -> ReadValue {
        let item = &self.sources[id];
        let plain = self.plain(path, scope, site);
        if plain.is_replaced || !has_fields(item) {
            return plain;
        }
        let name = paths::item_name(item).unwrap_or_default();
        let note = format!("Sent whole, with all its required fields: `{name}` {reason}.");
        ReadValue {
            notes: vec![note],
            ..plain
        }
    }

    fn read_foreign(
        &mut self,
        names: &[String],
        path: &syn::Path,
        scope: TypeScope<'_>,
        site: ApplySite<'_>,
    ) -> ReadValue {
        let canonical = known::canonical_path(names);
        if canonical.starts_with("k8s_openapi::") {
            return self.read_kubernetes_type(path, scope, site);
        }
        let mut arguments = type_arguments(path);
        let known = self.find_known(names);
        match (known, arguments.next(), arguments.next()) {
            (Some(Known::Optional), Some(inner), _) => self
                .read_type(inner, scope, site)
                .within(ApplyValue::Option),
            (Some(Known::Inner), Some(inner), _) => {
                let read = self.read_type(inner, scope, site);
                ReadValue {
                    is_replaced: read.is_replaced || canonical.starts_with("ordered_float::"),
                    ..read
                }
            }
            (Some(Known::List | Known::Set), Some(item), _) => {
                let collection = name_of(&self.foreign_path(names, scope));
                self.read_list(collection, item, scope, site)
            }
            (Some(Known::Map), Some(key), Some(value)) => {
                let collection = name_of(&self.foreign_path(names, scope));
                self.read_map(collection, (key, value), scope, site)
            }
            _ if ["std::string::String", "String", "str"].contains(&canonical.as_str()) => {
                ReadValue::new(ApplyValue::Text)
            }
            _ => self.plain(path, scope, site),
        }
    }

    fn read_kubernetes_type(
        &mut self,
        path: &syn::Path,
        scope: TypeScope<'_>,
        site: ApplySite<'_>,
    ) -> ReadValue {
        let schema = site.schema.filter(|_| !site.is_stated());
        let required = schema.map(|schema| &schema.required);
        ReadValue {
            notes: required_note(required.into_iter().flatten())
                .into_iter()
                .collect(),
            ..self.plain(path, scope, site)
        }
    }

    fn read_map(
        &mut self,
        collection: TypeName,
        (key, value): (&Type, &Type),
        scope: TypeScope<'_>,
        site: ApplySite<'_>,
    ) -> ReadValue {
        let mut key = self.read_type(key, scope, ApplySite::default());
        // In JSON, every key is a string.
        if key.is_replaced || has_config(&key.value) {
            key = ReadValue::new(ApplyValue::Text);
        }
        let value = self.read_type(value, scope, site.values());
        let mut notes = key.notes;
        notes.extend(value.notes);
        ReadValue {
            value: ApplyValue::Map {
                collection,
                key: Box::new(key.value),
                value: Box::new(value.value),
            },
            notes,
            is_comparable: key.is_comparable && value.is_comparable,
            is_replaced: value.is_replaced,
        }
    }

    fn read_list(
        &mut self,
        collection: TypeName,
        item: &Type,
        scope: TypeScope<'_>,
        site: ApplySite<'_>,
    ) -> ReadValue {
        let item = self.read_type(item, scope, site.items());
        if let Some(list) = site.schema {
            self.note_keys(list, &item.value);
        }
        let name = collection.path.rsplit("::").next();
        let takes_any_item = ["Vec", "VecDeque", "LinkedList"].map(Some).contains(&name);
        // Configurations implement neither `Ord` nor `Hash`.
        if !takes_any_item && (item.is_replaced || has_config(&item.value)) {
            let list = item.within(|item| ApplyValue::List {
                collection: name_of("Vec"),
                item,
            });
            return ReadValue {
                is_replaced: true,
                ..list
            };
        }
        let is_comparable = name != Some("BinaryHeap");
        let list = item.within(|item| ApplyValue::List { collection, item });
        ReadValue {
            is_comparable: is_comparable && list.is_comparable,
            ..list
        }
    }

    /// Returns a type that is sent as it is. It has its serialized form if generated code cannot
    /// name it.
    pub(super) fn plain(
        &mut self,
        path: &syn::Path,
        scope: TypeScope<'_>,
        site: ApplySite<'_>,
    ) -> ReadValue {
        if !self.is_nameable(path, scope) {
            return json_form(site.schema, UNNAMEABLE);
        }
        ReadValue {
            is_comparable: self.path_compares(path, scope),
            ..ReadValue::new(ApplyValue::Plain(self.type_name(path, scope)))
        }
    }

    /// Returns the type that a path names, for generated code.
    fn type_name(&mut self, path: &syn::Path, scope: TypeScope<'_>) -> TypeName {
        let full = if path.is_ident("Self") {
            let name = paths::item_name(&self.sources[scope.owner]).unwrap_or_default();
            self.item_path(scope.owner, &name)
        } else {
            match self.paths.find(scope.module, path) {
                Some(Found::Item(id, item)) => {
                    let name = paths::item_name(item).unwrap_or_default();
                    if self.sources[id.module].krate == CrateId::OWN {
                        self.item_path(id, &name)
                    } else if self.sources[scope.module].krate == CrateId::OWN {
                        self.written_path(path, scope)
                    } else {
                        self.paths.definition(id.module, &name)
                    }
                }
                Some(Found::Foreign(names)) => self.foreign_path(&names, scope),
                Some(Found::Unreadable(_)) | None => self.written_path(path, scope),
            }
        };
        TypeName {
            arguments: self.generic_arguments(path, scope),
            path: full,
        }
    }

    fn generic_arguments(&mut self, path: &syn::Path, scope: TypeScope<'_>) -> Vec<TypeArgument> {
        let Some(PathArguments::AngleBracketed(written)) =
            path.segments.last().map(|last| &last.arguments)
        else {
            return Vec::new();
        };
        let mut stated = stated_arguments(self.generics_at(path, scope), path);
        let arguments = written.args.iter().map(|argument| {
            let value = match argument {
                GenericArgument::Type(_) | GenericArgument::Const(_) => stated.next(),
                _ => None,
            };
            match (value, argument) {
                (Some((_, Some(GenericValue::Number(number)))), _) => {
                    TypeArgument::Other(self.number_text(&number, scope))
                }
                (_, GenericArgument::Type(ty)) => self.type_argument(ty, scope),
                (_, other) => TypeArgument::Other(other.to_token_stream().to_string()),
            }
        });
        arguments.collect()
    }

    fn type_argument(&mut self, ty: &Type, scope: TypeScope<'_>) -> TypeArgument {
        match ty {
            Type::Path(path) if path.qself.is_none() => match self.argument(&path.path, scope) {
                Some(BoundArgument::Type(ty, of)) => self.type_argument(ty, of),
                Some(BoundArgument::Number(Some(number))) => {
                    TypeArgument::Other(number.to_string())
                }
                _ => TypeArgument::Type(self.type_name(&path.path, scope)),
            },
            Type::Paren(inner) => self.type_argument(&inner.elem, scope),
            Type::Group(inner) => self.type_argument(&inner.elem, scope),
            Type::Array(array) => {
                let item = Box::new(self.type_argument(&array.elem, scope));
                TypeArgument::Array(item, self.number_text(&array.len, scope))
            }
            other => TypeArgument::Other(other.to_token_stream().to_string()),
        }
    }

    /// Returns a constant as generated code states it.
    fn number_text(&self, number: &Expr, scope: TypeScope<'_>) -> String {
        match self.number(number, scope) {
            Some(number) => number.to_string(),
            None => number.to_token_stream().to_string(),
        }
    }

    /// Returns the path of a type that is not in source, for generated code: the types of
    /// Kubernetes and JSON through genclient, since the client's crate may not depend on them.
    fn foreign_path(&self, names: &[String], scope: TypeScope<'_>) -> String {
        let canonical = known::canonical_path(names);
        let written = names.join("::");
        match canonical.split("::").next() {
            Some("k8s_openapi" | "kube" | "serde_json") => format!("genclient::{canonical}"),
            Some("std") => canonical,
            _ if written.starts_with("k8s_openapi::") => format!("genclient::{written}"),
            _ if names.len() > 1 || known::is_known(names) => match written.strip_prefix("crate::")
            {
                Some(below) => format!("{}::{below}", self.paths.own_crate()),
                None => written,
            },
            // A macro may generate the type in the module.
            _ => format!("{}::{written}", self.paths.of_module(scope.module)),
        }
    }

    /// Returns the path of a type of another crate as the API types name it, or of a type that is
    /// not in source.
    fn written_path(&self, path: &syn::Path, scope: TypeScope<'_>) -> String {
        self.paths
            .type_path(scope.module, path)
            .unwrap_or_else(|| self.paths.spelled(scope.module, path))
    }
}

/// Returns the note about a type of k8s-openapi with fields that are not optional.
fn required_note<'n>(required: impl Iterator<Item = &'n String>) -> Option<String> {
    let names: Vec<_> = required.map(|name| format!("`{name}`")).collect();
    let (last, most) = names.split_last()?;
    let names = if most.is_empty() {
        last.clone()
    } else {
        format!("{} and {last}", most.join(", "))
    };
    Some(format!("Always sends {names}, which k8s-openapi requires."))
}

/// Returns whether a struct, or a variant of an enum, has named or several fields.
fn has_fields(item: &Item) -> bool {
    let has_fields = |fields: &Fields| matches!(fields, Fields::Named(_)) || fields.len() > 1;
    match item {
        Item::Struct(item) => has_fields(&item.fields),
        Item::Enum(item) => {
            let mut variants = item.variants.iter();
            variants.any(|variant| has_fields(&variant.fields))
        }
        _ => false,
    }
}
