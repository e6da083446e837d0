//! Functions for lists and sets, from Kubernetes and from cel-go (`lists`, version 3; `sets`).

use std::cmp::Ordering;

use super::binding::{Binding, Trait};
use super::{arithmetic, strings};
use crate::evaluate::equality::{compare_method, equals_method, is_comparable};
use crate::evaluate::value::{List, Value};

pub(super) fn binding(function: &str) -> Option<Binding> {
    Some(match function {
        "isSorted" => Binding::Guarded(is_sorted),
        "sum" => Binding::Guarded(sum),
        "max" => Binding::Guarded(|args| find_extreme(args, "max", Ordering::Less)),
        "min" => Binding::Guarded(|args| find_extreme(args, "min", Ordering::Greater)),
        "indexOf" => Binding::Guarded(index_of),
        "lastIndexOf" => Binding::Guarded(last_index_of),
        "slice" => Binding::Guarded(slice),
        "flatten" => Binding::Unguarded(flatten),
        "sort" => Binding::Singleton(Trait::Lister, |args| {
            sort_by_keys(args.first(), args.first())
        }),
        "@sortByAssociatedKeys" => Binding::Singleton(Trait::Lister, |args| {
            sort_by_keys(args.first(), args.get(1))
        }),
        "lists.range" => Binding::Guarded(range),
        "reverse" => Binding::Guarded(reverse),
        "distinct" => Binding::Guarded(distinct),
        "sets.contains" => Binding::Guarded(|args| apply_to_sets(args, contains_set)),
        "sets.intersects" => Binding::Guarded(|args| apply_to_sets(args, intersects)),
        "sets.equivalent" => Binding::Guarded(|args| apply_to_sets(args, equivalent)),
        _ => return None,
    })
}

/// Returns whether no item is less than the one before it.
fn is_sorted<'a>(args: &[Value<'a>]) -> Value<'a> {
    let [Value::List(list)] = args else {
        return Value::no_such_overload();
    };
    let mut before: Option<Value<'a>> = None;
    for item in list.iter() {
        if !is_comparable(&item) {
            return item.error_or_no_such_overload();
        }
        if let Some(before) = &before
            && matches!(compare_method(before, &item), Ok(Ordering::Greater))
        {
            return Value::Bool(false);
        }
        before = Some(item);
    }
    Value::Bool(true)
}

/// Adds the items. The result for an empty list depends on the overload, see [`zero`].
fn sum<'a>(args: &[Value<'a>]) -> Value<'a> {
    let [Value::List(list)] = args else {
        return Value::no_such_overload();
    };
    let mut total: Option<Value<'a>> = None;
    for item in list.iter() {
        if !Trait::Adder.is_trait_of(&item) {
            return item.error_or_no_such_overload();
        }
        total = Some(match total {
            None => item,
            Some(total) => match arithmetic::add(&[total, item]) {
                error @ Value::Error(_) => return error,
                total => total,
            },
        });
    }
    total.unwrap_or(Value::Int(0))
}

/// Returns the result of `sum` on an empty list with items of a type. `None` means integer 0.
pub(in crate::evaluate) fn zero<'a>(type_: &crate::Type) -> Option<Value<'a>> {
    use crate::Type;
    Some(match type_ {
        Type::Uint => Value::Uint(0),
        Type::Double => Value::Double(0.0),
        Type::Duration => Value::Duration(0),
        _ => return None,
    })
}

/// Returns the first item that no other exceeds: `worse` is the order of an item that is replaced
/// to the one that replaces it.
fn find_extreme<'a>(args: &[Value<'a>], name: &str, worse: Ordering) -> Value<'a> {
    let [Value::List(list)] = args else {
        return Value::no_such_overload();
    };
    let mut best: Option<Value<'a>> = None;
    for item in list.iter() {
        if !is_comparable(&item) {
            return item.error_or_no_such_overload();
        }
        let better = match &best {
            None => true,
            Some(best) => compare_method(best, &item).is_ok_and(|order| order == worse),
        };
        if better {
            best = Some(item);
        }
    }
    best.unwrap_or_else(|| Value::error(format!("{name} called on empty list")))
}

