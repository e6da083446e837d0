//! Types of one module: the Rust type of each schema, shared between equal schemas.

mod declared;
mod names;
mod scalars;

use std::collections::BTreeMap;

use genclient_codegen::{JsonType, Schema};

use super::attribute::KeyArgument;
use super::constraints::{self, Shape};
use super::{docs, kubernetes, losses, names as rust};
pub(super) use declared::{Body, Field, OwnType, RustType, Struct};
pub(super) use names::{RESERVED, assign};
use scalars::{any, int_or_string, integer, number, open_object, path, string, strings};

/// A place in a definition that needs a type.
#[derive(Clone, Debug)]
pub(super) struct TypePlace {
    /// The version and the path: `v1.spec.size`.
    pub(super) path: String,
    /// The kind and the fields of the path, as parts of a type name: `Shop`, `Spec`, `Size`.
    pub(super) words: Vec<String>,
    /// The name of the innermost field.
    pub(super) field: String,
}

impl TypePlace {
    fn field(&self, name: &str) -> Self {
        let mut words = self.words.clone();
        words.push(rust::words(name));
        Self {
            path: format!("{}.{name}", self.path),
            words,
            field: name.to_owned(),
        }
    }

    fn inner(&self, step: &str) -> Self {
        let mut inner = self.clone();
        inner.path.push_str(step);
        if let Some(last) = inner.words.last_mut() {
            *last = rust::singular(last);
        }
        inner.field = rust::singular(&inner.field);
        inner
    }
}

/// Whether the CRD shows a type's doc comment at one place that uses the type.
#[derive(Clone)]
enum Description {
    /// The place has its own description, which appears instead.
    Hidden,
    /// The doc comment must be this description; `None` if the CRD has none at the place.
    Shown(Option<String>),
}

/// The types of a module, collected while its schemas are converted.
#[derive(Default)]
pub(super) struct ModuleTypes {
    pub(super) own: Vec<OwnType>,
    /// True if no CRD is generated. Types may then accept more than the definition.
    client_only: bool,
    /// Indices of types by the JSON text of their schemas. Description, default and `nullable` are
    /// left out, because they belong to fields.
    by_schema: BTreeMap<String, Vec<usize>>,
}

impl ModuleTypes {
    pub(super) fn new(client_only: bool) -> Self {
        Self {
            client_only,
            ..Self::default()
        }
    }

    /// The fields of an object.
    pub(super) fn fields(&mut self, schema: &Schema, place: &TypePlace) -> Vec<Field> {
        let properties = schema.properties.iter();
        properties
            .map(|(name, property)| {
                let required = schema.required.contains(name);
                self.field(name, property, required, &place.field(name))
            })
            .collect()
    }

    fn field(&mut self, name: &str, schema: &Schema, required: bool, place: &TypePlace) -> Field {
        let description = docs::kept(schema.description.as_deref());
        let shown = match &description {
            Some(_) => Description::Hidden,
            None => Description::Shown(None),
        };
        let (mut type_, mut arguments) = self.value(schema, place, shown);
        self.note_default(&type_, schema);
        let mut optional = !required;
        if required && !schema.nullable {
            arguments.extend(without_null(&type_, &arguments));
        }
        if schema.nullable || optional {
            type_ = RustType::Option(type_.into());
        }
        if required && (schema.nullable || schema.default.is_some()) {
            arguments.insert(0, KeyArgument::Flag("required"));
            optional = false;
        }
        if schema.nullable {
            arguments.insert(0, KeyArgument::Flag("nullable"));
        }
        if let Some(default) = &schema.default {
            arguments.push(KeyArgument::Value("default", default.clone()));
        }
        Field {
            name: name.to_owned(),
            description,
            type_,
            optional,
            arguments,
        }
    }

