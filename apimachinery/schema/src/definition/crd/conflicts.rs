//! Name conflicts between CustomResourceDefinitions of a group, and the resulting conditions
//! `NamesAccepted` and `Established`.
//!
//! Follows `k8s.io/apiextensions-apiserver/pkg/controller/status`.

use std::collections::BTreeSet;

use genclient_apimachinery::go::quoted;
use serde_json::{Value, json};

use super::names::{list, text};

/// The names of a definition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(
    missing_docs,
    reason = "the names are those of CustomResourceDefinitionNames"
)]
pub struct Names {
    pub plural: String,
    pub singular: String,
    pub short_names: Vec<String>,
    pub kind: String,
    pub list_kind: String,
    pub categories: Vec<String>,
}

impl Names {
    /// Reads `spec.names` or `status.acceptedNames`.
    pub fn of(names: &Value) -> Self {
        let texts = |field: &str| {
            let texts = list(names, field).iter().filter_map(Value::as_str);
            texts.map(str::to_owned).collect()
        };
        Self {
            plural: text(names, "plural").to_owned(),
            singular: text(names, "singular").to_owned(),
            short_names: texts("shortNames"),
            kind: text(names, "kind").to_owned(),
            list_kind: text(names, "listKind").to_owned(),
            categories: texts("categories"),
        }
    }

    /// Returns the names in the form of `status.acceptedNames`.
    pub fn to_value(&self) -> Value {
        let mut names = json!({ "plural": self.plural, "kind": self.kind });
        for (field, text) in [("singular", &self.singular), ("listKind", &self.list_kind)] {
            if !text.is_empty() {
                names[field] = text.as_str().into();
            }
        }
        let lists = [
            ("shortNames", &self.short_names),
            ("categories", &self.categories),
        ];
        for (field, texts) in lists {
            if !texts.is_empty() {
                names[field] = texts.as_slice().into();
            }
        }
        names
    }
}

/// The accepted names of all definitions of a group.
#[derive(Clone, Debug, Default)]
pub struct TakenNames {
    resources: BTreeSet<String>,
    kinds: BTreeSet<String>,
}

impl TakenNames {
    /// Adds the accepted names of a definition of the group.
    pub fn add(&mut self, accepted: &Names) {
        let resources = [&accepted.plural, &accepted.singular];
        let resources = resources.into_iter().chain(&accepted.short_names);
        self.resources.extend(resources.cloned());
        let kinds = [&accepted.kind, &accepted.list_kind];
        self.kinds.extend(kinds.into_iter().cloned());
    }
}

/// A condition of a definition's status, without its transition time.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(
    missing_docs,
    reason = "the names are those of CustomResourceDefinitionCondition"
)]
pub struct Condition {
    pub type_: &'static str,
    pub status: &'static str,
    pub reason: &'static str,
    pub message: String,
}

/// The accepted names of a definition and the resulting conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameConditions {
    /// The accepted names.
    pub accepted: Names,
    /// `NamesAccepted`
    pub names_accepted: Condition,
    /// `Established`, or `None` if the existing condition does not change.
    pub established: Option<Condition>,
}

