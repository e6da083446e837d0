//! Schemas of the members of an object.

use crate::Schema;

impl Schema {
    /// The schema of a member, which may be a boolean.
    pub(crate) fn member(&self, name: &str) -> Option<&Self> {
        let property = self.properties.get(name);
        let schema = property.or(self.additional_properties.as_ref());
        schema.map(|schema| &**schema)
    }

    /// The schema itself, unless it is a boolean in place of one, which declares nothing.
    pub(crate) fn declared(&self) -> Option<&Self> {
        self.boolean.is_none().then_some(self)
    }

    /// The schema of a member, unless it is a boolean.
    pub(crate) fn declared_member(&self, name: &str) -> Option<&Self> {
        self.member(name).and_then(Self::declared)
    }
}
