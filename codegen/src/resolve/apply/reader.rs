//! Reader of kinds, structs and enums: each becomes an apply configuration once, whatever leads to
//! it.

use std::collections::{BTreeMap, BTreeSet};

use genclient_syntax::{AttributeTarget, Problems, SchemaAttrs, derives, is_genclient};
use syn::{Attribute, Field, Fields, Item, ItemEnum, ItemStruct, Variant};

use super::config_path::{ConfigPath, config_path};
use super::draft::{ApplyDraft, has_config};
use super::granular::granular_paths;
use super::json_form::{CUSTOM, json_form};
use super::site::{ApplySite, ReadValue, TypeScope, states_schema};
use crate::diagnostic::Diagnostic;
use crate::known::{self, Known};
use crate::model::{
    ApplyContent, ApplyField, ApplyForm, ApplyKind, ApplyPlace, ApplyStruct, ApplyType, ApplyUnion,
    ApplyValue, ApplyVariant, ListType, Resource, Schema, TypeName,
};
use crate::project::{CUSTOM_RESOURCE, Project};
use crate::resolve::docs;
use crate::resolve::kind::{Kind, attributes, cfg_conditions, cfg_of_item};
use crate::resolve::paths::{self, Paths, is_public, unreachable_error};
use crate::resolve::schema::{
    SerdeAttrs, SerdeSite, Tagging, carries_value, fields_of, is_phantom,
};
use crate::sources::{CrateId, DefId, Module, Sources, bare_name};

/// What a struct or enum is in apply configurations.
enum Outcome {
    /// It is being read: a field inside of it leads to it.
    Open,
    Config(TypeName),
    /// An enum without a configuration inside.
    Plain,
}

/// What was read, for checks and modules.
pub(super) struct ReadKinds {
    /// The configurations in the order in which fields lead to them.
    pub(super) drafts: Vec<ApplyDraft>,
    /// The required keys of list items, by the path of their configuration.
    pub(super) keys: BTreeMap<String, BTreeSet<String>>,
    /// Errors for types that generated code cannot refer to, by path.
    pub(super) unreachable: BTreeMap<String, Diagnostic>,
    /// Paths of deprecated types.
    pub(super) deprecated: BTreeSet<String>,
}

pub(super) struct ApplyReader<'s, 'a> {
    pub(super) sources: &'s Sources,
    pub(super) paths: &'s Paths<'a>,
    pub(super) project: &'s Project,
    /// The configurations in the order in which fields lead to them; `None` for an enum that is
    /// plain.
    drafts: Vec<Option<ApplyDraft>>,
    outcomes: BTreeMap<DefId, Outcome>,
    known: BTreeMap<Vec<String>, Option<Known>>,
    /// The required keys of list items, by the path of their configuration.
    pub(super) keys: BTreeMap<String, BTreeSet<String>>,
    unreachable: BTreeMap<String, Diagnostic>,
    deprecated: BTreeSet<String>,
}

impl<'s, 'a> ApplyReader<'s, 'a> {
    pub(super) fn new(sources: &'s Sources, paths: &'s Paths<'a>, project: &'s Project) -> Self {
        Self {
            sources,
            paths,
            project,
            drafts: Vec::new(),
            outcomes: BTreeMap::new(),
            known: BTreeMap::new(),
            keys: BTreeMap::new(),
            unreachable: BTreeMap::new(),
            deprecated: BTreeSet::new(),
        }
    }

    pub(super) fn finish(self) -> ReadKinds {
        ReadKinds {
            drafts: self.drafts.into_iter().flatten().collect(),
            keys: self.keys,
            unreachable: self.unreachable,
            deprecated: self.deprecated,
        }
    }