    /// The type of a value, and the attribute arguments of its field.
    fn value(
        &mut self,
        schema: &Schema,
        place: &TypePlace,
        shown: Description,
    ) -> (RustType, Vec<KeyArgument>) {
        let core = losses::bare(schema);
        let known = kubernetes::of_shape(&core, &place.field).or_else(|| {
            if self.client_only {
                kubernetes::containing(&core, &place.field)
            } else {
                None
            }
        });
        if let Some(path) = known {
            return (RustType::Path(path.to_owned()), Vec::new());
        }
        let (type_, base) = match core.type_ {
            None if core.int_or_string => int_or_string(),
            None => any(),
            Some(JsonType::Boolean) => path("bool", constraints::scalar(JsonType::Boolean, None)),
            Some(JsonType::Integer) => integer(core.format.as_deref()),
            Some(JsonType::Number) => number(core.format.as_deref()),
            Some(JsonType::String) => match strings(&core) {
                Some(values) => return self.enumeration(core, values, place, shown),
                None => string(&core),
            },
            Some(JsonType::Array) => return self.list(&core, place),
            Some(JsonType::Object) if core.additional_properties.is_some() => {
                return self.map(&core, place);
            }
            Some(JsonType::Object)
                if core.properties.is_empty()
                    && (core.preserve_unknown_fields || core.embedded_resource) =>
            {
                open_object()
            }
            Some(JsonType::Object) => return self.structure(core, place, shown),
        };
        match constraints::beside(&base, &core, Shape::Other) {
            Some(arguments) => (type_, arguments),
            None => (type_, constraints::stated(&core)),
        }
    }

    fn list(&mut self, core: &Schema, place: &TypePlace) -> (RustType, Vec<KeyArgument>) {
        let (items, stated) = self.inner(core.items.as_deref(), &place.inner("[]"));
        let type_ = RustType::List(items.into());
        let base = Schema {
            items: core.items.clone(),
            ..Schema::typed(JsonType::Array)
        };
        let Some(mut arguments) = constraints::beside(&base, core, Shape::Other) else {
            return (type_, constraints::stated(core));
        };
        if !stated.is_empty() {
            arguments.push(KeyArgument::List("items", stated));
        }
        (type_, arguments)
    }

    fn map(&mut self, core: &Schema, place: &TypePlace) -> (RustType, Vec<KeyArgument>) {
        let values = core.additional_properties.as_deref();
        let (values, stated) = self.inner(values, &place.inner(".*"));
        let type_ = RustType::Map(values.into());
        let base = Schema {
            additional_properties: core.additional_properties.clone(),
            ..Schema::typed(JsonType::Object)
        };
        let Some(mut arguments) = constraints::beside(&base, core, Shape::Other) else {
            return (type_, constraints::stated(core));
        };
        if !stated.is_empty() {
            arguments.push(KeyArgument::List("values", stated));
        }
        (type_, arguments)
    }

    /// The type and arguments of a list item or a map value.
    fn inner(
        &mut self,
        schema: Option<&Schema>,
        place: &TypePlace,
    ) -> (RustType, Vec<KeyArgument>) {
        let Some(schema) = schema else {
            let (any, _) = any();
            return (any, Vec::new());
        };
        let description = docs::kept(schema.description.as_deref());
        let (mut type_, mut arguments) =
            self.value(schema, place, Description::Shown(description.clone()));
        self.note_default(&type_, schema);
        let is_own = matches!(type_, RustType::Own(_));
        if let Some(description) = description
            && !is_own
            && !is_kubernetes(&type_, &arguments)
        {
            arguments = with_description(schema, description);
        }
        if schema.nullable {
            type_ = RustType::Option(type_.into());
        } else {
            arguments.extend(without_null(&type_, &arguments));
        }
        if let Some(default) = &schema.default {
            arguments.push(KeyArgument::Value("default", default.clone()));
        }
        (type_, arguments)
    }

    fn structure(
        &mut self,
        core: Schema,
        place: &TypePlace,
        shown: Description,
    ) -> (RustType, Vec<KeyArgument>) {
        let declares_all = core
            .required
            .iter()
            .all(|name| core.properties.contains_key(name));
        let arguments = constraints::beside(
            &Schema {
                preserve_unknown_fields: core.preserve_unknown_fields,
                properties: core.properties.clone(),
                required: core.required.clone(),
                ..Schema::typed(JsonType::Object)
            },
            &core,
            Shape::Struct,
        )
        .filter(|_| declares_all);
        let beside = match &arguments {
            Some(_) => Vec::new(),
            None => constraints::stated(&core),
        };
        let body = |types: &mut Self| {
            Body::Struct(Struct {
                fields: types.fields(&core, place),
                arguments: arguments.clone().unwrap_or_default(),
                open: core.preserve_unknown_fields,
            })
        };
        let own = self.shared(&core, place, shown, body);
        (RustType::Own(own), beside)
    }

