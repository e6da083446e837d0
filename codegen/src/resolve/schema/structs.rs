//! Schemas of structs: an object for named fields, the inner type for a newtype.
//!
//! Fields become properties, flattened fields are merged into the object, and serde's attributes
//! decide which fields are required or nullable.

use std::collections::BTreeSet;
use std::mem;
use std::sync::Arc;

use genclient_syntax::{AttributeTarget, Members, Problems, SchemaAttrs, Shape, TypeAttrs};
use proc_macro2::Span;
use syn::{Field, Fields, Ident, ItemStruct, Type};

use super::serde_attrs::{Default_, SerdeAttrs, SerdeSite, SkipIf, With};
use super::types::{is_option, type_arguments};
use super::{FieldSchema, Resolver, constraints, foreign_types, pitfalls, union};
use crate::diagnostic::{Code, Diagnostic};
use crate::model::{JsonType, Schema, Validation};
use crate::resolve::explanation::Explanation;
use crate::resolve::paths::Found;
use crate::sources::bare_name;

impl<'a> Resolver<'a, '_> {
    pub(super) fn resolve_struct(&mut self, item: &'a ItemStruct) -> FieldSchema {
        let mut problems = Problems::new();
        let attrs = TypeAttrs::of_struct(&self.struct_with_literals(item), &mut problems);
        self.report_problems(problems);
        self.refuse_skipped(&attrs.schema, &item.ident);
        let Members::Fields(fields) = &attrs.members else {
            return FieldSchema::default();
        };
        let container = self.serde(&item.attrs, SerdeSite::Type);
        let field_schema = if attrs.schema.replaces_type() {
            FieldSchema::default()
        } else if let Some(field_schema) = self.function_schema(&attrs.schema) {
            field_schema
        } else if let Some(field_schema) = self.conversion_schema(&container) {
            field_schema
        } else {
            let field_schema = self.written_value_schema(item, fields, &container);
            self.check_choices(
                &attrs.schema,
                &item.fields,
                &container,
                &field_schema.schema,
            );
            field_schema
        };
        let mut schema = field_schema.schema;
        if let Some(description) = self.description(&item.attrs) {
            schema.description = Some(description);
        }
        let shape = AttributeTarget::of_struct(&item.fields).shape;
        FieldSchema {
            schema: self.constrain(&attrs.schema, schema, &shape),
            ..field_schema
        }
    }

    /// Returns the schema of the value that serde writes for a struct with these fields.
    fn written_value_schema(
        &mut self,
        item: &ItemStruct,
        attrs: &[SchemaAttrs],
        container: &SerdeAttrs,
    ) -> FieldSchema {
        let fields = &item.fields;
        if container.transparent
            && let Some((field, attrs)) = self.transparent_field(fields, attrs)
        {
            return self.only_field_schema(field, attrs);
        }
        match (fields, attrs) {
            (Fields::Unnamed(newtype), [attrs]) => {
                let field_schema = self.only_field_schema(&newtype.unnamed[0], attrs);
                // serde reads an absent field as `None` only if the field itself is an `Option`. A
                // newtype around an `Option` is nullable, but not optional.
                FieldSchema {
                    closed: field_schema.closed,
                    ..FieldSchema::new(field_schema.nullable())
                }
            }
            (Fields::Named(_), _) => {
                let mut schema = self.members(container, fields, attrs);
                if let Some(tag) = &container.tag {
                    add_tag(&mut schema, &tag.value(), container, item);
                }
                FieldSchema {
                    closed: container.deny_unknown_fields,
                    ..FieldSchema::new(schema)
                }
            }
            (Fields::Unit, _) => {
                let message = format!("`{}` is serialized as null", item.ident);
                let help = format!("give it braces: `struct {} {{}}`", item.ident);
                self.report(&item.ident, message, help);
                FieldSchema::default()
            }
            _ => {
                let message = format!("`{}` is serialized as a list of mixed types", item.ident);
                self.report(&item.ident, message, "name its fields");
                FieldSchema::default()
            }
        }
    }

    /// Returns the field that serde writes in place of a transparent struct.
    fn transparent_field<'f>(
        &mut self,
        fields: &'f Fields,
        attrs: &'f [SchemaAttrs],
    ) -> Option<(&'f Field, &'f SchemaAttrs)> {
        fields.iter().zip(attrs).find(|(field, _)| {
            let serde = self.serde(&field.attrs, SerdeSite::Field);
            carries_value(field, &serde)
        })
    }

    /// Returns the schema of the only field of a newtype or of a variant.
    pub(super) fn only_field_schema(&mut self, field: &Field, attrs: &SchemaAttrs) -> FieldSchema {
        let serde = self.serde(&field.attrs, SerdeSite::Field);
        let field_schema = self.resolve_field(field, attrs, &serde);
        let mut schema = field_schema.schema;
        if let Some(description) = self.description(&field.attrs) {
            schema.description = Some(description);
        }
        let shape = genclient_syntax::Shape::from_type(&field.ty);
        FieldSchema {
            schema: self.constrain(attrs, schema, &shape),
            ..field_schema
        }
    }

    /// Returns the schema of the type that serde reads and writes in place of this one.
    pub(super) fn conversion_schema(&mut self, container: &SerdeAttrs) -> Option<FieldSchema> {
        if let Some(key) = &container.opaque {
            self.report(
                key,
                format!("cannot determine the schema of a type with `#[serde({key})]`"),
                "give the schema: `#[crd(schema = { … })]`",
            );
            return Some(FieldSchema::default());
        }
        match container.conversion_type() {
            Ok(ty) => ty.map(|ty| self.resolve_type(&ty)),
            Err(named) => {
                let ty = named.value();
                let from = if container.may_fail {
                    "try_from"
                } else {
                    "from"
                };
                self.report(
                    named,
                    "the type is deserialized from one type and serialized as another",
                    format!(
                        "use one type for both: `#[serde({from} = \"{ty}\", into = \"{ty}\")]`, or give the schema: `#[crd(schema = {{ … }})]`"
                    ),
                );
                Some(FieldSchema::default())
            }
        }
    }
}

