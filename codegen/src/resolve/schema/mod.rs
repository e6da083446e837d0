//! Structural schemas of Rust types, as serde reads and writes them.

mod constraints;
mod defaults;
mod enums;
mod evaluate;
mod foreign_types;
mod messages;
mod pitfalls;
mod schema_code;
mod schemars;
mod serde_attrs;
mod stated_schemas;
mod structs;
mod types;
mod union;

use std::collections::{BTreeMap, BTreeSet};
use std::mem;

use genclient_syntax::{Help, Problems, SchemaAttrs, Shape, derives, is_genclient};
use syn::spanned::Spanned;
use syn::{Attribute, Fields, Ident, Item};

use super::cel::{FieldOrigin, RuleLocations, SchemaDialect, WITH_DERIVE};
use super::docs;
use super::kind::{Kind, KubeRoot, attributes};
use super::paths::Paths;
use crate::diagnostic::{Diagnostic, Location, Sink};
use crate::known::Known;
use crate::model::{JsonType, Schema};
use crate::sources::{DefId, ModuleId, Namespace, Sources, bare_name};
use constraints::ConstraintOutput;
pub(super) use enums::fields_of;
pub(super) use evaluate::evaluate_number;
pub(super) use foreign_types::mentions;
pub(super) use messages::explain_schema_error;
pub(super) use serde_attrs::{Rename, SerdeAttrs, SerdeSite, Tagging};
pub(super) use stated_schemas::{check_stated_schemas, warn_of_unused_schemas};
pub(super) use structs::{carries_value, is_phantom};
pub(super) use types::{
    GenericValue, declared_parameters, default_of, generics_of, parameter_name, stated_arguments,
    type_arguments,
};

/// State that all kinds of a pass share: resolved types, and locations of rules.
#[derive(Default)]
pub(super) struct SharedState<'a> {
    /// Schemas of types without generic parameters, by type, and whether a kube kind uses the type.
    items: BTreeMap<(DefId, bool), FieldSchema>,
    /// Results of looking up known types by path.
    known: BTreeMap<Vec<String>, Option<Known>>,
    /// Paths for which a schema stated in Cargo.toml was looked up.
    pub(super) stated_paths: BTreeSet<String>,
    /// Locations of the schemas' rules.
    pub(super) rules: RuleLocations,
    /// Items whose attributes have been read, and the errors in them reported.
    read: BTreeSet<DefId>,
    /// Kinds whose root types kube derives.
    roots: Vec<Kind<'a>>,
}

impl<'a> SharedState<'a> {
    /// Creates the state for a package with these kinds.
    pub(super) fn new(kinds: &[Kind<'a>]) -> Self {
        let roots = kinds.iter().filter(|kind| kind.kube.is_some());
        Self {
            roots: roots.cloned().collect(),
            ..Self::default()
        }
    }

    /// Forgets the resolved types, so that their errors are reported again. Lookups are kept.
    pub(super) fn forget_types(&mut self) {
        self.items.clear();
        self.read.clear();
    }

    /// True if the attributes of a type have been read, and the errors in them reported.
    pub(super) fn has_read(&self, id: DefId) -> bool {
        self.read.contains(&id)
    }
}

/// Returns the schema of a kind's objects.
pub(super) fn resolve_kind_schema<'a>(
    kind: &Kind<'a>,
    sources: &'a Sources,
    paths: &Paths<'a>,
    shared: &mut SharedState<'a>,
    sink: &mut Sink,
) -> Schema {
    let mut resolver = Resolver {
        sources,
        paths,
        sink,
        module: kind.id.module,
        parameters: Parameters::default(),
        open: vec![(kind.id.module, bare_name(&kind.attrs.ident))],
        stated: None,
        shared,
        from_kube: kind.kube.is_some(),
        functions: 0,
    };
    resolver.kind_schema(kind)
}

struct Resolver<'a, 'b> {
    sources: &'a Sources,
    paths: &'b Paths<'a>,
    sink: &'b mut Sink,
    /// Module of the type that is being read.
    module: ModuleId,
    /// Arguments for the generic parameters of the enclosing item.
    parameters: Parameters,
    /// Types whose schemas are being resolved, to find types that contain themselves.
    open: Vec<(ModuleId, String)>,
    /// Location of the part of a field's type that is not resolved, since an attribute states its
    /// schema. No other type is at the same location: a type that contains the part is longer.
    stated: Option<Location>,
    shared: &'b mut SharedState<'a>,
    /// True if the resolved kind is a kube kind: declared with kube's derive.
    from_kube: bool,
    /// Depth of nested functions that build a schema.
    functions: usize,
}

/// Schema of a field, item or value, with properties that depend on serde.
#[derive(Clone, Debug, Default)]
struct FieldSchema {
    schema: Schema,
    /// True for `Option<T>`: serde may write `null`, and reads an absent field as `None`.
    optional: bool,
    /// True if serde refuses unknown fields.
    closed: bool,
}

impl FieldSchema {
    fn new(schema: Schema) -> Self {
        Self {
            schema,
            ..Self::default()
        }
    }

