//! `genclient create api`: scaffolding of a kind with its sample, its controller and their test.

use genclient_syntax::names as of_kinds;

use super::controller::{self, Stored};
use super::existing::{self, Existing, Served, parent};
use super::files::Scaffold;
use super::hub::{self, STORED};
use super::kind::KindNames;
use super::{Typed, dependencies, modules, names, sample, testing};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::project::Project;
use crate::template::rust;
use crate::{group_module, insert};

/// A kind to add.
#[derive(Clone, Debug)]
pub(crate) struct CreateApi {
    /// The names of the kind.
    pub(crate) typed: Typed,
    /// Whether to write the type.
    pub(crate) resource: bool,
    /// Whether `resource` was set on the command line.
    pub(crate) resource_is_stated: bool,
    /// Whether to write a controller.
    pub(crate) controller: bool,
    /// The name of the controller, if it is an additional one for the kind.
    pub(crate) controller_name: Option<String>,
    /// Whether objects are namespaced, if set on the command line.
    pub(crate) namespaced: Option<bool>,
}

impl CreateApi {
    /// Collects the files of the kind.
    ///
    /// # Errors
    ///
    /// A name is invalid, the kind or a file exists already.
    pub(crate) fn plan(&self, existing: &Existing) -> Result<Scaffold, Diagnostics> {
        let mut files = existing.scaffold();
        if let Some(name) = &self.controller_name {
            names::check_controller(name, files.sink());
        }
        if files.is_refused() {
            return files.finish();
        }
        if let Some(external) = &self.typed.external {
            names::check_external(&self.typed, external, files.sink());
            if files.is_refused() {
                return files.finish();
            }
            let about = KindNames {
                namespaced: self.namespaced.unwrap_or(true),
                ..KindNames::of_external(&self.typed, external)
            };
            self.add_controller(&about, existing, &mut files);
            dependencies::expect(Some(external), existing, &mut files);
            return files.finish();
        }
        let served = existing.find(&self.typed);
        if self.typed.group == "core" && existing::find(&self.typed).is_none() {
            files.report(self.not_of_kubernetes());
            return files.finish();
        }
        match (self.resource, served, existing::find(&self.typed)) {
            (true, None, None) if self.is_slip(existing) => files.report(self.unknown(existing)),
            (true, _, _) => self.add_kind(served, existing, &mut files),
            (false, Some(served), _) => {
                self.add_controller(&KindNames::of_project(served), existing, &mut files);
            }
            (false, None, Some((path, kind))) => {
                let about = KindNames::of_kubernetes(&path, &kind);
                self.add_controller(&about, existing, &mut files);
            }
            (false, None, None) => files.report(self.unknown(existing)),
        }
        dependencies::expect(None, existing, &mut files);
        files.finish()
    }

    /// True if the user probably means a built-in kind: its name is close to one of the group, and
    /// the project has no kinds in that group.
    fn is_slip(&self, existing: &Existing) -> bool {
        let group = existing.group(&self.typed.group);
        let is_own = existing.groups().any(|(name, _)| name == group);
        !self.resource_is_stated && !is_own && existing::similar(&self.typed).is_some()
    }

    fn unknown(&self, existing: &Existing) -> Diagnostic {
        let Typed {
            group,
            version,
            kind,
            ..
        } = &self.typed;
        let full = existing.group(group);
        let wrong = Diagnostic::error(format!("there is no kind {kind} of {full}/{version}"));
        let own = format!(
            "`genclient create api --group {group} --version {version} --kind {kind} --resource`"
        );
        wrong.help(match existing::similar(&self.typed) {
            Some(meant) => format!(
                "did you mean {} of Kubernetes? Type `--version {} --kind {}`; or create a kind of \
                 your own: {own}",
                meant.kind, meant.version, meant.kind
            ),
            None => format!("create it: {own}, or import it from its CRD: `genclient import FILE`"),
        })
    }