/// Adds the property of `#[serde(tag = "…")]`, which holds the struct's name. The property is not
/// required, because serde never reads it.
fn add_tag(schema: &mut Schema, tag: &str, container: &SerdeAttrs, item: &ItemStruct) {
    let name = container
        .rename
        .clone()
        .unwrap_or_else(|| bare_name(&item.ident));
    let property = Schema {
        enum_: vec![name.into()],
        ..Schema::typed(JsonType::String)
    };
    schema
        .properties
        .entry(tag.to_owned())
        .or_insert_with(|| property.into());
}

/// True if serde writes a transparent struct as this field.
pub(in crate::resolve) fn carries_value(field: &Field, serde: &SerdeAttrs) -> bool {
    let left_out =
        serde.skip_serializing.is_some() || serde.skip_deserializing || serde.default.is_some();
    !left_out && !is_phantom(&field.ty)
}

pub(in crate::resolve) fn is_phantom(ty: &syn::Type) -> bool {
    let syn::Type::Path(path) = ty else {
        return false;
    };
    let last = path.path.segments.last();
    last.is_some_and(|last| last.ident == "PhantomData")
}

impl<'a> Resolver<'a, '_> {
    /// Returns the object schema of a struct or a variant with named fields.
    pub(super) fn members(
        &mut self,
        container: &SerdeAttrs,
        fields: &Fields,
        constraints: &[SchemaAttrs],
    ) -> Schema {
        let mut schema = Schema::typed(JsonType::Object);
        for (field, attrs) in fields.iter().zip(constraints) {
            self.field(field, attrs, container, fields.len(), &mut schema);
        }
        schema
    }

    fn field(
        &mut self,
        field: &Field,
        attrs: &SchemaAttrs,
        container: &SerdeAttrs,
        fields: usize,
        parent: &mut Schema,
    ) {
        let mut serde = self.serde(&field.attrs, SerdeSite::Field);
        let Some(ident) = field.ident.as_ref().filter(|_| !serde.is_skipped()) else {
            return;
        };
        if attrs.skip.is_set() {
            return;
        }
        if serde.flatten {
            let is_alone = fields == 1 && container.tag.is_none();
            self.flatten(field, attrs, &serde, is_alone, parent);
            return;
        }
        let attrs = &*self.with_kube_default(field, attrs, &serde, container);
        let field_schema = self.resolve_field(field, attrs, &serde);
        self.check_null(attrs, &field_schema, &serde);
        if container.skips_none && field_schema.optional && !serde.always {
            serde.skip_serializing_if.get_or_insert_with(|| SkipIf {
                key: ident.span(),
                function: "Option::is_none".to_owned(),
            });
        }
        let name = serde
            .rename
            .clone()
            .unwrap_or_else(|| container.rename_all.field(&bare_name(ident)));
        let optional = self.is_optional(&field_schema, attrs, &serde, container);
        let mark = self.sink.mark();
        let default = self.default_of(&serde, attrs, field);
        self.sink.code_since(mark, Code::Default);
        let has_default =
            attrs.default.is_some() || default.is_some() || field_schema.schema.default.is_some();
        let mut schema =
            if (field_schema.optional || attrs.schema_with.is_some()) && self.has_nulls_of_kube() {
                schemars_schema(field_schema, attrs)
            } else {
                stored_schema(field_schema, attrs, &serde, has_default)
            };
        if let Some(description) = self.description(&field.attrs) {
            schema.description = Some(description);
        }
        let shape = Shape::from_type(&field.ty);
        schema = self.constrain(attrs, schema, &shape);
        self.warn_of_pitfalls(field, &shape, attrs, &schema);
        self.warn_of_keys(&field.ty, &schema, pitfalls::EntryPosition::Own);
        let mark = self.sink.mark();
        if let Some(default) = default {
            self.check_returned(&default, &schema, &serde);
            schema.default = Some(default);
        }
        self.check_absent(field, attrs, &schema, &serde);
        self.sink.code_since(mark, Code::Default);
        if parent.properties.contains_key(&name) {
            let message = format!("duplicate field `{name}`");
            self.report(ident, message, "rename one of the two");
        }
        if !optional {
            parent.required.insert(name.clone());
        } else if let Some(span) = attrs.immutable.span() {
            let rule = self.once_set(&name, ident, span);
            parent.validations.extend(rule);
        }
        schema.origin = self.origin(attrs).into();
        parent.properties.insert(name, schema.into());
    }

    fn resolve_field(
        &mut self,
        field: &Field,
        attrs: &SchemaAttrs,
        serde: &SerdeAttrs,
    ) -> FieldSchema {
        if attrs.replaces_type() {
            return FieldSchema {
                optional: is_option(&field.ty),
                ..FieldSchema::default()
            };
        }
        if let Some(field_schema) = self.stated_field_type(field, attrs, serde) {
            return field_schema;
        }
        if let Some(key) = &serde.opaque {
            let written = match key.to_string().as_str() {
                "serde_as" => "#[serde_as]".to_owned(),
                key => format!("#[serde({key})]"),
            };
            self.report_opaque(&written, key);
            return FieldSchema::default();
        }
        if let Some(with) = &serde.with
            && !self.has_own_type(with)
        {
            let known = (with.key == "with")
                .then(|| foreign_types::schema_of_adapter(&self.module_path(&with.path)))
                .flatten();
            if known.is_none() {
                self.report_opaque(&format!("#[serde({})]", with.key), &with.key);
            }
            return FieldSchema {
                optional: is_option(&field.ty),
                ..FieldSchema::new(known.unwrap_or_default())
            };
        }
        let mark = self.sink.mark();
        let stated = stated_part(&field.ty, attrs).map(|part| self.locate(part));
        let around = mem::replace(&mut self.stated, stated);
        let field_schema = self.resolve_type(&field.ty);
        self.stated = around;
        self.correct_entry_help(mark, &field.ty);
        self.with_kube_metadata(field, field_schema)
    }

    /// True if a field or variant has the schema of its type, although the function in `with` reads
    /// or writes it. This is so in kube kinds: schemars, which generates their CRDs, does not use
    /// `serialize_with` and `deserialize_with` for schemas. Warns about such a key: an error would
    /// refuse CRDs that are already in use.
    pub(super) fn has_own_type(&mut self, with: &With) -> bool {
        let is_taken = self.from_kube && with.key != "with" && !self.has_crd_schema();
        if is_taken {
            self.warn(
                &with.key,
                format!("the CRD has the type of the field, regardless of `{}`", with.path.value()),
                "if the function reads or writes another type, name that type: `#[schemars(with = \"..\")]`",
            );
        }
        is_taken
    }

    fn report_opaque(&mut self, written: &str, key: &syn::Ident) {
        self.report(
            key,
            format!("cannot determine the schema of a field with `{written}`"),
            format!("give the schema: {}", self.stating()),
        );
    }

    /// Returns the path of a function or module if it belongs to another crate, or else an empty
    /// path.
    fn module_path(&self, path: &syn::LitStr) -> Vec<String> {
        let Ok(path) = path.parse::<syn::Path>() else {
            return Vec::new();
        };
        match self.paths.find(self.module, &path) {
            Some(Found::Foreign(names)) => names,
            _ => Vec::new(),
        }
    }
}

