//! Scaffolding of the controller of a kind, and of its test.

use genclient_codegen::{Diagnostic, rust};
use genclient_syntax::names;

use super::existing::ExistingProject;
use super::files::Scaffold;
use super::kind::KindNames;
use super::sample::{self, Sample};
use super::{modules, testing};
use crate::insert;

/// The controller that a command adds to a kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct NewController<'a> {
    /// Distinguishes several controllers of the same kind.
    pub(super) name: Option<&'a str>,
    /// Whether the spec of the kind is a scaffolded one, which has a message.
    pub(super) has_message: bool,
    /// How the controller writes the status, if set on the command line.
    pub(super) status_verb: Option<StatusVerb>,
}

impl NewController<'_> {
    fn content(&self, existing: &ExistingProject) -> ConfigMapContent {
        if self.has_message {
            self.message(existing)
        } else {
            ConfigMapContent::Name
        }
    }

    /// The message. By default, the status is applied if the project has apply configurations.
    fn message(&self, existing: &ExistingProject) -> ConfigMapContent {
        let of_project = StatusVerb::new(existing.project.apply_configurations);
        ConfigMapContent::Message(self.status_verb.unwrap_or(of_project))
    }
}

/// The content of the ConfigMap that a scaffolded controller writes for an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ConfigMapContent {
    /// The message in a scaffolded spec. The controller reports in the status that the message is
    /// stored.
    Message(StatusVerb),
    /// The object's name, which every kind has.
    Name,
}

/// How a scaffolded controller writes the status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StatusVerb {
    /// It replaces the status.
    Update,
    /// It applies the fields that it owns, by an apply configuration.
    Apply,
}

impl StatusVerb {
    pub(super) fn new(is_applied: bool) -> Self {
        if is_applied {
            Self::Apply
        } else {
            Self::Update
        }
    }

    /// The manual step for a controller whose status is to be written in the other way.
    fn how_to_change(self) -> &'static str {
        match self {
            Self::Update => {
                "apply the status, which this controller replaces; or delete the file, and run the same command again"
            }
            Self::Apply => {
                "replace the status, which this controller applies; or delete the file, and run the same command again"
            }
        }
    }
}

/// Adds a controller and its test.
pub(super) fn add_controller(
    kind: &KindNames,
    new: &NewController<'_>,
    existing: &ExistingProject,
    files: &mut Scaffold,
) {
    let folder = existing.folder_or_default(existing.project.controllers.as_deref(), "controller");
    let (file, exists) = match new.name {
        Some(name) => (names::snake_case(name), false),
        None => {
            let (file, text) = modules::choose_file(&folder, kind, files);
            (file, text.is_some())
        }
    };
    // By default, a controller is named after its kind. If the module of that name is taken, the
    // controller is named after its own module: `batch-job`.
    let name = new
        .name
        .map(str::to_owned)
        .or_else(|| (file != kind.file).then(|| file.replace('_', "-")));
    let list = modules::declared_file(&folder, modules::CONTROLLER_LIST, existing, files);
    modules::declare_module(&list, "pub ", &file, files);
    let module = names::ident(&file).to_string();
    let element = format!("{module}::controller()");
    let manual_step = format!("add `{element}` to the controllers");
    files.insert(&list, &manual_step, |text| {
        insert::add_element(text, "controllers", &element)
    });
    let path = format!("{folder}/{file}.rs");
    let text = |content| render_controller(kind, content, name.as_deref(), existing);
    // The type of a kind may have changed since its controller was created, and the package may
    // have got apply configurations.
    let unchanged = [
        ConfigMapContent::Message(StatusVerb::Update),
        ConfigMapContent::Message(StatusVerb::Apply),
        ConfigMapContent::Name,
    ]
    .into_iter()
    .find(|content| files.is_unchanged(&path, &text(*content)));
    if exists && unchanged.is_none() {
        return files.report(controller_was_edited(kind, &files.display_path(&path)));
    }
    if let (Some(ConfigMapContent::Message(kept)), Some(wanted)) = (unchanged, new.status_verb)
        && kept != wanted
    {
        files.add_manual_step_in(&path, kept.how_to_change());
    }
    let test_paths = [
        format!("tests/{file}.rs"),
        format!("tests/{file}_controller.rs"),
    ];
    // A controller that was deleted must pass its test when it is created again.
    let message_test = render_message_test(kind, &module, existing);
    let tested = test_paths
        .iter()
        .any(|test| files.is_unchanged(test, &message_test))
        .then(|| new.message(existing));
    let content = unchanged
        .or(tested)
        .unwrap_or_else(|| new.content(existing));
    if content == ConfigMapContent::Name && new.status_verb == Some(StatusVerb::Apply) {
        return files.report(writes_no_status(kind));
    }
    files.create(&path, text(content));
    testing::create_common_module(existing, files);
    if testing::lacks_crd(kind, existing) {
        testing::expect_definition(kind, "the controller", files);
        return testing::expect_definition_and_sample(kind, files);
    }
    if kind.is_foreign() {
        sample::add_of_kubernetes(kind, existing, files);
    } else {
        testing::serve_kinds(existing, files);
    }
    let test = match content {
        ConfigMapContent::Message(_) => Some(message_test),
        ConfigMapContent::Name => {
            Sample::find_or_add(kind, "a test of the controller", existing, files)
                .map(|sample| render_name_test(kind, &module, &sample, existing))
        }
    };
    if let Some(test) = test {
        let call = format!("controller::{element}");
        if !modules::has_test(&test_paths, |test| test.contains(&call), files) {
            files.create(&modules::first_free(test_paths, files), test);
        }
    }
}

