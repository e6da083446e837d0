//! Lookup of the schemas of an object's members.

use crate::Schema;

impl Schema {
    /// Returns the schema of a member, which may be a boolean.
    pub(crate) fn member(&self, name: &str) -> Option<&Self> {
        let property = self.properties.get(name);
        let schema = property.or(self.additional_properties.as_ref());
        schema.map(|schema| &**schema)
    }

    /// Returns the schema itself, or `None` for a boolean schema, which declares nothing.
    pub(crate) fn declared(&self) -> Option<&Self> {
        self.boolean.is_none().then_some(self)
    }

    /// Returns the schema of a member, or `None` for a boolean schema.
    pub(crate) fn declared_member(&self, name: &str) -> Option<&Self> {
        self.member(name).and_then(Self::declared)
    }
}