/// Returns the schema of a field, nullable if serde may write `null`.
fn stored_schema(
    field_schema: FieldSchema,
    attrs: &SchemaAttrs,
    serde: &SerdeAttrs,
    has_default: bool,
) -> Schema {
    if serde.skip_serializing_if.is_some() || serde.skip_serializing.is_some() {
        return field_schema.schema;
    }
    if has_default {
        // If the default comes from a function, serde reads an absent field as that default, so
        // `None` has to be stored as `null`. Unless the schema is nullable, the API server replaces
        // the `null` by the default.
        return if field_schema.optional && matches!(serde.default, Default_::Function(_)) {
            field_schema.nullable()
        } else {
            field_schema.schema
        };
    }
    if attrs.restricts_any() {
        field_schema.nullable()
    } else {
        field_schema.always_present()
    }
}

/// Returns the schema of a field as schemars writes it.
fn schemars_schema(field_schema: FieldSchema, attrs: &SchemaAttrs) -> Schema {
    if field_schema.optional && is_option_of_schemars(attrs) {
        field_schema.nullable()
    } else {
        field_schema.schema
    }
}

/// True if schemars treats an `Option` field as an `Option`. Exceptions are fields with `required`,
/// with `schema_with`, or with another type than an `Option` in `with`.
fn is_option_of_schemars(attrs: &SchemaAttrs) -> bool {
    let other = attrs.with.as_ref();
    !attrs.required.is_set()
        && attrs.schema_with.is_none()
        && other.is_none_or(|other| is_option(&other.value.0))
}

