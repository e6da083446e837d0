//! Types of one module: the Rust type of each schema, shared between equal schemas.

use std::collections::{BTreeMap, BTreeSet};

use genclient_codegen::{JsonType, Schema};
use serde_json::Value;

use super::attribute::KeyArgument;
use super::constraints::{self, Shape};
use super::{docs, kubernetes, losses, names};

/// The type of a field.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum RustType {
    /// An existing type, by its path.
    Path(String),
    /// A type of this module, by its index.
    Own(usize),
    List(Box<RustType>),
    Map(Box<RustType>),
    Option(Box<RustType>),
}

impl RustType {
    /// The index of a type of this module, which may be in an `Option`.
    fn own_type(&self) -> Option<usize> {
        match self {
            Self::Own(at) => Some(*at),
            Self::Option(inner) => inner.own_type(),
            Self::Path(_) | Self::List(_) | Self::Map(_) => None,
        }
    }
}

/// A struct or an enum of this module.
#[derive(Clone, Debug)]
pub(super) struct OwnType {
    pub(super) body: Body,
    pub(super) description: Description,
    /// The locations that use the type, each as the kind and the fields of its path: `Shop`,
    /// `Spec`, `Size`.
    pub(super) uses: Vec<Vec<String>>,
    /// The first of these locations as a path, with the version: `v1.spec.size`.
    pub(super) path: String,
    /// The defaults of the locations that use the type.
    pub(super) defaults: Vec<Value>,
    /// The values of these locations in the defaults of objects around them.
    pub(super) inner_defaults: Vec<Value>,
}

impl OwnType {
    /// The default of an enum: the value that is the default of every location with a default. If
    /// no location has one, the defaults of objects around them count.
    pub(super) fn default_value(&self) -> Option<&str> {
        let stated = if self.defaults.is_empty() {
            &self.inner_defaults
        } else {
            &self.defaults
        };
        match (&self.body, &stated[..]) {
            (Body::Enum(values), [Value::String(default)]) if values.contains(default) => {
                Some(default)
            }
            _ => None,
        }
    }
}

/// The fields or variants of a type.
#[derive(Clone, Debug)]
pub(super) enum Body {
    Struct(Struct),
    /// An enum, by its values.
    Enum(Vec<String>),
    /// An enum with data: an object with exactly one of several properties.
    Union(Union),
}

impl Body {
    /// The fields of a struct, or the contents of an enum's variants.
    pub(super) fn fields(&self) -> &[Field] {
        match self {
            Self::Struct(body) => &body.fields,
            Self::Union(body) => &body.variants,
            Self::Enum(_) => &[],
        }
    }
}

/// The variants of an enum with data, and its attributes.
#[derive(Clone, Debug)]
pub(super) struct Union {
    /// The property of each variant, in the order of `oneOf`.
    pub(super) variants: Vec<Field>,
    pub(super) arguments: Vec<KeyArgument>,
}

/// The fields of a struct, and its attributes.
#[derive(Clone, Debug, Default)]
pub(super) struct Struct {
    pub(super) fields: Vec<Field>,
    pub(super) arguments: Vec<KeyArgument>,
    /// True if the struct preserves unknown fields.
    pub(super) open: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Field {
    /// The name in JSON.
    pub(super) name: String,
    pub(super) description: Option<String>,
    pub(super) type_: RustType,
    /// True if serde omits the field when it is `None`.
    pub(super) optional: bool,
    pub(super) arguments: Vec<KeyArgument>,
}

/// A location in a definition that needs a type.
#[derive(Clone, Debug)]
pub(super) struct TypeLocation {
    /// The version and the path: `v1.spec.size`.
    pub(super) path: String,
    /// The kind and the fields of the path, as parts of a type name: `Shop`, `Spec`, `Size`.
    pub(super) name_chain: Vec<String>,
    /// The name of the innermost field.
    pub(super) field: String,
}

impl TypeLocation {
    fn field(&self, name: &str) -> Self {
        let mut name_chain = self.name_chain.clone();
        name_chain.push(names::type_name_part(name));
        Self {
            path: format!("{}.{name}", self.path),
            name_chain,
            field: name.to_owned(),
        }
    }

    fn inner(&self, step: &str) -> Self {
        let mut inner = self.clone();
        inner.path.push_str(step);
        if let Some(last) = inner.name_chain.last_mut() {
            *last = names::singularize(last);
        }
        inner.field = names::singularize(&inner.field);
        inner
    }
}

/// The description that a CRD shows where a type is used.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Description {
    /// The doc comment of the type never appears: each field has a description of its own.
    Hidden,
    /// The doc comment must be this description; `None` if the CRD has none there. The type is a
    /// list item, a map value, or the type of a field without a description of its own.
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

