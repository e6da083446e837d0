//! Checks of a schema to which constraints have been applied: keywords that the API server refuses,
//! list types, merge keys, and bounds that no value meets.

use genclient_apimachinery::strfmt;
use genclient_cel::re2::Pattern;
use genclient_schema::definition::bounds::{Bound, Trap, traps};
use genclient_schema::definition::{
    KeywordRule, SchemaErrorKind, keyword_errors, structural_errors,
};
use genclient_schema::values;
use genclient_syntax::{Shape, Spanned, suggest};
use proc_macro2::Span;

use super::{Apply, written};
use crate::diagnostic::{Diagnostic, Location};
use crate::model::{JsonType, ListType, MapType, Schema};
use crate::resolve::schema::words;

impl Apply<'_> {
    /// True if the attribute grammar has not checked the keys against the type: it could not
    /// determine the type, or an attribute overrides it.
    pub(super) fn has_unknown_shape(&self) -> bool {
        *self.shape == Shape::Unknown || self.is_unchecked
    }

    pub(super) fn check(&mut self, schema: &Schema) {
        self.check_bounds(schema);
        self.check_numbers(schema);
        self.check_pattern();
        self.check_format(schema);
        self.check_values(schema);
        self.check_default_of_type(schema);
        self.check_list(schema);
        self.check_structure(schema);
    }

    /// Checks that the bounds of the type and the field together leave at least one value.
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
                self.extended(["minimum", "maximum"]),
            ),
            (
                passed(schema.min_length, schema.max_length),
                attrs.min_length.as_ref().map(|bound| bound.span),
                attrs.max_length.as_ref().map(|bound| bound.span),
                self.extended(["minLength", "maxLength"]),
            ),
            (
                passed(schema.min_items, schema.max_items),
                attrs.min_items.as_ref().map(|bound| bound.span),
                attrs.max_items.as_ref().map(|bound| bound.span),
                self.extended(["minItems", "maxItems"]),
            ),
            (
                passed(schema.min_properties, schema.max_properties),
                attrs.min_properties.as_ref().map(|bound| bound.span),
                attrs.max_properties.as_ref().map(|bound| bound.span),
                self.extended(["minProperties", "maxProperties"]),
            ),
        ];
        if let Some(most) = &attrs.max_properties
            && most.value < schema.required.len() as u64
        {
            let message = "no object can satisfy this bound: the type has more required fields";
            self.error(most.span, message, "remove it, or raise it");
        }
        for (passed, least, most, extended) in bounds {
            // If the attribute has both bounds, the attribute grammar has compared them.
            let one = least.xor(most).or(extended);
            if let Some(span) = one.filter(|_| passed) {
                self.error(
                    span,
                    "no value can satisfy both this bound and the bounds of the type",
                    "change it, or the bounds on the type",
                );
            }
        }
    }

    /// Returns the span of the value of the last of these keywords in `extend(…)`.
    fn extended(&self, keywords: [&str; 2]) -> Option<Span> {
        let mut extended = self.attrs.extend.iter().rev();
        let (_, value) = extended.find(|(key, _)| keywords.contains(&key.value.as_str()))?;
        Some(value.span)
    }

    /// Reports bounds that the API server misreads ([`Trap`]).
    fn check_numbers(&mut self, schema: &Schema) {
        let attrs = self.attrs;
        let format = attrs.format.as_ref().map(|format| format.span);
        for (bound, trap) in traps(schema) {
            let stated = match bound {
                Bound::Minimum => &attrs.minimum,
                Bound::Maximum => &attrs.maximum,
                Bound::MultipleOf => &attrs.multiple_of,
            };
            if let Some(stated) = stated {
                let (message, help) = words::trap(trap);
                let finding = if trap.refuses_every_value() {
                    Diagnostic::error(message)
                } else {
                    Diagnostic::warning(message)
                };
                let at = Location::of(&self.module.source, stated.span);
                self.sink.push(finding.at(at).help(help));
            } else if let (Some(span), Trap::BeyondType) = (format, trap) {
                let message = "the bounds of the type are out of range for the format: the API \
                               server refuses every value";
                self.error(span, message, "remove it: the type implies it");
            }
            // Bounds of the type itself are reported at the type.
        }
    }

    fn check_pattern(&mut self) {
        let attrs = self.attrs;
        let of_keys = attrs.keys.iter().filter_map(|keys| keys.pattern.as_ref());
        for pattern in attrs.pattern.iter().chain(of_keys) {
            if let Err(error) = Pattern::parse(&pattern.value) {
                let at = Location::of(&self.module.source, pattern.span)
                    .inside(&pattern.value, error.range);
                self.sink
                    .push(Diagnostic::error(error.message).at(at).help(error.help));
            }
        }
    }

    fn check_format(&mut self, schema: &Schema) {
        let Some(format) = &self.attrs.format else {
            return;
        };
        if strfmt::is_numeric(&format.value) && schema.type_ == Some(JsonType::String) {
            self.error(
                format.span,
                format!(
                    "the API server does not support the format `{}` for strings",
                    format.value
                ),
                "remove it, or make the field a number",
            );
            return;
        }
        if strfmt::KNOWN.contains(&format.value.as_str()) {
            return;
        }
        let is_number = matches!(schema.type_, Some(JsonType::Integer | JsonType::Number));
        let help = if is_number {
            "remove it: the type implies it".to_owned()
        } else {
            words::unknown_format(&format.value)
        };
        self.error(
            format.span,
            format!(
                "the API server does not support the format `{}`",
                format.value
            ),
            help,
        );
    }

    /// Checks that keys which override the schema, such as `type` and `schema`, result in a
    /// structural schema.
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
        let mut errors = structural_errors(schema);
        if attrs.schema.is_some() {
            errors.extend(keyword_errors(schema));
        }
        // `check_values` reports a default beside the schema.
        errors.retain(|error| {
            let is_default = matches!(
                error.kind,
                SchemaErrorKind::Keyword(KeywordRule::Default(_))
            );
            !(is_default && error.path.is_empty() && attrs.default.is_some())
        });
        for error in &errors {
            let (message, help) = words::schema_error(error, attrs.schema.is_some());
            let whole = attrs.schema.as_ref();
            let place = whole.map_or(span, |whole| written::place(error, whole));
            self.error(place, message, help);
        }
    }
}

