//! Keywords of schemas (`ValidateCustomResourceDefinitionOpenAPISchema`).

use serde_json::Value;

use super::options::Options;
use super::props::{Props, SchemaOr, key};
use super::{dump, lists, rules};
use crate::cause::Cause;

const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];

/// What the rules of a schema cost.
#[derive(Default)]
pub(super) struct Costs {
    pub(super) total: u64,
    rules: Vec<(u64, String)>,
}

impl Costs {
    /// Rules below a hundredth of what all may cost are not named.
    const NAMED: u64 = 1_000_000;

    pub(super) fn add(&mut self, field: String, cost: u64) {
        self.total = self.total.saturating_add(cost);
        if cost >= Self::NAMED {
            self.rules.push((cost, field));
            self.rules.sort_by_key(|(cost, _)| std::cmp::Reverse(*cost));
            self.rules.truncate(4);
        }
    }

    /// The fields of the most expensive rules.
    pub(super) fn expensive(&self) -> impl Iterator<Item = &str> {
        self.rules.iter().map(|(_, field)| field.as_str())
    }
}

/// Returns what is wrong with the keywords of a schema, and with its rules if they are checked.
pub(super) fn causes(
    schema: Props<'_>,
    path: &str,
    options: &Options<'_>,
    checks_rules: bool,
    costs: &mut Costs,
) -> Vec<Cause> {
    let mut keywords = Keywords { options, costs };
    let context = checks_rules.then_some(RuleContext {
        occurrences: Some(1),
        has_rules_around: false,
        has_no_type: false,
        is_foreign: false,
    });
    let place = Place {
        is_root: true,
        context,
        ..Place::default()
    };
    let mut found = keywords.value(schema, path, &place);
    found.keywords.append(&mut found.rules);
    found.keywords
}

/// Where a schema stands.
#[derive(Clone, Default)]
pub(super) struct Place {
    is_root: bool,
    /// Why there may be no default.
    no_defaults: Option<&'static str>,
    /// True inside of `metadata`, `apiVersion` and `kind`.
    in_metadata: bool,
    /// The schema around it whose old and new values cannot be told apart.
    pub(super) uncorrelated: Option<String>,
    /// Nothing in branches, and where rules are not checked.
    pub(super) context: Option<RuleContext>,
}

impl Place {
    fn is_foreign_below(&mut self, is_foreign: bool) {
        if let Some(context) = &mut self.context {
            context.is_foreign |= is_foreign && context.has_rules_around;
        }
    }
}

/// What rules are checked and estimated by.
#[derive(Clone, Copy)]
pub(super) struct RuleContext {
    /// How often a value stands in an object at most.
    pub(super) occurrences: Option<u64>,
    /// True if a schema around this one has rules.
    has_rules_around: bool,
    /// True if such a schema has no type that CEL knows.
    pub(super) has_no_type: bool,
    /// True for items and values of something whose type has none, below a rule.
    pub(super) is_foreign: bool,
}

impl RuleContext {
    /// The context of what stands in a schema.
    fn inside(self, schema: Props<'_>) -> Self {
        let has_rules_around = self.has_rules_around || !schema.rules().is_empty();
        Self {
            occurrences: self
                .occurrences
                .zip(most_elements(schema))
                .map(|(around, most)| around.saturating_mul(most)),
            has_rules_around,
            is_foreign: self.is_foreign,
            has_no_type: self.has_no_type || has_rules_around && !rules::has_type(schema),
        }
    }
}

/// `extractMaxElements`
fn most_elements(schema: Props<'_>) -> Option<u64> {
    let most = |name: &str| {
        let most = schema.get(name)?.as_i64()?;
        Some(u64::try_from(most).unwrap_or_default())
    };
    match schema.type_() {
        "object" if schema.values().is_some() => most("maxProperties"),
        "array" => most("maxItems"),
        _ => Some(1),
    }
}

