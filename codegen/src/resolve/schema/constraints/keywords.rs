//! Keys of `#[crd(…)]` that set keywords of the schema: keys that replace the schema of the Rust
//! type, keys that narrow it, and the schemas in `all_of`, `any_of`, `one_of` and `not`.

use std::fmt::{self, Display};
use std::sync::Arc;

use genclient_apimachinery::strfmt;
use genclient_schema::definition::{SchemaPathStep, keyword_errors, structural_errors};
use genclient_schema::values;
use genclient_syntax as syntax;
use genclient_syntax::{Applicator, Help, Json, JsonValue, Shape, Spanned};
use proc_macro2::Span;
use serde_json::{Number, Value};

use super::ConstraintApplier;
use super::checks::one_of_values;
use crate::diagnostic::Location;
use crate::known;
use crate::model::{JsonType, ListType, MapType, Schema};
use crate::resolve::json_values::{to_json, to_json_number};
use crate::resolve::schema::union;

impl ConstraintApplier<'_> {
    /// Applies the keys that replace the schema. All other keys apply to the returned schema.
    pub(super) fn replace_schema(&mut self, schema: Schema) -> Schema {
        let attrs = self.attrs;
        let mut schema = match &attrs.schema {
            Some(stated) => self.read_whole_schema(stated, schema),
            None if attrs.schemaless.is_set() => without_constraints(schema),
            None => schema,
        };
        if attrs.int_or_string.is_set() {
            schema = Schema {
                int_or_string: true,
                any_of: vec![
                    Schema::typed(JsonType::Integer),
                    Schema::typed(JsonType::String),
                ],
                ..without_constraints(schema)
            };
        }
        if let Some(stated) = &attrs.json_type {
            self.check_kept_list(stated, &schema);
            schema = with_type(json_type(stated.value), schema);
        }
        if let Some(span) = attrs.embedded_metadata.span() {
            schema = self.embedded_metadata(span, schema);
        }
        if attrs.preserve_unknown_fields.is_set() {
            schema.preserve_unknown_fields = true;
            schema.additional_properties = None;
        }
        if attrs.embedded_resource.is_set() {
            schema.embedded_resource = true;
            schema.additional_properties = None;
            let type_ = *schema.type_.get_or_insert(JsonType::Object);
            schema.preserve_unknown_fields |=
                type_ == JsonType::Object && schema.properties.is_empty();
        }
        schema
    }

    /// Reports a `type` that does not fit a list or map, unless another key has replaced its
    /// schema.
    fn check_kept_list(&mut self, stated: &Spanned<syntax::JsonType>, schema: &Schema) {
        let (is, key, type_) = match self.shape {
            Shape::List(_) => ("list", "items", JsonType::Array),
            Shape::Map(_) => ("map", "values", JsonType::Object),
            _ => return,
        };
        let json_type = json_type(stated.value);
        if schema.type_ == Some(type_) && json_type != type_ {
            let json_type = json_type.as_str();
            self.error(
                stated.span,
                format!("expected type {json_type}, but serde serializes a {is}"),
                Help::write_key(format!("{key}(type = \"{json_type}\")")),
            );
        }
    }

    /// Returns a schema with the `ObjectMeta` fields that a template needs, such as labels. Without
    /// these fields, the API server would prune the whole metadata. Reports a type other than
    /// `ObjectMeta`.
    fn embedded_metadata(&mut self, span: Span, schema: Schema) -> Schema {
        let bare = Schema {
            description: schema.description.clone(),
            nullable: schema.nullable,
            ..Schema::typed(JsonType::Object)
        };
        if schema != bare {
            self.error(
                span,
                "`embedded_metadata` applies only to fields of type `ObjectMeta`",
                Help::remove("remove it: the type has fields of its own"),
            );
            return schema;
        }
        Schema {
            description: bare.description,
            nullable: bare.nullable,
            ..known::embedded_metadata_schema()
        }
    }

    fn read_whole_schema(&mut self, stated: &Json, schema: Schema) -> Schema {
        let whole = self
            .check_written(stated)
            .then(|| self.read_schema("schema", to_json(stated), stated.span));
        let Some(whole) = whole.flatten() else {
            return Schema {
                preserve_unknown_fields: true,
                ..Schema::default()
            };
        };
        let mut whole = Schema {
            description: schema.description.or(whole.description),
            nullable: schema.nullable || whole.nullable,
            ..whole
        };
        if whole.nullable {
            union::admit_null(&mut whole);
        }
        self.locate_rules(&mut whole, stated);
        whole
    }

    /// Reads a schema from the value of `key`. Reports an invalid schema and returns `None`.
    fn read_schema(&mut self, key: impl Display, value: Value, span: Span) -> Option<Schema> {
        let error = match serde_json::from_value::<Schema>(value) {
            Ok(schema) => return Some(schema),
            Err(error) => error.to_string(),
        };
        let (reason, expected) = error.split_once(", expected ").unwrap_or((&error, ""));
        let help = if reason.starts_with("unknown variant") {
            format!("write {expected}")
        } else if reason.starts_with("`additionalProperties`") {
            VALUES_HELP.to_owned()
        } else if reason == "invalid type: sequence" {
            "write one type, and add `\"nullable\": true` if it may be null".to_owned()
        } else {
            KEYS_HELP.to_owned()
        };
        self.error(
            span,
            format!("`{key}` is not a valid CRD schema: {reason}"),
            help,
        );
        None
    }

    /// Sets the source locations of all rules in a stated schema.
    fn locate_rules(&mut self, schema: &mut Schema, stated: &Json) {
        let place = |text: &str| {
            let span = find_string_span(text, stated);
            span.map(|span| Location::new(&self.module.source, span))
        };
        for rule in &mut schema.validations {
            let field_path = rule.field_path.as_deref().and_then(place);
            let message_expression = rule.message_expression.as_deref().and_then(place);
            rule.source = place(&rule.rule).map(|text| {
                self.rule_locations
                    .add(text, field_path, message_expression)
            });
        }
        for schema in schema.nested_mut() {
            self.locate_rules(schema, stated);
        }
    }
}

