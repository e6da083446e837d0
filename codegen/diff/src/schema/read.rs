//! Conversion of JSON schemas into normalized schemas. The input is untrusted, so a keyword with a
//! value of the wrong type counts as absent.

use std::collections::BTreeSet;

use genclient_cel::RuleTokens;
use genclient_schema::{JsonType, formats};
use serde_json::{Map, Number, Value};

use super::limit::{Bound, Limit};
use super::node::{Alternatives, Node, Rule};

/// Keys that are documentation and affect no comparison.
const DOCUMENTATION: [&str; 4] = ["description", "title", "example", "externalDocs"];

/// Normalizes the schema of a whole object. Every object has `apiVersion`, `kind` and `metadata`,
/// whatever its schema. So `apiVersion` and `kind` are removed, and a missing `metadata` is added.
/// None of the three is required.
pub(crate) fn root(schema: &Value) -> Node {
    let mut root = node(schema);
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

fn node(schema: &Value) -> Node {
    let Value::Object(keys) = schema else {
        return Node::default();
    };
    let mut node = Node {
        type_: string(keys, "type"),
        int_or_string: flag(keys, "x-kubernetes-int-or-string"),
        nullable: flag(keys, "nullable"),
        default: keys.get("default").map(plain),
        enum_: keys.get("enum").and_then(Value::as_array).map(values),
        multiples: keys
            .get("multipleOf")
            .and_then(number)
            .into_iter()
            .collect(),
        patterns: string(keys, "pattern").into_iter().collect(),
        formats: string(keys, "format").into_iter().collect(),
        any_of: alternatives(keys, "anyOf").into_iter().collect(),
        one_of: alternatives(keys, "oneOf").into_iter().collect(),
        not: keys.get("not").map(excluded).into_iter().collect(),
        rules: rules(keys),
        required: strings(keys, "required"),
        items: keys.get("items").map(|items| Box::new(node(items))),
        keeps_unknown: flag(keys, "x-kubernetes-preserve-unknown-fields"),
        embedded_resource: flag(keys, "x-kubernetes-embedded-resource"),
        // `atomic` and `granular` are the defaults, so they equal a missing keyword.
        list_type: string(keys, "x-kubernetes-list-type").filter(|name| name != "atomic"),
        list_map_keys: strings(keys, "x-kubernetes-list-map-keys"),
        map_type: string(keys, "x-kubernetes-map-type").filter(|name| name != "granular"),
        ..Node::default()
    };
    members(&mut node, keys);
    limits(&mut node, keys);
    for branch in list(keys, "allOf") {
        node.absorb(self::node(branch));
    }
    node
}

fn members(node: &mut Node, keys: &Map<String, Value>) {
    if let Some(Value::Object(properties)) = keys.get("properties") {
        let properties = properties.iter();
        node.properties = properties
            .map(|(name, schema)| (name.clone(), self::node(schema)))
            .collect();
    }
    match keys.get("additionalProperties") {
        // `true` admits values of every type, including `null`. If a value is an object, the API
        // server prunes all of its fields.
        Some(Value::Bool(true)) => {
            node.values = Some(Box::new(Node {
                nullable: true,
                ..Node::default()
            }));
        }
        Some(schema @ Value::Object(_)) => node.values = Some(Box::new(self::node(schema))),
        _ => {}
    }
}

fn limits(node: &mut Node, keys: &Map<String, Value>) {
    for bound in Bound::ALL {
        let Some(value) = keys.get(bound.key()).and_then(number) else {
            continue;
        };
        let exclusive = match bound {
            Bound::Minimum => flag(keys, "exclusiveMinimum"),
            Bound::Maximum => flag(keys, "exclusiveMaximum"),
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

fn rules(keys: &Map<String, Value>) -> Vec<Rule> {
    let rules = list(keys, "x-kubernetes-validations").filter_map(Value::as_object);
    rules
        .map(|keys| (keys, string(keys, "rule").unwrap_or_default()))
        .map(|(rule, text)| Rule {
            tokens: RuleTokens::tokenize(&text),
            text: spaced(&text),
            optional_old_self: flag(rule, "optionalOldSelf"),
            message: string(rule, "message"),
        })
        .collect()
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

fn alternatives(keys: &Map<String, Value>, key: &str) -> Option<Alternatives> {
    let branches: Vec<_> = list(keys, key).map(node).collect();
    (!branches.is_empty()).then(|| Alternatives {
        branches,
        written: Value::Array(list(keys, key).map(undocumented).collect()),
    })
}

fn excluded(schema: &Value) -> Alternatives {
    Alternatives {
        branches: vec![node(schema)],
        written: undocumented(schema),
    }
}

/// The schema without documentation.
fn undocumented(schema: &Value) -> Value {
    let Value::Object(keys) = schema else {
        return schema.clone();
    };
    let kept = keys
        .iter()
        .filter(|(key, _)| !DOCUMENTATION.contains(&key.as_str()));
    kept.map(|(key, value)| {
        let value = match (key.as_str(), value) {
            // The keys of `properties` are names of fields, not keywords.
            ("properties", Value::Object(fields)) => fields
                .iter()
                .map(|(name, schema)| (name.clone(), undocumented(schema)))
                .collect(),
            (_, Value::Array(schemas)) => schemas.iter().map(undocumented).collect(),
            _ => undocumented(value),
        };
        (key.clone(), value)
    })
    .collect()
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

fn number(value: &Value) -> Option<Number> {
    match value {
        Value::Number(number) => Some(whole(number)),
        _ => None,
    }
}

fn values(values: &Vec<Value>) -> Vec<Value> {
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

fn list<'v>(keys: &'v Map<String, Value>, key: &str) -> impl Iterator<Item = &'v Value> {
    keys.get(key)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

fn string(keys: &Map<String, Value>, key: &str) -> Option<String> {
    let text = keys.get(key).and_then(Value::as_str)?;
    (!text.is_empty()).then(|| text.to_owned())
}

fn strings(keys: &Map<String, Value>, key: &str) -> BTreeSet<String> {
    let strings = list(keys, key).filter_map(Value::as_str);
    strings.map(str::to_owned).collect()
}

fn flag(keys: &Map<String, Value>, key: &str) -> bool {
    keys.get(key).and_then(Value::as_bool) == Some(true)
}

impl Node {
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
    pub(super) fn limit(&mut self, bound: Bound, limit: Limit) {
        let tighter = |known: &Limit| limit.is_tighter_than(known, bound);
        if self.bounds.get(&bound).is_none_or(tighter) {
            self.bounds.insert(bound, limit);
        }
    }

    fn absorb_enum(&mut self, values: Option<Vec<serde_json::Value>>) {
        let Some(values) = values else {
            return;
        };
        match &mut self.enum_ {
            Some(own) => own.retain(|value| values.contains(value)),
            None => self.enum_ = Some(values),
        }
    }
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
