//! Comparison of two values: which paths were added, modified and removed.

use std::collections::BTreeMap;

use genclient_apimachinery::fieldpath::{PathElement, Set, SetNode, values_equal};
use genclient_apimachinery::unstructured::list_or_empty;
use serde_json::{Map as Members, Value};

use super::super::types::{List, ListMerge, Map, TypeId, Types};
use super::{Shape, TypingErrors, items};

/// Difference between two values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Comparison {
    pub(in super::super) added: Set,
    pub(in super::super) modified: Set,
    pub(in super::super) removed: Set,
}

impl Comparison {
    /// Removes the paths in `ignored` and everything below them.
    pub(in super::super) fn remove_ignored(&mut self, ignored: &Set) {
        for set in [&mut self.added, &mut self.modified, &mut self.removed] {
            *set = set.recursive_difference(ignored);
        }
    }

    /// Returns the added and modified paths.
    pub(in super::super) fn changed(&self) -> Set {
        self.modified.union(&self.added)
    }
}

/// Compares two values of the same type.
///
/// # Errors
///
/// If a list item in either value has no identity, for example because it omits all keys.
///
/// Source: structured-merge-diff, typed/compare.go.
pub(in super::super) fn compare(
    types: &Types,
    type_: TypeId,
    old: &Value,
    new: &Value,
) -> Result<Comparison, TypingErrors> {
    let mut errors = TypingErrors::default();
    let mut comparer = Comparer {
        types,
        errors: &mut errors,
    };
    let difference = comparer.compare_node(Some(type_), Some(old), Some(new));
    errors.result(difference.below)
}

/// Change at a path itself, and changes below it.
#[derive(Default)]
struct Difference {
    at: FieldChange,
    below: Comparison,
}

/// Change at a path itself. The path of a list item is both added and removed if one list has a
/// single item with this identity, and the other list has several.
#[derive(Clone, Copy, Default)]
struct FieldChange {
    added: bool,
    modified: bool,
    removed: bool,
}

impl FieldChange {
    const ADDED: Self = Self {
        added: true,
        modified: false,
        removed: false,
    };
    const MODIFIED: Self = Self {
        added: false,
        modified: true,
        removed: false,
    };
    const REMOVED: Self = Self {
        added: false,
        modified: false,
        removed: true,
    };

    fn of_leaf(old: Option<&Value>, new: Option<&Value>) -> Self {
        match (old, new) {
            (None, _) => Self::ADDED,
            (_, None) => Self::REMOVED,
            (Some(old), Some(new)) if values_equal(old, new) => Self::default(),
            _ => Self::MODIFIED,
        }
    }
}

impl Difference {
    fn at_leaf(old: Option<&Value>, new: Option<&Value>) -> Self {
        Self {
            at: FieldChange::of_leaf(old, new),
            below: Comparison::default(),
        }
    }

    /// Unites two differences at the same path.
    fn merge(mut self, other: Self) -> Self {
        self.at.added |= other.at.added;
        self.at.modified |= other.at.modified;
        self.at.removed |= other.at.removed;
        for (mine, theirs) in [
            (&mut self.below.added, other.below.added),
            (&mut self.below.modified, other.below.modified),
            (&mut self.below.removed, other.below.removed),
        ] {
            *mine = mine.union(&theirs);
        }
        self
    }
}

impl Comparison {
    /// Adds the difference at `element`. Elements must be added in ascending order.
    fn push(&mut self, element: &PathElement, difference: Difference) {
        let Difference { at, below } = difference;
        for (set, member, children) in [
            (&mut self.added, at.added, below.added),
            (&mut self.modified, at.modified, below.modified),
            (&mut self.removed, at.removed, below.removed),
        ] {
            if member || !children.is_empty() {
                set.nodes.push(SetNode {
                    element: element.clone(),
                    member,
                    children,
                });
            }
        }
    }
}

/// Walk over two values (`compareWalker`).
struct Comparer<'a> {
    types: &'a Types,
    errors: &'a mut TypingErrors,
}