    /// Reads a kind and everything below it. `schema` is that of its objects.
    pub(super) fn read_kind(
        &mut self,
        kind: &Kind<'_>,
        resource: &Resource,
        schema: Option<&Schema>,
    ) {
        let at = self.reserve();
        let scope = TypeScope::inside(kind.id);
        let site = ApplySite {
            schema,
            attrs: None,
        };
        let (container, read) = match (&kind.kube, kind.item) {
            (Some(_), _) => self.kube_root(kind, scope, schema),
            (None, Item::Struct(item)) => {
                let container = self.serde(&item.attrs, SerdeSite::Type, scope);
                let read = self.read_fields(&item.fields, &container, scope, site);
                (container, read)
            }
            (None, _) => return,
        };
        let (mut fields, is_comparable) = read;
        fields.retain(|field| field.name != "metadata");
        let about = about_kind(kind, resource, &fields, schema);
        let reserved: &[&str] = if about.has_status {
            &["new", "extract", "extract_status"]
        } else {
            &["new", "extract"]
        };
        name_setters(&mut fields, reserved);
        let body = ApplyStruct {
            rename_all: container.rename_all.as_str().map(str::to_owned),
            fields,
            keys: Vec::new(),
        };
        if docs::deprecation(kind.attributes()).is_some() {
            self.deprecated.insert(resource.type_path.clone());
        }
        let path = config_path(&resource.type_path, self.project);
        self.drafts[at] = Some(ApplyDraft {
            module: self.paths.of_module(kind.id.module),
            place: kind.location(self.sources),
            config: ApplyType {
                name: path.name.clone(),
                of: bare_name(&kind.attrs.ident),
                summary: kind_summary(kind),
                cfg: resource.cfg.clone(),
                is_comparable,
                names_deprecated: false,
                form: ApplyForm::Kind(about, body),
            },
            path,
        });
    }

    /// Reads the fields of a root type that kube derives.
    fn kube_root(
        &mut self,
        kind: &Kind<'_>,
        scope: TypeScope<'_>,
        schema: Option<&Schema>,
    ) -> (SerdeAttrs, (Vec<ApplyField>, bool)) {
        let property = |name: &str| ApplySite {
            schema: schema
                .and_then(|schema| schema.properties.get(name))
                .map(|it| &**it),
            attrs: None,
        };
        let mut fields = Vec::new();
        let mut is_comparable = true;
        let name = paths::item_name(kind.item).unwrap_or_default();
        let path = syn::Path::from(genclient_syntax::names::ident(&name));
        let spec = self.read_item((kind.id, kind.item), &path, scope, property("spec"));
        let is_flattened = kind.kube.as_ref().is_some_and(|root| root.no_spec);
        let mut add = |name: &str, place: ApplyPlace, read: ReadValue, summary: Vec<String>| {
            is_comparable &= read.is_comparable;
            fields.push(ApplyField {
                name: name.to_owned(),
                setter: name.to_owned(),
                cfg: Vec::new(),
                rename: None,
                place,
                value: read.value,
                summary,
                notes: read.notes,
            });
        };
        let summary = docs::summary(kind.attributes());
        let place = match &spec.value {
            _ if !is_flattened => ApplyPlace::Member,
            ApplyValue::Config(_) => ApplyPlace::Flattened,
            _ => ApplyPlace::FlattenedOption,
        };
        add("spec", place, spec, summary);
        if let Some(status) = kind.kube.as_ref().and_then(|root| root.status.as_ref()) {
            let read = self.read_type(&status.value.0, scope, property("status"));
            add("status", ApplyPlace::Member, read.present(), Vec::new());
        }
        (SerdeAttrs::default(), (fields, is_comparable))
    }

