//! Schema attributes of types and fields: constraints and overrides in `#[crd(…)]` and in
//! attributes of other crates.

use proc_macro2::Span;

use super::{
    AttributeTarget, Flag, Help, Json, JsonType, JsonValue, ListType, MapType, Number, Problems,
    Reason, Shape, Spanned, Target, TypeRef, suggest,
};
use crate::keys::{Given, Keys};
use crate::table::{self, Key};

/// Constraints and overrides of one type, field, list item, map value or map key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SchemaAttrs {
    /// Least value of a number.
    pub minimum: Option<Spanned<Number>>,
    /// Greatest value of a number.
    pub maximum: Option<Spanned<Number>>,
    /// The minimum itself is not allowed.
    pub exclusive_minimum: Flag,
    /// The maximum itself is not allowed.
    pub exclusive_maximum: Flag,
    /// A number must be a multiple of this number.
    pub multiple_of: Option<Spanned<Number>>,
    /// Least length of a string, in code points.
    pub min_length: Option<Spanned<u64>>,
    /// Greatest length of a string, in code points.
    pub max_length: Option<Spanned<u64>>,
    /// RE2 expression that must match somewhere in a string.
    pub pattern: Option<Spanned<String>>,
    /// Format of a value, such as `date-time`.
    pub format: Option<Spanned<String>>,
    /// Least length of a list.
    pub min_items: Option<Spanned<u64>>,
    /// Greatest length of a list.
    pub max_items: Option<Spanned<u64>>,
    /// Least number of entries of a map or an object.
    pub min_properties: Option<Spanned<u64>>,
    /// Greatest number of entries of a map or an object.
    pub max_properties: Option<Spanned<u64>>,
    /// The only values allowed.
    pub enumeration: Option<Spanned<Vec<Json>>>,
    /// Value that the API server fills in.
    pub default: Option<Json>,
    /// An example for readers.
    pub example: Option<Json>,
    /// A title for readers.
    pub title: Option<Spanned<String>>,
    /// The description, in place of the doc comment. Empty for none.
    pub description: Option<Spanned<String>>,
    /// Greatest length of descriptions, in characters: of this schema and of all below it.
    pub max_desc_len: Option<Spanned<u64>>,
    /// Reference to further documentation.
    pub external_docs: Option<ExternalDocs>,
    /// JSON type, in place of the type derived from the Rust type.
    pub json_type: Option<Spanned<JsonType>>,
    /// The value is an integer or a string.
    pub int_or_string: Flag,
    /// The API server does not prune unknown fields.
    pub preserve_unknown_fields: Flag,
    /// The value is an embedded resource, with `apiVersion`, `kind` and `metadata`.
    pub embedded_resource: Flag,
    /// The Rust type is ignored: the other attributes alone determine the schema.
    pub schemaless: Flag,
    /// The whole schema, in place of the schema of the Rust type.
    pub schema: Option<Json>,
    /// Constraints of the items of a list.
    pub items: Option<Box<SchemaAttrs>>,
    /// Constraints of the values of a map.
    pub values: Option<Box<SchemaAttrs>>,
    /// Constraints of the keys of a map: lengths, pattern, format and enum only.
    pub keys: Option<Box<SchemaAttrs>>,
    /// CEL rules, in source order.
    pub validations: Vec<Validation>,
    /// The value cannot change once it is set. Fields only.
    pub immutable: Flag,
    /// Merge strategy of a list in server-side apply.
    pub list_type: Option<Spanned<ListType>>,
    /// JSON names of the merge keys of a list of type `map`.
    pub list_map_keys: Vec<Spanned<String>>,
    /// Merge strategy of a map in server-side apply.
    pub map_type: Option<Spanned<MapType>>,
    /// Merge strategy of a struct in server-side apply.
    pub struct_type: Option<Spanned<MapType>>,
    /// The API server preserves name, namespace, labels, annotations and finalizers of this
    /// `ObjectMeta`. Fields only.
    pub embedded_metadata: Flag,
    /// The field may be absent. Fields only.
    pub optional: Flag,
    /// The field must be present. Fields only.
    pub required: Flag,
    /// The field may be `null`. Fields only.
    pub nullable: Flag,
    /// serde's default is left out of the CRD. Fields only.
    pub no_default: Flag,
    /// Another type, from which the schema is derived: `#[schemars(with = "..")]`.
    pub with: Option<Spanned<TypeRef>>,
    /// A function that makes the whole schema: `#[schemars(schema_with = "..")]`.
    pub schema_with: Option<Spanned<String>>,
    /// A function that makes the default: `#[schemars(default = "..")]`.
    pub default_with: Option<Spanned<String>>,
    /// Schema keywords that are set after all others: `#[schemars(extend("key" = ..))]`.
    pub extend: Vec<(Spanned<String>, Json)>,
    /// Constraints that do not fit the type are ignored and not reported, because schemars drops
    /// them.
    pub lenient: Flag,
    /// Rules on how many of several fields are set. Types only.
    pub one_of: Vec<OneOf>,
    /// Additional schemas in `allOf`, `anyOf`, `oneOf` or `not`.
    pub applicators: Vec<(Spanned<Applicator>, Json)>,
    /// On a type, `#[crd(skip)]`: the type has no schema. On a field, `#[schemars(skip)]`: the
    /// schema omits the field.
    pub skip: Flag,
}