    pub(super) fn is_client_only(&self) -> bool {
        self.client_only
    }

    /// The variants of an object with exactly one of its properties.
    fn variants(&mut self, schema: &Schema, location: &TypeLocation) -> Vec<Field> {
        let names = schema.one_of.iter().filter_map(only_required);
        let properties = names.filter_map(|name| schema.properties.get_key_value(name));
        properties
            .map(|(name, property)| self.field(name, property, true, &location.field(name)))
            .collect()
    }

    /// The fields of an object.
    pub(super) fn fields(&mut self, schema: &Schema, location: &TypeLocation) -> Vec<Field> {
        let properties = schema.properties.iter();
        properties
            .map(|(name, property)| {
                let required = schema.required.contains(name);
                self.field(name, property, required, &location.field(name))
            })
            .collect()
    }

    fn field(
        &mut self,
        name: &str,
        schema: &Schema,
        required: bool,
        location: &TypeLocation,
    ) -> Field {
        let description = docs::trim_description(schema.description.as_deref());
        let shown = match &description {
            Some(_) => Description::Hidden,
            None => Description::Shown(None),
        };
        let (mut type_, mut arguments) = self.value(schema, location, shown);
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
        location: &TypeLocation,
        shown: Description,
    ) -> (RustType, Vec<KeyArgument>) {
        let core = losses::without_field_keywords(schema);
        let known = kubernetes::find_by_shape(&core, &location.field).or_else(|| {
            if self.client_only {
                kubernetes::find_containing(&core, &location.field)
            } else {
                None
            }
        });
        if let Some(path) = known {
            return (RustType::Path(path.to_owned()), Vec::new());
        }
        let (type_, base) = match core.type_ {
            None if core.int_or_string => int_or_string_type(),
            None => any_type(),
            Some(JsonType::Boolean) => {
                path_type("bool", constraints::scalar_schema(JsonType::Boolean, None))
            }
            Some(JsonType::Integer) => integer_type(core.format.as_deref()),
            Some(JsonType::Number) => number_type(core.format.as_deref()),
            Some(JsonType::String) => match enum_values(&core) {
                Some(values) => return self.enumeration(core, values, location, shown),
                None => string_type(&core),
            },
            Some(JsonType::Array) => return self.list(&core, location),
            Some(JsonType::Object) if core.additional_properties.is_some() => {
                return self.map(&core, location);
            }
            Some(JsonType::Object)
                if core.properties.is_empty()
                    && (core.preserve_unknown_fields || core.embedded_resource) =>
            {
                open_object_type()
            }
            Some(JsonType::Object) => {
                return match union_arguments(&core) {
                    Some(arguments) => (self.union(core, arguments, location, shown), Vec::new()),
                    None => self.structure(core, location, shown),
                };
            }
        };
        match constraints::arguments_between(&base, &core, Shape::Other) {
            Some(arguments) => (type_, arguments),
            None => (type_, constraints::schema_arguments(&core)),
        }
    }

    fn list(&mut self, core: &Schema, location: &TypeLocation) -> (RustType, Vec<KeyArgument>) {
        let (items, item_arguments) = self.inner(core.items.as_deref(), &location.inner("[]"));
        let type_ = RustType::List(items.into());
        let base = Schema {
            items: core.items.clone(),
            ..Schema::typed(JsonType::Array)
        };
        let Some(mut arguments) = constraints::arguments_between(&base, core, Shape::Other) else {
            return (type_, constraints::schema_arguments(core));
        };
        if !item_arguments.is_empty() {
            arguments.push(KeyArgument::List("items", item_arguments));
        }
        (type_, arguments)
    }

    fn map(&mut self, core: &Schema, location: &TypeLocation) -> (RustType, Vec<KeyArgument>) {
        let values = core.additional_properties.as_deref();
        let (values, value_arguments) = self.inner(values, &location.inner(".*"));
        let type_ = RustType::Map(values.into());
        let base = Schema {
            additional_properties: core.additional_properties.clone(),
            ..Schema::typed(JsonType::Object)
        };
        let Some(mut arguments) = constraints::arguments_between(&base, core, Shape::Other) else {
            return (type_, constraints::schema_arguments(core));
        };
        if !value_arguments.is_empty() {
            arguments.push(KeyArgument::List("values", value_arguments));
        }
        (type_, arguments)
    }

