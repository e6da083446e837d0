//! Name conflicts between CustomResourceDefinitions of a group, and the resulting conditions
//! `NamesAccepted` and `Established` (naming_controller.go in
//! k8s.io/apiextensions-apiserver/pkg/controller/status).

use std::collections::BTreeSet;

use genclient_apimachinery::errors::aggregate;
use genclient_apimachinery::go::quoted;
use serde_json::{Value, json};

use crate::conditions::Condition;

/// Names of a definition (`CustomResourceDefinitionNames`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Names {
    pub plural: String,
    pub singular: String,
    pub short_names: Vec<String>,
    pub kind: String,
    pub list_kind: String,
    pub categories: Vec<String>,
}

impl Names {
    /// Reads `spec.names` or `status.acceptedNames`.
    pub fn from_value(names: &Value) -> Self {
        let text = |field: &str| names[field].as_str().unwrap_or_default().to_owned();
        let texts = |field: &str| {
            let texts = names[field].as_array().into_iter().flatten();
            texts.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        Self {
            plural: text("plural"),
            singular: text("singular"),
            short_names: texts("shortNames"),
            kind: text("kind"),
            list_kind: text("listKind"),
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
pub(super) struct TakenNames {
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

/// Conflict of a requested name with the accepted name of another definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NameConflict {
    reason: &'static str,
    message: String,
}

/// Decides which requested names are accepted (`calculateNamesAndConditions`). Returns the accepted
/// names, and the last conflict.
pub(super) fn accept_names(
    requested: &Names,
    accepted: &Names,
    taken: &TakenNames,
) -> (Names, Option<NameConflict>) {
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
    let conflict = conflict.map(|(reason, message)| NameConflict { reason, message });
    (names, conflict)
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
    aggregate(used)
}

/// Returns the condition `NamesAccepted`.
pub(super) fn names_accepted(conflict: Option<&NameConflict>) -> Condition<'_> {
    let (reason, message) = match conflict {
        Some(NameConflict { reason, message }) => (*reason, &**message),
        None => ("NoConflicts", "no conflicts found"),
    };
    Condition {
        type_: "NamesAccepted",
        status: conflict.is_none(),
        reason,
        message,
    }
}

/// Returns the condition `Established` as it follows from the names, or `None` if it does not
/// change. `before` is its status, if present.
pub(super) fn established(before: Option<&str>, is_accepted: bool) -> Option<Condition<'static>> {
    let (reason, message) = match before {
        Some("True") => return None,
        _ if is_accepted => ("Installing", "the initial names have been accepted"),
        Some(_) => return None,
        None => ("NotAccepted", "not all names are accepted"),
    };
    Some(Condition {
        type_: "Established",
        status: false,
        reason,
        message,
    })
}

fn in_use(name: &str) -> String {
    format!("{} is already in use", quoted(name))
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
        let none = Names::default();
        let mut taken = TakenNames::default();
        let free = accept_names(&first, &none, &taken);
        assert_eq!(free, (first.clone(), None));
        assert_eq!(names_accepted(None).reason, "NoConflicts");
        assert_eq!(established(None, true).unwrap().reason, "Installing");

        taken.add(&first);
        let again = accept_names(&first, &first, &taken);
        assert_eq!(again, (first, None));
        assert!(established(Some("True"), true).is_none());
        let second = names("gadgets", "Widget");
        let (accepted, conflict) = accept_names(&second, &none, &taken);
        let condition = names_accepted(conflict.as_ref());
        assert_eq!(condition.reason, "ListKindConflict");
        assert_eq!(condition.message, "\"WidgetList\" is already in use");
        assert_eq!(accepted.plural, "gadgets");
        assert_eq!(accepted.kind, "");
        assert_eq!(established(None, false).unwrap().reason, "NotAccepted");
    }
}