impl Apply<'_> {
    /// Checks that the items fit the list type and the merge keys.
    pub(super) fn check_list(&mut self, schema: &Schema) {
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
        let type_ = items.type_;
        let granular = match type_ {
            Some(JsonType::Object) => items.map_type != Some(MapType::Atomic),
            Some(JsonType::Array) => items
                .list_type
                .is_some_and(|list_type| list_type != ListType::Atomic),
            _ => false,
        };
        match schema.list_type {
            Some(ListType::Map)
                if type_ != Some(JsonType::Object) && !attrs.list_map_keys.is_empty() =>
            {
                self.error(
                    list_type,
                    "the items of a `map` list must be objects",
                    "write `list_type = \"set\"` or `list_type = \"atomic\"`, and remove `list_map_keys`",
                )
            }
            Some(ListType::Set) if granular => self.error(
                list_type,
                "the items of a `set` list must be scalars or atomic",
                "write `items(struct_type = \"atomic\")`, or a `map` list with `list_map_keys`",
            ),
            Some(ListType::Set | ListType::Map) if items.nullable => {
                self.error(
                    list_type,
                    "the items of a `set` or `map` list must not be nullable",
                    "use a list without `Option`",
                );
            }
            _ => {}
        }
    }

    /// Checks that a merge key is a scalar, non-nullable field that is required or has a default.
    fn check_map_key(&mut self, key: &Spanned<String>, items: &Schema) {
        if items.type_ != Some(JsonType::Object) {
            return;
        }
        let name = &key.value;
        let Some(property) = items.properties.get(name) else {
            let help = suggest::field(name, items.properties.keys().map(String::as_str));
            self.error(
                key.span,
                format!("no such field `{name}` in the items"),
                help,
            );
            return;
        };
        if matches!(property.type_, Some(JsonType::Object | JsonType::Array)) {
            self.error(
                key.span,
                format!("the map key `{name}` must be a scalar"),
                "use a string, number or boolean field",
            );
        } else if property.nullable {
            self.error(
                key.span,
                format!("the map key `{name}` must not be nullable"),
                "remove the `Option`, or add `#[serde(skip_serializing_if = \"Option::is_none\")]` and \
                 `#[crd(default = ..)]`",
            );
        } else if !items.required.contains(name) && property.default.is_none() {
            self.error(
                key.span,
                format!("the map key `{name}` must be required or have a default"),
                "make the field required, or give it a default: `#[crd(default = ..)]`",
            );
        }
    }
}