    /// Returns why a struct or enum has no configuration of its own.
    pub(super) fn why_whole(
        &self,
        (id, item): (DefId, &Item),
        site: ApplySite<'_>,
    ) -> Option<&'static str> {
        let attrs = attributes(item);
        let module = &self.sources[id.module];
        let name = paths::item_name(item).unwrap_or_default();
        let is_stated = || {
            let definition = self.paths.definition(id.module, &name);
            self.sources.stated.contains_key(&definition)
        };
        if module.krate != CrateId::OWN {
            return Some("is a type of another crate");
        }
        if attrs.iter().any(is_genclient) && !derives(attrs, CUSTOM_RESOURCE) {
            return Some("is a kind");
        }
        if site.is_stated() || is_stated() || states_own_schema(item) {
            return Some("has a schema that an attribute states");
        }
        if !derives(attrs, "Serialize") {
            return Some("does not derive `Serialize`");
        }
        let serde = self.serde_of(id, item);
        if serde.opaque.is_some() || serde.from.is_some() || serde.into.is_some() {
            return Some("is serialized as another type");
        }
        match item {
            Item::Struct(item) if !serde.transparent && is_list(&item.fields) => {
                return Some("is serialized as a list");
            }
            Item::Struct(item) if !is_newtype(item, &serde) => {
                if serde.tag.is_some() {
                    return Some("writes a tag");
                }
                if !item.generics.params.is_empty() {
                    return Some("is generic");
                }
            }
            Item::Enum(item) => {
                if serde.untagged || has_untagged(item, module) {
                    return Some("is an untagged enum");
                }
                if !item.generics.params.is_empty() {
                    return Some("is generic");
                }
                if item.variants.iter().any(|it| is_list(&it.fields)) {
                    return Some("has a variant that is serialized as a list");
                }
            }
            _ => {}
        }
        if matches!(self.outcomes.get(&id), Some(Outcome::Open)) {
            return Some("contains itself");
        }
        None
    }

    /// Returns the configuration of a struct or enum that has been read.
    pub(super) fn find_config(&self, id: DefId) -> Option<TypeName> {
        match self.outcomes.get(&id)? {
            Outcome::Config(name) => Some(name.clone()),
            Outcome::Open | Outcome::Plain => None,
        }
    }

    /// Reads a struct or enum of the package's crate.
    pub(super) fn read_definition(
        &mut self,
        (id, item): (DefId, &Item),
        path: &syn::Path,
        scope: TypeScope<'_>,
        site: ApplySite<'_>,
    ) -> ReadValue {
        if matches!(self.outcomes.get(&id), Some(Outcome::Plain)) {
            return self.plain(path, scope, site);
        }
        let serde = self.serde_of(id, item);
        match item {
            Item::Struct(item) if !is_newtype(item, &serde) => {
                self.read_struct(id, item, &serde, site)
            }
            Item::Struct(newtype) => self.read_newtype((id, newtype), path, scope, site),
            Item::Enum(item) => self.read_enum((id, item), path, scope, site),
            _ => self.plain(path, scope, site),
        }
    }

    /// A newtype is the type of its field if that has a configuration, or else itself.
    fn read_newtype(
        &mut self,
        (id, newtype): (DefId, &ItemStruct),
        path: &syn::Path,
        scope: TypeScope<'_>,
        site: ApplySite<'_>,
    ) -> ReadValue {
        let parameters = self.bind(&newtype.generics, path, scope);
        let inside = TypeScope {
            module: id.module,
            owner: id,
            parameters: &parameters,
        };
        let is_transparent = self.serde_of(id, &self.sources[id]).transparent;
        let mut fields = newtype.fields.iter().map(|field| {
            let serde = self.serde(&field.attrs, SerdeSite::Field, inside);
            (field, serde)
        });
        let field = fields
            .find(|(field, serde)| !is_transparent || carries_value(field, serde))
            .filter(|(_, serde)| !serde.is_custom() && !serde.is_skipped())
            .map(|(field, _)| field);
        self.outcomes.insert(id, Outcome::Open);
        let read = field.map(|field| self.read_type(&field.ty, inside, site));
        self.outcomes.remove(&id);
        match read {
            Some(read) if has_config(&read.value) => read,
            _ => self.plain(path, scope, site),
        }
    }

    fn read_struct(
        &mut self,
        id: DefId,
        item: &ItemStruct,
        serde: &SerdeAttrs,
        site: ApplySite<'_>,
    ) -> ReadValue {
        let path = self.path_of(id, &bare_name(&item.ident));
        let name = path.type_name(self.project);
        self.outcomes.insert(id, Outcome::Open);
        let at = self.reserve();
        let scope = TypeScope::inside(id);
        let (mut fields, is_comparable) = self.read_fields(&item.fields, serde, scope, site);
        name_setters(&mut fields, &["new"]);
        self.drafts[at] = Some(ApplyDraft {
            module: self.paths.of_module(id.module),
            place: self.sources[id.module].locate(&item.ident),
            config: ApplyType {
                name: path.name.clone(),
                of: bare_name(&item.ident),
                summary: docs::summary(&item.attrs),
                cfg: cfg_of_item(&item.attrs, id.module, self.sources),
                is_comparable,
                names_deprecated: false,
                form: ApplyForm::Struct(ApplyStruct {
                    rename_all: serde.rename_all.as_str().map(str::to_owned),
                    fields,
                    keys: Vec::new(),
                }),
            },
            path,
        });
        self.outcomes.insert(id, Outcome::Config(name.clone()));
        ReadValue::new(ApplyValue::Config(name))
    }

    /// Reads named fields, and returns whether their types implement `PartialEq`.
    fn read_fields(
        &mut self,
        fields: &Fields,
        container: &SerdeAttrs,
        scope: TypeScope<'_>,
        site: ApplySite<'_>,
    ) -> (Vec<ApplyField>, bool) {
        let mut out = Vec::new();
        let mut is_comparable = true;
        for field in fields {
            let serde = self.serde(&field.attrs, SerdeSite::Field, scope);
            let Some(ident) = &field.ident else { continue };
            if serde.is_skipped() || is_phantom(&field.ty) {
                continue;
            }
            let attrs = field_attrs(field);
            if attrs.skip.is_set() {
                continue;
            }
            let name = bare_name(ident);
            let written = serde
                .rename
                .clone()
                .unwrap_or_else(|| container.rename_all.field(&name));
            let property = |schema: &'_ Schema| schema.properties.contains_key(&written);
            let inside = ApplySite {
                schema: match site.schema {
                    Some(schema) if serde.flatten => Some(schema),
                    Some(schema) if property(schema) => Some(&*schema.properties[&written]),
                    _ => None,
                },
                attrs: Some(&attrs),
            };
            let read = if serde.is_custom() {
                json_form(inside.schema, CUSTOM)
            } else {
                self.read_type(&field.ty, scope, inside).present()
            };
            let place = if serde.flatten {
                self.flattened_place(&read.value)
            } else {
                ApplyPlace::Member
            };
            is_comparable &= read.is_comparable;
            out.push(ApplyField {
                setter: name.clone(),
                name,
                cfg: cfg_conditions(&field.attrs).collect(),
                rename: serde.rename,
                place,
                value: read.value,
                summary: docs::summary(&field.attrs),
                notes: read.notes,
            });
        }
        (out, is_comparable)
    }

    fn flattened_place(&self, value: &ApplyValue) -> ApplyPlace {
        match value {
            ApplyValue::Map { .. } => ApplyPlace::FlattenedMap,
            ApplyValue::Config(name) if !self.is_union(name) => ApplyPlace::Flattened,
            _ => ApplyPlace::FlattenedOption,
        }
    }

    fn is_union(&self, name: &TypeName) -> bool {
        let mut drafts = self.drafts.iter().flatten();
        drafts.any(|draft| {
            draft.path.type_name(self.project) == *name
                && matches!(draft.config.form, ApplyForm::Union(_))
        })
    }

    fn read_enum(
        &mut self,
        (id, item): (DefId, &ItemEnum),
        path: &syn::Path,
        scope: TypeScope<'_>,
        site: ApplySite<'_>,
    ) -> ReadValue {
        let serde = self.serde_of(id, &self.sources[id]);
        let config = self.path_of(id, &bare_name(&item.ident));
        let name = config.type_name(self.project);
        self.outcomes.insert(id, Outcome::Open);
        let at = self.reserve();
        let union = UnionContext {
            id,
            tagging: Tagging::from_attrs(&serde),
            serde,
            config,
        };
        let (variants, is_comparable) = self.read_variants(item, &union, site);
        let is_config = |variant: &ApplyVariant| match &variant.content {
            ApplyContent::Value(value) => has_config(value),
            ApplyContent::Unit | ApplyContent::Empty => false,
        };
        if !variants.iter().any(is_config) {
            self.outcomes.insert(id, Outcome::Plain);
            return self.plain(path, scope, site);
        }
        let content = union.serde.content.as_ref();
        self.drafts[at] = Some(ApplyDraft {
            module: self.paths.of_module(id.module),
            place: self.sources[id.module].locate(&item.ident),
            config: ApplyType {
                name: union.config.name.clone(),
                of: bare_name(&item.ident),
                summary: docs::summary(&item.attrs),
                cfg: cfg_of_item(&item.attrs, id.module, self.sources),
                is_comparable,
                names_deprecated: false,
                form: ApplyForm::Union(ApplyUnion {
                    tag: union.tagging.tag().map(str::to_owned),
                    content: content.map(syn::LitStr::value),
                    rename_all: union.serde.rename_all.as_str().map(str::to_owned),
                    variants,
                }),
            },
            path: union.config,
        });
        self.outcomes.insert(id, Outcome::Config(name.clone()));
        ReadValue::new(ApplyValue::Config(name))
    }

    /// Reads the variants, and returns whether their types implement `PartialEq`.
    fn read_variants(
        &mut self,
        item: &ItemEnum,
        union: &UnionContext,
        site: ApplySite<'_>,
    ) -> (Vec<ApplyVariant>, bool) {
        let mut is_comparable = true;
        let mut variants = Vec::new();
        for variant in &item.variants {
            if let Some((variant, compares)) = self.read_variant(variant, union, site) {
                is_comparable &= compares;
                variants.push(variant);
            }
        }
        (variants, is_comparable)
    }

    /// Reads a variant, unless serde skips it.
    fn read_variant(
        &mut self,
        variant: &Variant,
        union: &UnionContext,
        site: ApplySite<'_>,
    ) -> Option<(ApplyVariant, bool)> {
        let module = &self.sources[union.id.module];
        let serde = SerdeAttrs::of_checked(&variant.attrs, SerdeSite::Variant, module);
        if serde.is_skipped() {
            return None;
        }
        let name = bare_name(&variant.ident);
        let written = serde
            .rename
            .clone()
            .unwrap_or_else(|| union.serde.rename_all.variant(&name));
        let property = |name: &str| {
            let property = site.schema.and_then(|schema| schema.properties.get(name));
            property.map(|schema| &**schema)
        };
        let schema = match &union.tagging {
            Tagging::External => property(&written),
            Tagging::Adjacent { content, .. } => property(content),
            Tagging::Internal { .. } | Tagging::Untagged => site.schema,
        };
        let (content, is_comparable) = self.read_content(variant, &serde, union, schema);
        let variant = ApplyVariant {
            name,
            rename: serde.rename,
            cfg: cfg_conditions(&variant.attrs).collect(),
            is_other: serde.other,
            summary: docs::summary(&variant.attrs),
            content,
        };
        Some((variant, is_comparable))
    }

    /// Reads the content of a variant, and returns whether its types implement `PartialEq`.
    fn read_content(
        &mut self,
        variant: &Variant,
        serde: &SerdeAttrs,
        union: &UnionContext,
        schema: Option<&Schema>,
    ) -> (ApplyContent, bool) {
        let scope = TypeScope::inside(union.id);
        if serde.is_custom() {
            return (ApplyContent::Value(json_form(schema, CUSTOM).value), true);
        }
        match &variant.fields {
            Fields::Unit => (ApplyContent::Unit, true),
            Fields::Unnamed(fields) => match fields.unnamed.first() {
                Some(field) => {
                    let of_field = self.serde(&field.attrs, SerdeSite::Field, scope);
                    let attrs = field_attrs(field);
                    let site = ApplySite {
                        schema,
                        attrs: Some(&attrs),
                    };
                    let read = if of_field.is_custom() {
                        json_form(schema, CUSTOM)
                    } else {
                        self.read_type(&field.ty, scope, site)
                    };
                    (ApplyContent::Value(read.value), read.is_comparable)
                }
                None => (ApplyContent::Unit, true),
            },
            Fields::Named(_) => {
                let container = fields_of(serde, &union.serde);
                self.read_variant_fields(variant, &container, union, schema)
            }
        }
    }

    /// Reads the fields of a variant as a struct of their own.
    fn read_variant_fields(
        &mut self,
        variant: &Variant,
        container: &SerdeAttrs,
        union: &UnionContext,
        schema: Option<&Schema>,
    ) -> (ApplyContent, bool) {
        let scope = TypeScope::inside(union.id);
        let site = ApplySite {
            schema,
            attrs: None,
        };
        let at = self.reserve();
        let (mut fields, is_comparable) = self.read_fields(&variant.fields, container, scope, site);
        if fields.is_empty() {
            return (ApplyContent::Empty, true);
        }
        name_setters(&mut fields, &["new"]);
        let path = union.config.of_variant(&bare_name(&variant.ident));
        let name = path.type_name(self.project);
        let item = &self.sources[union.id];
        let of_enum = paths::item_name(item).unwrap_or_default();
        let mut cfg = cfg_of_item(attributes(item), union.id.module, self.sources);
        cfg.extend(cfg_conditions(&variant.attrs));
        self.drafts[at] = Some(ApplyDraft {
            module: self.paths.of_module(union.id.module),
            place: self.sources[union.id.module].locate(&variant.ident),
            config: ApplyType {
                name: path.name.clone(),
                of: format!("{of_enum}::{}", bare_name(&variant.ident)),
                summary: docs::summary(&variant.attrs),
                cfg,
                is_comparable,
                names_deprecated: false,
                form: ApplyForm::Struct(ApplyStruct {
                    rename_all: container.rename_all.as_str().map(str::to_owned),
                    fields,
                    keys: Vec::new(),
                }),
            },
            path,
        });
        (ApplyContent::Value(ApplyValue::Config(name)), true)
    }
}