const KEYS_HELP: &str =
    "write the keys of `JSONSchemaProps`: `{ \"type\": \"string\", \"maxLength\": 63 }`";

const VALUES_HELP: &str = "write the schema of the values, or \
    `{ \"x-kubernetes-preserve-unknown-fields\": true }` for any value; \
    if other keys are not allowed, remove `additionalProperties`";

/// Span of the first string in a JSON value that equals `text`.
fn find_string_span(text: &str, value: &Json) -> Option<Span> {
    match &value.value {
        JsonValue::String(found) => (found == text).then_some(value.span),
        JsonValue::Array(items) => items.iter().find_map(|item| find_string_span(text, item)),
        JsonValue::Object(members) => {
            let mut members = members.iter();
            members.find_map(|(_, member)| find_string_span(text, member))
        }
        _ => None,
    }
}

/// Returns the schema with the JSON type `type_`. If the schema already has that type, only
/// `format` is removed. Otherwise, only the description and `nullable` are kept, and
/// `preserve_unknown_fields` if `type_` is `object`.
fn with_type(type_: JsonType, schema: Schema) -> Schema {
    if schema.type_ == Some(type_) {
        return Schema {
            format: None,
            ..schema
        };
    }
    Schema {
        type_: Some(type_),
        preserve_unknown_fields: schema.preserve_unknown_fields && type_ == JsonType::Object,
        ..without_constraints(schema)
    }
}

fn without_constraints(schema: Schema) -> Schema {
    Schema {
        description: schema.description,
        nullable: schema.nullable,
        ..Schema::default()
    }
}

impl ConstraintApplier<'_> {
    /// Sets the keywords of `extend(…)`. A keyword with an invalid value is reported and left out.
    pub(super) fn extend(&mut self, schema: &mut Schema) {
        for (key, value) in &self.attrs.extend {
            match with_keyword(schema, &key.value, to_json(value)) {
                Ok(changed) => {
                    // `with_keyword` converts to JSON, which has no source ids. The rules of the
                    // unchanged schema still have them.
                    let validations = std::mem::take(&mut schema.validations);
                    *schema = Schema {
                        validations,
                        ..changed
                    };
                }
                Err(error) => self.error(
                    value.span,
                    format!("invalid value for `{}`: {error}", key.value),
                    "write a value of the type in `JSONSchemaProps`",
                ),
            }
        }
    }
}

fn with_keyword(schema: &Schema, key: &str, value: Value) -> serde_json::Result<Schema> {
    let mut whole = serde_json::to_value(schema)?;
    whole[key] = value;
    serde_json::from_value(whole)
}

fn json_type(written: syntax::JsonType) -> JsonType {
    match written {
        syntax::JsonType::Object => JsonType::Object,
        syntax::JsonType::Array => JsonType::Array,
        syntax::JsonType::String => JsonType::String,
        syntax::JsonType::Integer => JsonType::Integer,
        syntax::JsonType::Number => JsonType::Number,
        syntax::JsonType::Boolean => JsonType::Boolean,
    }
}