/// The error for `--ssa` with a controller that does not know the fields of the status.
fn writes_no_status(kind: &KindNames) -> Diagnostic {
    Diagnostic::error(format!(
        "`--ssa` needs a new type: a controller of {} writes no status",
        kind.kind
    ))
    .help(
        "remove `--ssa`; `apply-configurations = true` in `[package.metadata.genclient]` generates \
         apply configurations",
    )
}

/// The error for a controller that exists and is not as it was created.
fn controller_was_edited(kind: &KindNames, shown: &str) -> Diagnostic {
    let KindNames { kind, lower, .. } = kind;
    Diagnostic::error(format!("{shown} is already a controller of {kind}")).help(format!(
        "name the second one: `--controller-name {lower}-archiver`"
    ))
}

fn render_controller(
    kind: &KindNames,
    content: ConfigMapContent,
    name: Option<&str>,
    existing: &ExistingProject,
) -> String {
    let names = ControllerNames::new(kind, name);
    match content {
        ConfigMapContent::Message(StatusVerb::Update) => render_updating_controller(kind, &names),
        ConfigMapContent::Message(StatusVerb::Apply) => {
            render_applying_controller(kind, &names, existing)
        }
        ConfigMapContent::Name => render_name_controller(kind, &names, existing),
    }
}

/// Texts that each template of a controller has.
struct ControllerNames {
    /// The type of the reconciler.
    reconciler: String,
    /// The calls that name the controller and its field manager, if its name is not that of the
    /// kind.
    named: String,
    /// The constant with the namespace of the ConfigMaps, if objects have none.
    constant: String,
    /// The namespace of a ConfigMap.
    namespace: &'static str,
}

impl ControllerNames {
    fn new(kind: &KindNames, name: Option<&str>) -> Self {
        let (prefix, named) = match name {
            None => (kind.kind.clone(), String::new()),
            // Under one field manager, an apply of each controller removes what the other applied.
            Some(name) => (
                camel_case(name),
                format!(".named(\"{name}\").field_manager(\"{name}\")"),
            ),
        };
        let (constant, namespace) = if kind.namespaced {
            (String::new(), "object.namespace()")
        } else {
            (
                format!(
                    "/// The namespace of the ConfigMaps: {} have none.\n\
                     const NAMESPACE: &str = \"default\";",
                    kind.kinds
                ),
                "Some(NAMESPACE.to_owned())",
            )
        };
        Self {
            reconciler: format!("{prefix}Reconciler"),
            named,
            constant,
            namespace,
        }
    }
}