/// The enum that a variant belongs to.
struct UnionContext {
    id: DefId,
    serde: SerdeAttrs,
    tagging: Tagging,
    config: ConfigPath,
}

impl ApplyReader<'_, '_> {
    /// Returns the place of the next configuration, which precedes those that its fields lead to.
    fn reserve(&mut self) -> usize {
        self.drafts.push(None);
        self.drafts.len() - 1
    }

    fn serde(&self, attrs: &[Attribute], on: SerdeSite, scope: TypeScope<'_>) -> SerdeAttrs {
        SerdeAttrs::of_checked(attrs, on, &self.sources[scope.module])
    }

    fn serde_of(&self, id: DefId, item: &Item) -> SerdeAttrs {
        let module = &self.sources[id.module];
        SerdeAttrs::of_checked(attributes(item), SerdeSite::Type, module)
    }

    /// Returns the path of the configuration of an item.
    fn path_of(&self, id: DefId, name: &str) -> ConfigPath {
        let path = self
            .paths
            .own_path(id.module, name)
            .unwrap_or_else(|_| self.paths.definition(id.module, name));
        config_path(&path, self.project)
    }

    /// Returns the path of an item of the package's crate in generated code, and notes if the item
    /// is not visible there.
    pub(super) fn item_path(&mut self, id: DefId, name: &str) -> String {
        let found = self.paths.own_path(id.module, name);
        let item = &self.sources[id];
        let (ident, visibility, what, attrs) = match item {
            Item::Struct(item) => (&item.ident, &item.vis, "struct", &item.attrs),
            Item::Enum(item) => (&item.ident, &item.vis, "enum", &item.attrs),
            Item::Type(item) => (&item.ident, &item.vis, "alias", &item.attrs),
            _ => return found.unwrap_or_else(|_| self.paths.definition(id.module, name)),
        };
        if let Ok(path) = &found
            && docs::deprecation(attrs).is_some()
        {
            self.deprecated.insert(path.clone());
        }
        match found {
            Ok(path) if is_public(visibility) => path,
            found => {
                let path = self.paths.definition(id.module, name);
                let finding = unreachable_error((ident, what), found.err(), self.sources)
                    .at(self.sources[id.module].locate(ident));
                self.unreachable.insert(path.clone(), finding);
                path
            }
        }
    }

