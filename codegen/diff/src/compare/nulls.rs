//! Treatment of nulls where the schema is not nullable, as in kube-apiserver.
//!
//! Source: `pkg/apiserver/schema/defaulting/prunenulls.go` and `algorithm.go` of
//! apiextensions-apiserver. If there is a default, it replaces the null. Without a default, a null
//! property is dropped. A null list item stays, and fails validation if the items have a type.
//! Server-side apply does not drop null properties, so validation refuses those without a default.

use crate::schema::Node;

/// Treatment of a null where the schema is not nullable.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Null {
    /// The null is dropped, kept, or replaced by the default.
    Accepted,
    /// The object that contains the null is refused.
    Refused,
}

impl Null {
    /// The treatment of a null in a list whose items have the schema `items`.
    pub(super) fn of_item(items: &Node) -> Self {
        let is_typed = items.type_.is_some() || items.int_or_string;
        Self::refused_if(is_typed && items.default.is_none())
    }

    /// The treatment of a null as the property `name` of an object; `property` is the schema of the
    /// property.
    pub(super) fn of_member(object: &Node, name: &str, property: &Node) -> Self {
        Self::refused_if(object.required.contains(name) && property.default.is_none())
    }

    fn refused_if(refused: bool) -> Self {
        if refused {
            Self::Refused
        } else {
            Self::Accepted
        }
    }
}