impl SchemaAttrs {
    /// Returns whether the attributes alone determine the schema, without the Rust type.
    pub fn replaces_type(&self) -> bool {
        let open_object = self.preserve_unknown_fields.is_set() && self.json_type.is_some();
        let stated = self.schema.is_some() || self.schemaless.is_set();
        stated || self.int_or_string.is_set() || open_object
    }

    /// Returns whether the attributes override the Rust type or loosen its schema. The grammar then
    /// checks the other attributes without regard to the type (`Key::OVERRIDES_TYPE`).
    pub fn overrides_type(&self) -> bool {
        let is_loose = self.preserve_unknown_fields.is_set() || self.embedded_resource.is_set();
        is_loose || self.replaces_type() || self.json_type.is_some()
    }

    /// Returns whether the attributes restrict a type that accepts every JSON value, such as
    /// `serde_json::Value`: they replace the type ([`Self::replaces_type`]), or state a JSON type,
    /// a list of allowed values or `embedded_resource`.
    pub fn restricts_any(&self) -> bool {
        self.replaces_type()
            || self.json_type.is_some()
            || self.embedded_resource.is_set()
            || self.enumeration.is_some()
    }
}

/// Reference to documentation of a value.
#[derive(Clone, Debug, PartialEq)]
pub struct ExternalDocs {
    /// URL of the documentation.
    pub url: Spanned<String>,
    /// Description of the documentation.
    pub description: Option<Spanned<String>>,
}

/// A CEL rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Validation {
    /// The expression over `self` and `oldSelf`.
    pub rule: Spanned<String>,
    /// Error message of the API server if the rule fails.
    pub message: Option<Spanned<String>>,
    /// CEL expression that evaluates to the message.
    pub message_expression: Option<Spanned<String>>,
    /// The machine-readable reason of the error.
    pub reason: Option<Spanned<Reason>>,
    /// Path of the field that the error names.
    pub field_path: Option<Spanned<String>>,
    /// The rule also runs on creation, where `oldSelf` is `optional.none()`.
    pub optional_old_self: Flag,
}

/// Rule on how many of several fields are set.
#[derive(Clone, Debug)]
pub struct OneOf {
    /// How many of the fields are set.
    pub kind: OneOfKind,
    /// JSON names of the fields.
    pub fields: Vec<Spanned<String>>,
    /// Span of the key.
    pub span: Span,
}

/// Compares the rules and ignores their spans.
impl PartialEq for OneOf {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind && self.fields == other.fields
    }
}

/// How many of several fields a valid value sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OneOfKind {
    /// At most one field is set.
    AtMost,
    /// Exactly one field is set.
    Exactly,
    /// At least one field is set.
    AtLeast,
}

/// Keyword that applies additional schemas to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applicator {
    /// `allOf`
    All,
    /// `anyOf`
    Any,
    /// `oneOf`
    One,
    /// `not`
    Not,
}

impl Applicator {
    /// Returns the keyword in a CRD: `allOf`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::All => "allOf",
            Self::Any => "anyOf",
            Self::One => "oneOf",
            Self::Not => "not",
        }
    }
}