fn is_equal<'a>(item: &Value<'a>, wanted: &Value<'a>) -> bool {
    matches!(equals_method(item, wanted), Value::Bool(true))
}

fn index_of<'a>(args: &[Value<'a>]) -> Value<'a> {
    match args {
        [Value::List(list), wanted] => {
            strings::index_or_minus_one(list.iter().position(|item| is_equal(&item, wanted)))
        }
        [Value::Text(text), Value::Text(part)] => strings::index_of(text, part, 0),
        [Value::Text(text), Value::Text(part), Value::Int(offset)] => {
            strings::index_of(text, part, *offset)
        }
        _ => Value::no_such_overload(),
    }
}

fn last_index_of<'a>(args: &[Value<'a>]) -> Value<'a> {
    match args {
        [Value::List(list), wanted] => {
            let items: Vec<_> = list.iter().collect();
            strings::index_or_minus_one(items.iter().rposition(|item| is_equal(item, wanted)))
        }
        [Value::Text(text), Value::Text(part)] => strings::last_index_of(text, part, None),
        [Value::Text(text), Value::Text(part), Value::Int(offset)] => {
            strings::last_index_of(text, part, Some(*offset))
        }
        _ => Value::no_such_overload(),
    }
}

fn slice<'a>(args: &[Value<'a>]) -> Value<'a> {
    let [Value::List(list), Value::Int(start), Value::Int(end)] = args else {
        return Value::no_such_overload();
    };
    let length = list.len();
    let reason = match (usize::try_from(*start), usize::try_from(*end)) {
        (Ok(from), Ok(to)) if from > to => {
            "start index must be less than or equal to end index".to_owned()
        }
        (Ok(_), Ok(to)) if length < to => format!("list is length {length}"),
        (Ok(from), Ok(to)) => {
            return Value::list(list.iter().skip(from).take(to - from).collect());
        }
        _ => "negative indexes not supported".to_owned(),
    };
    Value::error(format!("cannot slice({start}, {end}), {reason}"))
}

/// Flattens a list to a depth, with a stack of the lists that are open.
fn flatten<'a>(args: &[Value<'a>]) -> Value<'a> {
    let (list, depth) = match args {
        [Value::List(list)] => (list, 1),
        [Value::List(list), Value::Int(depth)] => (list, *depth),
        [Value::List(_), other] => {
            let other = other.type_name();
            return Value::error(format!("no such overload: list.flatten({other})"));
        }
        [first] => {
            let first = first.type_name();
            return Value::error(format!("no such overload: {first}.flatten()"));
        }
        [first, other, ..] => {
            let (first, other) = (first.type_name(), other.type_name());
            return Value::error(format!("no such overload: {first}.flatten({other})"));
        }
        [] => return Value::no_such_overload(),
    };
    if depth < 0 {
        return Value::error("level must be non-negative");
    }
    let mut out = Vec::new();
    let mut open: Vec<(List<'a>, usize)> = vec![(list.clone(), 0)];
    while let Some((list, at)) = open.pop() {
        let Some(item) = list.get(at) else {
            continue;
        };
        let level = i64::try_from(open.len()).unwrap_or(i64::MAX);
        open.push((list, at + 1));
        match item {
            Value::List(inner) if level < depth => open.push((inner, 0)),
            item => out.push(item),
        }
    }
    Value::list(out)
}