    /// The error for a kind that is missing in the built-in group `core`.
    fn not_of_kubernetes(&self) -> Diagnostic {
        let Typed { version, kind, .. } = &self.typed;
        let help = match existing::similar(&self.typed) {
            Some(meant) => format!("type `--version {} --kind {}`", meant.version, meant.kind),
            None => "type a kind of Kubernetes, `--version v1 --kind Pod`, or a group of your own"
                .to_owned(),
        };
        Diagnostic::error(format!("Kubernetes has no kind {kind} of core/{version}")).help(help)
    }

    /// Adds a controller for an existing kind.
    fn add_controller(&self, about: &KindNames, existing: &Existing, files: &mut Scaffold) {
        if !self.controller {
            return files.report(
                Diagnostic::error("neither a type nor a controller was chosen")
                    .help("type `--controller`, or leave out `--controller=false`"),
            );
        }
        check_scope(about, existing, files);
        let name = self.controller_name.as_deref();
        controller::add(about, Stored::Name, name, existing, files);
    }

    /// Adds a kind.
    fn add_kind(&self, served: Option<Served<'_>>, existing: &Existing, files: &mut Scaffold) {
        let Typed { version, kind, .. } = &self.typed;
        let group = existing.group(&self.typed.group);
        names::check_kind(&self.typed, &group, files.sink());
        if files.is_refused() {
            return;
        }
        if served.is_some() {
            return files.report(
                Diagnostic::error(format!("the kind {kind} of {group}/{version} exists already"))
                    .help(format!(
                        "type another kind or version, or add a controller alone: `genclient create \
                         api --group {} --version {version} --kind {kind} --resource=false --controller`",
                        self.typed.group
                    )),
            );
        }
        if let Some(other) = existing.kind_in_other_case(&group, kind) {
            return files.report(
                Diagnostic::error(format!(
                    "{kind} and {other} of {group} would have the same names in the API server, \
                     where they are in lower case"
                ))
                .help(format!(
                    "type `--kind {other}` for another version of it, or another kind"
                )),
            );
        }
        let other = existing
            .versions(&group, kind)
            .last()
            .map(KindNames::of_project);
        let Some(about) = self.names(&group, other.as_ref(), existing, files) else {
            return;
        };
        check_scope(&about, existing, files);
        let is_copied = self.add_type(&about, other.as_ref(), existing, files);
        hub::follow(&about, existing, files);
        testing::serve_kinds(existing, files);
        if self.controller {
            let stored = match is_copied {
                true => Stored::Name,
                false => Stored::Message,
            };
            let name = self.controller_name.as_deref();
            controller::add(&about, stored, name, existing, files);
        } else {
            add_sample_test(&about, existing, files);
        }
    }

    /// The names of the kind. Plural and scope come from its other version, if there is one.
    fn names(
        &self,
        group: &str,
        other: Option<&KindNames>,
        existing: &Existing,
        files: &mut Scaffold,
    ) -> Option<KindNames> {
        let Typed {
            version,
            kind,
            plural,
            ..
        } = &self.typed;
        if let Some(other) = other {
            self.check_same(other, files);
        }
        let module = module_of_group(group, existing, files);
        if files.is_refused() {
            return None;
        }
        let plural = other
            .map(|other| &other.plural)
            .or(plural.as_ref())
            .cloned();
        let plural = plural.unwrap_or_else(|| of_kinds::pluralize(&kind.to_lowercase()));
        let version_ident = of_kinds::ident(&of_kinds::version_module(version));
        let above = match existing.group_path(group) {
            Some(path) => path.to_owned(),
            None => format!("{}::{}", existing.project.types, of_kinds::ident(&module)),
        };
        let path = format!("{above}::{version_ident}");
        let namespaced = other.map(|other| other.namespaced).or(self.namespaced);
        Some(KindNames {
            namespaced: namespaced.unwrap_or(true),
            group_module: module,
            ..KindNames::new(group, version, kind, &plural, &path)
        })
    }