/// Reads the schema keys among `keys` and skips the keys of kinds.
pub(crate) fn read_schema_keys(
    keys: &Keys,
    target: &AttributeTarget,
    problems: &mut Problems,
) -> SchemaAttrs {
    let overrides_type = Key::OVERRIDES_TYPE.iter().any(|key| keys.mentions(*key));
    let shape = if overrides_type {
        &Shape::Unknown
    } else {
        &target.shape
    };
    let mut attrs = read_constraints(keys, problems);
    read_overrides(&mut attrs, keys, problems);
    read_topology(&mut attrs, keys);
    read_presence(&mut attrs, keys);
    read_nested(&mut attrs, keys, shape, problems);
    attrs.validations = read_validations(keys, problems);
    check_contradictions(&attrs, keys, shape, problems);
    check_values(&attrs, shape, problems);
    attrs
}

fn read_constraints(keys: &Keys, problems: &mut Problems) -> SchemaAttrs {
    SchemaAttrs {
        minimum: keys.number(Key::MINIMUM),
        maximum: keys.number(Key::MAXIMUM),
        exclusive_minimum: keys.flag(Key::EXCLUSIVE_MINIMUM),
        exclusive_maximum: keys.flag(Key::EXCLUSIVE_MAXIMUM),
        multiple_of: keys.number(Key::MULTIPLE_OF),
        min_length: keys.whole(Key::MIN_LENGTH, problems),
        max_length: keys.whole(Key::MAX_LENGTH, problems),
        pattern: keys.text(Key::PATTERN),
        format: keys.text(Key::FORMAT),
        min_items: keys.whole(Key::MIN_ITEMS, problems),
        max_items: keys.whole(Key::MAX_ITEMS, problems),
        min_properties: keys.whole(Key::MIN_PROPERTIES, problems),
        max_properties: keys.whole(Key::MAX_PROPERTIES, problems),
        ..SchemaAttrs::default()
    }
}

fn read_overrides(attrs: &mut SchemaAttrs, keys: &Keys, problems: &mut Problems) {
    attrs.enumeration = keys.json(Key::ENUM).and_then(json_array);
    if let Some(values) = attrs.enumeration.take_if(|values| values.value.is_empty()) {
        let help = "add the values, or remove it";
        problems.report(values.span, "`enum` must not be empty", help);
    }
    attrs.default = keys.json(Key::DEFAULT);
    attrs.example = keys.json(Key::EXAMPLE);
    attrs.title = keys.text(Key::TITLE);
    attrs.description = keys.text(Key::DESCRIPTION);
    attrs.max_desc_len = keys.whole(Key::MAX_DESC_LEN, problems);
    attrs.external_docs = keys
        .arguments(Key::EXTERNAL_DOCS)
        .next()
        .and_then(|(docs, _)| {
            Some(ExternalDocs {
                url: docs.text(Key::URL)?,
                description: docs.text(Key::DESCRIPTION),
            })
        });
    attrs.json_type = keys.value(Key::TYPE, JsonType::from_name);
    attrs.int_or_string = keys.flag(Key::INT_OR_STRING);
    attrs.preserve_unknown_fields = keys.flag(Key::PRESERVE_UNKNOWN_FIELDS);
    attrs.embedded_resource = keys.flag(Key::EMBEDDED_RESOURCE);
    attrs.schemaless = keys.flag(Key::SCHEMALESS);
    attrs.schema = keys.json(Key::SCHEMA);
    let applicators = [
        (Key::ALL_OF, Applicator::All),
        (Key::ANY_OF, Applicator::Any),
        (Key::ONE_OF, Applicator::One),
        (Key::NOT, Applicator::Not),
    ];
    for (key, applicator) in applicators {
        let found = keys.get(key).zip(keys.json(key));
        attrs
            .applicators
            .extend(found.map(|(found, json)| (Spanned::new(applicator, found.span), json)));
    }
}

fn json_array(json: Json) -> Option<Spanned<Vec<Json>>> {
    match json.value {
        JsonValue::Array(items) => Some(Spanned::new(items, json.span)),
        _ => None,
    }
}