/// Returns the part of a type, such as its items, for which `items(…)` or `values(…)` states the
/// schema.
fn stated_part<'t>(ty: &'t Type, attrs: &SchemaAttrs) -> Option<&'t Type> {
    let attrs = attrs.items.as_ref().or(attrs.values.as_ref())?;
    let (_, part) = entry_type(ty)?;
    if attrs.replaces_type() {
        Some(part)
    } else {
        stated_part(part, attrs)
    }
}

impl Resolver<'_, '_> {
    /// Corrects the help of findings about the items or values of a field: `#[crd(schema = …)]`
    /// becomes `#[crd(items(schema = …))]`, since users write the attribute on the field.
    fn correct_entry_help(&mut self, mark: usize, ty: &Type) {
        let module = &self.sources[self.module];
        for finding in self.sink.since(mark) {
            let (Some(at), Some(help)) = (&finding.location, &mut finding.help) else {
                continue;
            };
            let holds = |part: &Type| {
                let part = module.locate(part);
                let within = part.span.start <= at.span.start && at.span.end <= part.span.end;
                within && Arc::ptr_eq(&part.source, &at.source)
            };
            let mut open = "#[crd(".to_owned();
            let mut close = ")]".to_owned();
            let mut rest = ty;
            while let Some((key, part)) = entry_type(rest).filter(|(_, part)| holds(part)) {
                open += &format!("{key}(");
                close.insert(0, ')');
                rest = part;
            }
            *help = help
                .clone()
                .map_text(|help| help.replace("#[crd(", &open).replace(")]", &close));
        }
    }
}