    fn enumeration(
        &mut self,
        core: Schema,
        values: Vec<String>,
        place: &TypePlace,
        shown: Description,
    ) -> (RustType, Vec<KeyArgument>) {
        let bare = Schema {
            enum_: core.enum_.clone(),
            ..Schema::typed(JsonType::String)
        };
        let arguments = constraints::beside(&bare, &core, Shape::Other);
        let own = self.shared(&bare, place, shown, |_| Body::Enum(values));
        let arguments = arguments.unwrap_or_else(|| constraints::stated(&core));
        (RustType::Own(own), arguments)
    }

    /// Records the default of a place at the type that the place uses.
    fn note_default(&mut self, type_: &RustType, schema: &Schema) {
        let (RustType::Own(at), Some(default)) = (type_, &schema.default) else {
            return;
        };
        let defaults = &mut self.own[*at].defaults;
        if !defaults.contains(default) {
            defaults.push(default.clone());
        }
    }

    /// The index of the type of a schema. A type is created if none has the same schema and a
    /// compatible description.
    fn shared(
        &mut self,
        core: &Schema,
        place: &TypePlace,
        shown: Description,
        body: impl FnOnce(&mut Self) -> Body,
    ) -> usize {
        let mut key = serde_json::to_string(core).unwrap_or_default();
        // Structs of one field and enums of one value are often equal by chance. They are shared
        // only between fields of the same name.
        if core.properties.len() < 2 && core.enum_.len() < 2 {
            key = format!("{}: {key}", place.field);
        }
        let candidates = self.by_schema.get(&key).cloned().unwrap_or_default();
        let found = candidates.into_iter().find(|at| {
            let theirs = &self.own[*at].description;
            match (&shown, theirs) {
                (Description::Hidden, _) | (Description::Shown(_), None) => true,
                (Description::Shown(ours), Some(theirs)) => ours == theirs,
            }
        });
        let at = match found {
            Some(at) => at,
            None => {
                let body = body(self);
                self.own.push(OwnType {
                    body,
                    description: None,
                    places: Vec::new(),
                    path: place.path.clone(),
                    defaults: Vec::new(),
                });
                self.by_schema
                    .entry(key)
                    .or_default()
                    .push(self.own.len() - 1);
                self.own.len() - 1
            }
        };
        let own = &mut self.own[at];
        own.places.push(place.words.clone());
        if let Description::Shown(description) = shown {
            own.description = Some(description);
        }
        at
    }
}

/// For a value that must not be `null`: the arguments that exclude `null` from its schema. Only a
/// `serde_json::Value` needs them, because `update` gives such a value a schema that admits `null`,
/// unless another argument restricts it (`SchemaAttrs::restricts_any`). Otherwise empty.
fn without_null(type_: &RustType, arguments: &[KeyArgument]) -> Vec<KeyArgument> {
    let is_any = matches!(type_, RustType::Path(path) if path == "serde_json::Value");
    let restricts = |argument: &KeyArgument| match argument {
        KeyArgument::Value(name, _) => matches!(*name, "schema" | "enum"),
        KeyArgument::Flag(name) => *name == "embedded_resource",
        KeyArgument::List(..) | KeyArgument::Pair(..) => false,
    };
    if is_any && !arguments.iter().any(restricts) {
        return vec![
            KeyArgument::Flag("schemaless"),
            KeyArgument::Flag("preserve_unknown_fields"),
        ];
    }
    Vec::new()
}

/// True for an unmodified Kubernetes type with properties, which has its own descriptions.
fn is_kubernetes(type_: &RustType, arguments: &[KeyArgument]) -> bool {
    let RustType::Path(path) = type_ else {
        return false;
    };
    let is_described =
        || kubernetes::schema(path).is_some_and(|schema| !schema.properties.is_empty());
    arguments.is_empty() && is_described()
}

/// Arguments that state the whole schema with its description, for list items and map values whose
/// type is not declared here, such as `String`. No doc comment could hold their description.
fn with_description(schema: &Schema, description: String) -> Vec<KeyArgument> {
    let mut arguments = constraints::stated(schema);
    if let Some(KeyArgument::Value("schema", stated)) = arguments.first_mut()
        && let Some(members) = stated.as_object_mut()
    {
        members.insert("description".to_owned(), description.into());
        if schema.nullable {
            members.insert("nullable".to_owned(), true.into());
        }
    }
    arguments
}