    /// Reports flags that contradict another version of the kind: plural and scope must be the same
    /// in all versions.
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
                Diagnostic::error(format!("the plural of {kind} is `{plural}` in {version}"))
                    .help("leave out `--plural`: it is the same in all versions"),
            );
        }
        if self
            .namespaced
            .is_some_and(|typed| typed != other.namespaced)
        {
            let scope = match other.namespaced {
                true => "has a namespace",
                false => "is cluster scoped",
            };
            files.report(
                Diagnostic::error(format!("{kind} {scope} in {version}"))
                    .help("leave out `--namespaced`: the scope is the same in all versions"),
            );
        }
    }

    /// Adds the type, its parent modules and its sample. Returns whether the type is a copy of
    /// another version.
    fn add_type(
        &self,
        about: &KindNames,
        other: Option<&KindNames>,
        existing: &Existing,
        files: &mut Scaffold,
    ) -> bool {
        let folder = modules::folder(&about.module_path, existing);
        let group_folder = parent_folder(&folder);
        let docs = "//! API types, by group and version.\n";
        let apis = match existing.has_apis_in_root() {
            true => existing.below(&existing.project.crate_root),
            false => modules::file(&existing.apis(), docs, files),
        };
        declare_apis(existing, files);
        let docs = format!("//! The group `{}`.\n", about.group);
        let group_file = modules::file(group_folder, &docs, files);
        if parent_folder(group_folder) == existing.apis() {
            modules::declare(&apis, "pub ", last(group_folder), files);
        }
        let (version, group) = (&about.version, &about.group);
        let docs = format!("//! Version `{version}` of the group `{group}`.\n");
        let version_file = modules::file(&folder, &docs, files);
        modules::declare(&group_file, "pub ", last(&folder), files);
        modules::declare(&version_file, "", &about.file, files);
        let all = format!("pub use {}::*;", about.module());
        modules::add(&version_file, &all, files);

        mark_stored(about, existing, files);
        let copied = other.and_then(|other| copy(about, other, existing, files));
        let is_copied = copied.is_some();
        match other.filter(|_| is_copied) {
            Some(other) => sample::copy(about, other, existing, files),
            None => sample::add(about, existing, files),
        }
        let plural = self.typed.plural.as_deref();
        let text = copied.unwrap_or_else(|| kind_file(about, plural));
        files.create(&format!("{folder}/{}.rs", about.file), text);
        declare_clients(existing, files);
        is_copied
    }
}

/// Reports a cluster-scoped kind in a program that may only access one namespace.
fn check_scope(about: &KindNames, existing: &Existing, files: &mut Scaffold) {
    if !about.namespaced && existing.own_namespace().is_some() {
        files.report(
            Diagnostic::error(format!(
                "{} is cluster scoped, and this program is deployed for one namespace",
                about.kind
            ))
            .help("take out `namespaced = true` in `[package.metadata.genclient.deploy]`, or type a kind with namespaces"),
        );
    }
}

/// Declares the module of the API types, if it is directly below the crate root.
fn declare_apis(existing: &Existing, files: &mut Scaffold) {
    let (apis, root) = (existing.apis(), &existing.project.crate_root);
    if existing.project.apis.parent() == root.parent() {
        modules::declare(&existing.below(root), "pub ", last(&apis), files);
    }
}

/// Declares the generated client module.
fn declare_clients(existing: &Existing, files: &mut Scaffold) {
    let client = &existing.project.client;
    let Some(name) = client.path.strip_prefix("crate::") else {
        return;
    };
    let root = existing.below(&existing.project.crate_root);
    let is_in_this_crate = client.dir.starts_with(&existing.project.dir);
    if is_in_this_crate && !name.contains("::") {
        modules::declare(&root, "pub ", name, files);
    }
}

fn parent_folder(folder: &str) -> &str {
    folder.rsplit_once('/').map_or("", |(above, _)| above)
}

fn last(folder: &str) -> &str {
    folder.rsplit('/').next().unwrap_or(folder)
}

/// The module name of a group. Names that are taken are reported.
fn module_of_group(group: &str, existing: &Existing, files: &mut Scaffold) -> String {
    let known = existing.groups().find(|(name, _)| *name == group);
    if let Some((_, module)) = known {
        return module.to_owned();
    }
    let Project {
        group_aliases,
        types,
        ..
    } = &existing.project;
    let module = group_module::of(group, group_aliases, types);
    let alias = group.replace(['.', '-'], "_");
    let help = format!(
        "name it: `group-aliases = {{ \"{group}\" = \"{alias}\" }}` in `[package.metadata.genclient]`"
    );
    if group_module::is_taken(&module) {
        files.report(
            Diagnostic::error(format!(
                "the group {group} would have the module `{module}`, which clients have a method of"
            ))
            .help(help.clone()),
        );
    }
    if let Some((other, _)) = existing.groups().find(|(_, of)| *of == module) {
        files.report(
            Diagnostic::error(format!(
                "the groups {other} and {group} would have one module, `{module}`"
            ))
            .help(help),
        );
    }
    module
}

