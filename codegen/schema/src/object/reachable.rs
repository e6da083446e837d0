//! Search for CEL rules that the API server evaluates.

use crate::{JsonType, Schema};

impl Schema {
    /// Returns whether the schema of an object has a rule that is evaluated. Rules below a property
    /// without a CEL type are not (`validator` of `pkg/apiserver/schema/cel`).
    pub fn has_rules(&self) -> bool {
        let values = self.items.iter().chain(&self.additional_properties);
        let mut properties = self
            .properties
            .values()
            .filter(|property| self.has_cel_type() && property.has_cel_type());
        !self.validations.is_empty()
            || values.into_iter().any(|schema| schema.has_rules())
            || properties.any(|property| property.has_rules())
    }

    /// `SchemaDeclType` of `k8s.io/apiserver/pkg/cel/common`
    pub(crate) fn has_cel_type(&self) -> bool {
        match self.type_ {
            _ if self.int_or_string => true,
            None => false,
            Some(JsonType::Array) => self.items.as_ref().is_some_and(|it| it.has_cel_type()),
            Some(JsonType::Object) => {
                let values = self.additional_properties.as_ref();
                let values = values.filter(|schema| schema.boolean.is_none());
                values.is_none_or(|schema| schema.has_cel_type())
            }
            Some(_) => true,
        }
    }
}
