//! Validation of schema keywords (`ValidateCustomResourceDefinitionOpenAPISchema`).

use genclient_apimachinery::field::Cause;
use serde_json::Value;

use super::json_schema_props::{Props, SchemaOr, key};
use super::options::Options;
use super::place::{Costs, Place, RuleContext};
use super::{cel, lists};

const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];

/// Returns errors in keywords and, if `checks_rules` is set, from the compilation of rules.
pub(super) fn causes(
    schema: Props<'_>,
    path: &str,
    options: &Options<'_>,
    checks_rules: bool,
    costs: &mut Costs,
) -> Vec<Cause> {
    let mut keywords = CrdKeywords { options, costs };
    let context = checks_rules.then_some(RuleContext::ROOT);
    let place = Place {
        is_root: true,
        context,
        ..Place::default()
    };
    let mut found = keywords.value(schema, path, &place);
    found.keywords.append(&mut found.rules);
    found.keywords
}

/// Errors in a schema and in nested schemas. The schema's own rules are compiled only if `keywords`
/// is empty.
#[derive(Default)]
pub(super) struct SchemaCauses {
    pub(super) keywords: Vec<Cause>,
    pub(super) rules: Vec<Cause>,
}

struct CrdKeywords<'o> {
    options: &'o Options<'o>,
    costs: &'o mut Costs,
}

impl CrdKeywords<'_> {
    fn value(&mut self, schema: Props<'_>, path: &str, place: &Place) -> SchemaCauses {
        let mut found = SchemaCauses::default();
        self.standard(schema, path, place, &mut found.keywords);
        self.values(schema, path, place, &mut found);
        self.properties(schema, path, place, &mut found);
        self.branches(schema, path, place, &mut found);
        self.items(schema, path, place, &mut found);
        lists::causes(schema, path, self.options, &mut found.keywords);
        cel::keyword_causes(schema, path, &mut found.keywords);
        if let Some(context) = place.context.filter(|_| found.keywords.is_empty()) {
            let any_cost = self.options.any_rule_cost;
            let uncorrelated = place.uncorrelated.as_deref();
            let is_resource = place.is_root || schema.is_embedded();
            let rules = cel::RuleChecks {
                context,
                uncorrelated,
                any_cost,
                is_resource,
            };
            rules.causes(schema, path, self.costs, &mut found.rules);
        }
        found
    }

    fn below(&mut self, schema: Props<'_>, path: &str, place: &Place, found: &mut SchemaCauses) {
        let mut inner = self.value(schema, path, place);
        found.keywords.append(&mut inner.keywords);
        found.rules.append(&mut inner.rules);
    }

    /// Reports unsupported types, defaults and keywords of the schema itself, not of nested schemas
    /// (`specStandardValidatorV3.validate`).
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
        if place.inside_resource_meta && schema.is_embedded() {
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

    fn values(&mut self, schema: Props<'_>, path: &str, place: &Place, found: &mut SchemaCauses) {
        let Some(values) = schema.values() else {
            return;
        };
        let path = format!("{path}.additionalProperties");
        let is_true = matches!(values, SchemaOr::Other(true));
        if schema.properties().next().is_some() && !is_true {
            let detail = "additionalProperties and properties are mutual exclusive";
            found.keywords.push(Cause::forbidden(&*path, detail));
        }
        let Some(values) = values.schema() else {
            return;
        };
        let mut inner = self.inside(schema, place);
        let is_dyn = schema.is_set("x-kubernetes-int-or-string");
        inner.add_foreign(is_dyn || !["array", "object"].contains(&schema.type_()));
        if place.inside_resource_meta {
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

    fn properties(
        &mut self,
        schema: Props<'_>,
        path: &str,
        place: &Place,
        found: &mut SchemaCauses,
    ) {
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
                inner.inside_resource_meta = true;
                if place.is_root {
                    inner.no_defaults = Some(top);
                }
            }
            self.below(property, &key(path, "properties", name), &inner, found);
        }
    }

    fn branches(&mut self, schema: Props<'_>, path: &str, place: &Place, found: &mut SchemaCauses) {
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

    fn items(&mut self, schema: Props<'_>, path: &str, place: &Place, found: &mut SchemaCauses) {
        let mut inner = self.inside(schema, place);
        let has_values = schema.type_() == "object" && schema.values_schema().is_some();
        let is_dyn = schema.is_set("x-kubernetes-int-or-string");
        inner.add_foreign(is_dyn || schema.type_() != "array" && !has_values);
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