/// The controller that replaces the status.
fn render_updating_controller(kind: &KindNames, names: &ControllerNames) -> String {
    let KindNames {
        kind,
        kinds,
        group,
        plural,
        type_name,
        module_path,
        ..
    } = kind;
    let ControllerNames {
        reconciler,
        named,
        constant,
        namespace,
    } = names;
    rust!(kind, kinds, group, plural, type_name, module_path, reconciler, named, constant, namespace =>
        include_str!("templates/controller.rs.tmpl"))
}

/// The controller that applies the fields of the status that it owns.
fn render_applying_controller(
    kind: &KindNames,
    names: &ControllerNames,
    existing: &ExistingProject,
) -> String {
    let KindNames {
        kind,
        kinds,
        group,
        plural,
        type_name,
        module_path,
        namespaced,
        ..
    } = kind;
    let ControllerNames {
        reconciler,
        named,
        constant,
        namespace,
    } = names;
    let configurations = configurations_module(module_path, existing);
    let (apply, status_apply) = (format!("{kind}Apply"), format!("{kind}StatusApply"));
    let new = if *namespaced {
        format!("{apply}::new(object.name_any(), object.namespace().unwrap_or_default())")
    } else {
        format!("{apply}::new(object.name_any())")
    };
    rust!(kind, kinds, group, plural, type_name, module_path, configurations, apply, status_apply, new, reconciler, named, constant, namespace =>
        include_str!("templates/controller_ssa.rs.tmpl"))
}

/// The controller of a kind whose spec is not known.
fn render_name_controller(
    kind: &KindNames,
    names: &ControllerNames,
    existing: &ExistingProject,
) -> String {
    let is_foreign = kind.is_foreign();
    let KindNames {
        kind,
        kinds,
        group,
        plural,
        type_name,
        module_path,
        lower,
        is_external,
        ..
    } = kind;
    let ControllerNames {
        reconciler,
        named,
        constant,
        namespace,
    } = names;
    let own = format!("use {module_path};");
    let (own, foreign) = if is_foreign {
        (String::new(), own)
    } else {
        (own, String::new())
    };
    // genclient infers permissions from the watched type. Types of another project are not read, so
    // the file states the permissions.
    let reads = if *is_external {
        format!(
            "#[rbac(group = \"{group}\", resources = [\"{plural}\"], verbs = [\"get\", \"list\", \"watch\"])]"
        )
    } else {
        String::new()
    };
    let (selected, new) = if is_foreign && !is_external {
        let (key, value) = existing.selector_label();
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

/// The module with the apply configurations of the types in a module of the project.
fn configurations_module(module_path: &str, existing: &ExistingProject) -> String {
    let (types, client) = (&existing.project.types, &existing.project.client.path);
    let below = module_path
        .strip_prefix(&**types)
        .or_else(|| module_path.strip_prefix("crate"));
    format!("{client}::applyconfiguration{}", below.unwrap_or_default())
}

fn render_message_test(kind: &KindNames, module: &str, existing: &ExistingProject) -> String {
    let crate_name = &existing.project.library;
    let objects = testing::api_expression(kind, existing);
    let module_path = kind.module_outside(crate_name);
    let KindNames {
        kind,
        kinds,
        type_name,
        ..
    } = kind;
    let (manager, names) = (
        testing::manager_expression(existing),
        testing::test_imports(existing),
    );
    let config_maps = testing::namespaced_api_expression(existing);
    rust!(kind, kinds, type_name, module, crate_name, objects, module_path, manager, names, config_maps =>
        include_str!("templates/controller_test.rs.tmpl"))
}

fn render_name_test(
    kind: &KindNames,
    module: &str,
    sample: &Sample,
    existing: &ExistingProject,
) -> String {
    let KindNames { kinds, lower, .. } = kind;
    let crate_name = &existing.project.library;
    let (manager, names) = (
        testing::manager_expression(existing),
        testing::test_imports(existing),
    );
    let config_maps = testing::namespaced_api_expression(existing);
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
