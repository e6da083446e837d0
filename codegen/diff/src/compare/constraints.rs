//! Comparison of the constraints on a value: nullability, defaults, enums, limits, patterns,
//! formats, rules and alternatives.

use genclient_apimachinery::strfmt;
use genclient_schema::values;
use serde_json::{Number, Value};

use super::log::Log;
use super::nulls::Null;
use crate::change::Side;
use crate::kinds::{self, ChangeKind};
use crate::schema::{Alternatives, Bound, Limit, Node, Rule};

pub(super) fn compare_constraints(log: &mut Log, path: &str, old: &Node, new: &Node, null: Null) {
    let refused = new.nullable || null == Null::Refused;
    match (old.nullable, new.nullable) {
        (true, false) => log.breaks_if(refused, kinds::NULLABLE_REMOVED, path, None, None),
        (false, true) => log.notes(kinds::NULLABLE_ADDED, path, None, None),
        _ => {}
    }
    compare_defaults(log, path, old, new);
    compare_enums(log, path, old, new, refused);
    compare_bounds(log, path, old, new);
    compare_multiples(log, path, old, new);
    compare_patterns(log, path, old, new);
    compare_formats(log, path, old, new);
    compare_rules(log, path, old, new);
    compare_alternatives(log, path, old, new);
}

fn compare_defaults(log: &mut Log, path: &str, old: &Node, new: &Node) {
    match (&old.default, &new.default) {
        (None, Some(new)) => log.notes(kinds::DEFAULT_ADDED, path, None, value_side(new)),
        (Some(old), None) => log.breaks(kinds::DEFAULT_REMOVED, path, value_side(old), None),
        (Some(old), Some(new)) if old != new => {
            log.breaks(
                kinds::DEFAULT_CHANGED,
                path,
                value_side(old),
                value_side(new),
            );
        }
        _ => {}
    }
}

fn compare_enums(log: &mut Log, path: &str, old: &Node, new: &Node, null_refused: bool) {
    let all = |values: &Vec<Value>| Some(Side::from(Value::from(values.clone())));
    match (&old.enum_, &new.enum_) {
        (None, Some(new)) => log.breaks(kinds::ENUM_ADDED, path, None, all(new)),
        (Some(old), None) => log.notes(kinds::ENUM_REMOVED, path, all(old), None),
        (Some(old), Some(new)) => {
            for removed in old.iter().filter(|value| !new.contains(value)) {
                let refused = null_refused || !removed.is_null();
                log.breaks_if(
                    refused,
                    kinds::ENUM_VALUE_REMOVED,
                    path,
                    value_side(removed),
                    None,
                );
            }
            for added in new.iter().filter(|value| !old.contains(value)) {
                log.notes(kinds::ENUM_VALUE_ADDED, path, None, value_side(added));
            }
        }
        (None, None) => {}
    }
}

/// The kinds of change for a tightened limit and for a loosened limit.
fn kinds_of_bound(bound: Bound) -> (ChangeKind, ChangeKind) {
    match bound {
        Bound::Minimum => (kinds::MINIMUM_TIGHTENED, kinds::MINIMUM_LOOSENED),
        Bound::Maximum => (kinds::MAXIMUM_TIGHTENED, kinds::MAXIMUM_LOOSENED),
        Bound::MinLength => (kinds::MIN_LENGTH_TIGHTENED, kinds::MIN_LENGTH_LOOSENED),
        Bound::MaxLength => (kinds::MAX_LENGTH_TIGHTENED, kinds::MAX_LENGTH_LOOSENED),
        Bound::MinItems => (kinds::MIN_ITEMS_TIGHTENED, kinds::MIN_ITEMS_LOOSENED),
        Bound::MaxItems => (kinds::MAX_ITEMS_TIGHTENED, kinds::MAX_ITEMS_LOOSENED),
        Bound::MinProperties => (
            kinds::MIN_PROPERTIES_TIGHTENED,
            kinds::MIN_PROPERTIES_LOOSENED,
        ),
        Bound::MaxProperties => (
            kinds::MAX_PROPERTIES_TIGHTENED,
            kinds::MAX_PROPERTIES_LOOSENED,
        ),
    }
}