    /// Returns the schema for a position that is never left out: an item, a map's value, or a field
    /// that serde always writes. If the type is an `Option` or any JSON, `null` is admitted.
    fn always_present(mut self) -> Schema {
        // Arbitrary JSON includes `null`.
        self.optional |= self.schema.is_any();
        self.nullable()
    }

    /// Returns the schema. If the type is an `Option`, `null` is admitted.
    fn nullable(mut self) -> Schema {
        if self.optional {
            self.schema.nullable = true;
            union::admit_null(&mut self.schema);
        }
        self.schema
    }
}

#[derive(Clone, Debug, Default)]
struct Parameters {
    types: BTreeMap<String, FieldSchema>,
    /// Values of const parameters; `None` for an unknown one.
    numbers: BTreeMap<String, Option<u64>>,
}

impl Parameters {
    /// Returns the argument of a type parameter.
    fn type_argument(&self, name: &Ident) -> Option<&FieldSchema> {
        let mut types = self.types.iter();
        types.find_map(|(known, field_schema)| (name == known).then_some(field_schema))
    }

    /// Returns the argument of a const parameter.
    fn number_argument(&self, name: &Ident) -> Option<Option<u64>> {
        self.numbers.get(&name.to_string()).copied()
    }
}

impl<'a> Resolver<'a, '_> {
    /// Calls `read` with another current module and without the current generic arguments.
    fn within<T>(&mut self, module: ModuleId, read: impl FnOnce(&mut Self) -> T) -> T {
        let around = mem::replace(&mut self.module, module);
        let parameters = mem::take(&mut self.parameters);
        let result = read(self);
        self.module = around;
        self.parameters = parameters;
        result
    }

    /// Returns the type whose fields are being read.
    fn container(&self) -> Option<(DefId, &'a Item)> {
        let (module, name) = self.open.last()?;
        self.sources
            .items_named(*module, name, Namespace::Types)
            .next()
    }

    fn report_problems(&mut self, problems: Problems) {
        let mark = self.sink.mark();
        let source = &self.sources[self.module].source;
        self.sink.problems(problems, source);
        self.add_derive_since(mark);
    }

    fn report(&mut self, node: &impl Spanned, message: impl Into<String>, help: impl Into<Help>) {
        let at = self.locate(node);
        let help = self.with_derive(help.into());
        self.sink.push(Diagnostic::error(message).at(at).help(help));
    }

    fn warn(&mut self, node: &impl Spanned, message: impl Into<String>, help: impl Into<Help>) {
        let at = self.locate(node);
        let help = self.with_derive(help.into());
        self.sink
            .push(Diagnostic::warning(message).at(at).help(help));
    }

    fn locate(&self, node: &impl Spanned) -> Location {
        self.sources[self.module].locate(node)
    }

    /// Reads the serde attributes of a type, a field or a variant. Reports `alias`, except for kube
    /// kinds.
    fn serde(&mut self, attrs: &[Attribute], site: SerdeSite) -> SerdeAttrs {
        let serde =
            serde_attrs::parse_serde_attrs(attrs, site, &self.sources[self.module], self.sink);
        // schemars ignores aliases, so an error would refuse CRDs that are already in use.
        if let Some(alias) = serde.alias.filter(|_| !self.from_kube) {
            let message = "`alias` is not supported: the API server prunes every name but one";
            let help = "remove the alias, or serve the old name in a separate version";
            self.report(&alias, message, help);
        }
        serde
    }

    fn constrain(&mut self, attrs: &SchemaAttrs, schema: Schema, shape: &Shape) -> Schema {
        let mark = self.sink.mark();
        let output = ConstraintOutput {
            module: &self.sources[self.module],
            rule_locations: &mut self.shared.rules,
            sink: self.sink,
        };
        let schema = constraints::apply_constraints(attrs, schema, shape, output);
        self.add_derive_since(mark);
        schema
    }
}

impl<'a> Resolver<'a, '_> {
    fn kind_schema(&mut self, kind: &Kind<'a>) -> Schema {
        let mut schema = match (&kind.kube, kind.item) {
            (Some(root), _) => self.kube_root(kind, root),
            (None, Item::Struct(item)) => self.root(kind, item),
            (None, _) => Schema::typed(JsonType::Object),
        };
        let text = |description: &str| Schema {
            description: Some(description.to_owned()),
            ..Schema::typed(JsonType::String)
        };
        // The descriptions do not name the version: versions with equal selectable fields must have
        // equal schemas, see `crds::checks::selectable_fields`.
        let meta = [
            ("apiVersion", text("API group and version of this object.")),
            ("kind", text("Kind of this object.")),
            ("metadata", Schema::typed(JsonType::Object)),
        ];
        for (name, property) in meta {
            schema.properties.insert(name.to_owned(), property.into());
            if !(name == "metadata" && requires_metadata(kind)) {
                schema.required.remove(name);
            }
        }
        self.check_status(kind, &schema);
        schema.description = match &kind.kube {
            Some(KubeRoot { doc: Some(doc), .. }) => Some(doc.value.trim().to_owned()),
            _ => docs::description(kind.attributes()),
        };
        self.constrain(&kind.attrs.schema, schema, &Shape::Struct)
    }

    /// Reports a required status. The API server drops the status of a new object, and would then
    /// refuse the object.
    fn check_status(&mut self, kind: &Kind<'a>, schema: &Schema) {
        let Item::Struct(item) = kind.item else {
            return;
        };
        let field = item.fields.iter().find(|field| {
            let name = field.ident.as_ref();
            name.is_some_and(|name| name == "status")
        });
        if let Some(field) = field
            && kind.attrs.status_subresource
            && schema.required.contains("status")
        {
            self.report(
                &field.ty,
                "`status` must not be required: the API server drops it from a new object, and would then refuse the object",
                "make it an `Option<…>`, or add `#[serde(default)]`",
            );
        }
    }

    /// Returns the object schema of a kind's fields.
    fn root(&mut self, kind: &Kind<'a>, item: &'a syn::ItemStruct) -> Schema {
        let container = self.serde(&item.attrs, SerdeSite::Type);
        let attrs = &kind.attrs;
        let schema = self.members(&container, &item.fields, &attrs.fields);
        self.check_choices(&attrs.schema, &item.fields, &container, &schema);
        schema
    }
}