/// Returns the type of a list's items with the key `items`, or of a map's values with `values`.
fn entry_type(ty: &Type) -> Option<(&'static str, &Type)> {
    let shape = Shape::from_type(ty);
    let (key, argument_index) = match shape {
        Shape::List(_) => ("items", 0),
        Shape::Map(_) => ("values", 1),
        _ => return None,
    };
    match ty {
        Type::Array(array) => Some((key, &array.elem)),
        Type::Slice(slice) => Some((key, &slice.elem)),
        Type::Reference(reference) => entry_type(&reference.elem),
        Type::Paren(inner) => entry_type(&inner.elem),
        Type::Group(inner) => entry_type(&inner.elem),
        Type::Path(path) => {
            let mut arguments = type_arguments(&path.path);
            // `Option<Vec<T>>` has the shape of its argument `Vec<T>`, so that argument is
            // searched.
            match arguments.clone().next() {
                Some(inner) if Shape::from_type(inner) == shape => entry_type(inner),
                _ => Some((key, arguments.nth(argument_index)?)),
            }
        }
        _ => None,
    }
}

impl<'a> Resolver<'a, '_> {
    fn flatten(
        &mut self,
        field: &Field,
        attrs: &SchemaAttrs,
        serde: &SerdeAttrs,
        is_alone: bool,
        parent: &mut Schema,
    ) {
        let open = attrs.preserve_unknown_fields.is_set();
        let about_the_type = is_about_the_type(attrs);
        if open && about_the_type {
            parent.preserve_unknown_fields = true;
            return;
        }
        let field_schema = self.resolve_field(field, attrs, serde);
        if !about_the_type {
            let refusal = why_not_flattened(&field_schema)
                .filter(|_| !open && !field_schema.schema.is_unknown());
            let help = match (
                attrs.min_properties.is_some(),
                attrs.max_properties.is_some(),
            ) {
                (true, true) => "remove `min_properties` and `max_properties`",
                (true, false) => "remove `min_properties`",
                (false, true) => "remove `max_properties`",
                (false, false) => "move the constraint to the type, or to its fields",
            };
            let message = "constraints are not allowed on a flattened field";
            let Explanation { message, help } =
                refusal.unwrap_or_else(|| Explanation::new(message, help));
            self.report(&field.ty, message, help);
            return;
        }
        let schema = self.constrain(attrs, field_schema.schema, &Shape::Unknown);
        if schema.is_unknown() {
            // The fields of the type are unknown, so the schema of the whole object is unknown.
            parent.type_ = None;
            return;
        }
        let field_schema = FieldSchema {
            schema,
            ..field_schema
        };
        let is_map = field_schema.schema.additional_properties.is_some();
        if is_alone && is_map && !field_schema.optional {
            // The map has no sibling fields, so the object is a map.
            *parent = field_schema.schema;
            return;
        }
        if is_typed_map(&field_schema) && self.is_of_schemars() {
            self.take_open_map(field, parent);
            return;
        }
        if let Some(Explanation { message, help }) = why_not_flattened(&field_schema) {
            self.report(&field.ty, message, help);
            return;
        }
        let twice = field_schema
            .schema
            .properties
            .keys()
            .find(|name| parent.properties.contains_key(*name));
        if let Some(name) = twice {
            let message = format!(
                "duplicate field `{name}`: in the flattened type and in the type that contains it"
            );
            self.report(
                &field.ty,
                message,
                "rename one of the two, or remove `flatten`",
            );
            return;
        }
        self.warn_of_keys(
            &field.ty,
            &field_schema.schema,
            pitfalls::EntryPosition::Shared,
        );
        add_flattened(parent, field_schema);
    }

    /// Admits any field beside the named ones for a flattened map, as kube does (kube-rs/kube#844),
    /// and warns that the values are not validated.
    fn take_open_map(&mut self, field: &Field, parent: &mut Schema) {
        parent.preserve_unknown_fields = true;
        self.warn(
            &field.ty,
            "values of the flattened map are not validated: a structural schema cannot combine a map with named fields",
            "give the map a field of its own to validate its values",
        );
    }
}

/// True if the attributes only replace the type, add rules or shorten descriptions.
fn is_about_the_type(attrs: &SchemaAttrs) -> bool {
    *attrs
        == SchemaAttrs {
            schema: attrs.schema.clone(),
            schemaless: attrs.schemaless,
            with: attrs.with.clone(),
            schema_with: attrs.schema_with.clone(),
            json_type: attrs.json_type,
            preserve_unknown_fields: attrs.preserve_unknown_fields,
            validations: attrs.validations.clone(),
            max_desc_len: attrs.max_desc_len,
            ..SchemaAttrs::default()
        }
}

