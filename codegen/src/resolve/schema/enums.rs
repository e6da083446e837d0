//! Schemas of enums in each of serde's representations: external, internal, adjacent, untagged.

use genclient_syntax::{Members, Problems, SchemaAttrs, Shape, TypeAttrs};
use serde_json::Value;
use syn::{Fields, Ident, ItemEnum, Variant};

use super::serde_attrs::{Rename, SerdeAttrs, SerdeSite, Tagging};
use super::union::{self, Conflict, ConflictReason, Union};
use super::{FieldSchema, Resolver, pitfalls};
use crate::model::{JsonType, Schema};
use crate::sources::bare_name;

/// A variant that serde reads or writes.
struct EnumMember<'a> {
    variant: &'a Variant,
    /// Name in JSON.
    name: String,
    serde: SerdeAttrs,
    /// Index among all variants.
    index: usize,
}

impl EnumMember<'_> {
    fn is_unit(&self) -> bool {
        matches!(self.variant.fields, syn::Fields::Unit)
    }

    /// True if serde writes the variant as `null`.
    fn is_null(&self, tagging: &Tagging) -> bool {
        self.is_unit() && (matches!(tagging, Tagging::Untagged) || self.serde.untagged)
    }
}

/// Properties of the enum that its variants depend on.
struct EnumContext {
    container: SerdeAttrs,
    tagging: Tagging,
    /// Names in JSON of all variants without `#[serde(other)]`.
    names: Vec<String>,
    /// True if a variant without `#[serde(untagged)]` has content.
    has_content: bool,
}

impl<'a> Resolver<'a, '_> {
    pub(super) fn resolve_enum(&mut self, item: &'a ItemEnum) -> FieldSchema {
        let mut problems = Problems::new();
        let attrs = TypeAttrs::of_enum(&self.enum_with_literals(item), &mut problems);
        self.report_problems(problems);
        self.refuse_skipped(&attrs.schema, &item.ident);
        let container = self.serde(&item.attrs, SerdeSite::Type);
        let mut field_schema = if attrs.schema.replaces_type() {
            FieldSchema::default()
        } else if let Some(field_schema) = self.function_schema(&attrs.schema) {
            field_schema
        } else if let Some(field_schema) = self.conversion_schema(&container) {
            field_schema
        } else {
            let context = EnumContext {
                tagging: Tagging::from_attrs(&container),
                names: Vec::new(),
                has_content: false,
                container,
            };
            self.variants(item, &attrs.members, context)
        };
        if let Some(description) = self.description(&item.attrs) {
            field_schema.schema.description = Some(description);
        }
        let schema = self.constrain(&attrs.schema, field_schema.schema, &Shape::Enum);
        FieldSchema {
            schema,
            ..field_schema
        }
    }

    fn variants(
        &mut self,
        item: &'a ItemEnum,
        attrs: &Members,
        mut context: EnumContext,
    ) -> FieldSchema {
        let members = self.members_of(item, &context);
        let with_names = members.iter().filter(|member| !member.serde.other);
        context.names = with_names.map(|member| member.name.clone()).collect();
        let by_name = |member: &EnumMember<'_>| !member.serde.untagged;
        context.has_content = members
            .iter()
            .any(|member| by_name(member) && !member.is_unit());
        if members.is_empty() {
            return FieldSchema::new(self.without_variants(item));
        }
        let names_alone = matches!(context.tagging, Tagging::External)
            && members
                .iter()
                .all(|member| member.is_unit() && !member.serde.untagged);
        if names_alone {
            return FieldSchema::new(schema_of_names(&members));
        }
        // For a variant that is written as `null`, schemars writes `anyOf` with `null`, which kube
        // rewrites to `nullable`.
        let has_null = |member: &EnumMember<'_>| member.is_null(&context.tagging);
        let is_nullable =
            self.is_of_schemars() && members.iter().any(has_null) && !members.iter().all(has_null);
        let is_part = |member: &&EnumMember<'_>| !(is_nullable && has_null(member));
        let mut parts = Vec::new();
        for member in members.iter().filter(is_part) {
            let attrs = match attrs {
                Members::Variants(variants) => variants.get(member.index),
                Members::Fields(_) => None,
            };
            let attrs = attrs.map(Vec::as_slice).unwrap_or_default();
            parts.extend(self.variant_schema(member, attrs, &context));
        }
        let missing = members.iter().filter(is_part).count() - parts.len();
        if missing > 0 {
            let schema = self.beside_strings((&item.ident, missing), &members, &parts, &context);
            return FieldSchema::new(schema);
        }
        let closed = matches!(context.tagging, Tagging::External) && members.iter().all(by_name);
        let field_schema = FieldSchema {
            optional: is_nullable,
            ..FieldSchema::new(self.choice(&parts, &context))
        };
        FieldSchema {
            // serde reads `{ "Name": … }` only if the object has no second field.
            closed,
            ..FieldSchema::new(field_schema.nullable())
        }
    }

    /// Returns the schema of an enum without variants, and reports the enum. Only warns if schemars
    /// generates the CRD.
    fn without_variants(&mut self, item: &ItemEnum) -> Schema {
        let name = &item.ident;
        if self.is_of_schemars() {
            let message = format!("`{name}` must have at least one variant");
            self.warn(name, message, "add a variant, such as `Always`");
            return Schema::typed(JsonType::String);
        }
        let message = format!("`{name}` needs a variant that serde reads or writes");
        self.report(name, message, "add a variant, such as `Always`");
        Schema::default()
    }

    fn members_of(&mut self, item: &'a ItemEnum, context: &EnumContext) -> Vec<EnumMember<'a>> {
        let mut members: Vec<EnumMember<'a>> = Vec::new();
        for (index, variant) in item.variants.iter().enumerate() {
            let serde = self.serde(&variant.attrs, SerdeSite::Variant);
            if serde.is_skipped() {
                continue;
            }
            let name = serde.rename.clone().unwrap_or_else(|| {
                context
                    .container
                    .rename_all
                    .variant(&bare_name(&variant.ident))
            });
            let named = |member: &&EnumMember<'_>| member.name == name && !member.serde.untagged;
            if let Some(other) = members.iter().find(named).filter(|_| !serde.untagged) {
                let message = format!(
                    "duplicate variant name: `{}` has the name `{name}` as well",
                    other.variant.ident
                );
                self.report(
                    &variant.ident,
                    message,
                    "rename it: `#[serde(rename = \"…\")]`",
                );
                continue;
            }
            members.push(EnumMember {
                variant,
                name,
                serde,
                index,
            });
        }
        members
    }
}