/// Types that a constraint applies to.
#[derive(Clone, Copy)]
enum Wants {
    Number,
    String,
    List,
    Object,
}

impl Wants {
    fn takes(self, schema: &Schema) -> bool {
        match (self, schema.type_) {
            (_, None) => !matches!(self, Self::List | Self::Object) || !schema.int_or_string,
            (Self::Number, Some(type_)) => matches!(type_, JsonType::Integer | JsonType::Number),
            (Self::String, Some(type_)) => type_ == JsonType::String,
            (Self::List, Some(type_)) => type_ == JsonType::Array,
            (Self::Object, Some(type_)) => type_ == JsonType::Object,
        }
    }
}

impl fmt::Display for Wants {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Number => "numbers",
            Self::String => "strings",
            Self::List => "lists",
            Self::Object => "maps and structs",
        })
    }
}

impl ConstraintApplier<'_> {
    pub(super) fn tighten(&mut self, schema: &mut Schema) {
        self.tighten_numbers(schema);
        self.tighten_strings(schema);
        self.tighten_sizes(schema);
        self.set_list_and_map_types(schema);
        self.narrow_enum_values(schema);
    }

    /// Returns the value of a constraint if it applies to the type of the schema. Otherwise,
    /// reports the constraint, unless the grammar has reported it or the attribute is lenient.
    /// Attributes of schemars are lenient: schemars ignores constraints that do not fit the type.
    fn take<T: Clone>(
        &mut self,
        key: &str,
        value: &Option<Spanned<T>>,
        wants: Wants,
        schema: &Schema,
    ) -> Option<T> {
        let value = value.as_ref()?;
        let lenient = self.attrs.lenient.is_set();
        // The API server refuses list and map types of values of any type.
        let needs_type = ["list_type", "map_type", "struct_type"].contains(&key);
        let lacks_type = needs_type && schema.is_any();
        if wants.takes(schema) && !(lenient && schema.type_.is_none()) && !lacks_type {
            return Some(value.value.clone());
        }
        // If the grammar can determine the type, it has reported the mismatch.
        if self.has_unknown_shape() && !lenient {
            let untyped = if schema.is_any() {
                "any"
            } else {
                "integer or string"
            };
            let is = schema.type_.map_or(untyped, JsonType::as_str);
            self.error(
                value.span,
                format!("`{key}` applies to {wants}, but the type is {is}"),
                replacement_help(key, wants, schema),
            );
        }
        None
    }

    fn tighten_numbers(&mut self, schema: &mut Schema) {
        let attrs = self.attrs;
        if let Some(minimum) = self.take("minimum", &attrs.minimum, Wants::Number, schema) {
            let stated = (to_json_number(&minimum), attrs.exclusive_minimum.is_set());
            let known = (&mut schema.minimum, &mut schema.exclusive_minimum);
            tighten_bound(known, stated, values::less);
        }
        if let Some(maximum) = self.take("maximum", &attrs.maximum, Wants::Number, schema) {
            let stated = (to_json_number(&maximum), attrs.exclusive_maximum.is_set());
            let known = (&mut schema.maximum, &mut schema.exclusive_maximum);
            tighten_bound(known, stated, |a, b| values::less(b, a));
        }
        if let Some(factor) = self.take("multiple_of", &attrs.multiple_of, Wants::Number, schema) {
            multiple_of(schema, to_json_number(&factor));
        }
    }

    fn tighten_strings(&mut self, schema: &mut Schema) {
        let attrs = self.attrs;
        let min = self.take("min_length", &attrs.min_length, Wants::String, schema);
        let max = self.take("max_length", &attrs.max_length, Wants::String, schema);
        schema.min_length = schema.min_length.max(min);
        schema.max_length = min_bound(schema.max_length, max);
        if let Some(pattern) = self.take("pattern", &attrs.pattern, Wants::String, schema) {
            set_text_keyword(schema, pattern, |schema| &mut schema.pattern);
        }
        if let Some(format) = &attrs.format {
            set_format(schema, &format.value);
        }
    }

    fn tighten_sizes(&mut self, schema: &mut Schema) {
        let attrs = self.attrs;
        let min = self.take("min_items", &attrs.min_items, Wants::List, schema);
        let max = self.take("max_items", &attrs.max_items, Wants::List, schema);
        schema.min_items = schema.min_items.max(min);
        schema.max_items = min_bound(schema.max_items, max);
        let object = Wants::Object;
        let min = self.take("min_properties", &attrs.min_properties, object, schema);
        let max = self.take("max_properties", &attrs.max_properties, object, schema);
        schema.min_properties = schema.min_properties.max(min);
        schema.max_properties = min_bound(schema.max_properties, max);
    }

    /// Sets list and map types for server-side apply. Those of a field override those of its type.
    fn set_list_and_map_types(&mut self, schema: &mut Schema) {
        let attrs = self.attrs;
        if let Some(list_type) = self.take("list_type", &attrs.list_type, Wants::List, schema) {
            schema.list_type = Some(to_list_type(list_type));
            schema.list_map_keys.clear();
        }
        let keys = attrs.list_map_keys.iter().map(|key| key.value.clone());
        schema.list_map_keys.extend(keys);
        let map_type = self.take("map_type", &attrs.map_type, Wants::Object, schema);
        let struct_type = self.take("struct_type", &attrs.struct_type, Wants::Object, schema);
        if let Some(map_type) = map_type.or(struct_type) {
            schema.map_type = Some(to_map_type(map_type));
        }
    }

    /// Narrows the enum values of the type to the stated ones. Reports stated values that the type
    /// does not have.
    fn narrow_enum_values(&mut self, schema: &mut Schema) {
        let Some(stated) = &self.attrs.enumeration else {
            return;
        };
        let known = take_values(schema);
        let mut both = Vec::new();
        for written in &stated.value {
            let value = to_json(written);
            let is_null = schema.nullable && value.is_null();
            let is_known = known.iter().any(|known| values::equal(known, &value));
            if is_null || is_known || known.is_empty() {
                both.push(value);
            } else {
                let message = format!("the value {value} of `enum` is not a value of the type");
                self.error(written.span, message, one_of_values(&value, &known));
            }
        }
        schema.enum_ = both;
        if schema.nullable {
            union::admit_null(schema);
        }
    }
}

