//! Schemas of the root types that kube derives, and of types that schemars attributes replace.

use genclient_syntax::{SchemaAttrs, derives, described_by};
use syn::{Field, Item};

use super::fields::is_option;
use super::foreign_types::{UNKNOWN, UNKNOWN_OF_SCHEMARS};
use super::generics::{self, Argument};
use super::pitfalls::is_emptied_metadata;
use super::serde_attrs::SerdeAttrs;
use super::{Resolver, Slot};
use crate::known;
use crate::lookup::Wanted;
use crate::model::{JsonType, Schema};
use crate::resolve::kind::{Kind, KubeRoot, attributes};
use crate::resolve::{kube_kinds, paths};
use crate::sources::{ModuleId, Namespace, bare_name};

/// Help for an unknown type in `status = "…"` of `#[kube(…)]`: there is no field on which a schema
/// could be stated.
const UNKNOWN_STATUS: &str = "define the type, or give its schema under its path in \
                              `[package.metadata.genclient.schemas]`";

impl<'a> Resolver<'a, '_> {
    /// Returns the schema of a root type: `spec` and `status`. With `no_spec`, the fields of the
    /// spec take the place of `spec`.
    pub(super) fn kube_root(&mut self, kind: &Kind<'a>, root: &KubeRoot) -> Schema {
        let used_as = syn::Path::from(kind.attrs.ident.clone());
        let spec = self.item((kind.module, kind.item), &used_as);
        let mut schema = if root.no_spec {
            spec.schema
        } else {
            let mut schema = Schema::typed(JsonType::Object);
            schema.required.insert("spec".to_owned());
            let spec = spec.schema.into();
            schema.properties.insert("spec".to_owned(), spec);
            schema
        };
        if let Some(status) = &root.status {
            let mark = self.sink.mark();
            let status = self.slot(&status.value.0);
            for finding in self.sink.since(mark) {
                if [Some(UNKNOWN), Some(UNKNOWN_OF_SCHEMARS)].contains(&finding.help.as_deref()) {
                    finding.help = Some(UNKNOWN_STATUS.to_owned());
                }
            }
            let status = match self.has_nulls_of_kube() {
                true => Slot {
                    optional: true,
                    ..status
                }
                .nullable()
                .into(),
                false => status.schema.into(),
            };
            schema.properties.insert("status".to_owned(), status);
        }
        schema
    }

    /// Resolves a path without an item in source, if it names a root type that kube derives.
    /// Reports any other path as unknown.
    pub(super) fn made_by_kube(&mut self, path: &syn::Path) -> Slot {
        let wanted = Wanted::new(self.module, path, Namespace::Types);
        let kind =
            kube_kinds::of_root(&wanted, &self.made.roots, self.sources, self.paths).cloned();
        let Some(kind) = kind else {
            return self.unknown(path);
        };
        let Some(root) = &kind.kube else {
            return self.unknown(path);
        };
        let name = (kind.module, bare_name(&kind.attrs.ident));
        if self.open.contains(&name) {
            return self.circle(path);
        }
        self.open.push(name);
        let mut schema = self.within(kind.module, |resolver| resolver.kube_root(&kind, root));
        self.open.pop();
        let attrs = &kind.attrs;
        let api_version = format!("{}/{}", attrs.group.value, kind.version.value);
        for (name, text) in [
            ("apiVersion", api_version),
            ("kind", attrs.kind.value.clone()),
        ] {
            let mut schema_of_text = Schema::typed(JsonType::String);
            schema_of_text.enum_.push(text.into());
            schema
                .properties
                .insert(name.to_owned(), schema_of_text.into());
        }
        let metadata = known::metadata().into();
        schema.properties.insert("metadata".to_owned(), metadata);
        // serde requires `metadata` in a root type, but neither `apiVersion` nor `kind`.
        schema.required.insert("metadata".to_owned());
        Slot::of(schema)
    }

    /// Returns the slot of the type that `#[schemars(with = "..")]` on `item` names in place of the
    /// item's fields.
    pub(super) fn described(
        &mut self,
        item: &'a Item,
        module: ModuleId,
        arguments: &[Argument],
    ) -> Option<Slot> {
        let other = described_by(attributes(item))?;
        Some(self.within(module, |resolver| {
            resolver.bind(generics::of_item(item), arguments.to_vec());
            resolver.slot(&other.0)
        }))
    }

    /// Warns about a hand-written `JsonSchema` that cannot be evaluated, if a kube kind uses the
    /// type. The CRD has only what serde reads and writes.
    pub(super) fn warn_of_own_schema(&mut self, item: &Item, path: &syn::Path) {
        let attrs = attributes(item);
        let names = [
            "JsonSchema",
            "JsonSchema_repr",
            "KubeSchema",
            "CELSchema",
            "CrdSchema",
        ];
        let is_alias = matches!(item, Item::Type(_));
        if !self.from_kube || is_alias || names.iter().any(|name| derives(attrs, name)) {
            return;
        }
        let shown = paths::item_name(item).unwrap_or_default();
        self.warn(
            path,
            format!("`{shown}` does not derive `JsonSchema`: its hand-written schema is not in the CRD"),
            "derive `CrdSchema` as well, with `#[crd(..)]` for constraints that serde does not express; or give its schema under its path in `[package.metadata.genclient.schemas]`",
        );
    }

    /// Returns the slot of a field. In kube kinds, an `ObjectMeta` field, such as the metadata of a
    /// template, gets the full metadata schema, as schemars writes it. With an empty schema, the
    /// API server would prune metadata that stored objects already have.
    pub(super) fn with_kube_metadata(&self, field: &Field, mut slot: Slot) -> Slot {
        if self.from_kube && !self.has_crd_schema() && is_emptied_metadata(field, &slot.schema) {
            slot.schema = Schema {
                description: slot.schema.description,
                nullable: slot.schema.nullable,
                ..known::metadata()
            };
        }
        slot
    }

    /// Returns the slot that schemars attributes state for a field in place of its type.
    pub(super) fn stated_type(
        &mut self,
        field: &Field,
        attrs: &SchemaAttrs,
        serde: &SerdeAttrs,
    ) -> Option<Slot> {
        if let Some(function) = &attrs.schema_with {
            return Some(Slot {
                schema: self.made_by(function),
                optional: is_option(&field.ty),
                closed: false,
            });
        }
        self.other_type(field, attrs, serde)
    }

    /// Returns the slot that the function in `#[schemars(schema_with = "..")]` on a type builds.
    pub(super) fn stated_whole(&mut self, attrs: &SchemaAttrs) -> Option<Slot> {
        let function = attrs.schema_with.as_ref()?;
        Some(Slot::of(self.made_by(function)))
    }

    /// Returns the slot of the type that `#[schemars(with = "..")]` names for a field.
    fn other_type(
        &mut self,
        field: &Field,
        attrs: &SchemaAttrs,
        serde: &SerdeAttrs,
    ) -> Option<Slot> {
        let stated = attrs.with.as_ref()?;
        let slot = self.slot(&stated.value.0);
        // A field that a custom function reads must be present, even if its type is an `Option`.
        let optional = !serde.has_custom_reader() && (slot.optional || is_option(&field.ty));
        let schema = if optional {
            slot.schema
        } else {
            slot.nullable()
        };
        Some(Slot {
            schema,
            optional,
            closed: false,
        })
    }
}