/// Returns the string schema of unit variants. A variant with `#[serde(other)]` admits any string.
fn schema_of_names(members: &[EnumMember<'_>]) -> Schema {
    let mut schema = Schema::typed(JsonType::String);
    if !members.iter().any(|member| member.serde.other) {
        schema.enum_ = members
            .iter()
            .map(|member| member.name.clone().into())
            .collect();
    }
    schema
}

/// A variant with its schema.
struct VariantSchema<'m> {
    member: &'m EnumMember<'m>,
    schema: Schema,
    /// True if the schema must forbid the fields of other variants, as serde does.
    closed: bool,
}

enum Content {
    Nothing,
    Value(Box<FieldSchema>),
}

const NAME_FIELDS_HELP: &str = "name its fields";

impl<'a> Resolver<'a, '_> {
    /// Returns the schema of a variant. Reports a variant without a schema, with one exception: in
    /// an externally tagged enum, serde writes a variant without content as a string, and the
    /// others as objects. `beside_strings` reports such strings when all variants are known.
    fn variant_schema<'m>(
        &mut self,
        member: &'m EnumMember<'a>,
        attrs: &[SchemaAttrs],
        context: &EnumContext,
    ) -> Option<VariantSchema<'m>> {
        let content = self.variant_content(member, attrs, context)?;
        let closed = is_closed(member, &content, context);
        let schema = match &context.tagging {
            _ if member.serde.untagged => self.untagged_schema(member, content),
            Tagging::Untagged => self.untagged_schema(member, content),
            Tagging::External => self.external(member, content, context),
            Tagging::Internal { tag } => self.internal(member, content, tag, context),
            Tagging::Adjacent { tag, content: key } => {
                Some(adjacently_tagged(member, content, (tag, key), context))
            }
        }?;
        Some(VariantSchema {
            member,
            schema,
            closed,
        })
    }

    fn variant_content(
        &mut self,
        member: &EnumMember<'a>,
        attrs: &[SchemaAttrs],
        context: &EnumContext,
    ) -> Option<Content> {
        let variant = member.variant;
        if let Some(with) = &member.serde.with
            && !self.has_own_type(with)
        {
            let message = format!(
                "cannot determine how `{}` serializes a variant",
                with.path.value()
            );
            let help = "move it to the field in the variant, and give its schema there: `#[crd(schema = { … })]`";
            self.report(&with.path, message, help);
            return None;
        }
        match (&variant.fields, attrs) {
            (Fields::Unit, _) => Some(Content::Nothing),
            (Fields::Named(_), _) => {
                let container = fields_of(&member.serde, &context.container);
                let fields = &variant.fields;
                let schema = self.members(&container, fields, attrs);
                Some(Content::Value(Box::new(FieldSchema::new(schema))))
            }
            (Fields::Unnamed(fields), [attrs]) if !is_unit(&fields.unnamed[0].ty) => {
                let field = &fields.unnamed[0];
                let field_schema = self.only_field_schema(field, attrs);
                let position = match context.tagging {
                    Tagging::External if !member.serde.untagged => pitfalls::EntryPosition::Own,
                    _ => pitfalls::EntryPosition::Shared,
                };
                self.warn_of_keys(&field.ty, &field_schema.schema, position);
                Some(Content::Value(Box::new(field_schema)))
            }
            (Fields::Unnamed(_), [_]) => {
                let message = format!("the variant `{}` is serialized as null", variant.ident);
                let help = format!("give it braces: `{} {{}}`", variant.ident);
                self.report(&variant.ident, message, help);
                None
            }
            _ => {
                let message = format!(
                    "the variant `{}` is serialized as a list of mixed types",
                    variant.ident
                );
                self.report(&variant.ident, message, NAME_FIELDS_HELP);
                None
            }
        }
    }

    fn external(
        &mut self,
        member: &EnumMember<'a>,
        content: Content,
        context: &EnumContext,
    ) -> Option<Schema> {
        let variant = &member.variant.ident;
        let Content::Value(field_schema) = content else {
            if !context.has_content {
                return Some(tag_of(member, context));
            }
            return None;
        };
        let mut schema = field_schema.nullable();
        if schema.default.is_some() {
            self.report(
                variant,
                format!("the default of `{variant}` would also apply to every other variant"),
                "write the default at the field that has the enum",
            );
            return None;
        }
        if let Some(description) = self.description(&member.variant.attrs) {
            schema.description = Some(description);
        }
        let mut part = Schema::typed(JsonType::Object);
        part.required.insert(member.name.clone());
        part.properties.insert(member.name.clone(), schema.into());
        Some(part)
    }

    fn internal(
        &mut self,
        member: &EnumMember<'a>,
        content: Content,
        tag: &str,
        context: &EnumContext,
    ) -> Option<Schema> {
        let variant = &member.variant.ident;
        let mut part = match content {
            Content::Nothing => Schema::typed(JsonType::Object),
            Content::Value(field_schema) => match beside_a_tag(*field_schema) {
                Ok(schema) => schema,
                Err(what) => {
                    let message =
                        format!("`{variant}` holds {what}, which cannot be combined with a tag");
                    let help = format!("give the field a name: `{variant} {{ value: .. }}`");
                    self.report(variant, message, help);
                    return None;
                }
            },
        };
        if part.properties.contains_key(tag) {
            let message = format!("`{tag}` is both the tag and a field of `{variant}`");
            self.report(variant, message, "rename one of them");
            return None;
        }
        part.required.insert(tag.to_owned());
        let names = tag_of(member, context).into();
        part.properties.insert(tag.to_owned(), names);
        Some(part)
    }

    fn untagged_schema(&mut self, member: &EnumMember<'a>, content: Content) -> Option<Schema> {
        match content {
            Content::Value(field_schema)
                if !field_schema.optional && !field_schema.schema.nullable =>
            {
                Some(Schema {
                    description: None,
                    // `variant_content` has already warned about the keys of a map.
                    keys: None,
                    ..field_schema.schema
                })
            }
            content => {
                let help = match content {
                    Content::Value(field_schema) if field_schema.optional => {
                        "remove the `Option`, and make the field with the enum an `Option<…>`"
                    }
                    _ => "remove it, and make the field with the enum an `Option<…>`",
                };
                let variant = &member.variant.ident;
                self.report(
                    variant,
                    format!(
                        "`{variant}` may be serialized as null, which does not identify the variant"
                    ),
                    help,
                );
                None
            }
        }
    }
}

