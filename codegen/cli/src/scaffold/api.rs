//! `genclient create api`: scaffolding of a kind with its sample, its controller and their test.

use genclient_codegen::{Diagnostic, Diagnostics, rust};
use genclient_syntax::names as syntax_names;

use super::controller::{self, NewController, StatusVerb};
use super::existing::{self, ExistingProject};
use super::files::Scaffold;
use super::kind::KindNames;
use super::kind_file::{self, Origin};
use super::{RequestedKind, conversion, dependencies, modules, names, sample, testing};
use crate::insert::{self, manifest};

/// Request to add a kind, a controller, or both.
#[derive(Clone, Debug)]
pub(crate) struct CreateApi {
    pub(crate) typed: RequestedKind,
    pub(crate) resource: bool,
    pub(crate) controller: bool,
    /// The name of the controller, if set on the command line.
    pub(crate) controller_name: Option<String>,
    /// Whether objects are namespaced, if set on the command line.
    pub(crate) namespaced: Option<bool>,
    /// Whether the controller applies the status, if set on the command line. `true` also turns on
    /// apply configurations.
    pub(crate) ssa: Option<bool>,
}

impl CreateApi {
    /// Collects the files of the kind.
    ///
    /// # Errors
    ///
    /// A name is invalid or taken, the kind is unknown, the flags request nothing or contradict the
    /// project, or a file exists with another text.
    pub(crate) fn plan(&self, existing: &ExistingProject) -> Result<Scaffold, Diagnostics> {
        let mut files = existing.scaffold();
        if let Some(name) = &self.controller_name {
            names::check_controller(name, files.sink());
        }
        if files.is_refused() {
            return files.finish();
        }
        if let Some(external) = &self.typed.external {
            names::check_external(&self.typed, external, files.sink());
            if self.resource {
                files.report(
                    Diagnostic::error("`--resource` conflicts with `--external-api-path`")
                        .help("remove `--resource`: the type is in the other crate"),
                );
            }
            if self.ssa == Some(true) {
                files.report(needs_own_kind());
            }
            if files.is_refused() {
                return files.finish();
            }
            let kind = KindNames {
                namespaced: self.namespaced.unwrap_or(true),
                ..KindNames::from_external(&self.typed, external)
            };
            self.add_controller(&kind, existing, &mut files);
            dependencies::expect_dependencies(Some(external), existing, &mut files);
            return files.finish();
        }
        let served = existing.find_kind(&self.typed);
        let is_own = self.resource || served.is_some();
        if self.ssa == Some(true) {
            if !is_own {
                files.report(needs_own_kind());
                return files.finish();
            }
            turn_on_apply_configurations(&mut files);
        }
        if let Some(reading) = existing.interpret_kind(&self.typed, is_own) {
            let other = match (is_own, served) {
                (true, None) => "; `--resource=false` selects the kind of Kubernetes",
                (true, Some(_)) => "",
                (false, _) => "; `--resource` creates one of this project",
            };
            files.set_interpretation(reading + other);
        }
        let is_of_kubernetes = existing::is_group_of_kubernetes(&self.typed.group);
        match (self.resource, served, existing::built_in(&self.typed)) {
            (_, None, None) if is_of_kubernetes => files.report(self.not_of_kubernetes()),
            (true, None, _) if is_of_kubernetes => files.report(self.taken_by_kubernetes()),
            (true, _, _) => self.add_kind(existing, &mut files),
            (false, Some(served), _) => {
                self.add_controller(&KindNames::from_project(served), existing, &mut files);
            }
            (false, None, Some((path, kind))) => {
                let kind = KindNames::from_builtin(&path, &kind);
                self.add_controller(&kind, existing, &mut files);
            }
            (false, None, None) => files.report(self.unknown(existing)),
        }
        dependencies::expect_dependencies(None, existing, &mut files);
        files.finish()
    }

    /// The error for a kind of the project that a new type would change.
    fn exists(&self, kind: &KindNames) -> Diagnostic {
        let KindNames {
            group,
            version,
            kind,
            ..
        } = kind;
        let wrong = format!(
            "the kind {kind} of {group}/{version} already exists, and is not as it was created"
        );
        Diagnostic::error(wrong).help(format!(
            "choose another kind or version, or add only a controller: `genclient create api \
             --group {} --version {version} --kind {kind} --resource=false --controller`",
            self.typed.group
        ))
    }

    fn unknown(&self, existing: &ExistingProject) -> Diagnostic {
        let RequestedKind {
            group,
            version,
            kind,
            ..
        } = &self.typed;
        let full = existing.complete_group(group);
        let wrong = Diagnostic::error(format!("no kind {kind} in {full}/{version}"));
        let own = format!(
            "`genclient create api --group {group} --version {version} --kind {kind} --resource`"
        );
        wrong.help(match existing::similar_built_in(&self.typed) {
            Some(similar) => format!(
                "did you mean {} of Kubernetes? Pass `--version {} --kind {}`; or create a kind of \
                 your own: {own}",
                similar.kind, similar.version, similar.kind
            ),
            None => format!("create it: {own}, or import it from its CRD: `genclient import FILE`"),
        })
    }