/// Errors of rules are kept apart: rules are only checked where the schema is right.
#[derive(Default)]
pub(super) struct Found {
    pub(super) keywords: Vec<Cause>,
    pub(super) rules: Vec<Cause>,
}

struct Keywords<'o> {
    options: &'o Options<'o>,
    costs: &'o mut Costs,
}

impl Keywords<'_> {
    fn value(&mut self, schema: Props<'_>, path: &str, place: &Place) -> Found {
        let mut found = Found::default();
        self.standard(schema, path, place, &mut found.keywords);
        self.values(schema, path, place, &mut found);
        self.properties(schema, path, place, &mut found);
        self.branches(schema, path, place, &mut found);
        self.items(schema, path, place, &mut found);
        lists::causes(schema, path, self.options, &mut found.keywords);
        rules::keyword_causes(schema, path, &mut found.keywords);
        if let Some(context) = place.context.filter(|_| found.keywords.is_empty()) {
            let open = self.options.any_rule_cost;
            let uncorrelated = place.uncorrelated.as_deref();
            let is_resource = place.is_root || schema.is_embedded();
            let rules = rules::Rules {
                context,
                uncorrelated,
                any_cost: open,
                is_resource,
            };
            rules.causes(schema, path, self.costs, &mut found.rules);
        }
        found
    }

    fn below(&mut self, schema: Props<'_>, path: &str, place: &Place, found: &mut Found) {
        let mut inner = self.value(schema, path, place);
        found.keywords.append(&mut inner.keywords);
        found.rules.append(&mut inner.rules);
    }

    /// `specStandardValidatorV3.validate`
    fn standard(&self, schema: Props<'_>, path: &str, place: &Place, causes: &mut Vec<Cause>) {
        let type_ = schema.type_();
        let field = |name: &str| format!("{path}.{name}");
        if self.options.known_types && !type_.is_empty() && !TYPES.contains(&type_) {
            causes.push(Cause::not_supported(field("type"), &type_.into(), &TYPES));
        }
        if let Some(reason) = place
            .no_defaults
            .filter(|_| schema.get("default").is_some())
        {
            let detail = format!("must not be set {reason}");
            causes.push(Cause::forbidden(field("default"), &detail));
        }
        let has = |name: &str| schema.get(name).is_some();
        let has_members = |name: &str| schema.object(name).next().is_some();
        let unsupported = [
            ("id", !schema.text("id").is_empty()),
            ("additionalItems", has("additionalItems")),
            ("patternProperties", has_members("patternProperties")),
            ("definitions", has_members("definitions")),
            ("dependencies", has("dependencies")),
            ("$ref", has("$ref")),
        ];
        for (name, _) in unsupported.into_iter().filter(|(_, stands)| *stands) {
            causes.push(Cause::forbidden(
                field(name),
                &format!("{name} is not supported"),
            ));
        }
        if type_ == "null" {
            let detail = "type cannot be set to null, use nullable as an alternative";
            causes.push(Cause::forbidden(field("type"), detail));
        }
        if matches!(schema.items(), Some(SchemaOr::Other([_, ..]))) {
            let detail = "items must be a schema object and not an array";
            causes.push(Cause::forbidden(field("items"), detail));
        }
        if place.in_metadata && schema.is_embedded() {
            let detail = "must not be used inside of resource meta";
            causes.push(Cause::forbidden(
                field("x-kubernetes-embedded-resource"),
                detail,
            ));
        }
        if schema.is_set("uniqueItems") {
            let detail = "uniqueItems cannot be set to true since the runtime complexity becomes \
                          quadratic";
            causes.push(Cause::forbidden(field("uniqueItems"), detail));
        }
        if schema.get("x-kubernetes-preserve-unknown-fields") == Some(&Value::Bool(false)) {
            let field = field("x-kubernetes-preserve-unknown-fields");
            causes.push(Cause::invalid(
                field,
                &false.into(),
                "must be true or undefined",
            ));
        }
    }

    fn values(&mut self, schema: Props<'_>, path: &str, place: &Place, found: &mut Found) {
        let Some(values) = schema.values() else {
            return;
        };
        let path = format!("{path}.additionalProperties");
        let is_open = matches!(values, SchemaOr::Other(true));
        if schema.properties().next().is_some() && !is_open {
            let detail = "additionalProperties and properties are mutual exclusive";
            found.keywords.push(Cause::forbidden(&*path, detail));
        }
        let Some(values) = values.schema() else {
            return;
        };
        let mut inner = self.inside(schema, place);
        let is_dyn = schema.is_set("x-kubernetes-int-or-string");
        inner.is_foreign_below(is_dyn || !["array", "object"].contains(&schema.type_()));
        if place.in_metadata {
            inner.no_defaults = Some("inside additionalProperties applying to object metadata");
        }
        self.below(values, &path, &inner, found);
    }

    fn inside(&self, schema: Props<'_>, place: &Place) -> Place {
        Place {
            is_root: false,
            context: place.context.map(|context| context.inside(schema)),
            ..place.clone()
        }
    }

    fn properties(&mut self, schema: Props<'_>, path: &str, place: &Place, found: &mut Found) {
        for (name, property) in schema.properties() {
            let mut inner = self.inside(schema, place);
            let is_correlated =
                [None, Some("granular"), Some("atomic")].contains(&schema.map_type());
            if !is_correlated {
                inner.uncorrelated.get_or_insert_with(|| path.to_owned());
            }
            let is_resource = place.is_root || schema.is_embedded();
            let top = match name {
                "metadata" => "in top-level metadata",
                "apiVersion" => "in top-level apiVersion",
                "kind" => "in top-level kind",
                _ => "",
            };
            if is_resource && !top.is_empty() {
                inner.in_metadata = true;
                if place.is_root {
                    inner.no_defaults = Some(top);
                }
            }
            self.below(property, &key(path, "properties", name), &inner, found);
        }
    }

    fn branches(&mut self, schema: Props<'_>, path: &str, place: &Place, found: &mut Found) {
        let place = Place {
            is_root: false,
            context: None,
            ..place.clone()
        };
        if let Some(not) = schema.schema("not") {
            self.below(not, &format!("{path}.not"), &place, found);
        }
        for keyword in ["allOf", "oneOf", "anyOf"] {
            for (at, branch) in schema.schemas(keyword).enumerate() {
                self.below(branch, &format!("{path}.{keyword}[{at}]"), &place, found);
            }
        }
        for keyword in ["definitions", "dependencies"] {
            for (name, value) in schema.object(keyword) {
                if let Some(schema) = Props::of(value) {
                    self.below(schema, &key(path, keyword, name), &place, found);
                }
            }
        }
    }

    fn items(&mut self, schema: Props<'_>, path: &str, place: &Place, found: &mut Found) {
        let mut inner = self.inside(schema, place);
        let has_values = schema.type_() == "object" && schema.values_schema().is_some();
        let is_dyn = schema.is_set("x-kubernetes-int-or-string");
        inner.is_foreign_below(is_dyn || schema.type_() != "array" && !has_values);
        if schema.list_type() != Some("map") {
            inner.uncorrelated.get_or_insert_with(|| path.to_owned());
        }
        let path = format!("{path}.items");
        match schema.items() {
            None => {}
            Some(SchemaOr::Schema(items)) => self.below(items, &path, &inner, found),
            Some(SchemaOr::Other(several)) => {
                for (at, items) in several.iter().filter_map(Props::of).enumerate() {
                    self.below(items, &format!("{path}[{at}]"), &inner, found);
                }
            }
        }
    }
}

/// A schema as a value that a message prints.
pub(super) fn printed_items(schema: Props<'_>) -> String {
    dump::items(schema.items())
}