/// True if serde refuses unknown fields for this variant, but the schema of the object also has the
/// fields of other variants.
fn is_closed(member: &EnumMember<'_>, content: &Content, context: &EnumContext) -> bool {
    let apart = matches!(
        context.tagging,
        Tagging::External | Tagging::Adjacent { .. }
    );
    let holds_no_other = match (content, &member.variant.fields) {
        (_, Fields::Named(_)) => context.container.deny_unknown_fields,
        (Content::Value(field_schema), _) => field_schema.closed,
        (Content::Nothing, _) => false,
    };
    holds_no_other && (member.serde.untagged || !apart)
}

/// Returns the attributes of a variant's fields as those of a struct.
pub(in crate::resolve) fn fields_of(variant: &SerdeAttrs, container: &SerdeAttrs) -> SerdeAttrs {
    SerdeAttrs {
        rename_all: match variant.rename_all {
            Rename::None => container.rename_all_fields,
            rule => rule,
        },
        skips_none: variant.skips_none,
        ..SerdeAttrs::default()
    }
}

fn is_unit(ty: &syn::Type) -> bool {
    matches!(ty, syn::Type::Tuple(tuple) if tuple.elems.is_empty())
}

/// Returns the schema of content that serde writes into the same object as the tag.
///
/// # Errors
///
/// Returns what the content is, such as "a map", if it cannot be combined with a tag.
fn beside_a_tag(field_schema: FieldSchema) -> Result<Schema, &'static str> {
    let mut schema = field_schema.schema;
    let anything = schema.preserve_unknown_fields && !schema.int_or_string;
    match schema.type_ {
        _ if field_schema.optional || schema.nullable => return Err("an `Option`"),
        Some(JsonType::Object) => {}
        None if anything || schema.is_unknown() => schema.type_ = Some(JsonType::Object),
        _ => return Err("a scalar or a list"),
    }
    if let Some(values) = schema.additional_properties.take() {
        if !values.preserve_unknown_fields || values.type_.is_some() {
            return Err("a map");
        }
        schema.preserve_unknown_fields = true;
        schema.keys = None;
    }
    Ok(Schema {
        description: None,
        title: None,
        example: None,
        external_docs: None,
        default: None,
        ..schema
    })
}

