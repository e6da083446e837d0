//! Normalized schema of a value, made from a [`Schema`]. The input is untrusted:
//! [`Schema::of_definition`] reads a keyword with a value of the wrong type as absent, and an
//! unknown list or map type as the default.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use genclient_cel::RuleTokens;
use genclient_schema::{JsonType, ListType, MapType, Schema, Validation, formats};
use serde_json::{Number, Value, json};

use super::limit::{Bound, Limit};

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Node {
    pub(crate) type_: Option<String>,
    pub(crate) int_or_string: bool,
    pub(crate) nullable: bool,
    pub(crate) default: Option<Value>,
    pub(crate) enum_: Option<Vec<Value>>,
    pub(crate) bounds: BTreeMap<Bound, Limit>,
    pub(crate) multiples: Vec<Number>,
    pub(crate) patterns: BTreeSet<String>,
    pub(crate) formats: BTreeSet<String>,
    pub(crate) any_of: Vec<Alternatives>,
    pub(crate) one_of: Vec<Alternatives>,
    pub(crate) not: Vec<Alternatives>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) properties: BTreeMap<String, Node>,
    pub(crate) required: BTreeSet<String>,
    pub(crate) values: Option<Box<Node>>,
    pub(crate) items: Option<Box<Node>>,
    pub(crate) keeps_unknown: bool,
    pub(crate) embedded_resource: bool,
    pub(crate) list_type: Option<String>,
    pub(crate) list_map_keys: BTreeSet<String>,
    pub(crate) map_type: Option<String>,
}

/// The branches of one `anyOf` or `oneOf`, or the schema that one `not` excludes.
#[derive(Clone, Debug)]
pub(crate) struct Alternatives {
    pub(crate) branches: Vec<Node>,
    /// The original schema for reports, without documentation and keywords that the API server
    /// rejects.
    pub(crate) written: Value,
}

impl Alternatives {
    /// True if every branch of `other` is also a branch of `self`.
    pub(crate) fn include(&self, other: &Self) -> bool {
        other
            .branches
            .iter()
            .all(|branch| self.branches.contains(branch))
    }
}

/// The order of branches has no meaning.
impl PartialEq for Alternatives {
    fn eq(&self, other: &Self) -> bool {
        self.branches.len() == other.branches.len() && self.include(other) && other.include(self)
    }
}

/// A CEL rule. Equality compares tokens and `optional_old_self`, but not messages.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    /// The original text, on one line where that does not change its meaning.
    pub(crate) text: String,
    /// The tokens of `text`; `None` if it is not CEL.
    pub(crate) tokens: Option<RuleTokens>,
    pub(crate) optional_old_self: bool,
    pub(crate) message: Option<String>,
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        let same = match (&self.tokens, &other.tokens) {
            (None, None) => self.text == other.text,
            (one, other) => one == other,
        };
        same && self.optional_old_self == other.optional_old_self
    }
}

impl Node {
    /// A schema that accepts any value and preserves it.
    fn anything() -> Self {
        Self {
            keeps_unknown: true,
            nullable: true,
            ..Self::default()
        }
    }

    /// True if the schema accepts any value and preserves it. Whether it accepts null does not
    /// matter.
    pub(crate) fn is_anything(&self) -> bool {
        let anything = Self {
            nullable: self.nullable,
            ..Self::anything()
        };
        *self == anything
    }

    /// The schema of the values, if this is the schema of a map. A schema without properties that
    /// preserves unknown fields counts as a map of anything.
    pub(crate) fn entries(&self) -> Option<Cow<'_, Self>> {
        match &self.values {
            Some(values) => Some(Cow::Borrowed(values)),
            None if self.keeps_unknown && self.properties.is_empty() => {
                Some(Cow::Owned(Self::anything()))
            }
            None => None,
        }
    }

    /// The type in words: `string`, `list of string`, `map of integer`, `integer or string`.
    pub(crate) fn words(&self) -> String {
        if self.int_or_string {
            return "integer or string".to_owned();
        }
        match (self.type_.as_deref(), &self.items, &self.values) {
            (Some("array"), Some(items), _) => format!("list of {}", items.words()),
            (Some("object"), _, Some(values)) => format!("map of {}", values.words()),
            (Some(type_), ..) => type_.to_owned(),
            (None, ..) => "anything".to_owned(),
        }
    }

    /// Merges the constraints of `branch`, a branch of `allOf`.
    fn absorb(&mut self, branch: Self) {
        self.type_ = self.type_.take().or(branch.type_);
        self.default = self.default.take().or(branch.default);
        self.list_type = self.list_type.take().or(branch.list_type);
        self.map_type = self.map_type.take().or(branch.map_type);
        self.int_or_string |= branch.int_or_string;
        self.keeps_unknown |= branch.keeps_unknown;
        self.embedded_resource |= branch.embedded_resource;
        self.list_map_keys.extend(branch.list_map_keys);
        self.absorb_enum(branch.enum_);
        for (bound, limit) in branch.bounds {
            self.limit(bound, limit);
        }
        extend(&mut self.multiples, branch.multiples);
        self.patterns.extend(branch.patterns);
        self.formats.extend(branch.formats);
        extend(&mut self.any_of, branch.any_of);
        extend(&mut self.one_of, branch.one_of);
        extend(&mut self.not, branch.not);
        extend(&mut self.rules, branch.rules);
        self.required.extend(branch.required);
        for (name, property) in branch.properties {
            self.properties.entry(name).or_default().absorb(property);
        }
        absorb_boxed(&mut self.values, branch.values);
        absorb_boxed(&mut self.items, branch.items);
    }

    /// Sets the limit if the node has none for `bound`, or a looser one.
    fn limit(&mut self, bound: Bound, limit: Limit) {
        let tighter = |known: &Limit| limit.is_tighter_than(known, bound);
        if self.bounds.get(&bound).is_none_or(tighter) {
            self.bounds.insert(bound, limit);
        }
    }

    fn absorb_enum(&mut self, values: Option<Vec<Value>>) {
        let Some(values) = values else {
            return;
        };
        match &mut self.enum_ {
            Some(own) => own.retain(|value| values.contains(value)),
            None => self.enum_ = Some(values),
        }
    }
}