    pub(super) fn find_known(&mut self, names: &[String]) -> Option<Known> {
        if let Some(known) = self.known.get(names) {
            return known.clone();
        }
        let known = known::find_known(names);
        self.known.insert(names.to_vec(), known.clone());
        known
    }

    /// Notes the keys of a list that identifies its items by keys, if they are required. The API
    /// server sets the others.
    pub(super) fn note_keys(&mut self, list: &Schema, item: &ApplyValue) {
        let (Some(ListType::Map), ApplyValue::Config(name), Some(items)) =
            (list.list_type, item, &list.items)
        else {
            return;
        };
        let is_required = |key: &&String| {
            let property = items.properties.get(*key);
            let has_default = property.is_some_and(|schema| schema.default.is_some());
            items.required.contains(*key) && !has_default
        };
        let keys = list.list_map_keys.iter().filter(is_required).cloned();
        self.keys.entry(name.path.clone()).or_default().extend(keys);
    }
}

/// Reads the keys of a field. Their errors are reported with the schema.
fn field_attrs(field: &Field) -> SchemaAttrs {
    SchemaAttrs::parse(
        &field.attrs,
        AttributeTarget::of_field(&field.ty),
        &mut Problems::new(),
    )
}

fn has_untagged(item: &ItemEnum, module: &Module) -> bool {
    item.variants
        .iter()
        .any(|variant| SerdeAttrs::of_checked(&variant.attrs, SerdeSite::Variant, module).untagged)
}