/// True for a map whose values have a schema.
fn is_typed_map(field_schema: &FieldSchema) -> bool {
    let values = field_schema.schema.additional_properties.as_ref();
    values.is_some_and(|values| !values.is_any())
}

/// Explains why a type cannot be flattened; `None` if it can.
fn why_not_flattened(field_schema: &FieldSchema) -> Option<Explanation> {
    let schema = &field_schema.schema;
    if is_typed_map(field_schema) {
        return Some(Explanation::new(
            "a flattened map accepts any key, which a structural schema cannot combine with named fields",
            "give the map a field of its own, or accept any value: `#[crd(preserve_unknown_fields)]`, without constraints",
        ));
    }
    if schema.type_ != Some(JsonType::Object) && !schema.is_any() {
        return Some(Explanation::new(
            "only a type that serializes as an object can be flattened",
            "remove `flatten`",
        ));
    }
    if schema.min_properties.is_some() || schema.max_properties.is_some() {
        return Some(Explanation::new(
            "`min_properties` and `max_properties` are not allowed on a flattened type",
            "remove its `min_properties` and `max_properties`",
        ));
    }
    let holds_without = |rule: &Validation| constraints::is_once_set(rule, schema);
    if field_schema.optional && !schema.validations.iter().all(holds_without) {
        return Some(Explanation::new(
            "validation rules are not allowed on an optional flattened type",
            "move them to the type that contains it, with `has(…)`",
        ));
    }
    None
}

fn add_flattened(parent: &mut Schema, field_schema: FieldSchema) {
    let FieldSchema {
        schema, optional, ..
    } = field_schema;
    parent.preserve_unknown_fields |=
        schema.preserve_unknown_fields || schema.additional_properties.is_some();
    let demands = Schema {
        all_of: schema.all_of,
        any_of: schema.any_of,
        one_of: schema.one_of,
        not: schema.not,
        ..Schema::default()
    };
    if optional {
        // A field with a default does not count as a member: the API server fills it in even if all
        // other fields of the type are absent.
        let members: Vec<&String> = schema
            .properties
            .iter()
            .filter(|(_, property)| property.default.is_none())
            .map(|(name, _)| name)
            .collect();
        // A required immutable field needs a rule here: an update could remove it together with all
        // other fields of the type.
        let kept = schema.required.iter().filter_map(|name| {
            let source = constraints::immutable_at(schema.properties.get(name)?)?;
            constraints::once_set_rule(name, Some(source))
        });
        parent.validations.extend(kept);
        if let Some(group) = all_required_or_none(demands, schema.required, &members) {
            union::add_condition(parent, group);
        }
    } else {
        parent.required.extend(schema.required);
        union::add_condition(parent, demands);
    }
    parent.validations.extend(schema.validations);
    parent.properties.extend(schema.properties);
}

/// Returns a condition with two alternatives: all `required` fields are present and `demands` hold,
/// or no field of `members` is present. `None` if no condition is needed.
fn all_required_or_none(
    demands: Schema,
    required: BTreeSet<String>,
    members: &[&String],
) -> Option<Schema> {
    let alone = members.len() == 1 && required.len() == 1 && demands == Schema::default();
    let present = Schema {
        required,
        ..demands
    };
    if alone || present == Schema::default() || members.is_empty() {
        return None;
    }
    let branches_only = Schema {
        one_of: Vec::new(),
        required: BTreeSet::new(),
        ..present.clone()
    } == Schema::default();
    let implied = !present.one_of.is_empty()
        && present.one_of.iter().all(|branch| {
            branch.required.is_superset(&present.required) && !branch.required.is_empty()
        });
    let nothing = union::forbid_fields(members);
    if branches_only && implied {
        let mut one_of = present.one_of;
        one_of.push(nothing);
        return Some(Schema {
            one_of,
            ..Schema::default()
        });
    }
    Some(Schema {
        any_of: vec![present, nothing],
        ..Schema::default()
    })
}

