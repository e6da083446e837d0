//! Treatment of nulls where the schema is not nullable, as kube-apiserver does it.
//!
//! `pkg/apiserver/schema/defaulting/prunenulls.go` and `algorithm.go` of apiextensions-apiserver:
//! a null is replaced by the default if there is one. Without a default, a null member is dropped
//! and a null item stays, to be refused by validation. Server-side apply does neither to the
//! configuration that is sent: validation refuses a null there.

use super::super::schema::Node;

/// What happens to a null at a place whose schema is not nullable.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Null {
    /// It is dropped or replaced by the default.
    Dropped,
    /// The object that holds it is refused.
    Refused,
}

impl Null {
    /// As a list item.
    pub(super) fn of_item(items: &Node) -> Self {
        let is_typed = items.type_.is_some() || items.int_or_string;
        Self::refused_if(is_typed && items.default.is_none())
    }

    /// As the member `name` of an object, whose schema is `property`.
    pub(super) fn of_member(object: &Node, name: &str, property: &Node) -> Self {
        Self::refused_if(object.required.contains(name) && property.default.is_none())
    }

    fn refused_if(refused: bool) -> Self {
        if refused {
            Self::Refused
        } else {
            Self::Dropped
        }
    }
}