/// Decides which requested names are accepted (`calculateNamesAndConditions`). `established` is the
/// status of the condition `Established`, if present.
pub fn accept_names(
    requested: &Names,
    accepted: &Names,
    taken: &TakenNames,
    established: Option<&str>,
) -> NameConditions {
    let mut names = accepted.clone();
    let mut conflict = None;
    let mut claim = |name: &String, own: &mut String, used: &BTreeSet<String>, reason| {
        if name != own && used.contains(name) {
            conflict = Some((reason, in_use(name)));
        } else {
            own.clone_from(name);
        }
    };
    let (resources, kinds) = (&taken.resources, &taken.kinds);
    let own = &mut names;
    claim(
        &requested.plural,
        &mut own.plural,
        resources,
        "PluralConflict",
    );
    claim(
        &requested.singular,
        &mut own.singular,
        resources,
        "SingularConflict",
    );
    if requested.short_names != accepted.short_names {
        match used_short_names(requested, accepted, resources) {
            Some(used) => conflict = Some(("ShortNamesConflict", used)),
            None => own.short_names.clone_from(&requested.short_names),
        }
    }
    let mut claim = |name: &String, own: &mut String, reason| {
        if name != own && kinds.contains(name) {
            conflict = Some((reason, in_use(name)));
        } else {
            own.clone_from(name);
        }
    };
    claim(&requested.kind, &mut own.kind, "KindConflict");
    claim(&requested.list_kind, &mut own.list_kind, "ListKindConflict");
    names.categories.clone_from(&requested.categories);
    let is_accepted = conflict.is_none();
    let (reason, message) =
        conflict.unwrap_or_else(|| ("NoConflicts", "no conflicts found".to_owned()));
    NameConditions {
        accepted: names,
        names_accepted: Condition {
            type_: "NamesAccepted",
            status: if is_accepted { "True" } else { "False" },
            reason,
            message,
        },
        established: self::established(established, is_accepted),
    }
}

/// Returns the message about short names that are in use.
fn used_short_names(
    requested: &Names,
    accepted: &Names,
    taken: &BTreeSet<String>,
) -> Option<String> {
    let short_names = requested.short_names.iter();
    let used = short_names
        .filter(|name| !accepted.short_names.contains(name) && taken.contains(*name))
        .map(|name| in_use(name));
    let used: Vec<_> = used.collect();
    (!used.is_empty()).then(|| aggregate(&used))
}

fn established(before: Option<&str>, is_accepted: bool) -> Option<Condition> {
    let (reason, message) = match before {
        Some("True") => return None,
        _ if is_accepted => ("Installing", "the initial names have been accepted"),
        Some(_) => return None,
        None => ("NotAccepted", "not all names are accepted"),
    };
    Some(Condition {
        type_: "Established",
        status: "False",
        reason,
        message: message.to_owned(),
    })
}

fn in_use(name: &str) -> String {
    format!("{} is already in use", quoted(name))
}

/// Joins distinct errors as `utilerrors.NewAggregate` does.
pub(super) fn aggregate(errors: &[String]) -> String {
    let mut distinct: Vec<&str> = Vec::new();
    for error in errors {
        if !distinct.contains(&error.as_str()) {
            distinct.push(error);
        }
    }
    match distinct[..] {
        [one] => one.to_owned(),
        _ => format!("[{}]", distinct.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(plural: &str, kind: &str) -> Names {
        Names {
            plural: plural.to_owned(),
            singular: kind.to_lowercase(),
            short_names: vec!["w".to_owned()],
            kind: kind.to_owned(),
            list_kind: format!("{kind}List"),
            categories: Vec::new(),
        }
    }

    #[test]
    fn conflicting_names_stay_with_the_first_definition() {
        let first = names("widgets", "Widget");
        let taken = TakenNames::default();
        let free = accept_names(&first, &Names::default(), &taken, None);
        assert_eq!(free.accepted, first);
        assert_eq!(free.names_accepted.reason, "NoConflicts");
        let established = free.established.map(|condition| condition.reason);
        assert_eq!(established, Some("Installing"));

        let mut taken = TakenNames::default();
        taken.add(&first);
        let again = accept_names(&first, &first, &taken, Some("True"));
        assert_eq!((again.accepted, again.established), (first, None));
        let second = names("gadgets", "Widget");
        let second = accept_names(&second, &Names::default(), &taken, None);
        assert_eq!(second.names_accepted.reason, "ListKindConflict");
        assert_eq!(
            second.names_accepted.message,
            "\"WidgetList\" is already in use"
        );
        assert_eq!(second.accepted.plural, "gadgets");
        assert_eq!(second.accepted.kind, "");
        let established = second.established.map(|condition| condition.reason);
        assert_eq!(established, Some("NotAccepted"));
    }
}