fn adjacently_tagged(
    member: &EnumMember<'_>,
    content: Content,
    (tag, key): (&str, &str),
    context: &EnumContext,
) -> Schema {
    let mut part = Schema::typed(JsonType::Object);
    part.required.insert(tag.to_owned());
    let names = tag_of(member, context).into();
    part.properties.insert(tag.to_owned(), names);
    match content {
        Content::Value(field_schema) => {
            // An absent `Option` is read as `None`, so it is not required. Even content with a
            // default is required: the API server sets the default before validation.
            if !field_schema.optional {
                part.required.insert(key.to_owned());
            }
            part.properties
                .insert(key.to_owned(), field_schema.nullable().into());
        }
        Content::Nothing if context.has_content => {
            let mut content = Schema::default();
            content.required.insert(key.to_owned());
            part.not = Some(Box::new(content));
        }
        Content::Nothing => {}
    }
    part
}

/// Schema of a variant's tag: its name, or for `#[serde(other)]` any string but the other names.
fn tag_of(member: &EnumMember<'_>, context: &EnumContext) -> Schema {
    let mut tag = Schema::typed(JsonType::String);
    let names = |names: &[String]| names.iter().cloned().map(Value::from).collect();
    if !member.serde.other {
        tag.enum_ = names(std::slice::from_ref(&member.name));
    } else if !context.names.is_empty() {
        tag.not = Some(Box::new(Schema {
            enum_: names(&context.names),
            ..Schema::default()
        }));
    }
    tag
}

const ANY_VALUE_HELP: &str = "remove `untagged`, so that each variant has its own property, or give a \
    schema that accepts all values: \
    `#[crd(schema = { \"x-kubernetes-preserve-unknown-fields\": true })]`";

