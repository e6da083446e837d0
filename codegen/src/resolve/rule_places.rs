//! Places of CEL rules in source, by the ids that schemas keep of them.

use crate::diagnostic::Location;
use crate::model::SourceId;

/// Where a rule was written.
pub(super) struct RulePlace {
    /// The expression.
    pub(super) rule: Location,
    /// Its `field_path`.
    pub(super) field_path: Option<Location>,
    /// Its `message_expression`.
    pub(super) message_expression: Option<Location>,
}

/// The places of all rules of a pass.
#[derive(Default)]
pub(super) struct RulePlaces {
    places: Vec<RulePlace>,
}

impl RulePlaces {
    /// Adds the place of a rule.
    pub(super) fn add(
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

    /// Returns the place of the rule that has the id.
    pub(super) fn get(&self, SourceId(at): SourceId) -> Option<&RulePlace> {
        self.places.get(at)
    }
}
