//! Types of fields as apply configurations have them.

use quote::ToTokens;
use syn::{Expr, ExprPath, GenericArgument, Item, PathArguments, Type};

use super::config_path::name_of;
use super::draft::has_config;
use super::reader::ApplyReader;
use super::site::{ApplySite, ReadValue, TypeParameters, TypeScope};
use crate::known::{self, Known};
use crate::model::{ApplyValue, TypeArgument, TypeName};
use crate::resolve::paths::{self, Found, is_public};
use crate::resolve::schema::type_arguments;
use crate::sources::{CrateId, DefId};

impl<'a> ApplyReader<'_, 'a> {
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
            Type::Array(array) => {
                let length = self.length(&array.len, scope);
                let item = self.read_type(&array.elem, scope, site.items());
                item.within(|item| ApplyValue::Array(item, length))
            }
            other => ReadValue::new(ApplyValue::Plain(name_of(
                &other.to_token_stream().to_string(),
            ))),
        }
    }

    fn read_path(
        &mut self,
        path: &syn::Path,
        scope: TypeScope<'_>,
        site: ApplySite<'_>,
    ) -> ReadValue {
        if let Some((value, _)) = parameter(path, scope) {
            return value.clone();
        }
        if path.is_ident("Self") {
            return self.whole(scope.owner, "contains itself", path, scope);
        }
        match self.paths.find(scope.module, path) {
            Some(Found::Item(id, item)) => self.read_item((id, item), path, scope, site),
            Some(Found::Foreign(names)) => self.read_foreign(&names, path, scope, site),
            Some(Found::Unreadable(_)) | None => ReadValue {
                is_comparable: false,
                ..ReadValue::new(ApplyValue::Plain(self.type_name(path, scope)))
            },
        }
    }

    fn read_item(
        &mut self,
        (id, item): (DefId, &'a Item),
        path: &syn::Path,
        scope: TypeScope<'_>,
        site: ApplySite<'_>,
    ) -> ReadValue {
        match item {
            Item::Type(alias) => {
                let parameters = self.parameters(&alias.generics, path, scope);
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
                    value
                } else {
                    ReadValue {
                        value: ApplyValue::Plain(self.type_name(path, scope)),
                        ..value
                    }
                }
            }
            Item::Struct(_) | Item::Enum(_) => {
                if !site.is_stated()
                    && let Some(name) = self.find_config(id)
                {
                    return ReadValue::new(ApplyValue::Config(name));
                }
                if let Some(reason) = self.why_whole((id, item), site) {
                    return self.whole(id, reason, path, scope);
                }
                self.read_definition((id, item), path, scope, site)
            }
            _ => ReadValue::new(ApplyValue::Plain(self.type_name(path, scope))),
        }
    }

    /// Returns a struct or enum that is sent whole. A note says so if the type has fields that the
    /// caller may not want to state.
    pub(super) fn whole(
        &mut self,
        id: DefId,
        reason: &str,
        path: &syn::Path,
        scope: TypeScope<'_>,
    ) -> ReadValue {
        let item = &self.sources[id];
        let name = paths::item_name(item).unwrap_or_default();
        let notes = if has_fields(item) {
            vec![format!(
                "Sent whole, with all its required fields: `{name}` {reason}."
            )]
        } else {
            Vec::new()
        };
        ReadValue {
            value: ApplyValue::Plain(self.type_name(path, scope)),
            notes,
            is_comparable: self.implements_partial_eq(id),
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
            (Some(Known::Inner), Some(inner), _) => self.read_type(inner, scope, site),
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
            (known, ..) => ReadValue {
                is_comparable: known.is_some(),
                ..ReadValue::new(ApplyValue::Plain(self.type_name(path, scope)))
            },
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
            ..ReadValue::new(ApplyValue::Plain(self.type_name(path, scope)))
        }
    }

    fn read_map(
        &mut self,
        collection: TypeName,
        (key, value): (&Type, &Type),
        scope: TypeScope<'_>,
        site: ApplySite<'_>,
    ) -> ReadValue {
        let key = self.read_type(key, scope, ApplySite::default());
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
        }
    }

    fn read_list(
        &mut self,
        collection: TypeName,
        item: &Type,
        scope: TypeScope<'_>,
        site: ApplySite<'_>,
    ) -> ReadValue {
        let is_comparable = !collection.path.ends_with("BinaryHeap");
        let item = self.read_type(item, scope, site.items());
        if let Some(list) = site.schema {
            self.note_keys(list, &item.value);
        }
        let list = item.within(|item| ApplyValue::List { collection, item });
        ReadValue {
            is_comparable: is_comparable && list.is_comparable,
            ..list
        }
    }

    /// Returns the arguments for the generic parameters of an item.
    pub(super) fn parameters(
        &mut self,
        generics: &syn::Generics,
        path: &syn::Path,
        scope: TypeScope<'_>,
    ) -> TypeParameters {
        let names = generics
            .type_params()
            .map(|parameter| parameter.ident.to_string());
        let arguments: Vec<_> = type_arguments(path).collect();
        names
            .zip(arguments)
            .map(|(name, ty)| {
                let value = self.read_type(ty, scope, ApplySite::default());
                (name, (value, self.type_argument(ty, scope)))
            })
            .collect()
    }

    /// Returns the type that a path names, for generated code.
    pub(super) fn type_name(&mut self, path: &syn::Path, scope: TypeScope<'_>) -> TypeName {
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
        let arguments = match path.segments.last().map(|last| &last.arguments) {
            Some(PathArguments::AngleBracketed(arguments)) => {
                arguments.args.iter().collect::<Vec<_>>()
            }
            _ => Vec::new(),
        };
        let arguments = arguments.into_iter().map(|argument| match argument {
            GenericArgument::Type(ty) => self.type_argument(ty, scope),
            other => TypeArgument::Other(other.to_token_stream().to_string()),
        });
        TypeName {
            arguments: arguments.collect(),
            path: full,
        }
    }

    fn type_argument(&mut self, ty: &Type, scope: TypeScope<'_>) -> TypeArgument {
        match ty {
            Type::Path(path) if path.qself.is_none() => match parameter(&path.path, scope) {
                Some((_, argument)) => argument.clone(),
                None => TypeArgument::Type(self.type_name(&path.path, scope)),
            },
            Type::Paren(inner) => self.type_argument(&inner.elem, scope),
            Type::Group(inner) => self.type_argument(&inner.elem, scope),
            Type::Array(array) => {
                let item = Box::new(self.type_argument(&array.elem, scope));
                TypeArgument::Array(item, self.length(&array.len, scope))
            }
            other => TypeArgument::Other(other.to_token_stream().to_string()),
        }
    }

    /// Returns the length of an array, for generated code.
    fn length(&self, length: &Expr, scope: TypeScope<'_>) -> String {
        if let Expr::Path(ExprPath { path, .. }) = length
            && let Some(Found::Item(id, Item::Const(constant))) =
                self.paths.find_value(scope.module, path)
            && let Ok(path) = self.paths.own_path(id.module, &constant.ident.to_string())
        {
            return path;
        }
        length.to_token_stream().to_string()
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

/// Returns the type argument that a path of one name stands for.
fn parameter<'v>(path: &syn::Path, scope: TypeScope<'v>) -> Option<&'v (ReadValue, TypeArgument)> {
    scope.parameters.get(&path.get_ident()?.to_string())
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

/// Returns whether a struct has named fields, or an enum a variant with fields.
fn has_fields(item: &Item) -> bool {
    match item {
        Item::Struct(item) => matches!(item.fields, syn::Fields::Named(_)),
        Item::Enum(item) => {
            let mut variants = item.variants.iter();
            variants.any(|variant| matches!(variant.fields, syn::Fields::Named(_)))
        }
        _ => false,
    }
}
