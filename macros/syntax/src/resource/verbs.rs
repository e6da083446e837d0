//! Selection of client verbs: `no_verbs`, `only_verbs`, `skip_verbs`, `readonly` and `no_status`.

use std::collections::BTreeSet;

use crate::keys::Keys;
use crate::table::Key;
use crate::{Problems, Spanned, Verb};

/// Returns the selected verbs. Conflicts are reported here; misspelt verbs have been reported
/// before.
pub(super) fn read(genclient: &Keys, has_status: bool, problems: &mut Problems) -> BTreeSet<Verb> {
    genclient.check_exclusive(EXCLUSIVE, problems);
    check_only(genclient, has_status, problems);
    if genclient.flag(Key::NO_VERBS).is_set() {
        return BTreeSet::new();
    }
    let mut verbs: BTreeSet<Verb> = match included(genclient) {
        Some(included) => included,
        None => Verb::ALL.iter().copied().collect(),
    };
    let has_status = has_status && !genclient.flag(Key::NO_STATUS).is_set();
    verbs.retain(|verb| has_status || !verb.is_status());
    for skipped in listed(genclient, Key::SKIP_VERBS) {
        verbs.remove(&skipped.value);
    }
    verbs
}

/// Returns the union of `only_verbs` and `readonly`, or `None` if neither is written.
fn included(genclient: &Keys) -> Option<BTreeSet<Verb>> {
    let readonly = genclient.flag(Key::READONLY).is_set();
    let reads = [Verb::Get, Verb::List, Verb::Watch]
        .into_iter()
        .filter(|_| readonly);
    let only = listed(genclient, Key::ONLY_VERBS)
        .into_iter()
        .map(|verb| verb.value);
    (readonly || genclient.get(Key::ONLY_VERBS).is_some()).then(|| reads.chain(only).collect())
}

fn listed(genclient: &Keys, key: Key) -> Vec<Spanned<Verb>> {
    let names = genclient.texts(key).into_iter();
    names
        .filter_map(|name| Some(Spanned::new(Verb::from_name(&name.value)?, name.span)))
        .collect()
}

const EXCLUSIVE: &[(Key, Key)] = &[
    (Key::NO_VERBS, Key::ONLY_VERBS),
    (Key::NO_VERBS, Key::SKIP_VERBS),
    (Key::NO_VERBS, Key::READONLY),
    (Key::ONLY_VERBS, Key::SKIP_VERBS),
];

fn check_only(genclient: &Keys, has_status: bool, problems: &mut Problems) {
    if let Some(key) = genclient
        .get(Key::ONLY_VERBS)
        .filter(|key| key.is_empty_list())
    {
        problems.report(
            key.span,
            "`only_verbs` must not be empty",
            "write `no_verbs`",
        );
    }
    for verb in listed(genclient, Key::ONLY_VERBS)
        .into_iter()
        .filter(|verb| verb.value.is_status())
    {
        let name = verb.value.as_str();
        if genclient.flag(Key::NO_STATUS).is_set() {
            problems.report(
                verb.span,
                format!("`{name}` cannot be combined with `no_status`"),
                "keep one of them",
            );
        } else if !has_status {
            problems.report(
                verb.span,
                format!("`{name}` needs a field `status`"),
                "add the field, or remove the verb",
            );
        }
    }
}