impl Resolver<'_, '_> {
    fn choice(&mut self, parts: &[VariantSchema<'_>], context: &EnumContext) -> Schema {
        let schemas: Vec<&Schema> = parts.iter().map(|part| &part.schema).collect();
        if let Some(schema) = merge_mixed_types(&schemas) {
            return schema;
        }
        match union::merge_schemas(&schemas) {
            Ok(mut union) => {
                forbid_other_fields(&mut union, parts);
                let tagged = !matches!(context.tagging, Tagging::Untagged)
                    && parts.iter().all(|part| !part.member.serde.untagged);
                if tagged {
                    exactly_one(union, context.tagging.tag())
                } else {
                    at_least_one(union)
                }
            }
            Err(Conflict {
                reason: ConflictReason::Types(one, another),
                path,
                between: (left, right),
            }) if path.is_empty() && self.is_of_schemars() => {
                let [left, right] = [left, right].map(|at| &parts[at].member.variant.ident);
                let message = format!("`{left}` is {one} and `{right}` is {another}");
                self.any_value(right, message)
            }
            Err(conflict) => {
                self.report_conflict(&conflict, parts, context);
                Schema::default()
            }
        }
    }

    /// Returns a schema that accepts any value, and warns that values are not validated. It is for
    /// types of kube kinds: an enum with variants of several types, such as a string and an object,
    /// or a function that builds a schema with alternatives of several types.
    pub(super) fn any_value(&mut self, at: &Ident, message: String) -> Schema {
        self.warn(
            at,
            format!("{message}, which a structural schema cannot combine: any value is accepted"),
            "to validate values, serialize all variants as objects: remove `untagged`, and add braces to variants without fields",
        );
        Schema {
            preserve_unknown_fields: true,
            ..Schema::default()
        }
    }

    fn report_conflict(
        &mut self,
        conflict: &Conflict,
        parts: &[VariantSchema<'_>],
        context: &EnumContext,
    ) {
        let (left, right) = conflict.between;
        let name = |index: usize| &parts[index].member.variant.ident;
        let (left, variant) = (name(left), name(right));
        let path = conflict.path.join(".");
        let content = match &context.tagging {
            Tagging::Adjacent { content, .. } => Some(content),
            _ => None,
        };
        let on_the_enum = on_the_enum(parts, conflict.between);
        let (message, help) = match &conflict.reason {
            ConflictReason::Types(one, another) if path.is_empty() => (
                format!(
                    "`{left}` is {one} and `{variant}` is {another}, which a structural schema cannot combine"
                ),
                ANY_VALUE_HELP,
            ),
            ConflictReason::Types(one, another) => (
                format!("`{path}` is {one} in `{left}` and {another} in `{variant}`"),
                if conflict.path.first() == content {
                    "remove `content` and `tag`, so that each variant has its own property"
                } else {
                    "give the two fields the same type, or different names"
                },
            ),
            ConflictReason::Default => (
                format!("the default of `{path}` in `{left}` would also apply to `{variant}`"),
                "remove `#[crd(default = …)]`, or add `#[crd(no_default)]`: `#[serde(default)]` \
                 then applies only when reading",
            ),
            ConflictReason::Keyword(what) if path.is_empty() => (
                format!("a {what} of `{left}` would also apply to `{variant}`"),
                on_the_enum.as_str(),
            ),
            ConflictReason::Keyword(what) => (
                format!("`{path}` has one {what} in `{left}` and another in `{variant}`"),
                "make the two fields equal, or give them different names",
            ),
        };
        // In a conflict about a default, the first of the two variants has the default.
        let at = match conflict.reason {
            ConflictReason::Default => left,
            _ => variant,
        };
        self.report(at, message, help);
    }
}

/// Help for a rule on one variant. It suggests writing the rule on the enum, guarded by a field of
/// that variant.
fn on_the_enum(parts: &[VariantSchema<'_>], (left, right): (usize, usize)) -> String {
    let fields = |at: usize| parts[at].schema.properties.keys();
    let is_ruled = |at: usize, field: &str| {
        let mut rules = parts[at].schema.validations.iter();
        rules.any(|rule| rule.rule.contains(&format!("self.{field}")))
    };
    let named = [left, right]
        .into_iter()
        .find_map(|at| fields(at).find(|field| is_ruled(at, field)));
    let field = named.map_or("…", String::as_str);
    format!("write it on the enum: `!has(self.{field}) || …`")
}

/// Forbids the fields of other variants in each variant for which serde refuses unknown fields.
fn forbid_other_fields(union: &mut Union, parts: &[VariantSchema<'_>]) {
    for (branch, part) in union.branches.iter_mut().zip(parts) {
        let others: Vec<&String> = union
            .structure
            .properties
            .keys()
            .filter(|name| !part.schema.properties.contains_key(*name))
            .collect();
        if part.closed && !others.is_empty() {
            union::add_condition(branch, union::forbid_fields(&others));
        }
    }
}

/// Adds the branches as `oneOf`: exactly one must match. Branches that differ only in the tag are
/// omitted, because every tag that the structure admits matches one of them.
fn exactly_one(union: Union, tag: Option<&str>) -> Schema {
    let Union {
        mut structure,
        branches,
    } = union;
    let says_more = |branch: &Schema| {
        let mut rest = branch.clone();
        rest.required
            .retain(|name| !structure.required.contains(name));
        if let Some(tag) = tag {
            rest.properties.remove(tag);
        }
        rest != Schema::default()
    };
    if branches.iter().any(says_more) {
        let one_of = Schema {
            one_of: branches,
            ..Schema::default()
        };
        union::add_condition(&mut structure, one_of);
    }
    structure
}

/// Adds the branches as `anyOf`: at least one must match. If several match a value, serde reads the
/// first of these variants.
///
/// Branches are omitted if they restrict nothing more. That is so if one of them is empty, since
/// every value matches it, or if all contain only `enum` values, since the structure lists them.
fn at_least_one(union: Union) -> Schema {
    let Union {
        mut structure,
        branches,
    } = union;
    let values_alone = |branch: &Schema| {
        let rest = Schema {
            enum_: Vec::new(),
            ..branch.clone()
        };
        rest == Schema::default()
    };
    let free = branches.iter().any(|branch| *branch == Schema::default());
    if !free && !branches.iter().all(values_alone) {
        let any_of = Schema {
            any_of: branches,
            ..Schema::default()
        };
        union::add_condition(&mut structure, any_of);
    }
    structure
}

/// Merges schemas of integers and strings, or of integers and floats.
///
/// Returns `None` for other types, and for constraints that need a branch for each schema.
fn merge_mixed_types(parts: &[&Schema]) -> Option<Schema> {
    let of = |type_: JsonType| -> Vec<&Schema> {
        parts
            .iter()
            .copied()
            .filter(|schema| schema.type_ == Some(type_))
            .collect()
    };
    let (integers, strings, numbers) = (
        of(JsonType::Integer),
        of(JsonType::String),
        of(JsonType::Number),
    );
    if integers.is_empty() || integers.len() + strings.len() + numbers.len() != parts.len() {
        return None;
    }
    match (strings.is_empty(), numbers.is_empty()) {
        (false, true) => int_or_string(&merge_same_type(&integers)?, &merge_same_type(&strings)?),
        (true, false) => merge_same_type(&numbers),
        _ => None,
    }
}

/// Merges schemas of one type. Returns `None` if they cannot be merged without branches.
fn merge_same_type(parts: &[&Schema]) -> Option<Schema> {
    let Union {
        structure,
        branches,
    } = union::merge_schemas(parts).ok()?;
    let free = branches.iter().any(|branch| *branch == Schema::default());
    let only_values = |branch: &Schema| {
        *branch
            == Schema {
                enum_: branch.enum_.clone(),
                ..Schema::default()
            }
    };
    (free || branches.iter().all(only_values)).then_some(structure)
}

/// Merges an integer and a string into one schema. In such a schema, bounds restrict only integers,
/// and lengths and patterns restrict only strings. Returns `None` for an integer with enum values,
/// and for a string with a format.
fn int_or_string(integer: &Schema, string: &Schema) -> Option<Schema> {
    let plain = integer.enum_.is_empty() && string.format.is_none();
    let narrow = integer.format.as_deref() == Some("int32");
    let bound = |stated: &Option<_>, of_format: i32| {
        stated.clone().or_else(|| narrow.then(|| of_format.into()))
    };
    plain.then(|| Schema {
        int_or_string: true,
        any_of: vec![
            Schema::typed(JsonType::Integer),
            Schema::typed(JsonType::String),
        ],
        minimum: bound(&integer.minimum, i32::MIN),
        maximum: bound(&integer.maximum, i32::MAX),
        exclusive_minimum: integer.exclusive_minimum,
        exclusive_maximum: integer.exclusive_maximum,
        multiple_of: integer.multiple_of.clone(),
        min_length: string.min_length,
        max_length: string.max_length,
        pattern: string.pattern.clone().or_else(|| pattern_of_names(string)),
        ..Schema::default()
    })
}

/// Converts the enum values of a string into a pattern: an `enum` would forbid every number.
fn pattern_of_names(string: &Schema) -> Option<String> {
    let names: Vec<_> = string
        .enum_
        .iter()
        .filter_map(|value| value.as_str())
        .map(escape_name)
        .collect();
    (!names.is_empty()).then(|| format!("^(?:{})$", names.join("|")))
}

fn escape_name(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_punctuation() && !matches!(c, '-' | '_' | '/' | ':') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

impl Resolver<'_, '_> {
    /// Returns the schema of an enum that has variants without a schema. `parts` are the variants
    /// with a schema, and `missing` is the number of the other variants. Reports each string among
    /// objects. If schemars generates the CRD, and only strings lack a schema, warns instead, and
    /// the schema accepts any value.
    fn beside_strings(
        &mut self,
        (name, missing): (&Ident, usize),
        members: &[EnumMember<'_>],
        parts: &[VariantSchema<'_>],
        context: &EnumContext,
    ) -> Schema {
        if !matches!(context.tagging, Tagging::External) || !context.has_content {
            return Schema::default();
        }
        let strings: Vec<_> = members
            .iter()
            .filter(|member| member.is_unit() && !member.serde.untagged)
            .collect();
        if self.is_of_schemars() && strings.len() == missing {
            return self.any_value(name, format!("`{name}` is a string or an object"));
        }
        let tag = tag_that_fits(members, parts).map_or_else(String::new, |tag| {
            format!(
                "; or tag the enum, which changes how all variants are serialized: `#[serde({tag})]`"
            )
        });
        for member in strings {
            let variant = &member.variant.ident;
            let name = &member.name;
            self.report(
                variant,
                format!("`{variant}` is serialized as a string and other variants as objects, which a structural schema cannot combine"),
                format!(
                    "give it braces: `{variant} {{}}`, serialized as `{{\"{name}\": {{}}}}`{tag}; \
                     or keep the serialized form: `#[crd(schema = {{ \
                     \"x-kubernetes-preserve-unknown-fields\": true }})]`"
                ),
            );
        }
        Schema::default()
    }
}

/// Returns serde keys, such as `tag = "type"`, that make a structural schema possible.
fn tag_that_fits(members: &[EnumMember<'_>], parts: &[VariantSchema<'_>]) -> Option<String> {
    if members.iter().any(|member| member.serde.untagged) {
        return None;
    }
    let with_content = members.iter().filter(|member| !member.is_unit());
    let contents: Vec<&Schema> = parts
        .iter()
        .filter_map(|part| Some(&**part.schema.properties.get(&part.member.name)?))
        .collect();
    if contents.len() < with_content.count() {
        return None;
    }
    if let Some(tag) = free_name(&contents)
        && fit_beside_a_tag(&contents)
    {
        return Some(format!("tag = \"{tag}\""));
    }
    let fit = union::merge_schemas(&contents).is_ok();
    fit.then(|| "tag = \"type\", content = \"value\"".to_owned())
}

/// True if one object can hold a tag and the fields of any variant.
fn fit_beside_a_tag(contents: &[&Schema]) -> bool {
    let objects: Result<Vec<_>, _> = contents
        .iter()
        .map(|content| beside_a_tag(FieldSchema::new((*content).clone())))
        .collect();
    objects.is_ok_and(|objects| {
        let objects: Vec<_> = objects.iter().collect();
        union::merge_schemas(&objects).is_ok()
    })
}

/// Returns a name for the tag that no variant has as a field.
fn free_name(contents: &[&Schema]) -> Option<&'static str> {
    ["type", "kind"].into_iter().find(|name| {
        contents
            .iter()
            .all(|content| !content.properties.contains_key(*name))
    })
}
