//! [`RulePlaces`]: locations of CEL rules in source, by the ids that schemas hold.

use crate::diagnostic::Location;
use crate::model::SourceId;

/// Locations of a rule's texts.
pub(super) struct RulePlace {
    /// Location of the expression.
    pub(super) rule: Location,
    /// Location of its `field_path`.
    pub(super) field_path: Option<Location>,
    /// Location of its `message_expression`.
    pub(super) message_expression: Option<Location>,
}

/// Locations of all rules of a pass.
#[derive(Default)]
pub(super) struct RulePlaces {
    places: Vec<RulePlace>,
}

impl RulePlaces {
    /// Adds the locations of a rule and returns its id.
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

    /// Returns the locations of the rule with the id.
    pub(super) fn get(&self, SourceId(at): SourceId) -> Option<&RulePlace> {
        self.places.get(at)
    }
}
