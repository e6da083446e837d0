//! Comparison of the constraints on a value: nullability, defaults, enums, limits, patterns,
//! formats, rules and alternatives.

use genclient_apimachinery::strfmt;
use genclient_schema::values;
use serde_json::{Number, Value};

use super::super::change::{Log, Side};
use super::super::kinds::{self, ChangeKind};
use super::super::schema::{Alternatives, Bound, Limit, Node, Rule};
use super::nulls::Null;

pub(super) fn compare(log: &mut Log, path: &str, old: &Node, new: &Node, null: Null) {
    let refused = new.nullable || null == Null::Refused;
    match (old.nullable, new.nullable) {
        (true, false) => log.breaks_if(refused, kinds::NULLABLE_REMOVED, path, None, None),
        (false, true) => log.notes(kinds::NULLABLE_ADDED, path, None, None),
        _ => {}
    }
    default(log, path, old, new);
    enums(log, path, old, new, refused);
    bounds(log, path, old, new);
    multiples(log, path, old, new);
    patterns(log, path, old, new);
    formats(log, path, old, new);
    rules(log, path, old, new);
    alternatives(log, path, old, new);
}

fn default(log: &mut Log, path: &str, old: &Node, new: &Node) {
    match (&old.default, &new.default) {
        (None, Some(new)) => log.notes(kinds::DEFAULT_ADDED, path, None, value(new)),
        (Some(old), None) => log.breaks(kinds::DEFAULT_REMOVED, path, value(old), None),
        (Some(old), Some(new)) if old != new => {
            log.breaks(kinds::DEFAULT_CHANGED, path, value(old), value(new));
        }
        _ => {}
    }
}

fn enums(log: &mut Log, path: &str, old: &Node, new: &Node, null_refused: bool) {
    let all = |values: &Vec<Value>| Some(Side::from(Value::from(values.clone())));
    match (&old.enum_, &new.enum_) {
        (None, Some(new)) => log.breaks(kinds::ENUM_ADDED, path, None, all(new)),
        (Some(old), None) => log.notes(kinds::ENUM_REMOVED, path, all(old), None),
        (Some(old), Some(new)) => {
            for gone in old.iter().filter(|value| !new.contains(value)) {
                let refused = null_refused || !gone.is_null();
                log.breaks_if(refused, kinds::ENUM_VALUE_REMOVED, path, value(gone), None);
            }
            for come in new.iter().filter(|value| !old.contains(value)) {
                log.notes(kinds::ENUM_VALUE_ADDED, path, None, value(come));
            }
        }
        (None, None) => {}
    }
}