/// Marks the only existing version of a kind as the storage version, so that a new version does not
/// replace it.
fn mark_stored(about: &KindNames, existing: &Existing, files: &mut Scaffold) {
    let mut versions = existing.versions(&about.group, &about.kind);
    if let (Some((_, _, resource)), None) = (versions.next(), versions.next())
        && let Some((file, text)) =
            modules::source(parent(&resource.type_path), about, existing, files)
        && !states_storage(&text, &about.kind)
    {
        let what = format!("add `{STORED}` to {}", about.kind);
        files.insert(&file, &what, |text| {
            insert::attribute(text, &about.kind, STORED)
        });
    }
}

/// True if a `#[crd(..)]` attribute of the type has the key `storage`.
fn states_storage(text: &str, kind: &str) -> bool {
    let attrs = insert::attributes(text, kind).into_iter();
    let mut stated = attrs
        .filter(|attr| attr.path().is_ident("crd"))
        .flat_map(|attr| {
            let tokens = attr.meta.require_list().map(|list| list.tokens.clone());
            tokens.unwrap_or_default()
        });
    stated.any(|token| token.to_string() == "storage")
}

/// The file of the kind in another version, renamed to this version.
fn copy(
    about: &KindNames,
    other: &KindNames,
    existing: &Existing,
    files: &mut Scaffold,
) -> Option<String> {
    let (file, text) = modules::source(&other.module_path, about, existing, files)?;
    let is_its_own = file.ends_with(&format!("/{}.rs", about.file));
    let old = format!("`{}`", other.api_version);
    let new = format!("`{}`", about.api_version);
    let text = text.replacen(&old, &new, 1);
    // `super` imports of names that this version's module lacks refer to the other version's
    // module.
    let folder = modules::folder(&about.module_path, existing);
    let text = insert::moved(&text, &other.module_path, |name| {
        modules::has(&folder, name, files)
    })?;
    is_its_own.then(|| hub::unmark_stored(&text, &about.kind).map_or(text, |(text, _)| text))
}

/// The content of a new type's file.
fn kind_file(about: &KindNames, plural: Option<&str>) -> String {
    let KindNames {
        kind,
        group,
        api_version,
        ..
    } = about;
    let (spec, status) = (format!("{kind}Spec"), format!("{kind}Status"));
    let plural = plural.map_or_else(String::new, |plural| format!("plural = \"{plural}\","));
    let scope = match about.namespaced {
        true => "",
        false => "scope = \"Cluster\",",
    };
    rust!(kind, group, api_version, plural, scope, spec, status =>
        include_str!("templates/kind.rs.tmpl"))
}

/// Adds a test that the API server accepts the sample, if there is no controller to test.
fn add_sample_test(about: &KindNames, existing: &Existing, files: &mut Scaffold) {
    let Some(sample) = sample::Sample::expect(about, "a test", existing, files) else {
        return;
    };
    let KindNames {
        kind,
        type_name,
        file,
        version,
        group_module,
        ..
    } = about;
    let crate_name = &existing.project.library;
    let (module_path, objects) = (
        about.module_outside(crate_name),
        testing::objects(about, existing),
    );
    let (name, sample) = (sample.name, sample.path);
    let text = rust!(kind, type_name, module_path, objects, name, sample =>
        include_str!("templates/kind_test.rs.tmpl"));
    let places = [
        format!("tests/{file}.rs"),
        format!("tests/{file}_{version}.rs"),
        format!("tests/{group_module}_{file}.rs"),
        format!("tests/{group_module}_{file}_{version}.rs"),
    ];
    files.create(&modules::free(places, files), text);
}