fn read_topology(attrs: &mut SchemaAttrs, keys: &Keys) {
    attrs.list_type = keys.value(Key::LIST_TYPE, ListType::from_name);
    attrs.list_map_keys = keys.texts(Key::LIST_MAP_KEYS);
    attrs.map_type = keys.value(Key::MAP_TYPE, MapType::from_name);
    attrs.struct_type = keys.value(Key::STRUCT_TYPE, MapType::from_name);
}

fn read_presence(attrs: &mut SchemaAttrs, keys: &Keys) {
    attrs.immutable = keys.flag(Key::IMMUTABLE);
    attrs.embedded_metadata = keys.flag(Key::EMBEDDED_METADATA);
    attrs.optional = keys.flag(Key::OPTIONAL);
    attrs.required = keys.flag(Key::REQUIRED);
    attrs.nullable = keys.flag(Key::NULLABLE);
    attrs.no_default = keys.flag(Key::NO_DEFAULT);
    attrs.skip = keys.flag(Key::SKIP);
    for found in keys.iter() {
        let kind = match found.key {
            Key::AT_MOST_ONE_OF => OneOfKind::AtMost,
            Key::EXACTLY_ONE_OF => OneOfKind::Exactly,
            Key::AT_LEAST_ONE_OF => OneOfKind::AtLeast,
            _ => continue,
        };
        if let Given::Texts(fields) = &found.given {
            attrs.one_of.push(OneOf {
                kind,
                fields: fields.clone(),
                span: found.span,
            });
        }
    }
}

fn read_nested(attrs: &mut SchemaAttrs, keys: &Keys, shape: &Shape, problems: &mut Problems) {
    let inner = match shape {
        Shape::List(inner) | Shape::Map(inner) => inner.as_ref().clone(),
        _ => Shape::Unknown,
    };
    let mut nested = |key, kind, shape| {
        let target = AttributeTarget { kind, shape };
        let keys = Keys::read_nested(keys.schema(key)?, &target, problems);
        Some(Box::new(read_schema_keys(&keys, &target, problems)))
    };
    attrs.items = nested(Key::ITEMS, Target::Items, inner.clone());
    attrs.values = nested(Key::VALUES, Target::Values, inner);
    attrs.keys = nested(Key::KEYS, Target::Keys, Shape::String);
}

fn check_values(attrs: &SchemaAttrs, shape: &Shape, problems: &mut Problems) {
    let listed = attrs
        .enumeration
        .iter()
        .flat_map(|values| &values.value)
        .map(|value| (Key::ENUM, value));
    let single = [
        (Key::DEFAULT, &attrs.default),
        (Key::EXAMPLE, &attrs.example),
    ];
    let single = single
        .into_iter()
        .filter_map(|(key, value)| value.as_ref().map(|value| (key, value)));
    for (key, value) in listed.chain(single) {
        if let Some((part, shape)) = find_misfit(value, shape) {
            let message = format!(
                "expected {} for `{key}`, found {}",
                shape.describe(),
                json_type_name(part)
            );
            problems.report(part.span, message, format!("write {}", value_sample(shape)));
        }
    }
}

impl Shape {
    /// Returns whether the value can belong to a type of this shape.
    pub fn admits(&self, value: &Json) -> bool {
        find_misfit(value, self).is_none()
    }
}

/// Returns the first part of the value that does not fit, with the shape that it should have.
/// `null` fits every shape, because only the field determines whether `null` is allowed.
fn find_misfit<'v>(json: &'v Json, shape: &'v Shape) -> Option<(&'v Json, &'v Shape)> {
    let fits = match (&json.value, shape) {
        (JsonValue::Array(items), Shape::List(item)) => {
            return items.iter().find_map(|json| find_misfit(json, item));
        }
        (JsonValue::Object(members), Shape::Map(value)) => {
            return members
                .iter()
                .find_map(|(_, json)| find_misfit(json, value));
        }
        (JsonValue::Null, _) | (_, Shape::Unknown) => true,
        (JsonValue::Bool(_), Shape::Boolean) | (JsonValue::Number(_), Shape::Number) => true,
        (JsonValue::Number(number), Shape::Integer) => number.is_whole(),
        (JsonValue::String(_), Shape::String) => true,
        (JsonValue::Object(_), Shape::Struct) => true,
        // An untagged enum serializes as the content of its variants, which may be any value.
        (_, Shape::Enum) => true,
        _ => false,
    };
    (!fits).then_some((json, shape))
}

