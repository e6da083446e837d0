//! Scaffolding of the controller of a kind, and of its test.

use genclient_codegen::{Diagnostic, rust};
use genclient_syntax::names;

use super::existing::Existing;
use super::files::Scaffold;
use super::kind::KindNames;
use super::sample::{self, Sample};
use super::{modules, testing};
use crate::insert;

/// Text of the module that lists the controllers of a program.
pub(super) const LIST: &str = include_str!("templates/controllers.rs.tmpl");

/// The content of the ConfigMap that a scaffolded controller writes for an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stored {
    /// The message in a scaffolded spec. The controller reports in the status that the message is
    /// stored.
    Message,
    /// The object's name, which every kind has.
    Name,
}

/// Adds a controller and its test. `name` distinguishes several controllers of the same kind.
pub(super) fn add(
    about: &KindNames,
    stored: Stored,
    name: Option<&str>,
    existing: &Existing,
    files: &mut Scaffold,
) {
    let folder = existing.beside(existing.project.controllers.as_deref(), "controller");
    let (file, is_there) = match name {
        Some(name) => (names::snake_case(name), false),
        None => {
            let (file, text) = modules::file_about(&folder, about, files);
            (file, text.is_some())
        }
    };
    // By default, a controller is named after its kind. If the module of that name is taken, the
    // controller is named after its own module: `batch-job`.
    let name = name
        .map(str::to_owned)
        .or_else(|| (file != about.file).then(|| file.replace('_', "-")));
    let list = modules::beside(&folder, LIST, existing, files);
    modules::declare(&list, "pub ", &file, files);
    let module = names::ident(&file).to_string();
    let element = format!("{module}::controller()");
    let by_hand = format!("add `{element}` to the controllers");
    files.insert(&list, &by_hand, |text| {
        insert::element(text, "controllers", &element)
    });
    let path = format!("{folder}/{file}.rs");
    let text = |stored| controller(about, stored, name.as_deref(), existing);
    // The type of a kind may have changed since its controller was created.
    let unchanged = [Stored::Message, Stored::Name]
        .into_iter()
        .find(|stored| files.is_unchanged(&path, &text(*stored)));
    if is_there && unchanged.is_none() {
        return files.report(changed(about, &files.shown(&path)));
    }
    let places = [
        format!("tests/{file}.rs"),
        format!("tests/{file}_controller.rs"),
    ];
    // A controller that was deleted must pass its test when it is created again.
    let of_message = test_of_message(about, &module, existing);
    let tested = places
        .iter()
        .any(|test| files.is_unchanged(test, &of_message))
        .then_some(Stored::Message);
    let stored = unchanged.or(tested).unwrap_or(stored);
    files.create(&path, text(stored));
    testing::share(existing, files);
    if testing::is_undefined(about, existing) {
        return testing::expect_definition(about, "the controller", files);
    }
    if about.is_foreign() {
        sample::add_of_kubernetes(about, existing, files);
    } else {
        testing::serve_kinds(existing, files);
    }
    let test = match stored {
        Stored::Message => Some(of_message),
        Stored::Name => Sample::expect(about, "a test of the controller", existing, files)
            .map(|sample| test_of_name(about, &module, &sample, existing)),
    };
    if let Some(test) = test {
        let call = format!("controller::{element}");
        if !modules::has_test(&places, |test| test.contains(&call), files) {
            files.create(&modules::free(places, files), test);
        }
    }
}

/// The error for a controller that exists and is not as it was created.
fn changed(about: &KindNames, shown: &str) -> Diagnostic {
    let KindNames { kind, lower, .. } = about;
    Diagnostic::error(format!("{shown} is already a controller of {kind}")).help(format!(
        "name the second one: `--controller-name {lower}-archiver`"
    ))
}

fn controller(
    about: &KindNames,
    stored: Stored,
    name: Option<&str>,
    existing: &Existing,
) -> String {
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
    let (constant, namespace) = if about.namespaced {
        (String::new(), "object.namespace()")
    } else {
        (
            format!(
                "/// The namespace of the ConfigMaps: {kinds} have none.\n\
                 const NAMESPACE: &str = \"default\";"
            ),
            "Some(NAMESPACE.to_owned())",
        )
    };
    let (prefix, named) = match name {
        None => (kind.clone(), String::new()),
        Some(name) => (camel_case(name), format!(".named(\"{name}\")")),
    };
    let reconciler = format!("{prefix}Reconciler");
    if stored == Stored::Message {
        return rust!(kind, kinds, group, plural, type_name, module_path, reconciler, named, constant, namespace =>
            include_str!("templates/controller.rs.tmpl"));
    }
    let own = format!("use {module_path};");
    let (own, foreign) = if about.is_foreign() {
        (String::new(), own)
    } else {
        (own, String::new())
    };
    // genclient infers permissions from the watched type. Types of another project are not read, so
    // the file states the permissions.
    let reads = if about.is_external {
        format!(
            "#[rbac(group = \"{group}\", resources = [\"{plural}\"], verbs = [\"get\", \"list\", \"watch\"])]"
        )
    } else {
        String::new()
    };
    let (selected, new) = if about.is_foreign() && !about.is_external {
        let (key, value) = existing.selected();
        let selected = format!(
            "/// Label of the {kinds} that the controller handles.\n\
                 const SELECTED: &str = \"{key}={value}\";"
        );
        let watch = format!("Watch::<{type_name}>::new().labels(SELECTED)");
        (selected, format!("watching({watch}, {reconciler})"))
    } else {
        (String::new(), format!("new({reconciler})"))
    };
    rust!(kind, kinds, lower, type_name, own, foreign, reconciler, named, new, selected, reads, constant, namespace =>
        include_str!("templates/controller_of_others.rs.tmpl"))
}

fn test_of_message(about: &KindNames, module: &str, existing: &Existing) -> String {
    let KindNames {
        kind,
        kinds,
        type_name,
        ..
    } = about;
    let crate_name = &existing.project.library;
    let objects = testing::objects(about, existing);
    let (manager, names) = (testing::manager(existing), testing::names(existing));
    let config_maps = testing::in_namespace(existing);
    let module_path = about.module_outside(crate_name);
    rust!(kind, kinds, type_name, module, crate_name, objects, module_path, manager, names, config_maps =>
        include_str!("templates/controller_test.rs.tmpl"))
}

fn test_of_name(about: &KindNames, module: &str, sample: &Sample, existing: &Existing) -> String {
    let KindNames { kinds, lower, .. } = about;
    let crate_name = &existing.project.library;
    let (manager, names) = (testing::manager(existing), testing::names(existing));
    let config_maps = testing::in_namespace(existing);
    let Sample { name, path } = sample;
    rust!(kinds, lower, module, crate_name, manager, names, config_maps, name, path =>
        include_str!("templates/controller_of_others_test.rs.tmpl"))
}

/// Converts a controller's name to a type name: `guestbook-archiver` to `GuestbookArchiver`.
fn camel_case(name: &str) -> String {
    let words = name
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter_map(|word| {
            let mut letters = word.chars();
            let first = letters.next()?.to_ascii_uppercase();
            Some(format!("{first}{}", letters.as_str()))
        });
    words.collect()
}