/// True for `#[crd(required)]` on `metadata`. Without the attribute, `metadata` is not required,
/// since the API server sets it on every object.
fn requires_metadata(kind: &Kind<'_>) -> bool {
    let Item::Struct(item) = kind.item else {
        return false;
    };
    let mut fields = item.fields.iter().zip(&kind.attrs.fields);
    fields.any(|(field, attrs)| {
        let name = field.ident.as_ref();
        name.is_some_and(|name| name == "metadata") && attrs.required.is_set()
    })
}

impl Resolver<'_, '_> {
    /// Reports `#[crd(…)]` on a type without `CrdSchema`: rustc refuses the attribute. In a crate
    /// from a registry, the attribute belongs to another derive, so it is not reported.
    fn refuse_crd_without_derive(&mut self, item: &Item, module: ModuleId) {
        if reads_crd(item) || self.sources[self.sources[module].krate].foreign {
            return;
        }
        let Some(attr) = crd_attribute(item) else {
            return;
        };
        self.within(module, |resolver| {
            resolver.report(
                attr.path(),
                "`crd` needs the derive `CrdSchema`",
                "add `genclient::CrdSchema` to the derives of the type",
            );
        });
    }

    /// If help suggests `#[crd(…)]` and the current type lacks the derive `CrdSchema`, adds the
    /// derive to the help.
    fn with_derive(&self, help: Help) -> Help {
        if self.lacks_derive() {
            add_derive(help)
        } else {
            help
        }
    }

    /// Adds the derive to the help of findings since a mark, as [`Self::with_derive`] does.
    fn add_derive_since(&mut self, mark: usize) {
        if self.lacks_derive() {
            for finding in self.sink.since(mark) {
                finding.help = finding.help.take().map(add_derive);
            }
        }
    }

    /// True if the current type must derive `CrdSchema` before `#[crd(…)]` is allowed on it.
    fn lacks_derive(&self) -> bool {
        let is_underived = |item: &Item| !matches!(item, Item::Type(_)) && !reads_crd(item);
        self.container().is_some_and(|(_, item)| is_underived(item))
    }
}

impl Resolver<'_, '_> {
    /// Returns the origin of a field of the current type, for help about rules.
    fn origin(&self, attrs: &SchemaAttrs) -> FieldOrigin {
        FieldOrigin {
            dialect: if self.is_of_schemars() {
                SchemaDialect::of_schemars(self.sources)
            } else if self.lacks_derive() {
                SchemaDialect::CrdWithoutDerive
            } else {
                SchemaDialect::Crd
            },
            has_schema_with: attrs.schema_with.is_some(),
        }
    }
}

/// Adds the derive that `#[crd(…)]` needs to help that suggests the attribute and not the derive.
fn add_derive(help: Help) -> Help {
    if help.contains("#[crd(") && !help.contains("CrdSchema") {
        format!("{help}{WITH_DERIVE}").into()
    } else {
        help
    }
}

/// True for a type with a macro that reads `#[crd(…)]`.
fn reads_crd(item: &Item) -> bool {
    let attrs = attributes(item);
    derives(attrs, "CrdSchema") || attrs.iter().any(is_genclient)
}

/// Returns the first `#[crd(…)]` on the type, its variants or its fields.
fn crd_attribute(item: &Item) -> Option<&Attribute> {
    find_crd_attribute(attributes(item)).or_else(|| match item {
        Item::Struct(item) => find_attribute_of_fields(&item.fields),
        Item::Enum(item) => item.variants.iter().find_map(|variant| {
            find_crd_attribute(&variant.attrs).or_else(|| find_attribute_of_fields(&variant.fields))
        }),
        _ => None,
    })
}

fn find_attribute_of_fields(fields: &Fields) -> Option<&Attribute> {
    fields
        .iter()
        .find_map(|field| find_crd_attribute(&field.attrs))
}

fn find_crd_attribute(attrs: &[Attribute]) -> Option<&Attribute> {
    attrs.iter().find(|attr| attr.path().is_ident("crd"))
}