fn compare_bounds(log: &mut Log, path: &str, old: &Node, new: &Node) {
    for bound in Bound::ALL {
        let (tightened, loosened) = kinds_of_bound(bound);
        let (from, to) = (old.bounds.get(&bound), new.bounds.get(&bound));
        let shown = |limit: Option<&Limit>| limit.map(|limit| limit.shown(bound));
        match (from, to) {
            (from, to) if from == to => {}
            (Some(old), Some(new)) if old.is_tighter_than(new, bound) => {
                log.notes(loosened, path, shown(from), shown(to));
            }
            (_, Some(_)) => log.breaks(tightened, path, shown(from), shown(to)),
            (_, None) => log.notes(loosened, path, shown(from), None),
        }
    }
}

fn compare_multiples(log: &mut Log, path: &str, old: &Node, new: &Node) {
    let constraint = RepeatedConstraint {
        added: kinds::MULTIPLE_OF_ADDED,
        changed: kinds::MULTIPLE_OF_CHANGED,
        removed: kinds::MULTIPLE_OF_REMOVED,
        side: &|number: &Number| value_side(&Value::Number(number.clone())),
        refuses: &|old, new| old.is_none_or(|old| !values::is_multiple(old, new)),
    };
    constraint.report(log, path, match_elements(&old.multiples, &new.multiples));
}

fn compare_patterns(log: &mut Log, path: &str, old: &Node, new: &Node) {
    let constraint = RepeatedConstraint {
        added: kinds::PATTERN_ADDED,
        changed: kinds::PATTERN_CHANGED,
        removed: kinds::PATTERN_REMOVED,
        side: &|pattern: &String| text_side(pattern),
        refuses: &|_, _| true,
    };
    constraint.report(log, path, match_elements(&old.patterns, &new.patterns));
}

fn compare_formats(log: &mut Log, path: &str, old: &Node, new: &Node) {
    // `double`, `int64` and `password` accept every value of their type. `int32` refuses nothing
    // more if the bounds admit only integers of 32 bits.
    let is_32_bits = is_32_bits(new);
    let is_checked = |format: &str| match format {
        "double" | "int64" | "password" => false,
        "int32" if is_32_bits => false,
        format => strfmt::KNOWN.contains(&format),
    };
    let constraint = RepeatedConstraint {
        added: kinds::FORMAT_ADDED,
        changed: kinds::FORMAT_CHANGED,
        removed: kinds::FORMAT_REMOVED,
        side: &|format: &String| text_side(format),
        refuses: &|_, new| is_checked(new),
    };
    constraint.report(log, path, match_elements(&old.formats, &new.formats));
}

/// True if the bounds of an integer admit only values of 32 bits.
fn is_32_bits(node: &Node) -> bool {
    let mut bounds = [Bound::Minimum, Bound::Maximum].into_iter();
    node.type_.as_deref() == Some("integer")
        && bounds.all(|bound| node.bounds.get(&bound).is_some_and(Limit::is_32_bits))
}

fn compare_rules(log: &mut Log, path: &str, old: &Node, new: &Node) {
    let has_same_message =
        |old: &Rule, new: &Rule| old.message.is_some() && old.message == new.message;
    let constraint = RepeatedConstraint {
        added: kinds::RULE_ADDED,
        changed: kinds::RULE_CHANGED,
        removed: kinds::RULE_REMOVED,
        side: &|rule: &Rule| {
            if rule.optional_old_self {
                text_side(&format!("{} (optionalOldSelf)", rule.text))
            } else {
                text_side(&rule.text)
            }
        },
        refuses: &|_, _| true,
    };
    let elements = match_similar_elements(&old.rules, &new.rules, has_same_message);
    constraint.report(log, path, elements);
}