    /// The type and arguments of a list item or a map value.
    fn inner(
        &mut self,
        schema: Option<&Schema>,
        location: &TypeLocation,
    ) -> (RustType, Vec<KeyArgument>) {
        let Some(schema) = schema else {
            let (any, _) = any_type();
            return (any, Vec::new());
        };
        let description = docs::trim_description(schema.description.as_deref());
        let (mut type_, mut arguments) =
            self.value(schema, location, Description::Shown(description.clone()));
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
        location: &TypeLocation,
        shown: Description,
    ) -> (RustType, Vec<KeyArgument>) {
        let declares_all = core
            .required
            .iter()
            .all(|name| core.properties.contains_key(name));
        let arguments = constraints::arguments_between(
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
            None => constraints::schema_arguments(&core),
        };
        let body = |types: &mut Self| {
            Body::Struct(Struct {
                fields: types.fields(&core, location),
                arguments: arguments.clone().unwrap_or_default(),
                open: core.preserve_unknown_fields,
            })
        };
        let own = self.shared(&core, location, shown, body);
        (RustType::Own(own), beside)
    }

    fn union(
        &mut self,
        core: Schema,
        arguments: Vec<KeyArgument>,
        location: &TypeLocation,
        shown: Description,
    ) -> RustType {
        let body = |types: &mut Self| {
            Body::Union(Union {
                variants: types.variants(&core, location),
                arguments,
            })
        };
        RustType::Own(self.shared(&core, location, shown, body))
    }

    fn enumeration(
        &mut self,
        core: Schema,
        values: Vec<String>,
        location: &TypeLocation,
        shown: Description,
    ) -> (RustType, Vec<KeyArgument>) {
        let bare = Schema {
            enum_: core.enum_.clone(),
            ..Schema::typed(JsonType::String)
        };
        let arguments = constraints::arguments_between(&bare, &core, Shape::Other);
        let own = self.shared(&bare, location, shown, |_| Body::Enum(values));
        let arguments = arguments.unwrap_or_else(|| constraints::schema_arguments(&core));
        (RustType::Own(own), arguments)
    }

    /// Records the default of a location at the type that the location uses.
    fn note_default(&mut self, type_: &RustType, schema: &Schema) {
        let (Some(at), Some(default)) = (type_.own_type(), &schema.default) else {
            return;
        };
        add_once(&mut self.own[at].defaults, default);
        self.note_members(at, default);
    }

    /// Records the members of an object's default at the types of its fields.
    fn note_members(&mut self, at: usize, default: &Value) {
        let member = |field: &Field| {
            let value = default.get(&field.name)?;
            Some((field.type_.own_type()?, value.clone()))
        };
        let fields = self.own[at].body.fields().iter();
        let members: Vec<_> = fields.filter_map(member).collect();
        for (at, value) in members {
            add_once(&mut self.own[at].inner_defaults, &value);
            self.note_members(at, &value);
        }
    }

    /// The index of the type of a schema. A type is created if none has the same schema and a
    /// compatible description.
    fn shared(
        &mut self,
        core: &Schema,
        location: &TypeLocation,
        shown: Description,
        body: impl FnOnce(&mut Self) -> Body,
    ) -> usize {
        let mut key = serde_json::to_string(core).unwrap_or_default();
        // Structs of one field and enums of one value are often equal by chance. They are shared
        // only between fields of the same name.
        if core.properties.len() < 2 && core.enum_.len() < 2 {
            key = format!("{}: {key}", location.field);
        }
        let candidates = self.by_schema.get(&key).cloned().unwrap_or_default();
        let found = candidates.into_iter().find(|at| {
            let theirs = &self.own[*at].description;
            match (&shown, theirs) {
                (Description::Hidden, _) | (_, Description::Hidden) => true,
                (ours, theirs) => ours == theirs,
            }
        });
        let at = match found {
            Some(at) => at,
            None => {
                let body = body(self);
                self.own.push(OwnType {
                    body,
                    description: Description::Hidden,
                    uses: Vec::new(),
                    path: location.path.clone(),
                    defaults: Vec::new(),
                    inner_defaults: Vec::new(),
                });
                self.by_schema
                    .entry(key)
                    .or_default()
                    .push(self.own.len() - 1);
                self.own.len() - 1
            }
        };
        let own = &mut self.own[at];
        own.uses.push(location.name_chain.clone());
        if shown != Description::Hidden {
            own.description = shown;
        }
        at
    }
}

