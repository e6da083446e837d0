//! The scaffolded controller of a kind, and its test.

use genclient_syntax::names;

use super::existing::Existing;
use super::files::Scaffold;
use super::kind::KindNames;
use super::{insert, modules, testing};
use crate::template::rust;

/// The module that lists the controllers of a program.
pub(super) const LIST: &str = include_str!("templates/controllers.rs.tmpl");

/// What a controller stores in the ConfigMap of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stored {
    /// The message of a scaffolded spec; the status says that it is there.
    Message,
    /// The name of the object, which every kind has.
    Name,
}

/// Adds a controller, and a test of it. `name` tells it from other controllers of the kind.
pub(super) fn add(
    about: &KindNames,
    stored: Stored,
    name: Option<&str>,
    existing: &Existing,
    files: &mut Scaffold,
) {
    let folder = existing.beside(existing.project.controllers.as_deref(), "controller");
    let file = match name {
        Some(name) => names::snake_case(name),
        None => free_module(&folder, about, files),
    };
    let list = modules::beside(&folder, LIST, existing, files);
    let module = names::ident(&file).to_string();
    modules::add(&list, &format!("pub mod {module};"), files);
    let element = format!("{module}::controller()");
    let by_hand = format!("add `{element}` to the controllers");
    files.insert(&list, &by_hand, |text| {
        insert::element(text, "controllers", &element)
    });
    files.create(
        &format!("{folder}/{file}.rs"),
        controller(about, stored, name),
    );
    testing::share(existing, files);
    let place = modules::free(
        [
            format!("tests/{file}.rs"),
            format!("tests/{file}_controller.rs"),
        ],
        files,
    );
    match stored {
        Stored::Message => files.create(&place, test_of_message(about, &module, existing)),
        Stored::Name if about.is_foreign() || files.has(&about.sample()) => {
            if !about.is_foreign() {
                testing::serve_kinds(existing, files);
            }
            files.create(&place, test_of_name(about, &module, existing));
        }
        // There is nothing to test it with.
        Stored::Name => {}
    }
}

/// The module of the kind; with its group if another kind of that name has a controller.
fn free_module(folder: &str, about: &KindNames, files: &mut Scaffold) -> String {
    let text = files.text(&format!("{folder}/{}.rs", about.file));
    let has_other = text.is_some_and(|text| !text.contains(&format!("use {};", about.module_path)));
    match has_other {
        true => format!("{}_{}", names::group_module(&about.group), about.file),
        false => about.file.clone(),
    }
}

/// The file of the controller.
fn controller(about: &KindNames, stored: Stored, name: Option<&str>) -> String {
    let KindNames {
        kind,
        kinds,
        group,
        plural,
        type_name,
        module_path,
        lower,
        ..
    } = about;
    let (constant, namespace) = match about.namespaced {
        true => (String::new(), "object.namespace()"),
        false => (
            format!(
                "/// The namespace of the ConfigMaps: {kinds} have none.\n\
                 const NAMESPACE: &str = \"default\";"
            ),
            "Some(NAMESPACE.to_owned())",
        ),
    };
    let (prefix, named) = match name {
        None => (kind.clone(), String::new()),
        Some(name) => (camel_case(name), format!(".named(\"{name}\")")),
    };
    let reconciler = format!("{prefix}Reconciler");
    let (own, foreign) = match about.is_foreign() {
        true => (String::new(), format!("use {module_path};")),
        false => (format!("use {module_path};"), String::new()),
    };
    match stored {
        Stored::Message => {
            rust!(kind, kinds, group, plural, type_name, own, reconciler, named, constant, namespace =>
            include_str!("templates/controller.rs.tmpl"))
        }
        Stored::Name => {
            let (guard, why) = match kind == "ConfigMap" {
                true => (
                    "object.metadata.owner_references.is_some()",
                    "// It is one of those that this controller makes.",
                ),
                false => (
                    "object.metadata.deletion_timestamp.is_some()",
                    "// The garbage collector deletes the ConfigMap.",
                ),
            };
            rust!(kind, kinds, lower, type_name, own, foreign, reconciler, named, constant, namespace, guard, why =>
                include_str!("templates/controller_of_others.rs.tmpl"))
        }
    }
}

fn test_of_message(about: &KindNames, module: &str, existing: &Existing) -> String {
    let KindNames {
        kind,
        kinds,
        type_name,
        ..
    } = about;
    let (crate_name, name) = (&existing.project.library, &existing.project.name);
    let (objects, (client, names)) = (about.objects(), client(existing));
    let module_path = about.module_outside(crate_name);
    rust!(kind, kinds, type_name, module, crate_name, name, objects, module_path, client, names =>
        include_str!("templates/controller_test.rs.tmpl"))
}

fn test_of_name(about: &KindNames, module: &str, existing: &Existing) -> String {
    let (kinds, lower) = (&about.kinds, &about.lower);
    let (crate_name, name) = (&existing.project.library, &existing.project.name);
    let (imports, objects) = match about.is_foreign() {
        true => (
            "use serde_json::json;".to_owned(),
            format!(".objects([json!({})])", about.object()),
        ),
        false => (String::new(), format!(".manifests(\"{}\")", about.sample())),
    };
    let (client, names) = client(existing);
    rust!(kinds, lower, module, crate_name, name, imports, objects, client, names =>
        include_str!("templates/controller_of_others_test.rs.tmpl"))
}

/// The client of the controller in its test, and what the test imports.
fn client(existing: &Existing) -> (String, &'static str) {
    let names = match existing.project.deploy {
        Some(_) => "User, eventually",
        None => "eventually",
    };
    (testing::client(existing), names)
}

/// `guestbook-archiver` as a type: `GuestbookArchiver`.
fn camel_case(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    let words = words.filter_map(|word| {
        let mut letters = word.chars();
        let first = letters.next()?.to_ascii_uppercase();
        Some(format!("{first}{}", letters.as_str()))
    });
    words.collect()
}