/// Help for a constraint that does not apply to the type of the schema.
fn replacement_help(key: &str, wants: Wants, schema: &Schema) -> Help {
    let inside =
        |inner: &Option<Arc<Schema>>| inner.as_deref().is_some_and(|inner| wants.takes(inner));
    match (wants, schema.type_) {
        _ if inside(&schema.items) => format!("apply it to the items: `items({key} = ..)`").into(),
        _ if inside(&schema.additional_properties) => {
            format!("apply it to the values: `values({key} = ..)`").into()
        }
        (Wants::String, Some(JsonType::Integer | JsonType::Number)) => {
            "remove it, or write `minimum` and `maximum`".into()
        }
        (Wants::Number, Some(JsonType::String)) => "remove it, or write a `pattern`".into(),
        (Wants::List, Some(JsonType::String)) if key.ends_with("_items") => {
            "remove it, or write `min_length` and `max_length`".into()
        }
        _ => Help::remove("remove it"),
    }
}

/// Removes and returns the enum values of a schema, except `null`. A nullable schema has them in
/// `allOf`.
fn take_values(schema: &mut Schema) -> Vec<Value> {
    let mut values = std::mem::take(&mut schema.enum_);
    let lists = |branch: &Schema| !branch.enum_.is_empty();
    if schema.nullable
        && let Some(at) = schema.all_of.iter().position(lists)
    {
        values = schema.all_of.remove(at).enum_;
        values.retain(|value| !value.is_null());
    }
    values
}

/// Sets a bound to the tighter of the known and the stated bound. The flag beside a bound is true
/// if the bound is exclusive. `looser(a, b)` is true if `b` is tighter than `a`.
fn tighten_bound(
    (bound, is_excluded): (&mut Option<Number>, &mut bool),
    (stated, excludes): (Number, bool),
    looser: impl Fn(&Number, &Number) -> bool,
) {
    let known = bound.take().map(|known| (known, *is_excluded));
    let (number, excluded) = match known {
        Some(known) if looser(&stated, &known.0) => known,
        Some(known) if !looser(&known.0, &stated) => (stated, excludes || known.1),
        _ => (stated, excludes),
    };
    (*bound, *is_excluded) = (Some(number), excluded);
}