fn json_type_name(json: &Json) -> &'static str {
    match json.value {
        JsonValue::Null => "null",
        JsonValue::Bool(_) => "boolean",
        JsonValue::Number(_) => "number",
        JsonValue::String(_) => "string",
        JsonValue::Array(_) => "list",
        JsonValue::Object(_) => "object",
    }
}

fn value_sample(shape: &Shape) -> &'static str {
    match shape {
        Shape::Unknown => "a JSON value",
        Shape::Boolean => "`true` or `false`",
        Shape::Integer => "an integer",
        Shape::Number => "a number",
        Shape::String => "a string",
        Shape::List(_) => "a list: `[..]`",
        Shape::Map(_) => "an object: `{ \"key\": .. }`",
        Shape::Struct | Shape::Enum => "an object: `{ \"name\": .. }`",
    }
}

/// Reads each `validation(…)`.
fn read_validations(keys: &Keys, problems: &mut Problems) -> Vec<Validation> {
    let rules = keys
        .arguments(Key::VALIDATION)
        .filter_map(|(arguments, _)| {
            let rule = read_rule(arguments)?;
            check_validation(&rule, arguments, problems);
            Some(rule)
        });
    rules.collect()
}

/// Reads one rule of another attribute, such as `#[schemars]` or `#[x_kube]`. `arguments` is the
/// rule, translated into arguments of `#[crd(validation(..))]`. A missing `rule` is reported at
/// `span`. `written` formats the name of a reason in the syntax of the attribute, for the help.
pub(crate) fn read_foreign_rule(
    arguments: &Keys,
    span: Span,
    written: impl Fn(&str) -> String,
    problems: &mut Problems,
) -> Option<Validation> {
    let Some(rule) = read_rule(arguments) else {
        if !arguments.mentions(Key::RULE) {
            let help = "add `\"rule\": \"self != ''\"`";
            problems.report(span, "missing field `rule`", help);
        }
        return None;
    };
    check_validation(&rule, arguments, problems);
    if let Some(reason) = arguments
        .text(Key::REASON)
        .filter(|_| rule.reason.is_none())
    {
        let names: Vec<String> = Reason::NAMES.iter().map(|name| written(name)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        problems.report(
            reason.span,
            format!("invalid value `{}` for `reason`", reason.value),
            format!("write {}", suggest::either(&names)),
        );
    }
    Some(rule)
}

fn read_rule(arguments: &Keys) -> Option<Validation> {
    Some(Validation {
        rule: arguments.text(Key::RULE)?,
        message: arguments.text(Key::MESSAGE),
        message_expression: arguments.text(Key::MESSAGE_EXPRESSION),
        reason: arguments.value(Key::REASON, Reason::from_name),
        field_path: arguments.text(Key::FIELD_PATH),
        optional_old_self: arguments.flag(Key::OPTIONAL_OLD_SELF),
    })
}

/// Checks what the API server requires of a rule beyond valid CEL, such as a message without line
/// breaks.
fn check_validation(rule: &Validation, arguments: &Keys, problems: &mut Problems) {
    let text = rule.rule.value.trim();
    if text.is_empty() {
        problems.report(
            rule.rule.span,
            "the rule is empty",
            "write a CEL expression over `self`",
        );
    }
    if text.contains('\n') && !arguments.mentions(Key::MESSAGE) {
        problems.report(
            rule.rule.span,
            "a rule with line breaks needs a `message`",
            "add `message = \"..\"`",
        );
    }
    if let Some(message) = rule
        .message
        .as_ref()
        .filter(|message| message.value.trim().contains('\n'))
    {
        problems.report(
            message.span,
            "`message` must not contain line breaks",
            "remove the line breaks",
        );
    }
    if let Some(span) = rule.optional_old_self.span()
        && !text.contains("oldSelf")
    {
        problems.report(
            span,
            "`optional_old_self` applies only to rules that use `oldSelf`",
            Help::remove("remove it"),
        );
    }
}

/// Reports conflicts, including those that the API server accepts.
fn check_contradictions(attrs: &SchemaAttrs, keys: &Keys, shape: &Shape, problems: &mut Problems) {
    check_numbers(attrs, keys, problems);
    check_sizes(attrs, problems);
    check_topology(attrs, keys, problems);
    check_one_of(attrs, problems);
    keys.check_exclusive(EXCLUSIVE_KEYS, problems);
    // For a known shape, whichever of `map_type` and `struct_type` does not fit has been reported.
    if *shape == Shape::Unknown {
        keys.check_exclusive(&[(Key::MAP_TYPE, Key::STRUCT_TYPE)], problems);
    }
    check_replaced(keys, problems);
}

/// Reports bounds that no value satisfies, if at least one of the two bounds comes from an
/// attribute of another crate. `own` has only the bounds in `#[crd(…)]`, which
/// [`check_contradictions`] has checked.
pub(crate) fn check_merged(own: &SchemaAttrs, merged: &SchemaAttrs, problems: &mut Problems) {
    for (found, reported) in crossed_bounds(merged).into_iter().zip(crossed_bounds(own)) {
        if let (Some(span), None) = (found, reported) {
            let message = "no value can satisfy these bounds";
            problems.report(span, message, "swap the two numbers");
        }
    }
    if let Some(items) = &merged.items {
        let none = SchemaAttrs::default();
        check_merged(own.items.as_deref().unwrap_or(&none), items, problems);
    }
}

/// Returns the span of each upper bound that is less than its lower bound: for numbers, for lengths
/// and for counts of properties.
fn crossed_bounds(attrs: &SchemaAttrs) -> [Option<Span>; 3] {
    // For an unknown shape, `length` of schemars sets the bounds of strings and of lists. Only one
    // of the two pairs is reported.
    let length = crossed_upper_bound(&attrs.min_length, &attrs.max_length);
    [
        crossed_upper_bound(&attrs.minimum, &attrs.maximum),
        length.or_else(|| crossed_upper_bound(&attrs.min_items, &attrs.max_items)),
        crossed_upper_bound(&attrs.min_properties, &attrs.max_properties),
    ]
}

/// Returns the span of the upper bound if it is less than the lower bound.
fn crossed_upper_bound<T: PartialOrd>(
    low: &Option<Spanned<T>>,
    high: &Option<Spanned<T>>,
) -> Option<Span> {
    let (low, high) = low.as_ref().zip(high.as_ref())?;
    (low.value > high.value).then_some(high.span)
}

const EXCLUSIVE_KEYS: &[(Key, Key)] = &[
    (Key::OPTIONAL, Key::REQUIRED),
    (Key::DEFAULT, Key::NO_DEFAULT),
    (Key::TYPE, Key::INT_OR_STRING),
];

fn check_numbers(attrs: &SchemaAttrs, keys: &Keys, problems: &mut Problems) {
    check_order(
        Key::MINIMUM,
        Key::MAXIMUM,
        &attrs.minimum,
        &attrs.maximum,
        problems,
    );
    if let Some(factor) = attrs
        .multiple_of
        .as_ref()
        .filter(|factor| factor.value.as_f64() <= 0.0)
    {
        problems.report(
            factor.span,
            "`multiple_of` must be greater than 0",
            Help::write_key("multiple_of = 1"),
        );
    }
    let bound = |number: &Option<Spanned<Number>>| number.as_ref().map(|n| n.value.as_f64());
    let below = bound(&attrs.maximum).map_or(0.0, |most| most.ceil() - 1.0);
    let above = bound(&attrs.minimum).map_or(1.0, |least| least.floor() + 1.0);
    let bounds = [
        (Key::MINIMUM, attrs.exclusive_minimum, below),
        (Key::MAXIMUM, attrs.exclusive_maximum, above),
    ];
    for (bound, exclusive, sample) in bounds {
        if let Some(span) = exclusive.span().filter(|_| !keys.mentions(bound)) {
            problems.report(
                span,
                format!("`exclusive_{bound}` needs `{bound}`"),
                format!("add `{bound} = {sample}`"),
            );
        }
    }
}

fn check_sizes(attrs: &SchemaAttrs, problems: &mut Problems) {
    let lengths = (&attrs.min_length, &attrs.max_length);
    let items = (&attrs.min_items, &attrs.max_items);
    let properties = (&attrs.min_properties, &attrs.max_properties);
    for (least, greatest, (low, high)) in [
        (Key::MIN_LENGTH, Key::MAX_LENGTH, lengths),
        (Key::MIN_ITEMS, Key::MAX_ITEMS, items),
        (Key::MIN_PROPERTIES, Key::MAX_PROPERTIES, properties),
    ] {
        if check_order(least, greatest, low, high, problems) {
            check_upper_bound_of_zero(greatest, high, problems);
        }
    }
}

/// Returns whether the bounds are in order, and reports them otherwise.
fn check_order<T: PartialOrd>(
    least: Key,
    greatest: Key,
    low: &Option<Spanned<T>>,
    high: &Option<Spanned<T>>,
    problems: &mut Problems,
) -> bool {
    if let Some(span) = crossed_upper_bound(low, high) {
        problems.report(
            span,
            format!("`{greatest}` must not be less than `{least}`"),
            "swap the two numbers",
        );
        return false;
    }
    true
}

/// Reports an upper bound of 0, which only the empty value satisfies.
fn check_upper_bound_of_zero(key: Key, bound: &Option<Spanned<u64>>, problems: &mut Problems) {
    if let Some(bound) = bound.as_ref().filter(|bound| bound.value == 0) {
        problems.report(
            bound.span,
            format!("`{key} = 0` allows only an empty value"),
            "write a greater number, or remove the field",
        );
    }
}

fn check_topology(attrs: &SchemaAttrs, keys: &Keys, problems: &mut Problems) {
    let is_map = attrs
        .list_type
        .as_ref()
        .filter(|list_type| list_type.value == ListType::Map);
    match (is_map, attrs.list_map_keys.first()) {
        (Some(list_type), None) if !keys.mentions(Key::LIST_MAP_KEYS) => {
            problems.report(
                list_type.span,
                "`list_type = \"map\"` needs `list_map_keys`",
                "add `list_map_keys = [\"name\"]`",
            );
        }
        (None, Some(key)) if (attrs.list_type.is_some() || !keys.mentions(Key::LIST_TYPE)) => {
            let help = match attrs.list_type {
                Some(_) => "remove `list_map_keys`, or change `list_type` to `\"map\"`",
                None => "add `list_type = \"map\"`",
            };
            problems.report(
                key.span,
                "`list_map_keys` needs `list_type = \"map\"`",
                help,
            );
        }
        _ => {}
    }
}

fn check_one_of(attrs: &SchemaAttrs, problems: &mut Problems) {
    for rule in &attrs.one_of {
        if rule.fields.len() < 2 {
            problems.report(
                rule.span,
                "expected at least two fields",
                "list them: `[\"a\", \"b\"]`",
            );
        }
        let key = match rule.kind {
            OneOfKind::AtMost => Key::AT_MOST_ONE_OF,
            OneOfKind::Exactly => Key::EXACTLY_ONE_OF,
            OneOfKind::AtLeast => Key::AT_LEAST_ONE_OF,
        };
        for field in &rule.fields {
            if let Some((outer, _)) = field.value.split_once('.') {
                problems.report(
                    field.span,
                    "expected a field of this type, found a path",
                    format!("write `#[crd({key} = ..)]` on the type of `{outer}`"),
                );
            }
        }
    }
}

/// Reports keys that have no effect beside `schema`, which replaces the whole schema of the type.
fn check_replaced(keys: &Keys, problems: &mut Problems) {
    const KEPT: [Key; 10] = [
        Key::SCHEMA,
        Key::DESCRIPTION,
        Key::MAX_DESC_LEN,
        Key::OPTIONAL,
        Key::REQUIRED,
        Key::NULLABLE,
        Key::DEFAULT,
        Key::NO_DEFAULT,
        Key::IMMUTABLE,
        Key::VALIDATION,
    ];
    if keys.get(Key::SCHEMA).is_none() {
        return;
    }
    let is_lost = |key: Key| is_schema_key(key) && !KEPT.contains(&key);
    for lost in keys.iter().filter(|found| is_lost(found.key)) {
        problems.report(
            lost.span,
            format!(
                "`{}` has no effect with `schema`, which replaces the whole schema",
                lost.key
            ),
            "move it into `schema`",
        );
    }
}

fn is_schema_key(key: Key) -> bool {
    table::find(key.as_str()).any(|entry| entry.targets != [crate::Target::Resource])
}
