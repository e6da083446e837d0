//! Generator of random objects from a schema. The number of a generator is its seed: generators
//! with the same number yield the same objects.

use serde_json::{Map, Value, json};

pub(super) struct ObjectGenerator {
    state: u64,
    presence: Presence,
}

/// Presence of optional fields in generated objects: all, none (`Required`), or a random choice
/// (`Some`).
#[derive(Clone, Copy)]
enum Presence {
    All,
    Required,
    Some,
}

/// Values of string fields without a known format. Some are quantities, durations or URLs, since
/// the Rust type of a field may parse its string.
const STRINGS: [&str; 11] = [
    "a",
    "b-c",
    "",
    "Ä 7",
    "1.2.3",
    "5Gi",
    "1h30m",
    "1.5s",
    "10.0.0.0/8",
    "https://example.com/a",
    "500m",
];
const DATE_TIMES: [&str; 2] = ["2026-02-03T04:05:06Z", "2026-02-03T04:05:06.789Z"];
const DURATIONS: [&str; 3] = ["1h30m", "1.5s", "250ms"];
/// Maximum number of items of a list and of entries of a map, even if the schema requires more.
const MAX_ITEMS: usize = 64;
const MAP_KEYS: [&str; 4] = ["a", "b", "example.com/c", "d-1"];