/// The kinds of change for a tightened limit and for a loosened limit.
fn names(bound: Bound) -> (ChangeKind, ChangeKind) {
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

fn bounds(log: &mut Log, path: &str, old: &Node, new: &Node) {
    for bound in Bound::ALL {
        let (tightened, loosened) = names(bound);
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

fn multiples(log: &mut Log, path: &str, old: &Node, new: &Node) {
    let kinds = [
        kinds::MULTIPLE_OF_ADDED,
        kinds::MULTIPLE_OF_CHANGED,
        kinds::MULTIPLE_OF_REMOVED,
    ];
    let shown = |number: &Number| value(&Value::Number(number.clone()));
    let refuses =
        |old: Option<&Number>, new: &Number| old.is_none_or(|old| !values::is_multiple(old, new));
    let fates = fates(&old.multiples, &new.multiples, none);
    report(log, path, kinds, fates, shown, refuses);
}

fn patterns(log: &mut Log, path: &str, old: &Node, new: &Node) {
    let kinds = [
        kinds::PATTERN_ADDED,
        kinds::PATTERN_CHANGED,
        kinds::PATTERN_REMOVED,
    ];
    let fates = fates(&old.patterns, &new.patterns, none);
    let shown = |pattern: &String| text(pattern);
    report(log, path, kinds, fates, shown, |_, _| true);
}

fn formats(log: &mut Log, path: &str, old: &Node, new: &Node) {
    let kinds = [
        kinds::FORMAT_ADDED,
        kinds::FORMAT_CHANGED,
        kinds::FORMAT_REMOVED,
    ];
    // `double`, `int64` and `password` accept every value of their type. `int32` refuses nothing
    // more if the bounds admit only integers of 32 bits.
    let is_32_bits = is_32_bits(new);
    let checked = |_: Option<&String>, new: &String| match new.as_str() {
        "double" | "int64" | "password" => false,
        "int32" if is_32_bits => false,
        new => strfmt::KNOWN.contains(&new),
    };
    let fates = fates(&old.formats, &new.formats, none);
    report(log, path, kinds, fates, |format| text(format), checked);
}

/// True if the bounds of an integer admit only values of 32 bits.
fn is_32_bits(node: &Node) -> bool {
    let mut bounds = [Bound::Minimum, Bound::Maximum].into_iter();
    node.type_.as_deref() == Some("integer")
        && bounds.all(|bound| node.bounds.get(&bound).is_some_and(Limit::is_32_bits))
}

fn rules(log: &mut Log, path: &str, old: &Node, new: &Node) {
    let kinds = [kinds::RULE_ADDED, kinds::RULE_CHANGED, kinds::RULE_REMOVED];
    let akin = |old: &Rule, new: &Rule| old.message.is_some() && old.message == new.message;
    let shown = |rule: &Rule| {
        if rule.optional_old_self {
            text(&format!("{} (optionalOldSelf)", rule.text))
        } else {
            text(&rule.text)
        }
    };
    let fates = fates(&old.rules, &new.rules, akin);
    report(log, path, kinds, fates, shown, |_, _| true);
}

fn alternatives(log: &mut Log, path: &str, old: &Node, new: &Node) {
    let any_of = [
        kinds::ANY_OF_ADDED,
        kinds::ANY_OF_CHANGED,
        kinds::ANY_OF_REMOVED,
    ];
    let one_of = [
        kinds::ONE_OF_ADDED,
        kinds::ONE_OF_CHANGED,
        kinds::ONE_OF_REMOVED,
    ];
    let not = [kinds::NOT_ADDED, kinds::NOT_CHANGED, kinds::NOT_REMOVED];
    let shown = |one: &Alternatives| value(&one.written);
    // An `anyOf` with more branches accepts more values. A `oneOf` with more branches may accept
    // fewer, since exactly one must match.
    let fewer =
        |old: Option<&Alternatives>, new: &Alternatives| old.is_none_or(|old| !new.include(old));
    let any_ofs = fates(&old.any_of, &new.any_of, none);
    let one_ofs = fates(&old.one_of, &new.one_of, none);
    let nots = fates(&old.not, &new.not, none);
    report(log, path, any_of, any_ofs, shown, fewer);
    report(log, path, one_of, one_ofs, shown, |_, _| true);
    report(log, path, not, nots, shown, |_, _| true);
}

/// Reports changes of a constraint that a schema may have several times, such as a rule.
///
/// `refuses(old, new)` is true if the constraint `new` can refuse a value that `old` accepts. `old`
/// is `None` if the constraint was added.
fn report<T>(
    log: &mut Log,
    path: &str,
    [added, changed, removed]: [ChangeKind; 3],
    fates: Vec<Fate<'_, T>>,
    shown: impl Fn(&T) -> Option<Side>,
    refuses: impl Fn(Option<&T>, &T) -> bool,
) {
    for fate in fates {
        match fate {
            Fate::Added(new) => {
                log.breaks_if(refuses(None, new), added, path, None, shown(new));
            }
            Fate::Removed(old) => log.notes(removed, path, shown(old), None),
            Fate::Replaced(old, new) => {
                let breaking = refuses(Some(old), new);
                log.breaks_if(breaking, changed, path, shown(old), shown(new));
            }
        }
    }
}

fn value(value: &Value) -> Option<Side> {
    Some(value.clone().into())
}

fn text(text: &str) -> Option<Side> {
    Some(Value::from(text).into())
}

/// The change of one element of an unordered list.
enum Fate<'t, T> {
    Added(&'t T),
    Removed(&'t T),
    Replaced(&'t T, &'t T),
}

/// Returns the elements that differ, whatever their order. A removed element is paired with an
/// added element that is `akin` to it, or else with the next added element.
fn fates<'t, T: PartialEq>(
    old: impl IntoIterator<Item = &'t T>,
    new: impl IntoIterator<Item = &'t T>,
    akin: fn(&T, &T) -> bool,
) -> Vec<Fate<'t, T>> {
    let mut gone: Vec<_> = old.into_iter().collect();
    let mut come: Vec<_> = new.into_iter().collect();
    gone.retain(|&old| {
        let same = come.iter().position(|&new| new == old);
        same.is_none_or(|at| {
            come.remove(at);
            false
        })
    });
    let mut fates = Vec::new();
    gone.retain(|&old| {
        let like = come.iter().position(|new| akin(old, new));
        like.is_none_or(|at| {
            fates.push(Fate::Replaced(old, come.remove(at)));
            false
        })
    });
    let mut come = come.into_iter();
    for old in gone {
        fates.push(match come.next() {
            Some(new) => Fate::Replaced(old, new),
            None => Fate::Removed(old),
        });
    }
    fates.extend(come.map(Fate::Added));
    fates
}

/// The argument `akin` of [`fates`] for elements that are either equal or unrelated.
fn none<T>(_: &T, _: &T) -> bool {
    false
}