impl Resolver<'_, '_> {
    /// True if the field may be absent. Reports a field that serde needs for reading, if serde may
    /// omit the field or an attribute makes the field optional.
    fn is_optional(
        &mut self,
        field_schema: &FieldSchema,
        attrs: &SchemaAttrs,
        serde: &SerdeAttrs,
        container: &SerdeAttrs,
    ) -> bool {
        let reader_fills_in = (field_schema.optional && !serde.has_custom_reader())
            || serde.default.is_some()
            || container.default.is_some()
            || serde.skip_deserializing;
        let optional = reader_fills_in || attrs.default.is_some();
        let needed = |message: &str| Diagnostic::error(message);
        let found = match (attrs.optional.span(), serde.skip_serializing) {
            _ if optional => None,
            (Some(span), _) => Some((
                needed("serde needs this field to deserialize the object"),
                span,
                "make it `Option<…>`, or add `#[serde(default)]`",
            )),
            (None, Some(span)) => Some((
                needed("serde never serializes this field, but needs it to deserialize the object"),
                span,
                "add `default` to `#[serde(…)]`, or write `skip` for both directions",
            )),
            (None, None) => serde.skip_serializing_if.as_ref().map(|skip| {
                let message = "serde may omit this field, but needs it to deserialize the object";
                (
                    Diagnostic::warning(message),
                    skip.key,
                    "add `default` to `#[serde(…)]`",
                )
            }),
        };
        if let Some((finding, span, help)) = found {
            let at = self.locate(&span);
            self.sink.push(finding.at(at).help(help));
        }
        optional && !attrs.required.is_set()
    }

    fn once_set(&mut self, name: &str, ident: &Ident, span: Span) -> Option<Validation> {
        let source = self.shared.rules.add(self.locate(&span), None, None);
        let rule = constraints::once_set_rule(name, Some(source));
        if rule.is_none() {
            let message = format!("a rule cannot refer to the field `{name}`");
            self.report(ident, message, constraints::RENAME_HELP);
        }
        rule
    }

    /// Reports a nullable field that serde cannot read from `null`.
    fn check_null(&mut self, attrs: &SchemaAttrs, field_schema: &FieldSchema, serde: &SerdeAttrs) {
        let reads_anything = field_schema.schema.type_.is_none();
        let reads_null = field_schema.optional || reads_anything || serde.with.is_some();
        if let Some(span) = attrs.nullable.span()
            && !reads_null
        {
            let message = "serde cannot deserialize `null` into this field";
            self.report(&span, message, "make it `Option<…>`");
        }
    }

    /// Reports a field in `at_most_one_of = […]` or a similar list if serde writes the field even
    /// when it is empty. To the API server, such a field is always set.
    ///
    /// `check_choice` reports fields that are required or have a default.
    pub(super) fn check_choices(
        &mut self,
        attrs: &SchemaAttrs,
        fields: &Fields,
        container: &SerdeAttrs,
        schema: &Schema,
    ) {
        for choice in attrs.one_of.iter().flat_map(|choice| &choice.fields) {
            let name = choice.value.as_str();
            let may_be_absent = schema.properties.get(name).is_some_and(|property| {
                let known = schema.required.contains(name) || property.default.is_some();
                !known && !property.nullable
            });
            if may_be_absent && self.is_always_written(name, fields, container) {
                self.report(
                    &choice.span,
                    format!("`{name}` is serialized even if it is empty, so it is always set"),
                    "make the field an `Option`",
                );
            }
        }
    }

    /// True if serde always writes the field that has this name in JSON.
    fn is_always_written(&self, name: &str, fields: &Fields, container: &SerdeAttrs) -> bool {
        let source = &self.sources[self.module];
        let serde = |field: &Field| SerdeAttrs::of_checked(&field.attrs, SerdeSite::Field, source);
        fields.iter().any(|field| {
            let serde = serde(field);
            let Some(ident) = field.ident.as_ref().filter(|_| !serde.flatten) else {
                return false;
            };
            let leaves_out =
                serde.skip_serializing_if.is_some() || serde.skip_serializing.is_some();
            let written = serde
                .rename
                .clone()
                .unwrap_or_else(|| container.rename_all.field(&bare_name(ident)));
            // `skip_serializing_none` applies to `Option` only.
            let skips_none = container.skips_none && is_option(&field.ty) && !serde.always;
            written == name && !leaves_out && !skips_none
        })
    }
}