    /// The error for a type in a group of Kubernetes.
    fn taken_by_kubernetes(&self) -> Diagnostic {
        let RequestedKind { group, kind, .. } = &self.typed;
        Diagnostic::error(format!(
            "{kind} of the group {group} is a kind of Kubernetes"
        ))
        .help(
            "remove `--resource` for a controller of it, or pass a group of your own, such as \
             `--group webapp`",
        )
    }

    /// The error for a kind that a group of Kubernetes does not have.
    fn not_of_kubernetes(&self) -> Diagnostic {
        let RequestedKind {
            group,
            version,
            kind,
            ..
        } = &self.typed;
        let help = match existing::similar_built_in(&self.typed) {
            Some(similar) => format!("pass `--version {} --kind {}`", similar.version, similar.kind),
            None => "pass a kind of Kubernetes, such as `--version v1 --kind Pod`, or a group of your own"
                .to_owned(),
        };
        Diagnostic::error(format!(
            "Kubernetes has no kind {kind} in {group}/{version}"
        ))
        .help(help)
    }

    fn add_controller(&self, kind: &KindNames, existing: &ExistingProject, files: &mut Scaffold) {
        if !self.controller {
            return files.report(
                Diagnostic::error(
                    "nothing to create: neither a type nor a controller is requested",
                )
                .help("pass `--controller`, or remove `--controller=false`"),
            );
        }
        check_scope(kind, existing, files);
        controller::add_controller(kind, &self.new_controller(false), existing, files);
    }

    fn new_controller(&self, has_message: bool) -> NewController<'_> {
        NewController {
            name: self.controller_name.as_deref(),
            has_message,
            status_verb: self.ssa.map(StatusVerb::new),
        }
    }

    fn add_kind(&self, existing: &ExistingProject, files: &mut Scaffold) {
        let RequestedKind { version, kind, .. } = &self.typed;
        let group = existing.complete_group(&self.typed.group);
        names::check_kind(&self.typed, &group, files.sink());
        if files.is_refused() {
            return;
        }
        if let Some(other) = existing.kind_in_other_case(&group, kind) {
            return files.report(
                Diagnostic::error(format!(
                    "{kind} conflicts with {other} of {group}: the API server uses their names in \
                     lower case"
                ))
                .help(format!(
                    "pass `--kind {other}` for another version of it, or choose another kind"
                )),
            );
        }
        let other = existing
            .versions(&group, kind)
            .filter(|(_, other, _)| other.name != *version)
            .last()
            .map(KindNames::from_project);
        let Some(kind) = self.names(&group, other.as_ref(), existing, files) else {
            return;
        };
        check_scope(&kind, existing, files);
        let is_copied = self.add_type(&kind, other.as_ref(), existing, files);
        conversion::add_conversion_of_new_version(&kind, existing, files);
        testing::serve_kinds(existing, files);
        if self.controller {
            controller::add_controller(&kind, &self.new_controller(!is_copied), existing, files);
        } else {
            add_sample_test(&kind, existing, files);
        }
    }

    /// The names of the kind; `None` after an error. Plural and scope are those of `other`, an
    /// existing version, if there is one.
    fn names(
        &self,
        group: &str,
        other: Option<&KindNames>,
        existing: &ExistingProject,
        files: &mut Scaffold,
    ) -> Option<KindNames> {
        let RequestedKind {
            version,
            kind,
            plural,
            ..
        } = &self.typed;
        if let Some(other) = other {
            self.check_same(other, files);
        }
        let module = modules::module_of_group(group, existing, files);
        if files.is_refused() {
            return None;
        }
        let plural = other
            .map(|other| &other.plural)
            .or(plural.as_ref())
            .cloned()
            .unwrap_or_else(|| syntax_names::pluralize(&kind.to_lowercase()));
        let version_ident = syntax_names::ident(&syntax_names::version_module(version));
        let above = match existing.group_path(group) {
            Some(path) => path.to_owned(),
            None => format!(
                "{}::{}",
                existing.project.types,
                syntax_names::ident(&module)
            ),
        };
        let path = format!("{above}::{version_ident}");
        let namespaced = other.map(|other| other.namespaced).or(self.namespaced);
        Some(KindNames {
            namespaced: namespaced.unwrap_or(true),
            group_module: module,
            ..KindNames::new(group, version, kind, &plural, &path)
        })
    }

    /// Reports a plural or scope on the command line that differs from that of another version.
    fn check_same(&self, other: &KindNames, files: &mut Scaffold) {
        let KindNames {
            kind,
            version,
            plural,
            ..
        } = other;
        if self
            .typed
            .plural
            .as_ref()
            .is_some_and(|typed| typed != plural)
        {
            files.report(
                Diagnostic::error(format!(
                    "`--plural` conflicts with {version}, where the plural of {kind} is `{plural}`"
                ))
                .help("remove `--plural`: the plural must be the same in all versions"),
            );
        }
        if self
            .namespaced
            .is_some_and(|typed| typed != other.namespaced)
        {
            let scope = if other.namespaced {
                "is namespaced"
            } else {
                "is cluster-scoped"
            };
            files.report(
                Diagnostic::error(format!(
                    "`--namespaced` conflicts with {version}, where {kind} {scope}"
                ))
                .help("remove `--namespaced`: the scope must be the same in all versions"),
            );
        }
    }

    /// Adds the type, its parent modules and its sample, or those that are missing. Returns whether
    /// the type is a copy of another version.
    fn add_type(
        &self,
        kind: &KindNames,
        other: Option<&KindNames>,
        existing: &ExistingProject,
        files: &mut Scaffold,
    ) -> bool {
        let folder = modules::module_folder(&kind.module_path, existing);
        let group_folder = parent_folder(&folder);
        let docs = "//! API types, by group and version.\n";
        let apis = if existing.has_apis_in_root() {
            existing.relative_path(&existing.project.crate_root)
        } else {
            modules::find_or_create_file(&existing.apis(), docs, files)
        };
        modules::declare_apis(existing, files);
        let docs = format!("//! The group `{}`.\n", kind.group);
        let group_file = modules::find_or_create_file(group_folder, &docs, files);
        if parent_folder(group_folder) == existing.apis() {
            modules::declare_module(&apis, "pub ", modules::last_segment(group_folder), files);
        }
        let (version, group) = (&kind.version, &kind.group);
        let docs = format!("//! Version `{version}` of the group `{group}`.\n");
        let version_file = modules::find_or_create_file(&folder, &docs, files);
        modules::declare_module(&group_file, "pub ", modules::last_segment(&folder), files);
        modules::declare_module(&version_file, "", &kind.file, files);
        let all = format!("pub use {}::*;", kind.module());
        modules::add_item(&version_file, &all, files);

        modules::declare_clients(existing, files);
        kind_file::mark_only_version_stored(kind, existing, files);
        let path = format!("{folder}/{}.rs", kind.file);
        let new = kind_file::render_kind_file(kind, self.typed.plural.as_deref());
        let copied_from = if existing.find_kind(&self.typed).is_some() {
            match kind_file::find_origin(kind, &path, &new, existing, files) {
                Some(Origin::New) => None,
                Some(Origin::Copy(other)) => Some(*other),
                None => {
                    files.report(self.exists(kind));
                    return false;
                }
            }
        } else {
            let copied =
                other.and_then(|other| kind_file::copy_kind_file(kind, other, existing, files));
            let copied_from = other.filter(|_| copied.is_some()).cloned();
            files.create(&path, copied.unwrap_or(new));
            copied_from
        };
        match &copied_from {
            Some(other) => sample::copy_sample(kind, other, existing, files),
            None => sample::add_sample(kind, existing, files),
        }
        copied_from.is_some()
    }
}

