//! Diagnostics of rule findings, and the locations of rules in source.

use std::ops::Range;

use super::dialect::SchemaDialect;
use super::finding::{Finding, RuleText};
use super::walk::check_all;
use crate::diagnostic::{Diagnostic, Location, Sink};
use crate::model::{Schema, SourceId, Validation};

/// Checks the rules of `root`, the schema of a kind, and of all schemas below it.
pub(in crate::resolve) fn report(
    root: &Schema,
    dialect: SchemaDialect,
    places: &RulePlaces,
    sink: &mut Sink,
) {
    check_all(root, dialect, &mut |rule, finding| {
        let place = rule.source.and_then(|source| places.get(source));
        sink.push(diagnostic(rule, place, finding));
    });
}

fn diagnostic(rule: &Validation, place: Option<&RulePlace>, finding: Finding) -> Diagnostic {
    let mut diagnostic = Diagnostic {
        severity: finding.severity,
        ..Diagnostic::error(finding.message).help(finding.help)
    };
    let Some(place) = place else {
        // The rule has no location, so the message quotes its text.
        diagnostic.message = format!("{} (in the rule `{}`)", diagnostic.message, rule.rule);
        return diagnostic;
    };
    let (own, text) = match finding.text {
        RuleText::Rule => (Some(&place.rule), Some(&rule.rule)),
        RuleText::FieldPath => (place.field_path.as_ref(), rule.field_path.as_ref()),
        RuleText::MessageExpression => (
            place.message_expression.as_ref(),
            rule.message_expression.as_ref(),
        ),
    };
    diagnostic.at(match own.zip(text) {
        Some((own, text)) => part(own, text, finding.range),
        None => place.rule.clone(),
    })
}

/// Returns the location of `range` in the literal at `location`. If the literal has escapes, or
/// `range` is `None`, returns the location of the whole literal.
fn part(location: &Location, rule: &str, range: Option<Range<usize>>) -> Location {
    let literal = location
        .source
        .text
        .get(location.span.clone())
        .unwrap_or_default();
    let Some((range, start)) = range.zip(literal.find(rule)) else {
        return location.clone();
    };
    let start = location.span.start + start;
    Location {
        span: start + range.start..start + range.end,
        ..location.clone()
    }
}

/// Locations of a rule and of its optional texts.
pub(in crate::resolve) struct RulePlace {
    pub(in crate::resolve) rule: Location,
    pub(in crate::resolve) field_path: Option<Location>,
    pub(in crate::resolve) message_expression: Option<Location>,
}

/// Locations of all rules of a pass.
#[derive(Default)]
pub(in crate::resolve) struct RulePlaces {
    places: Vec<RulePlace>,
}

impl RulePlaces {
    /// Adds the locations of a rule and returns its id.
    pub(in crate::resolve) fn add(
        &mut self,
        rule: Location,
        field_path: Option<Location>,
        message_expression: Option<Location>,
    ) -> SourceId {
        self.places.push(RulePlace {
            rule,
            field_path,
            message_expression,
        });
        SourceId(self.places.len() - 1)
    }

    pub(in crate::resolve) fn get(&self, SourceId(at): SourceId) -> Option<&RulePlace> {
        self.places.get(at)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::part;
    use crate::diagnostic::{Location, SourceText};

    #[test]
    fn rule_ranges_map_to_literal_ranges() {
        for (literal, rule, range, found) in [
            (r#""self.a > 1""#, "self.a > 1", Some(5..6), "a"),
            (
                r##"r#"self.a > 1"#"##,
                "self.a > 1",
                Some(0..10),
                "self.a > 1",
            ),
            (
                r#""self.a == \"x\"""#,
                r#"self.a == "x""#,
                Some(5..6),
                r#""self.a == \"x\"""#,
            ),
            (r#""self.a""#, "self.a", None, r#""self.a""#),
        ] {
            let source = SourceText {
                path: String::new(),
                text: format!("rule = {literal}"),
            };
            let location = Location {
                span: 7..source.text.len(),
                source: Arc::new(source),
            };
            let part = part(&location, rule, range);
            assert_eq!(&part.source.text[part.span.clone()], found, "{literal}");
        }
    }
}
