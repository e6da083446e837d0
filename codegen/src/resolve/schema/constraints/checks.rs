//! What the API server refuses, or takes though it can never work.

use genclient_syntax::{Json, JsonValue, Shape, Spanned, suggest};
use proc_macro2::Span;

use super::bounds::{Bound, traps};
use super::{Apply, json};
use crate::diagnostic::{Diagnostic, Location};
use crate::model::Schema;
use crate::resolve::re2::Pattern;
use crate::resolve::schema::formats;
use crate::resolve::schema::values::{self, Step};
use crate::resolve::schema::{stated, structural};

impl Apply<'_> {
    /// True if the grammar could not tell the type.
    pub(super) fn sees_nothing(&self) -> bool {
        *self.shape == Shape::Unknown
    }

    /// Checks the schema that came out.
    pub(super) fn check(&mut self, schema: &Schema) {
        self.check_bounds(schema);
        self.check_numbers(schema);
        self.check_pattern();
        self.check_format();
        self.check_values(schema);
        self.check_default_of_type(schema);
        self.check_list(schema);
        self.check_structure(schema);
    }

    /// What the type and the field say together has to leave some value.
    fn check_bounds(&mut self, schema: &Schema) {
        let attrs = self.attrs;
        let numbers = schema.minimum.as_ref().zip(schema.maximum.as_ref());
        let passed = |least: Option<u64>, most: Option<u64>| {
            least.zip(most).is_some_and(|(least, most)| most < least)
        };
        let bounds = [
            (
                numbers.is_some_and(|(minimum, maximum)| values::less(maximum, minimum)),
                attrs.minimum.as_ref().map(|bound| bound.span),
                attrs.maximum.as_ref().map(|bound| bound.span),
            ),
            (
                passed(schema.min_length, schema.max_length),
                attrs.min_length.as_ref().map(|bound| bound.span),
                attrs.max_length.as_ref().map(|bound| bound.span),
            ),
            (
                passed(schema.min_items, schema.max_items),
                attrs.min_items.as_ref().map(|bound| bound.span),
                attrs.max_items.as_ref().map(|bound| bound.span),
            ),
            (
                passed(schema.min_properties, schema.max_properties),
                attrs.min_properties.as_ref().map(|bound| bound.span),
                attrs.max_properties.as_ref().map(|bound| bound.span),
            ),
        ];
        for (passed, least, most) in bounds {
            match (least, most) {
                // Of two that stand together the grammar has said so.
                (Some(span), None) | (None, Some(span)) if passed => {
                    self.error(
                        span,
                        "no value is within this bound and those of the type",
                        "change it, or the bounds on the type",
                    );
                }
                _ => {}
            }
        }
    }

    /// Bounds that the API server does not read as they are written.
    fn check_numbers(&mut self, schema: &Schema) {
        let attrs = self.attrs;
        for (bound, trap) in traps(schema) {
            let stated = match bound {
                Bound::Minimum => &attrs.minimum,
                Bound::Maximum => &attrs.maximum,
                Bound::Factor => &attrs.multiple_of,
            };
            // What the type says has been reported there.
            if let Some(stated) = stated {
                self.sink.push(Diagnostic {
                    severity: trap.severity,
                    ..Diagnostic::error(trap.message)
                        .at(Location::of(&self.module.source, stated.span))
                        .help(trap.help)
                });
            }
        }
    }

    fn check_pattern(&mut self) {
        let attrs = self.attrs;
        let of_keys = attrs.keys.iter().filter_map(|keys| keys.pattern.as_ref());
        for pattern in attrs.pattern.iter().chain(of_keys) {
            if let Err(mistake) = Pattern::parse(&pattern.value) {
                let at = Location::of(&self.module.source, pattern.span)
                    .inside(&pattern.value, mistake.range);
                self.sink
                    .push(Diagnostic::error(mistake.message).at(at).help(mistake.help));
            }
        }
    }

    fn check_format(&mut self) {
        let Some(format) = &self.attrs.format else {
            return;
        };
        if formats::KNOWN.contains(&format.value.as_str()) {
            return;
        }
        let help = match suggest::closest(&format.value, formats::KNOWN.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("write one of {}, or a `pattern`", formats::KNOWN.join(", ")),
        };
        self.error(
            format.span,
            format!("the API server knows no format `{}`", format.value),
            help,
        );
    }

    /// Defaults, examples and the members of enums are values of the type.
    fn check_values(&mut self, schema: &Schema) {
        let attrs = self.attrs;
        let named = [("default", &attrs.default), ("example", &attrs.example)];
        for (key, value) in named
            .into_iter()
            .filter_map(|(key, value)| Some((key, value.as_ref()?)))
        {
            self.check_value(key, value, schema);
        }
        if let Some(values) = &attrs.enumeration {
            let of_any_value = Schema {
                enum_: Vec::new(),
                default: None,
                ..schema.clone()
            };
            for value in &values.value {
                self.check_value("enum", value, &of_any_value);
            }
        }
    }

    /// A field may say less of a value than the default of its type needs.
    fn check_default_of_type(&mut self, schema: &Schema) {
        let (Some(default), Some(span)) = (&schema.default, self.narrows()) else {
            return;
        };
        for misfit in values::misfits(schema, default) {
            let part = match &misfit.path[..] {
                [] => default.to_string(),
                path => format!("`{}`", values::display(path)),
            };
            self.error(
                span,
                format!("the default of the type: {part} {}", misfit.message),
                "state another: `default = ..`",
            );
        }
    }

    /// The first key that leaves less of the values of a type, unless a default stands beside it.
    fn narrows(&self) -> Option<Span> {
        let attrs = self.attrs;
        if attrs.default.is_some() {
            return None;
        }
        let numbers = [&attrs.minimum, &attrs.maximum, &attrs.multiple_of];
        let numbers = numbers.into_iter().flatten().map(|bound| bound.span);
        let lengths = [
            &attrs.min_length,
            &attrs.max_length,
            &attrs.min_items,
            &attrs.max_items,
            &attrs.min_properties,
            &attrs.max_properties,
        ];
        let lengths = lengths.into_iter().flatten().map(|bound| bound.span);
        let texts = [&attrs.pattern, &attrs.format];
        let texts = texts.into_iter().flatten().map(|text| text.span);
        let values = attrs.enumeration.iter().map(|values| values.span);
        numbers.chain(lengths).chain(texts).chain(values).next()
    }

    fn check_value(&mut self, key: &str, value: &Json, schema: &Schema) {
        if !self.shape.admits(value) {
            // The grammar has said so.
            return;
        }
        for misfit in values::misfits(schema, &json(value)) {
            let part = part(value, &misfit.path);
            let is_null = misfit.path.is_empty() && value.value == JsonValue::Null;
            let help = if is_null && key == "default" {
                "remove it: what is absent stays absent"
            } else {
                "write a value that the type takes"
            };
            self.error(
                part.span,
                format!("{} {}", subject(key, value, &misfit.path), misfit.message),
                help,
            );
        }
    }

    fn check_list(&mut self, schema: &Schema) {
        let Some(items) = &schema.items else {
            return;
        };
        if items.is_unknown() {
            return;
        }
        let attrs = self.attrs;
        for key in &attrs.list_map_keys {
            self.check_map_key(key, items);
        }
        let Some(list_type) = attrs.list_type.as_ref().map(|list_type| list_type.span) else {
            return;
        };
        let type_ = items.type_.as_deref();
        let granular = match type_ {
            Some("object") => items.map_type.as_deref() != Some("atomic"),
            Some("array") => items
                .list_type
                .as_deref()
                .is_some_and(|list_type| list_type != "atomic"),
            _ => false,
        };
        match schema.list_type.as_deref() {
            Some("map") if type_ != Some("object") && !attrs.list_map_keys.is_empty() => self
                .error(
                    list_type,
                    "the items of a `map` list are objects",
                    "write `list_type = \"set\"` or `list_type = \"atomic\"`",
                ),
            Some("set") if granular => self.error(
                list_type,
                "the items of a `set` are compared whole",
                "write `items(struct_type = \"atomic\")`, or a `map` list with `list_map_keys`",
            ),
            Some("set") if items.nullable => {
                self.error(
                    list_type,
                    "the items of a `set` may not be null",
                    "use a list without `Option`",
                );
            }
            _ => {}
        }
    }

    /// A key of a `map` list is a scalar field of its items that is always there.
    fn check_map_key(&mut self, key: &Spanned<String>, items: &Schema) {
        if items.type_.as_deref() != Some("object") {
            return;
        }
        let name = &key.value;
        let Some(property) = items.properties.get(name) else {
            let help = match suggest::closest(name, items.properties.keys().map(String::as_str)) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => "write the name of a field of the items as it is in JSON".to_owned(),
            };
            self.error(key.span, format!("the items have no field `{name}`"), help);
            return;
        };
        if matches!(property.type_.as_deref(), Some("object" | "array")) {
            self.error(
                key.span,
                format!("`{name}` is no scalar, which a key has to be"),
                "name a string, a number or a boolean",
            );
        } else if property.nullable {
            self.error(
                key.span,
                format!("`{name}` may be null, which a key cannot be"),
                "make the field required, or skip it if it is `None` and give it a default",
            );
        } else if !items.required.contains(name) && property.default.is_none() {
            self.error(
                key.span,
                format!("`{name}` may be absent, which a key cannot be"),
                "make the field required, or give it a default: `#[crd(default = ..)]`",
            );
        }
    }

    /// What overrides leave behind has to be a structural schema still.
    fn check_structure(&mut self, schema: &Schema) {
        let attrs = self.attrs;
        let overrides = [
            attrs.json_type.as_ref().map(|type_| type_.span),
            attrs.schemaless.span(),
            attrs.preserve_unknown_fields.span(),
            attrs.embedded_resource.span(),
            attrs.schema.as_ref().map(|schema| schema.span),
        ];
        let Some(span) = overrides.into_iter().flatten().next() else {
            return;
        };
        let mut mistakes = Vec::new();
        structural::mistakes(schema, &mut mistakes);
        if attrs.schema.is_some() {
            mistakes.extend(stated::mistakes(schema));
        }
        for mistake in mistakes {
            self.error(span, mistake.to_string(), mistake.help);
        }
    }
}

/// A value or a part of it as a message has it; a long one can be seen at its place.
fn subject(key: &str, value: &Json, path: &[Step]) -> String {
    if !path.is_empty() {
        return format!("`{}` of `{key}`", values::display(path));
    }
    let shown = json(value).to_string();
    if shown.len() <= 40 {
        format!("the value {shown} of `{key}`")
    } else {
        format!("the value of `{key}`")
    }
}

/// The part of a value that a path leads to, or the last that is written out.
fn part<'v>(value: &'v Json, path: &[Step]) -> &'v Json {
    let mut part = value;
    for step in path {
        let next = match (step, &part.value) {
            (Step::Item(at), JsonValue::Array(items)) => items.get(*at),
            (Step::Member(name), JsonValue::Object(members)) => members
                .iter()
                .find(|(key, _)| key == name)
                .map(|(_, value)| value),
            _ => None,
        };
        match next {
            Some(next) => part = next,
            None => break,
        }
    }
    part
}
