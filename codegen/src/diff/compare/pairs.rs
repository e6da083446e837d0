//! Matching of old and new elements in unordered lists.

/// The fate of one element of an unordered list.
pub(super) enum Fate<'t, T> {
    Added(&'t T),
    Removed(&'t T),
    Replaced(&'t T, &'t T),
}

/// The elements that differ. A removed element is paired with a new one that is `akin`, else with
/// the next new one.
pub(super) fn fates<'t, T: PartialEq>(
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

/// An `akin` for elements without a notion of similarity.
pub(super) fn none<T>(_: &T, _: &T) -> bool {
    false
}