/// Normalizes the schema of a whole object. Every object has `apiVersion`, `kind` and `metadata`,
/// whatever its schema. So `apiVersion` and `kind` are removed, and a missing `metadata` is added.
/// None of the three is required.
pub(crate) fn root(schema: &Value) -> Node {
    let mut root = node(&Schema::of_definition(schema));
    for name in ["apiVersion", "kind", "metadata"] {
        root.required.remove(name);
    }
    root.properties.remove("apiVersion");
    root.properties.remove("kind");
    root.properties
        .entry("metadata".to_owned())
        .or_insert_with(|| Node {
            type_: Some("object".to_owned()),
            ..Node::default()
        });
    settle(&mut root);
    root
}

/// Normalizes keywords that depend on other keywords, once the branches of `allOf` are merged.
fn settle(node: &mut Node) {
    drop_keywords_of_other_types(node);
    if node.type_.as_deref() == Some("integer") {
        for (bound, limit) in &mut node.bounds {
            limit.make_inclusive(*bound);
        }
    }
    if node.int_or_string {
        drop_int_or_string_alternatives(node);
    }
    if !node.nullable
        && node.type_.is_some()
        && let Some(values) = &mut node.enum_
    {
        // `null` among the values has no effect, because the type check refuses `null` first.
        values.retain(|value| !value.is_null());
    }
    let nested = node.items.iter_mut().chain(&mut node.values);
    for node in nested
        .map(|nested| &mut **nested)
        .chain(node.properties.values_mut())
    {
        settle(node);
    }
}

/// Drops the keywords that have no effect beside the type, such as `required` of a list. Moves
/// `x-kubernetes-preserve-unknown-fields` of a list to its items, where it means the same.
fn drop_keywords_of_other_types(node: &mut Node) {
    let Some(name) = node.type_.as_deref().filter(|_| !node.int_or_string) else {
        return;
    };
    let Ok(type_) = serde_json::from_value::<JsonType>(name.into()) else {
        return;
    };
    node.bounds
        .retain(|bound, _| type_.has_keyword(bound.key()));
    node.formats
        .retain(|format| formats::is_supported(format, Some(type_)));
    if !type_.has_keyword("multipleOf") {
        node.multiples.clear();
    }
    if !type_.has_keyword("pattern") {
        node.patterns.clear();
    }
    if !type_.has_keyword("items") {
        node.items = None;
    }
    if let Some(items) = &mut node.items {
        items.keeps_unknown |= node.keeps_unknown;
    }
    if !type_.has_keyword("properties") {
        node.properties.clear();
        node.required.clear();
        node.values = None;
        node.keeps_unknown = false;
    }
}

fn node(schema: &Schema) -> Node {
    let type_ = schema.type_.map(|type_| type_.as_str().to_owned());
    let properties = schema.properties.iter();
    let mut node = Node {
        type_: type_.or_else(|| schema.unknown_type.clone()),
        int_or_string: schema.int_or_string,
        nullable: schema.nullable,
        default: schema.default.as_ref().map(plain),
        enum_: (!schema.enum_.is_empty()).then(|| values(&schema.enum_)),
        multiples: schema.multiple_of.iter().map(whole).collect(),
        patterns: schema.pattern.iter().cloned().collect(),
        formats: not_empty(&schema.format).into_iter().collect(),
        any_of: alternatives(&schema.any_of).into_iter().collect(),
        one_of: alternatives(&schema.one_of).into_iter().collect(),
        not: schema.not.as_deref().map(excluded).into_iter().collect(),
        rules: schema.validations.iter().map(rule).collect(),
        properties: properties
            .map(|(name, schema)| (name.clone(), self::node(schema)))
            .collect(),
        required: schema.required.clone(),
        values: schema.additional_properties.as_deref().and_then(map_values),
        items: schema.items.as_deref().map(|items| Box::new(node(items))),
        keeps_unknown: schema.preserve_unknown_fields,
        embedded_resource: schema.embedded_resource,
        // `atomic` and `granular` are the defaults, so they equal a missing keyword.
        list_type: named(schema.list_type.map(ListType::as_str), "atomic"),
        list_map_keys: schema.list_map_keys.iter().cloned().collect(),
        map_type: named(schema.map_type.map(MapType::as_str), "granular"),
        ..Node::default()
    };
    limits(&mut node, schema);
    for branch in &schema.all_of {
        node.absorb(self::node(branch));
    }
    node
}

