//! What a schema that is written out, `schema = { … }`, may have wrong though its structure is right.

use super::constraints::bounds;
use super::structural::Mistake;
use super::{formats, values};
use crate::diagnostic::Severity;
use crate::model::{ListType, Schema};
use crate::resolve::re2::Pattern;

/// Everything that the API server would refuse.
pub(super) fn mistakes(schema: &Schema) -> Vec<Mistake> {
    let mut check = Check {
        path: String::new(),
        mistakes: Vec::new(),
    };
    check.value(schema);
    check.mistakes
}

struct Check {
    path: String,
    mistakes: Vec<Mistake>,
}

impl Check {
    fn report(&mut self, message: impl Into<String>, help: &'static str) {
        self.mistakes.push(Mistake {
            path: self.path.clone(),
            message: message.into(),
            help,
        });
    }

    fn at(&mut self, step: &str, schema: &Schema) {
        let length = self.path.len();
        self.path.push('.');
        self.path.push_str(step);
        self.value(schema);
        self.path.truncate(length);
    }

    fn value(&mut self, schema: &Schema) {
        self.pattern(schema);
        self.format(schema);
        self.bounds(schema);
        self.default(schema);
        self.topology(schema);
        for (name, property) in &schema.properties {
            self.at(name, property);
        }
        let inside = [
            ("items", schema.items.as_deref()),
            (
                "additionalProperties",
                schema.additional_properties.as_deref(),
            ),
            ("not", schema.not.as_deref()),
        ];
        for (step, schema) in inside {
            schema.iter().for_each(|schema| self.at(step, schema));
        }
        let branches = [
            ("allOf", &schema.all_of),
            ("anyOf", &schema.any_of),
            ("oneOf", &schema.one_of),
        ];
        for (step, branches) in branches {
            branches.iter().for_each(|branch| self.at(step, branch));
        }
    }

    fn pattern(&mut self, schema: &Schema) {
        let read = schema.pattern.as_deref().map(Pattern::parse);
        if let Some(Err(mistake)) = read {
            self.report(format!("`pattern`: {}", mistake.message), mistake.help);
        }
    }

    fn format(&mut self, schema: &Schema) {
        let format = schema.format.as_deref();
        if let Some(format) = format.filter(|format| !formats::KNOWN.contains(format)) {
            self.report(
                format!("the API server knows no format `{format}`"),
                "write another, or a `pattern`",
            );
        }
    }

    fn bounds(&mut self, schema: &Schema) {
        let passed = |least: Option<u64>, most: Option<u64>| {
            least.zip(most).is_some_and(|(least, most)| most < least)
        };
        let numbers = schema.minimum.as_ref().zip(schema.maximum.as_ref());
        let crossed = numbers.is_some_and(|(minimum, maximum)| values::less(maximum, minimum))
            || passed(schema.min_length, schema.max_length)
            || passed(schema.min_items, schema.max_items)
            || passed(schema.min_properties, schema.max_properties);
        if crossed {
            self.report("no value is within these bounds", "raise the upper one");
        }
        for (_, trap) in bounds::traps(schema) {
            if trap.severity == Severity::Error {
                self.report(trap.message, trap.help);
            }
        }
        let twice = |(at, value)| schema.enum_[..at].contains(value);
        if schema.enum_.iter().enumerate().any(twice) {
            self.report("`enum` has a value twice", "remove one of the two");
        }
    }

    fn default(&mut self, schema: &Schema) {
        let misfits = schema.default.iter().flat_map(|default| {
            let misfits = values::misfits(schema, default);
            misfits.into_iter().map(move |misfit| (default, misfit))
        });
        for (default, misfit) in misfits {
            let part = match &misfit.path[..] {
                [] => format!("the default {default}"),
                path => format!("`{}` of the default", values::display(path)),
            };
            let message = format!("{part} {}", misfit.message);
            self.report(message, "write a value that the schema takes");
        }
    }

    fn topology(&mut self, schema: &Schema) {
        let Some(items) = &schema.items else {
            return;
        };
        if schema.list_type == Some(ListType::Set) && items.nullable {
            self.report("the items of a `set` may not be null", "remove `nullable`");
        }
        for key in &schema.list_map_keys {
            let always_there = items.required.contains(key)
                || items
                    .properties
                    .get(key)
                    .is_some_and(|key| key.default.is_some());
            if !items.properties.contains_key(key) {
                self.report(
                    format!("the items have no field `{key}`"),
                    "add it to the `properties` of `items`",
                );
            } else if !always_there {
                self.report(
                    format!("`{key}` may be absent, which a key cannot be"),
                    "add it to the `required` of `items`, or give it a default",
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    /// A schema, and what is wrong with it.
    const CASES: &[(&str, &[&str])] = &[
        (
            r#"{ "type": "string", "pattern": "^a$", "default": "a" }"#,
            &[],
        ),
        (
            r#"{ "type": "string", "pattern": "(a" }"#,
            &["`pattern`: this `(` is not closed"],
        ),
        (
            r#"{ "type": "string", "format": "text", "minLength": 2, "maxLength": 1, "enum": ["a", "a"] }"#,
            &[
                "the API server knows no format `text`",
                "no value is within these bounds",
                "`enum` has a value twice",
            ],
        ),
        (
            r#"{ "type": "integer", "maximum": 9223372036854775807 }"#,
            &["the API server refuses every value where a bound is beyond the type"],
        ),
        (
            r#"{ "type": "object", "properties": { "a": { "type": "string", "default": 5 } } }"#,
            &[".a: the default 5 is no string"],
        ),
        (
            r#"{ "type": "object", "default": { "b": 1 }, "properties": { "a": { "type": "string" } } }"#,
            &["`.b` of the default is no field of the type"],
        ),
        (
            r#"{ "type": "array", "items": { "type": "string", "nullable": true }, "x-kubernetes-list-type": "set" }"#,
            &["the items of a `set` may not be null"],
        ),
        (
            r#"{ "type": "array", "items": { "type": "object", "properties": { "a": { "type": "string" } } }, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a", "b"] }"#,
            &[
                "`a` may be absent, which a key cannot be",
                "the items have no field `b`",
            ],
        ),
    ];

    #[test]
    fn what_the_api_server_refuses_is_found() {
        for (schema, expected) in CASES {
            let schema = serde_json::from_str(schema).unwrap();
            let mistakes = super::mistakes(&schema);
            let found: Vec<_> = mistakes.iter().map(ToString::to_string).collect();
            assert_eq!(found, *expected);
        }
    }
}