fn compare_alternatives(log: &mut Log, path: &str, old: &Node, new: &Node) {
    let side = |alternatives: &Alternatives| value_side(&alternatives.written);
    // An `anyOf` with more branches accepts more values. A `oneOf` with more branches may accept
    // fewer, since exactly one must match.
    let any_of = RepeatedConstraint {
        added: kinds::ANY_OF_ADDED,
        changed: kinds::ANY_OF_CHANGED,
        removed: kinds::ANY_OF_REMOVED,
        side: &side,
        refuses: &|old, new| old.is_none_or(|old| !new.include(old)),
    };
    let one_of = RepeatedConstraint {
        added: kinds::ONE_OF_ADDED,
        changed: kinds::ONE_OF_CHANGED,
        removed: kinds::ONE_OF_REMOVED,
        side: &side,
        refuses: &|_, _| true,
    };
    let not = RepeatedConstraint {
        added: kinds::NOT_ADDED,
        changed: kinds::NOT_CHANGED,
        removed: kinds::NOT_REMOVED,
        side: &side,
        refuses: &|_, _| true,
    };
    any_of.report(log, path, match_elements(&old.any_of, &new.any_of));
    one_of.report(log, path, match_elements(&old.one_of, &new.one_of));
    not.report(log, path, match_elements(&old.not, &new.not));
}

/// How to report changes of a constraint that a schema may have several times, such as a rule.
struct RepeatedConstraint<'c, T> {
    added: ChangeKind,
    changed: ChangeKind,
    removed: ChangeKind,
    /// An element as the old or new value of a change.
    side: &'c dyn Fn(&T) -> Option<Side>,
    /// `refuses(old, new)`: whether `new` can refuse a value that `old` accepts. `old` is `None` if
    /// the constraint was added.
    refuses: &'c dyn Fn(Option<&T>, &T) -> bool,
}

impl<T> RepeatedConstraint<'_, T> {
    fn report(&self, log: &mut Log, path: &str, elements: Vec<ElementChange<'_, T>>) {
        for element in elements {
            match element {
                ElementChange::Added(new) => {
                    let breaking = (self.refuses)(None, new);
                    log.breaks_if(breaking, self.added, path, None, (self.side)(new));
                }
                ElementChange::Removed(old) => {
                    log.notes(self.removed, path, (self.side)(old), None);
                }
                ElementChange::Replaced(old, new) => {
                    let breaking = (self.refuses)(Some(old), new);
                    let (old, new) = ((self.side)(old), (self.side)(new));
                    log.breaks_if(breaking, self.changed, path, old, new);
                }
            }
        }
    }
}

fn value_side(value: &Value) -> Option<Side> {
    Some(value.clone().into())
}

fn text_side(text: &str) -> Option<Side> {
    Some(Value::from(text).into())
}

/// The change of one element of an unordered list.
enum ElementChange<'t, T> {
    Added(&'t T),
    Removed(&'t T),
    Replaced(&'t T, &'t T),
}

/// Returns the elements that differ, whatever their order. Each removed element is paired with the
/// next added element.
fn match_elements<'t, T: PartialEq>(
    old: impl IntoIterator<Item = &'t T>,
    new: impl IntoIterator<Item = &'t T>,
) -> Vec<ElementChange<'t, T>> {
    match_similar_elements(old, new, |_, _| false)
}

/// Returns the elements that differ, whatever their order. A removed element is paired with an
/// added element that `is_similar` to it, or else with the next added element.
fn match_similar_elements<'t, T: PartialEq>(
    old: impl IntoIterator<Item = &'t T>,
    new: impl IntoIterator<Item = &'t T>,
    is_similar: fn(&T, &T) -> bool,
) -> Vec<ElementChange<'t, T>> {
    let mut removed: Vec<_> = old.into_iter().collect();
    let mut added: Vec<_> = new.into_iter().collect();
    removed.retain(|&old| {
        let same = added.iter().position(|&new| new == old);
        same.is_none_or(|at| {
            added.remove(at);
            false
        })
    });
    let mut changes = Vec::new();
    removed.retain(|&old| {
        let similar = added.iter().position(|new| is_similar(old, new));
        similar.is_none_or(|at| {
            changes.push(ElementChange::Replaced(old, added.remove(at)));
            false
        })
    });
    let mut added = added.into_iter();
    for old in removed {
        changes.push(match added.next() {
            Some(new) => ElementChange::Replaced(old, new),
            None => ElementChange::Removed(old),
        });
    }
    changes.extend(added.map(ElementChange::Added));
    changes
}