fn named(topology: Option<&str>, default: &str) -> Option<String> {
    topology.filter(|name| *name != default).map(str::to_owned)
}

fn map_values(values: &Schema) -> Option<Box<Node>> {
    let values = match values.boolean {
        // `true` admits values of every type, including `null`. If a value is an object, the API
        // server prunes all of its fields.
        Some(true) => Node {
            nullable: true,
            ..Node::default()
        },
        Some(false) => return None,
        None => node(values),
    };
    Some(Box::new(values))
}

fn limits(node: &mut Node, schema: &Schema) {
    for bound in Bound::ALL {
        let Some(value) = bound.value(schema).as_ref().map(whole) else {
            continue;
        };
        let exclusive = match bound {
            Bound::Minimum => schema.exclusive_minimum,
            Bound::Maximum => schema.exclusive_maximum,
            // Lengths and counts are never negative, so a lower limit of 0 has no effect.
            _ if bound.is_lower() && value.as_i64() == Some(0) => continue,
            _ => false,
        };
        node.limit(bound, Limit { value, exclusive });
    }
}

/// Drops `anyOf: [{type: integer}, {type: string}]`, which is redundant beside
/// `x-kubernetes-int-or-string`.
fn drop_int_or_string_alternatives(node: &mut Node) {
    let typed = |name: &str| Node {
        type_: Some(name.to_owned()),
        ..Node::default()
    };
    let both = Alternatives {
        branches: vec![typed("integer"), typed("string")],
        written: Value::Null,
    };
    node.any_of.retain(|alternatives| *alternatives != both);
}

fn rule(rule: &Validation) -> Rule {
    Rule {
        tokens: RuleTokens::tokenize(&rule.rule),
        text: spaced(&rule.rule),
        optional_old_self: rule.optional_old_self == Some(true),
        message: not_empty(&rule.message),
    }
}

/// Joins the lines of a rule. A rule with strings or comments is only trimmed: spaces in strings
/// count, and a comment ends at its newline.
fn spaced(rule: &str) -> String {
    if rule.contains(['"', '\'']) || rule.contains("//") {
        rule.trim().to_owned()
    } else {
        rule.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

fn alternatives(schemas: &[Schema]) -> Option<Alternatives> {
    let branches: Vec<_> = schemas.iter().map(node).collect();
    (!branches.is_empty()).then(|| Alternatives {
        branches,
        written: json!(schemas),
    })
}

fn excluded(schema: &Schema) -> Alternatives {
    Alternatives {
        branches: vec![node(schema)],
        written: json!(schema),
    }
}

#[expect(clippy::ref_option, reason = "fields of a schema")]
fn not_empty(text: &Option<String>) -> Option<String> {
    text.clone().filter(|text| !text.is_empty())
}

/// The value with integral floats as integers: `1` for `1.0`.
fn plain(value: &Value) -> Value {
    match value {
        Value::Number(number) => Value::Number(whole(number)),
        Value::Array(values) => values.iter().map(plain).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (name.clone(), plain(value)))
            .collect(),
        other => other.clone(),
    }
}

fn whole(number: &Number) -> Number {
    /// 2^53. Above it a float cannot represent odd integers.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match number.as_f64() {
        Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() <= EXACT => {
            format!("{float:.0}")
                .parse()
                .unwrap_or_else(|_| number.clone())
        }
        _ => number.clone(),
    }
}

fn values(values: &[Value]) -> Vec<Value> {
    let mut distinct = Vec::new();
    for value in values {
        let value = plain(value);
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    // The order of enum values has no meaning.
    distinct.sort_by_key(ToString::to_string);
    distinct
}

fn absorb_boxed(own: &mut Option<Box<Node>>, branch: Option<Box<Node>>) {
    match (own.as_mut(), branch) {
        (Some(own), Some(branch)) => own.absorb(*branch),
        (None, Some(branch)) => *own = Some(branch),
        (_, None) => {}
    }
}

fn extend<T: PartialEq>(own: &mut Vec<T>, more: Vec<T>) {
    for one in more {
        if !own.contains(&one) {
            own.push(one);
        }
    }
}