/// For an object that `update` writes for an enum with data, except for its rules: the arguments
/// that state the rules. The enum is externally tagged, so each branch of `oneOf` requires one of
/// the properties. A default would belong to one variant, and serde reads no `null`.
fn union_arguments(core: &Schema) -> Option<Vec<KeyArgument>> {
    let bare = Schema {
        properties: core.properties.clone(),
        one_of: core.one_of.clone(),
        ..Schema::typed(JsonType::Object)
    };
    let with_rules = Schema {
        validations: core.validations.clone(),
        ..bare.clone()
    };
    let required: Option<Vec<&String>> = core.one_of.iter().map(only_required).collect();
    let names: BTreeSet<&String> = required?.into_iter().collect();
    let has_content = |schema: &Schema| {
        let has_type = schema.type_.is_some() || schema.int_or_string;
        has_type && !schema.nullable && schema.default.is_none()
    };
    let is_union = *core == with_rules
        && names.len() > 1
        && names.len() == core.one_of.len()
        && names.into_iter().eq(core.properties.keys())
        && core.properties.values().all(|schema| has_content(schema));
    constraints::arguments_between(&bare, core, Shape::Other).filter(|_| is_union)
}

/// The property that a schema requires, if it states nothing else.
fn only_required(schema: &Schema) -> Option<&String> {
    let bare = Schema {
        required: schema.required.clone(),
        ..Schema::default()
    };
    let name = schema.required.first()?;
    (*schema == bare && schema.required.len() == 1).then_some(name)
}

fn add_once(values: &mut Vec<Value>, value: &Value) {
    if !values.contains(value) {
        values.push(value.clone());
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
        || kubernetes::type_schema(path).is_some_and(|schema| !schema.properties.is_empty());
    arguments.is_empty() && is_described()
}

/// Arguments that state the whole schema with its description, for list items and map values whose
/// type is not declared here, such as `String`. No doc comment could hold their description.
fn with_description(schema: &Schema, description: String) -> Vec<KeyArgument> {
    let mut arguments = constraints::schema_arguments(schema);
    if let Some(KeyArgument::Value("schema", schema_value)) = arguments.first_mut()
        && let Some(members) = schema_value.as_object_mut()
    {
        members.insert("description".to_owned(), description.into());
        if schema.nullable {
            members.insert("nullable".to_owned(), true.into());
        }
    }
    arguments
}

fn path_type(path: &str, base: Schema) -> (RustType, Schema) {
    (RustType::Path(path.to_owned()), base)
}

fn int_or_string_type() -> (RustType, Schema) {
    let base = Schema {
        any_of: vec![
            Schema::typed(JsonType::Integer),
            Schema::typed(JsonType::String),
        ],
        int_or_string: true,
        ..Schema::default()
    };
    path_type(
        "k8s_openapi::apimachinery::pkg::util::intstr::IntOrString",
        base,
    )
}

fn any_type() -> (RustType, Schema) {
    path_type(
        "serde_json::Value",
        genclient_schema::kubernetes::anything(),
    )
}

fn open_object_type() -> (RustType, Schema) {
    let base = genclient_schema::kubernetes::open_object();
    path_type(
        "k8s_openapi::apimachinery::pkg::runtime::RawExtension",
        base,
    )
}

fn integer_type(format: Option<&str>) -> (RustType, Schema) {
    let (name, format) = match format {
        Some("int32") => ("i32", "int32"),
        _ => ("i64", "int64"),
    };
    path_type(
        name,
        constraints::scalar_schema(JsonType::Integer, Some(format)),
    )
}

fn number_type(format: Option<&str>) -> (RustType, Schema) {
    let (name, format) = match format {
        Some("float") => ("f32", "float"),
        _ => ("f64", "double"),
    };
    path_type(
        name,
        constraints::scalar_schema(JsonType::Number, Some(format)),
    )
}

fn string_type(schema: &Schema) -> (RustType, Schema) {
    if schema.format.as_deref() == Some("date-time") {
        let base = constraints::scalar_schema(JsonType::String, Some("date-time"));
        return path_type("k8s_openapi::apimachinery::pkg::apis::meta::v1::Time", base);
    }
    path_type("String", constraints::scalar_schema(JsonType::String, None))
}

/// The values of `enum`; `None` if there are none, or if they are not distinct strings.
fn enum_values(schema: &Schema) -> Option<Vec<String>> {
    let values: Vec<_> = schema
        .enum_
        .iter()
        .map(|value| value.as_str().map(str::to_owned))
        .collect::<Option<_>>()?;
    let mut seen = BTreeSet::new();
    let is_enum = !values.is_empty() && values.iter().all(|value| seen.insert(value.clone()));
    is_enum.then_some(values)
}