impl Comparer<'_> {
    /// Compares two values of a type, or one value with none (`compareWalker.compare`).
    fn compare_node(
        &mut self,
        type_: Option<TypeId>,
        old: Option<&Value>,
        new: Option<&Value>,
    ) -> Difference {
        let Some(type_) = type_ else {
            return Difference::default();
        };
        let atom = self.types.atom(type_);
        let (old_form, new_form) = (old.map(|old| atom.form(old)), new.map(|new| atom.form(new)));
        match (old_form, new_form) {
            // The value has changed its form, for example from a string to a map. It is compared
            // in both forms, so that what is below the old form counts as removed, and what is
            // below the new form as added.
            (Some(before), Some(after)) if before != after => {
                let before = self.compare_shape(atom.shape(before), old, new);
                before.merge(self.compare_shape(atom.shape(after), old, new))
            }
            (_, Some(form)) | (Some(form), None) => self.compare_shape(atom.shape(form), old, new),
            (None, None) => Difference::default(),
        }
    }

    /// Compares two values in one form of their type: as scalars, maps or lists. A value of another
    /// form counts as empty.
    fn compare_shape(
        &mut self,
        shape: Option<Shape<'_>>,
        old: Option<&Value>,
        new: Option<&Value>,
    ) -> Difference {
        let below = match shape {
            None => Comparison::default(),
            Some(Shape::Scalar(_)) => return Difference::at_leaf(old, new),
            Some(Shape::Map(map)) => {
                let (before, after) = (nonempty_members(old), nonempty_members(new));
                if map.atomic || (before.is_none() && after.is_none()) {
                    return Difference::at_leaf(old, new);
                }
                self.compare_maps(map, before, after)
            }
            Some(Shape::List(list)) => {
                let (before, after) = (
                    old.map_or(&[][..], list_or_empty),
                    new.map_or(&[][..], list_or_empty),
                );
                let atomic = matches!(list.merge, ListMerge::Atomic);
                if atomic || (before.is_empty() && after.is_empty()) {
                    return Difference::at_leaf(old, new);
                }
                self.compare_lists(list, before, after)
            }
        };
        let at = match (old, new) {
            (None, _) => FieldChange::ADDED,
            (_, None) => FieldChange::REMOVED,
            _ => FieldChange::default(),
        };
        Difference { at, below }
    }

    /// Compares two maps member by member.
    fn compare_maps(
        &mut self,
        map: &Map,
        old: Option<&Members<String, Value>>,
        new: Option<&Members<String, Value>>,
    ) -> Comparison {
        let mut comparison = Comparison::default();
        for name in merged_names(old, new) {
            let old = old.and_then(|old| old.get(name));
            let new = new.and_then(|new| new.get(name));
            let (name, type_, _) = map.entry(name);
            let element = PathElement::Field(name);
            let difference = self.compare_child(&element, type_, old, new);
            comparison.push(&element, difference);
        }
        comparison
    }

    fn compare_child(
        &mut self,
        element: &PathElement,
        type_: Option<TypeId>,
        old: Option<&Value>,
        new: Option<&Value>,
    ) -> Difference {
        let types = self.types;
        self.errors.at_element(element, |errors| {
            Comparer { types, errors }.compare_node(type_, old, new)
        })
    }

    /// Compares two lists, with items matched by identity.
    fn compare_lists(&mut self, list: &List, old: &[Value], new: &[Value]) -> Comparison {
        let mut items: BTreeMap<PathElement, (Vec<&Value>, Vec<&Value>)> = BTreeMap::new();
        for (at, item) in old.iter().enumerate() {
            if let Some(element) = self.identify_item(list, at, item) {
                items.entry(element).or_default().0.push(item);
            }
        }
        for (at, item) in new.iter().enumerate() {
            if let Some(element) = self.identify_item(list, at, item) {
                items.entry(element).or_default().1.push(item);
            }
        }
        let mut comparison = Comparison::default();
        for (element, (old, new)) in items {
            let difference = self.compare_items(list, &element, &old, &new);
            comparison.push(&element, difference);
        }
        comparison
    }

    /// Returns the identity of an item, or reports that it has none.
    fn identify_item(&mut self, list: &List, at: usize, item: &Value) -> Option<PathElement> {
        let element = items::identify_item(self.types, list, item);
        let report = |error| {
            self.errors
                .push(String::new(), format!("element {at}: {error}"));
        };
        element.map_err(report).ok()
    }

    /// Compares the items that have the identity `element` (`compareWalker.visitListItems`).
    ///
    /// Several items with one identity are duplicates, which only stored objects have. Their owner
    /// owns the path of the identity, and nothing below it. If both lists have duplicates, the path
    /// is modified unless the items are equal and in the same order. If only one list has them, the
    /// path is added or removed, and a single item in the other list is compared with none, since
    /// it has no counterpart.
    fn compare_items(
        &mut self,
        list: &List,
        element: &PathElement,
        old: &[&Value],
        new: &[&Value],
    ) -> Difference {
        let type_ = Some(list.items);
        let (difference, change) = match (old, new) {
            ([] | [_], [] | [_]) => {
                let (old, new) = (old.first().copied(), new.first().copied());
                return self.compare_child(element, type_, old, new);
            }
            ([_, _, ..], [_, _, ..]) => {
                let same = old.len() == new.len();
                let same = same && old.iter().zip(new).all(|(old, new)| values_equal(old, new));
                let change = if same {
                    FieldChange::default()
                } else {
                    FieldChange::MODIFIED
                };
                (Difference::default(), change)
            }
            // The duplicates are gone: their path is removed, the new item is added.
            ([_, _, ..], [new]) => (
                self.compare_child(element, type_, None, Some(new)),
                FieldChange::REMOVED,
            ),
            ([_, _, ..], []) => (Difference::default(), FieldChange::REMOVED),
            // Duplicates are new: the old item is removed, the path of the duplicates is added.
            ([old], _) => (
                self.compare_child(element, type_, Some(old), None),
                FieldChange::ADDED,
            ),
            ([], _) => (Difference::default(), FieldChange::ADDED),
        };
        difference.merge(Difference {
            at: change,
            below: Comparison::default(),
        })
    }
}

fn nonempty_members(value: Option<&Value>) -> Option<&Members<String, Value>> {
    value?.as_object().filter(|members| !members.is_empty())
}

/// Returns the names in either map, sorted and without duplicates.
fn merged_names<'a>(
    old: Option<&'a Members<String, Value>>,
    new: Option<&'a Members<String, Value>>,
) -> impl Iterator<Item = &'a String> {
    let mut old = old.into_iter().flat_map(Members::keys).peekable();
    let mut new = new.into_iter().flat_map(Members::keys).peekable();
    std::iter::from_fn(move || match (old.peek(), new.peek()) {
        (Some(a), Some(b)) => match a.cmp(b) {
            std::cmp::Ordering::Less => old.next(),
            std::cmp::Ordering::Greater => new.next(),
            std::cmp::Ordering::Equal => {
                new.next();
                old.next()
            }
        },
        (Some(_), None) => old.next(),
        (None, _) => new.next(),
    })
}