/// Sorts a list by a list of keys, one for each item.
fn sort_by_keys<'a>(list: Option<&Value<'a>>, keys: Option<&Value<'a>>) -> Value<'a> {
    let (Some(Value::List(list)), Some(Value::List(keys))) = (list, keys) else {
        return Value::no_such_overload();
    };
    if list.len() != keys.len() {
        return Value::error(format!(
            "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, \
             but got {} and {} elements respectively",
            list.len(),
            keys.len()
        ));
    }
    let keys: Vec<_> = keys.iter().collect();
    let Some(first) = keys.first() else {
        return Value::List(list.clone());
    };
    if !is_comparable(first) {
        return Value::error("list elements must be comparable");
    }
    if keys.iter().any(|key| key.type_name() != first.type_name()) {
        return Value::error("list elements must have the same type");
    }
    let less = |left: usize, right: usize| {
        matches!(
            compare_method(&keys[left], &keys[right]),
            Ok(Ordering::Less)
        )
    };
    let places = merge_sort((0..keys.len()).collect(), &less);
    Value::list(
        places
            .into_iter()
            .filter_map(|place| list.get(place))
            .collect(),
    )
}

/// Sorts indices. Terminates even if the order is inconsistent, as with NaN.
fn merge_sort(mut places: Vec<usize>, less: &impl Fn(usize, usize) -> bool) -> Vec<usize> {
    if places.len() <= 12 {
        for at in 1..places.len() {
            let mut at = at;
            while at > 0 && less(places[at], places[at - 1]) {
                places.swap(at, at - 1);
                at -= 1;
            }
        }
        return places;
    }
    let right = merge_sort(places.split_off(places.len() / 2), less);
    let left = merge_sort(places, less);
    let mut out = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    while let (Some(one), Some(two)) = (left.peek(), right.peek()) {
        let next = if less(*two, *one) {
            right.next()
        } else {
            left.next()
        };
        out.extend(next);
    }
    out.extend(left.chain(right));
    out
}

/// Maximum length of a list from `lists.range`. The cost of such a list already exceeds
/// [`CALL_LIMIT`](crate::evaluate::CALL_LIMIT), so the evaluation is cancelled.
const MAX_ITEMS: i64 = 1_000_001;

fn range<'a>(args: &[Value<'a>]) -> Value<'a> {
    match args {
        [Value::Int(count)] => Value::list((0..(*count).min(MAX_ITEMS)).map(Value::Int).collect()),
        _ => Value::no_such_overload(),
    }
}

fn reverse<'a>(args: &[Value<'a>]) -> Value<'a> {
    let [Value::List(list)] = args else {
        return Value::no_such_overload();
    };
    let mut items: Vec<_> = list.iter().collect();
    items.reverse();
    Value::list(items)
}

fn distinct<'a>(args: &[Value<'a>]) -> Value<'a> {
    let [Value::List(list)] = args else {
        return Value::no_such_overload();
    };
    let mut unique: Vec<Value<'a>> = Vec::new();
    for item in list.iter() {
        if !unique.iter().any(|other| is_equal(&item, other)) {
            unique.push(item);
        }
    }
    Value::list(unique)
}

fn apply_to_sets<'a>(
    args: &[Value<'a>],
    answer: for<'l> fn(&List<'l>, &List<'l>) -> Value<'l>,
) -> Value<'a> {
    match args {
        [Value::List(left), Value::List(right)] => answer(left, right),
        _ => Value::no_such_overload(),
    }
}

fn contains_set<'a>(list: &List<'a>, part: &List<'a>) -> Value<'a> {
    for item in part.iter() {
        match list.contains(&item) {
            Value::Bool(true) => {}
            other => return other,
        }
    }
    Value::Bool(true)
}

fn intersects<'a>(left: &List<'a>, right: &List<'a>) -> Value<'a> {
    let mut items = left.iter();
    Value::Bool(items.any(|item| matches!(right.contains(&item), Value::Bool(true))))
}

fn equivalent<'a>(left: &List<'a>, right: &List<'a>) -> Value<'a> {
    match contains_set(left, right) {
        Value::Bool(true) => contains_set(right, left),
        other => other,
    }
}