impl ObjectGenerator {
    /// Returns generator `number`. Generator 0 sets every field. Generator 1 sets only the required
    /// fields. All others set the required fields and random optional fields.
    pub(super) fn new(number: u64) -> Self {
        let mut generator = Self {
            state: number,
            presence: match number {
                0 => Presence::All,
                1 => Presence::Required,
                _ => Presence::Some,
            },
        };
        // Mixes the number, so that successive generators have unrelated states.
        generator.state = generator.next();
        generator
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `end`, or 0 if `end` is 0.
    fn next_below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    fn one_in(&mut self, times: u64) -> bool {
        self.next_below(times) == 0
    }

    fn pick<'v, T>(&mut self, values: &'v [T]) -> Option<&'v T> {
        let at = self.next_below(values.len() as u64);
        values.get(usize::try_from(at).unwrap_or_default())
    }

    /// Returns an object in `api_version`, with or without labels and annotations.
    pub(super) fn generate_object(
        &mut self,
        schema: &Value,
        api_version: &str,
        kind: &str,
    ) -> Value {
        let mut object = self.generate_value(schema);
        object["apiVersion"] = api_version.into();
        object["kind"] = kind.into();
        let mut metadata = json!({"name": "drawn"});
        for field in ["labels", "annotations"] {
            if self.includes_field(false) {
                metadata[field] = json!({"example.com/drawn": "true"});
            }
        }
        object["metadata"] = metadata;
        object
    }

    fn includes_field(&mut self, required: bool) -> bool {
        required
            || match self.presence {
                Presence::All => true,
                Presence::Required => false,
                Presence::Some => self.one_in(2),
            }
    }

    /// Returns a value that fits the types, bounds, enums, formats, `oneOf`, `anyOf` and `allOf` of
    /// a schema. `not`, patterns and CEL rules are ignored.
    fn generate_value(&mut self, schema: &Value) -> Value {
        if let Some(values) = schema["enum"].as_array() {
            return self.pick(values).cloned().unwrap_or_default();
        }
        if schema["nullable"] == true && self.one_in(6) {
            return Value::Null;
        }
        if schema["x-kubernetes-int-or-string"] == true {
            return self
                .pick(&[json!(7), json!("50%"), json!("5Gi")])
                .cloned()
                .unwrap_or_default();
        }
        let schema = &self.merge_branches(schema);
        match schema["type"].as_str() {
            Some("object") => self.generate_fields(schema),
            Some("array") => self.generate_items(schema),
            Some("string") => self.generate_string(schema).into(),
            Some("integer") => self.generate_integer(schema),
            // A whole number, since a version whose field is an `f32` would change most fractions.
            Some("number") => self
                .generate_integer(schema)
                .as_f64()
                .map_or(json!(0.5), |one| json!(one)),
            Some("boolean") => self.one_in(2).into(),
            _ => self.generate_any(),
        }
    }

    /// Returns the schema merged with one random branch of `oneOf`, one of `anyOf` and all branches
    /// of `allOf`.
    ///
    /// A field that only the other branches of `oneOf` require is removed from `properties`. For
    /// example, with `oneOf: [{required: [a]}, {required: [b]}]`, an object with both `a` and `b`
    /// would match two branches, and so be invalid.
    fn merge_branches(&mut self, schema: &Value) -> Value {
        let mut merged = schema.clone();
        for keyword in ["oneOf", "anyOf", "allOf"] {
            let Some(branches) = schema[keyword].as_array() else {
                continue;
            };
            let chosen = self.next_below(branches.len() as u64);
            for (at, branch) in (0..).zip(branches) {
                if at == chosen || keyword == "allOf" {
                    merge_schema(&mut merged, branch);
                }
            }
            let unwanted = (0..).zip(branches).filter(|(at, _)| *at != chosen);
            for name in unwanted.flat_map(|(_, branch)| string_items(&branch["required"])) {
                let required = string_items(&merged["required"]).any(|other| other == name);
                if let Some(properties) = merged["properties"].as_object_mut()
                    && keyword == "oneOf"
                    && !required
                {
                    properties.remove(name);
                }
            }
        }
        merged
    }

    fn generate_fields(&mut self, schema: &Value) -> Value {
        let mut fields = Map::new();
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let required = string_items(&schema["required"]).any(|other| other == name);
            if self.includes_field(required) {
                fields.insert(name.clone(), self.generate_value(property));
            }
        }
        let values = &schema["additionalProperties"];
        if values.is_object() {
            for at in 0..self.generate_count(schema, "minProperties", "maxProperties") {
                let key = MAP_KEYS
                    .get(at)
                    .copied()
                    .map(str::to_owned)
                    .unwrap_or_else(|| format!("key-{at}"));
                fields.insert(key, self.generate_value(values));
            }
        }
        if schema["x-kubernetes-embedded-resource"] == true {
            fields.insert("apiVersion".to_owned(), "v1".into());
            fields.insert("kind".to_owned(), "ConfigMap".into());
            fields.insert("metadata".to_owned(), json!({"name": "embedded"}));
        } else if schema["x-kubernetes-preserve-unknown-fields"] == true
            && self.includes_field(false)
        {
            fields.insert("unknown".to_owned(), self.generate_any());
        }
        fields.into()
    }

    fn generate_items(&mut self, schema: &Value) -> Value {
        let count = self.generate_count(schema, "minItems", "maxItems");
        let is_set = schema["x-kubernetes-list-type"] == "set";
        let mut items: Vec<Value> = Vec::new();
        // Draws up to eight times per item, since items of a set must differ.
        for _ in 0..count * 8 {
            if items.len() == count {
                break;
            }
            let item = self.generate_value(&schema["items"]);
            if !is_set || !items.contains(&item) {
                items.push(item);
            }
        }
        items.into()
    }

    /// Returns the number of items or entries to generate: from the schema's minimum to two more,
    /// but not above the schema's maximum or [`MAX_ITEMS`].
    fn generate_count(&mut self, schema: &Value, least: &str, most: &str) -> usize {
        let least = schema[least].as_u64().unwrap_or(0);
        let most = schema[most].as_u64().unwrap_or(u64::MAX).min(least + 2);
        let count = match self.presence {
            Presence::All => most,
            Presence::Required => least,
            Presence::Some => least + self.next_below(most.saturating_sub(least) + 1),
        };
        usize::try_from(count).unwrap_or_default().min(MAX_ITEMS)
    }

    fn generate_string(&mut self, schema: &Value) -> String {
        let text = match schema["format"].as_str() {
            Some("date-time" | "datetime") => self.pick(&DATE_TIMES).copied().unwrap_or_default(),
            Some("date") => "2026-02-03",
            Some("duration") => self.pick(&DURATIONS).copied().unwrap_or_default(),
            Some("byte") => "aGVsbG8=",
            Some("uuid" | "uuid4") => "936da01f-9abd-4d9d-80c7-02af85c822a8",
            Some("ipv4") => "10.0.0.1",
            Some("ipv6") => "fd00::1",
            Some("cidr") => "10.0.0.0/8",
            Some("uri") => "https://example.com/a",
            Some("email") => "a@example.com",
            Some("hostname") => "example.com",
            Some("mac") => "01:23:45:67:89:ab",
            _ => self.pick(&STRINGS).copied().unwrap_or_default(),
        };
        let length = |keyword: &str| {
            schema[keyword]
                .as_u64()
                .and_then(|n| usize::try_from(n).ok())
        };
        let (least, most) = (length("minLength").unwrap_or(0), length("maxLength"));
        let padding =
            std::iter::repeat_n('x', least.saturating_sub(text.chars().count()).min(4096));
        text.chars()
            .chain(padding)
            .take(most.unwrap_or(usize::MAX))
            .collect()
    }

    /// Returns an integer within the bounds, often the minimum or the maximum.
    fn generate_integer(&mut self, schema: &Value) -> Value {
        let bound = |keyword: &str, exclusive: &str, step: f64| {
            let value = schema[keyword].as_f64()?;
            Some(if schema[exclusive] == true {
                value + step
            } else {
                value
            })
        };
        let least = bound("minimum", "exclusiveMinimum", 1.0)
            .unwrap_or(-1000.0)
            .ceil();
        let most = bound("maximum", "exclusiveMaximum", -1.0).unwrap_or(least.max(0.0) + 1000.0);
        let (least, most) = (least, most.floor().max(least));
        let between = least + (self.next_below(1000) as f64 / 1000.0 * (most - least)).floor();
        let chosen = self.pick(&[least, most, between]).copied().unwrap_or(least);
        let step = schema["multipleOf"]
            .as_f64()
            .filter(|step| *step > 0.0)
            .unwrap_or(1.0);
        let above = (chosen / step).ceil() * step;
        let chosen = if above > most { above - step } else { above };
        // JSON of an `f64` would have a decimal point.
        json!(chosen as i64)
    }

    fn generate_any(&mut self) -> Value {
        let values = [
            json!(1),
            json!("text"),
            json!(true),
            json!([1, "a"]),
            json!({"a": {"b": 1}}),
        ];
        self.pick(&values).cloned().unwrap_or_default()
    }
}

fn string_items(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
}

/// Merges another schema for the same value into `schema`.
fn merge_schema(schema: &mut Value, other: &Value) {
    for (keyword, value) in other.as_object().into_iter().flatten() {
        match (keyword.as_str(), &mut schema[keyword.as_str()], value) {
            ("properties", Value::Object(known), Value::Object(more)) => {
                for (name, property) in more {
                    merge_schema(
                        known.entry(name.clone()).or_insert_with(|| json!({})),
                        property,
                    );
                }
            }
            ("required", Value::Array(known), Value::Array(more)) => known.extend(more.clone()),
            (_, known, value) => *known = value.clone(),
        }
    }
}
