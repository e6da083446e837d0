//! Checks of definitions against their group. Names of resources and kinds must be unique in the
//! group. A definition in a group of Kubernetes itself needs an approval annotation.
//!
//! The API server accepts a definition whose names are in use, but does not serve it, and its
//! condition `NamesAccepted` is false.

use std::collections::BTreeMap;

use genclient_schema::definition::crd::{APPROVAL, is_approved};

use super::definition::CrdOfKinds;
use crate::diagnostic::{Diagnostic, Sink};
use crate::model::Crd;
use crate::sources::Sources;

/// Reports names that two definitions of a group share, and names that one definition has twice. In
/// a group of Kubernetes, also reports definitions without the approval annotation.
pub(super) fn check(definitions: &[CrdOfKinds<'_>], sources: &Sources, sink: &mut Sink) {
    let mut taken: BTreeMap<(&str, bool, String), &CrdOfKinds<'_>> = BTreeMap::new();
    for definition in definitions {
        let crd = &definition.crd;
        let mut collided = false;
        for name in names(crd) {
            let key = (crd.group.as_str(), name.is_kind, name.text.clone());
            match taken.get(&key) {
                Some(first) if first.crd.kind == crd.kind => {
                    twice(definition, &name, sources, sink);
                }
                // One message for each kind is enough.
                Some(_) if collided => {}
                Some(first) => {
                    collided = true;
                    // `resolve::groups` reports equal plurals in one version.
                    let are_plurals = name.what == "plural" && first.crd.plural == name.text;
                    if !are_plurals || !definition.shares_version(first) {
                        collision(first, definition, &name, sources, sink);
                    }
                }
                None => {
                    taken.insert(key, definition);
                }
            }
        }
        check_group(definition, sources, sink);
    }
}

struct Name {
    what: &'static str,
    text: String,
    /// True for the name of a kind, which cannot collide with the name of a resource.
    is_kind: bool,
}

fn names(crd: &Crd) -> Vec<Name> {
    let resource = |what, text: &String| Name {
        what,
        text: text.clone(),
        is_kind: false,
    };
    let kind = |what, text| Name {
        what,
        text,
        is_kind: true,
    };
    let mut names = vec![resource("plural", &crd.plural)];
    if crd.singular != crd.plural {
        names.push(resource("singular", &crd.singular));
    }
    names.extend(
        crd.short_names
            .iter()
            .map(|name| resource("short name", name)),
    );
    names.push(kind("kind", crd.kind.clone()));
    names.push(kind("list kind", format!("{}List", crd.kind)));
    names
}

/// Warns about a name that the definition already has, such as a short name equal to the plural.
fn twice(definition: &CrdOfKinds<'_>, name: &Name, sources: &Sources, sink: &mut Sink) {
    sink.push(
        Diagnostic::warning(format!(
            "the {} `{}` is already a name of `{}`",
            name.what, name.text, definition.crd.kind
        ))
        .at(definition.locate(sources))
        .help("remove it, or choose a shorter one"),
    );
}

fn collision(
    first: &CrdOfKinds<'_>,
    second: &CrdOfKinds<'_>,
    name: &Name,
    sources: &Sources,
    sink: &mut Sink,
) {
    let group = &second.crd.group;
    let (key, attribute) = match (name.what, second.is_kube()) {
        ("kind" | "list kind", false) => ("kind = \"…\"".to_owned(), "genclient"),
        ("kind" | "list kind", true) => ("kind = \"…\"".to_owned(), "kube"),
        ("short name", false) => ("short_names = [\"…\"]".to_owned(), "crd"),
        ("short name", true) => ("shortname = \"…\"".to_owned(), "kube"),
        (what, false) => (format!("{what} = \"…\""), "crd"),
        (what, true) => (format!("{what} = \"…\""), "kube"),
    };
    sink.push(
        Diagnostic::error(format!(
            "the {} `{}` of `{}` is already a name of `{}` in `{group}`, and the API server cannot serve both",
            name.what, name.text, second.crd.kind, first.crd.kind
        ))
        .at(second.locate(sources))
        .label(first.locate(sources), "first defined here")
        .help(format!("rename one of them: `{key}` in `#[{attribute}(..)]`")),
    );
}

fn check_group(definition: &CrdOfKinds<'_>, sources: &Sources, sink: &mut Sink) {
    let crd = &definition.crd;
    let approval = crd.annotations.get(APPROVAL);
    if !is_approved(&crd.group, approval.map_or("", String::as_str)) {
        sink.push(
            Diagnostic::error(format!("the group `{}` belongs to Kubernetes, and the API server requires an approval annotation", crd.group))
                .at(definition.locate(sources))
                .help(format!("use a domain of your own, or write `#[crd(annotation(\"{APPROVAL}\", \"unapproved, experimental\"))]`")),
        );
    }
}