/// Returns whether attributes of a type state its schema.
fn states_own_schema(item: &Item) -> bool {
    let (attrs, target) = match item {
        Item::Struct(item) => (&item.attrs, AttributeTarget::of_struct(&item.fields)),
        Item::Enum(item) => (&item.attrs, AttributeTarget::of_enum()),
        _ => return false,
    };
    states_schema(&SchemaAttrs::parse(attrs, target, &mut Problems::new()))
}

/// Returns whether serde writes these fields as a list.
fn is_list(fields: &Fields) -> bool {
    matches!(fields, Fields::Unnamed(_)) && fields.len() > 1
}

/// Returns whether serde writes a struct as its field.
fn is_newtype(item: &ItemStruct, serde: &SerdeAttrs) -> bool {
    serde.transparent || !matches!(item.fields, Fields::Named(_))
}

fn about_kind(
    kind: &Kind<'_>,
    resource: &Resource,
    fields: &[ApplyField],
    schema: Option<&Schema>,
) -> ApplyKind {
    let has = |name: &str| fields.iter().any(|field| field.name == name);
    let mut metadata_setters = vec!["labels", "annotations", "finalizers"];
    metadata_setters.retain(|name| !has(name));
    ApplyKind {
        type_path: resource.type_path.clone(),
        is_namespaced: resource.is_namespaced(),
        has_status: kind.attrs.status_subresource && has("status"),
        metadata_setters,
        granular: schema.map(granular_paths).unwrap_or_default(),
    }
}

fn kind_summary(kind: &Kind<'_>) -> Vec<String> {
    match kind.kube.as_ref().map(|root| &root.doc) {
        Some(Some(doc)) => doc.value.lines().map(str::to_owned).collect(),
        Some(None) => Vec::new(),
        None => docs::summary(kind.attributes()),
    }
}

/// Gives each setter the name of its field, with `_` if another function has that name.
fn name_setters(fields: &mut [ApplyField], reserved: &[&str]) {
    let mut taken: BTreeSet<String> = reserved.iter().map(|name| (*name).to_owned()).collect();
    let names: BTreeSet<_> = fields.iter().map(|field| field.name.clone()).collect();
    for field in fields {
        let mut setter = field.name.clone();
        while taken.contains(&setter) || (setter != field.name && names.contains(&setter)) {
            setter.push('_');
        }
        taken.insert(setter.clone());
        field.setter = setter;
    }
}