/// Turns on the setting that generates apply configurations.
fn turn_on_apply_configurations(files: &mut Scaffold) {
    let setting = "apply-configurations";
    let manual_step = format!("write `{setting} = true` in `[package.metadata.genclient]`");
    files.insert("Cargo.toml", &manual_step, |text| {
        manifest::turn_on(text, setting)
    });
}

/// The error for apply configurations of a type in another crate.
fn needs_own_kind() -> Diagnostic {
    Diagnostic::error("`--ssa` needs a type of this project")
        .help("remove `--ssa`: apply configurations are generated in the crate of the type")
}

/// Reports a cluster-scoped kind in a program that may only access one namespace.
fn check_scope(kind: &KindNames, existing: &ExistingProject, files: &mut Scaffold) {
    if !kind.namespaced && existing.own_namespace().is_some() {
        files.report(
            Diagnostic::error(format!(
                "{} is cluster-scoped, but this program is deployed for a single namespace",
                kind.kind
            ))
            .help("remove `namespaced = true` from `[package.metadata.genclient.deploy]`, or choose a namespaced kind"),
        );
    }
}

fn parent_folder(folder: &str) -> &str {
    folder.rsplit_once('/').map_or("", |(above, _)| above)
}

/// Adds a test that the API server accepts the sample, for a kind without a controller.
fn add_sample_test(kind: &KindNames, existing: &ExistingProject, files: &mut Scaffold) {
    let Some(sample) = sample::Sample::find_or_add(kind, "a test", existing, files) else {
        return;
    };
    let crate_name = &existing.project.library;
    let (module_path, objects) = (
        kind.module_outside(crate_name),
        testing::api_expression(kind, existing),
    );
    let KindNames {
        kind,
        type_name,
        file,
        version,
        group_module,
        ..
    } = kind;
    let (name, sample) = (sample.name, sample.path);
    let text = rust!(kind, type_name, module_path, objects, name, sample =>
        include_str!("templates/kind_test.rs.tmpl"));
    let test_paths = [
        format!("tests/{file}.rs"),
        format!("tests/{file}_{version}.rs"),
        format!("tests/{group_module}_{file}.rs"),
        format!("tests/{group_module}_{file}_{version}.rs"),
    ];
    let is_about = |test: &str| {
        test.contains("fn the_sample_is_accepted") && insert::has_import(test, &module_path)
    };
    if !modules::has_test(&test_paths, is_about, files) {
        files.create(&modules::first_free(test_paths, files), text);
    }
}
