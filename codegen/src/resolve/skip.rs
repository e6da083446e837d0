//! Kinds excluded by the setting `skip`, and names in it that match no kind.

use std::collections::BTreeSet;
use std::iter::successors;

use genclient_syntax::closest;

use super::kinds::DeclaredKinds;
use super::paths::Paths;

/// A name in `skip` that matches no kind, with a suggestion.
pub(super) struct UnknownName<'n> {
    pub(super) name: &'n str,
    pub(super) meant: Option<String>,
}

/// Skips the kinds that match a name of the setting `skip`. Returns the names that match no kind.
pub(super) fn skip_kinds<'n>(
    declared: &mut DeclaredKinds<'_>,
    names: &'n BTreeSet<String>,
    paths: &Paths<'_>,
) -> Vec<UnknownName<'n>> {
    if names.is_empty() {
        return Vec::new();
    }
    let known = known_names(declared, paths);
    let mut idle = Vec::new();
    for name in names {
        if !skip_one(declared, name, paths) {
            let meant = find_nearest_name(name, &known).map(str::to_owned);
            idle.push(UnknownName { name, meant });
        }
    }
    idle
}

/// Skips the kinds that a name refers to. Returns whether there are any.
fn skip_one(declared: &mut DeclaredKinds<'_>, name: &str, paths: &Paths<'_>) -> bool {
    let before = declared.invalid.len() + declared.stated.len();
    declared.invalid.retain(|invalid| {
        let module = || paths.of_module(invalid.module);
        !is_meant(name, module, |name| invalid.is_called(name))
    });
    declared.stated.retain(|stated| {
        let module = || stated.module().to_owned();
        !is_meant(name, module, |name| stated.is_called(name))
    });
    let mut found = declared.invalid.len() + declared.stated.len() < before;
    for kind in &mut declared.kinds {
        let module = || paths.of_module(kind.id.module);
        if is_meant(name, module, |name| kind.is_called(name)) {
            kind.skipped = true;
            found = true;
        }
    }
    found
}

/// True if a name in `skip` refers to a kind: by kind or type name, by the type's path, or by the
/// path of an enclosing module.
fn is_meant(
    name: &str,
    module: impl FnOnce() -> String,
    is_called: impl FnOnce(&str) -> bool,
) -> bool {
    let Some((above, last)) = name.rsplit_once("::") else {
        return is_called(name);
    };
    let module = module();
    let below = module.strip_prefix(name);
    below.is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
        || module == above && is_called(last)
}

/// The names and paths of all kinds, and the paths of their enclosing modules below the crate root.
fn known_names(declared: &DeclaredKinds<'_>, paths: &Paths<'_>) -> BTreeSet<String> {
    let read = declared.kinds.iter().flat_map(|kind| {
        let module = paths.of_module(kind.id.module);
        kind.names().map(move |name| (name, module.clone()))
    });
    let invalid = declared
        .invalid
        .iter()
        .map(|it| (it.name.kind.clone(), paths.of_module(it.module)));
    let stated = declared
        .stated
        .iter()
        .map(|it| (it.kind.clone(), it.module().to_owned()));
    let mut known = BTreeSet::new();
    for (kind, module) in read.chain(invalid).chain(stated) {
        known.insert(format!("{module}::{kind}"));
        known.insert(kind);
        let modules = successors(Some(&*module), |inner| Some(inner.rsplit_once("::")?.0))
            .filter(|module| module.contains("::"));
        known.extend(modules.map(str::to_owned));
    }
    known
}

/// Returns the known name that `name` most likely stands for: a path that ends with it, else a path
/// with the same last segment, else a name with a similar spelling.
fn find_nearest_name<'k>(name: &str, known: &'k BTreeSet<String>) -> Option<&'k str> {
    let (above, last) = split_last_segment(name);
    let all = || known.iter().map(String::as_str);
    let end = format!("::{name}");
    let elsewhere = || {
        let same = all().filter(|it| split_last_segment(it).1 == last && it.contains("::"));
        same.min_by_key(|it| !it.starts_with(above))
    };
    let misspelt = |above: &str| {
        let beside = || all().filter(move |it| split_last_segment(it).0 == above);
        let meant = closest(last, beside().map(|it| split_last_segment(it).1))?;
        beside().find(|it| split_last_segment(it).1 == meant)
    };
    let whole = all().find(|it| it.ends_with(&end));
    whole
        .or_else(elsewhere)
        .or_else(|| misspelt(above))
        .or_else(|| misspelt(""))
}

/// Splits a path before its last segment. The first part is empty if there is only one segment.
fn split_last_segment(path: &str) -> (&str, &str) {
    path.rsplit_once("::").unwrap_or(("", path))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::find_nearest_name;

    #[test]
    fn wrong_names_suggest_the_kind_or_module_that_is_meant() {
        let known = [
            "Pond",
            "crate::apis",
            "crate::apis::reef",
            "crate::apis::reef::v1",
            "crate::apis::reef::v1::pond",
            "crate::apis::reef::v1::pond::Pond",
        ];
        let known = BTreeSet::from(known.map(str::to_owned));
        for (name, meant) in [
            (
                "crate::apis::reef::v1::Pond",
                Some("crate::apis::reef::v1::pond::Pond"),
            ),
            ("apis::reef::v1::pond", Some("crate::apis::reef::v1::pond")),
            ("reef", Some("crate::apis::reef")),
            ("Pnd", Some("Pond")),
            ("crate::apis::reaf", Some("crate::apis::reef")),
            ("crate::gone::Pnd", Some("Pond")),
            ("Whale", None),
        ] {
            assert_eq!(find_nearest_name(name, &known), meant, "{name}");
        }
    }
}
