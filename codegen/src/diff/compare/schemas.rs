//! What changed of a schema: its type first, then everything that stands on it and below it.

use super::super::change::Log;
use super::super::kinds;
use super::super::schema::Node;
use super::{constraints, fields, topology};

pub(super) fn compare(log: &mut Log, path: &str, old: &Node, new: &Node) {
    if old == new || !types(log, path, old, new) {
        return;
    }
    constraints::compare(log, path, old, new);
    topology::compare(log, path, old, new);
    fields::compare(log, path, old, new);
}

/// False if the types differ so much that nothing below them can be compared.
fn types(log: &mut Log, path: &str, old: &Node, new: &Node) -> bool {
    let (from, to) = (Some(shown(old)), Some(shown(new)));
    match (Type::of(old), Type::of(new)) {
        (old, new) if old == new => return true,
        (Type::IntOrString, _) => {
            log.breaks(kinds::INT_OR_STRING_REMOVED, path, from, to);
        }
        (Type::Is("integer" | "string"), Type::IntOrString) => {
            log.notes(kinds::INT_OR_STRING_ADDED, path, from, to);
            return true;
        }
        (Type::Is("integer"), Type::Is("number")) => {
            log.notes(kinds::FIELD_RETYPED, path, from, to);
            return true;
        }
        (_, Type::Any) => {
            log.notes(kinds::FIELD_RETYPED, path, from, to);
            return !new.properties.is_empty();
        }
        _ => log.breaks(kinds::FIELD_RETYPED, path, from, to),
    }
    false
}

fn shown(node: &Node) -> super::super::Side {
    node.words().into()
}

#[derive(PartialEq)]
enum Type<'n> {
    Any,
    IntOrString,
    Is(&'n str),
}

impl<'n> Type<'n> {
    fn of(node: &'n Node) -> Self {
        match &node.type_ {
            _ if node.int_or_string => Self::IntOrString,
            Some(type_) => Self::Is(type_),
            None => Self::Any,
        }
    }
}