fn min_bound(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// Requires a value to be a multiple of `factor` and of the factor that the schema already has.
fn multiple_of(schema: &mut Schema, factor: Number) {
    match schema.multiple_of.take() {
        Some(known) if values::is_multiple(&known, &factor) => schema.multiple_of = Some(known),
        Some(known) if !values::is_multiple(&factor, &known) => {
            schema.multiple_of = Some(known);
            schema.all_of.push(Schema {
                multiple_of: Some(factor),
                ..Schema::default()
            });
        }
        _ => schema.multiple_of = Some(factor),
    }
}

/// Sets a format. If the schema has another text format, both apply. Of two numeric formats, only
/// the narrower one is kept: `allOf` cannot hold the other, since the API server accepts numeric
/// formats only beside a type.
fn set_format(schema: &mut Schema, format: &str) {
    if !strfmt::is_numeric(format) {
        set_text_keyword(schema, format.to_owned(), |schema| &mut schema.format);
        return;
    }
    let narrow = matches!(schema.format.as_deref(), Some("int32" | "float"));
    if !narrow {
        schema.format = Some(format.to_owned());
    }
}

/// Sets a keyword that holds a text, such as `pattern`. If the schema already has another text, the
/// new one goes into `allOf`, so that both apply.
fn set_text_keyword(
    schema: &mut Schema,
    text: String,
    part: impl Fn(&mut Schema) -> &mut Option<String>,
) {
    let known = part(schema);
    if known.is_none() {
        *known = Some(text);
    } else if known.as_ref() != Some(&text) {
        let mut other = Schema::default();
        *part(&mut other) = Some(text);
        if !schema.all_of.contains(&other) {
            schema.all_of.push(other);
        }
    }
}

fn to_list_type(written: syntax::ListType) -> ListType {
    match written {
        syntax::ListType::Map => ListType::Map,
        syntax::ListType::Set => ListType::Set,
        syntax::ListType::Atomic => ListType::Atomic,
    }
}

fn to_map_type(written: syntax::MapType) -> MapType {
    match written {
        syntax::MapType::Granular => MapType::Granular,
        syntax::MapType::Atomic => MapType::Atomic,
    }
}

impl ConstraintApplier<'_> {
    /// Adds the schemas of the junctors, and reports what the API server refuses.
    pub(super) fn add_applicators(&mut self, schema: &mut Schema) {
        for (junctor, written) in &self.attrs.applicators {
            let name = junctor.value.as_str();
            let key = Spanned::new(name.to_owned(), written.span);
            let whole = Json {
                value: JsonValue::Object(vec![(key, written.clone())]),
                span: written.span,
            };
            if !self.check_written(&whole) {
                continue;
            }
            let Some(added) = self.read_schema(name, to_json(&whole), written.span) else {
                continue;
            };
            self.check_names(&added, schema, written.span);
            self.check_branches(&added, schema, &whole);
            add_applicator(junctor.value, added, schema);
        }
    }

    /// Checks the branches of `added` as a part of the type's schema.
    fn check_branches(&mut self, added: &Schema, schema: &Schema, written: &Json) {
        let together = Schema {
            all_of: added.all_of.clone(),
            any_of: added.any_of.clone(),
            one_of: added.one_of.clone(),
            not: added.not.clone(),
            ..schema.clone()
        };
        let mut errors = structural_errors(&together);
        errors.extend(keyword_errors(&together));
        for error in errors {
            let first = error.path.first();
            if matches!(
                first,
                Some(SchemaPathStep::Branch(..) | SchemaPathStep::Not)
            ) {
                self.report_written(&error, written);
            }
        }
    }

    /// Checks that `required` in `added` names only fields of the type. The API server prunes any
    /// other field, so the field would never be present.
    fn check_names(&mut self, added: &Schema, schema: &Schema, span: Span) {
        let declared = &schema.properties;
        if !declared.is_empty() && !schema.preserve_unknown_fields {
            for name in added
                .required
                .iter()
                .filter(|name| !declared.contains_key(*name))
            {
                self.report_missing_field(name, schema, span);
            }
        }
        let branches = [&added.all_of, &added.any_of, &added.one_of];
        for branch in branches.into_iter().flatten().chain(added.not.as_deref()) {
            self.check_names(branch, schema, span);
        }
    }
}

/// Adds the schemas of one junctor. If the schema already has the same keyword, the added schemas
/// go into `allOf`, so that both apply.
fn add_applicator(junctor: Applicator, added: Schema, schema: &mut Schema) {
    match junctor {
        Applicator::All => schema.all_of.extend(added.all_of),
        Applicator::Any if schema.any_of.is_empty() => schema.any_of = added.any_of,
        Applicator::One if schema.one_of.is_empty() => schema.one_of = added.one_of,
        Applicator::Not if schema.not.is_none() => schema.not = added.not,
        Applicator::Any | Applicator::One | Applicator::Not => schema.all_of.push(added),
    }
}
