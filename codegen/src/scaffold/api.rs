//! `genclient create api`: a kind with its sample, its controller, and a test of both.

use genclient_syntax::names as of_kinds;

use super::controller::{self, Stored};
use super::existing::{Existing, Served};
use super::files::Scaffold;
use super::kind::KindNames;
use super::{Typed, built_in, insert, modules, names, testing};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::template::rust;

/// The attribute of the version that is stored.
pub(super) const STORED: &str = "#[crd(storage)]";

/// The same where a webhook converts the others.
pub(super) const CONVERTED: &str = "#[crd(storage, conversion(webhook))]";

/// A kind to add.
#[derive(Clone, Debug)]
pub(crate) struct CreateApi {
    /// Its names.
    pub(crate) typed: Typed,
    /// Whether its type is written.
    pub(crate) resource: bool,
    /// Whether a controller is written.
    pub(crate) controller: bool,
    /// The name of the controller, if it is not the first one of the kind.
    pub(crate) controller_name: Option<String>,
    /// Whether its objects live in namespaces.
    pub(crate) namespaced: bool,
}

impl CreateApi {
    /// Collects the files of the kind.
    ///
    /// # Errors
    ///
    /// A name that cannot be one, a kind that is there already, and every file in the way.
    pub(crate) fn plan(&self, existing: &Existing) -> Result<Scaffold, Diagnostics> {
        let mut files = Scaffold::new(&existing.project.dir);
        if let Some(name) = &self.controller_name {
            names::check_controller(name, files.sink());
        }
        let served = existing.find(&self.typed);
        match (self.resource, served, built_in::find(&self.typed)) {
            (true, _, _) => self.add_kind(served, existing, &mut files),
            (false, Some(served), _) => {
                self.add_controller(&KindNames::of_project(served), existing, &mut files);
            }
            (false, None, Some((path, kind))) => {
                self.add_controller(
                    &KindNames::of_kubernetes(&path, &kind),
                    existing,
                    &mut files,
                );
            }
            (false, None, None) => files.report(self.unknown(existing)),
        }
        files.finish()
    }

    fn unknown(&self, existing: &Existing) -> Diagnostic {
        let Typed {
            group,
            version,
            kind,
            ..
        } = &self.typed;
        let full = existing.group(group);
        Diagnostic::error(format!("there is no kind {kind} of {full}/{version}")).help(format!(
            "create it: `genclient create api --group {group} --version {version} --kind {kind} \
             --resource`, or import it from its CRD: `genclient import FILE`"
        ))
    }

    /// Adds a controller of a kind that is there.
    fn add_controller(&self, about: &KindNames, existing: &Existing, files: &mut Scaffold) {
        if self.controller {
            let name = self.controller_name.as_deref();
            controller::add(about, Stored::Name, name, existing, files);
            return;
        }
        files.report(
            Diagnostic::error("neither a type nor a controller was chosen")
                .help("type `--controller`, or leave out `--controller=false`"),
        );
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
            files.report(
                Diagnostic::error(format!("the kind {kind} of {group}/{version} exists already"))
                    .help(format!(
                        "type another kind or version, or add a controller alone: `genclient create \
                         api --group {} --version {version} --kind {kind} --resource=false --controller`",
                        self.typed.group
                    )),
            );
            return;
        }
        if !self.namespaced && existing.is_namespaced() {
            files.report(
                Diagnostic::error(format!(
                    "{kind} would be cluster scoped, and this program is deployed for one namespace"
                ))
                .help("leave out `--namespaced=false`, or `namespaced = true` in `[package.metadata.genclient.deploy]`"),
            );
        }
        let module = group_module(&group, existing, files);
        if files.is_refused() {
            return;
        }
        let version_module = of_kinds::version_module(version);
        let plural = match &self.typed.plural {
            Some(plural) => plural.clone(),
            None => of_kinds::pluralize(&kind.to_lowercase()),
        };
        let (group_ident, version_ident) =
            (of_kinds::ident(&module), of_kinds::ident(&version_module));
        let module_path = format!("{}::{group_ident}::{version_ident}", existing.project.types);
        let about = KindNames {
            namespaced: self.namespaced,
            ..KindNames::new(&group, version, kind, &plural, &module_path)
        };
        self.add_type(&about, (&module, &version_module), existing, files);
        testing::serve_kinds(existing, files);
        if self.controller {
            let name = self.controller_name.as_deref();
            controller::add(&about, Stored::Message, name, existing, files);
        } else {
            add_sample_test(&about, existing, files);
        }
    }

    /// Adds the type, the modules above it, and its sample.
    fn add_type(
        &self,
        about: &KindNames,
        (group, version): (&str, &str),
        existing: &Existing,
        files: &mut Scaffold,
    ) {
        let apis = modules::file(
            &existing.apis(),
            "//! API types, by group and version.\n",
            files,
        );
        modules::add(
            &apis,
            &format!("pub mod {};", of_kinds::ident(group)),
            files,
        );

        let folder = format!("{}/{group}", existing.apis());
        let docs = format!("//! The group `{}`.\n", about.group);
        let group_file = modules::file(&folder, &docs, files);
        modules::add(
            &group_file,
            &format!("pub mod {};", of_kinds::ident(version)),
            files,
        );

        let folder = format!("{folder}/{version}");
        let docs = format!(
            "//! Version `{}` of the group `{}`.\n",
            about.version, about.group
        );
        let version_file = modules::file(&folder, &docs, files);
        modules::add(&version_file, &format!("mod {};", about.module()), files);
        modules::add(
            &version_file,
            &format!("pub use {}::*;", about.module()),
            files,
        );

        mark_stored(about, existing, files);
        let text = copy(about, existing, files);
        let text = text.unwrap_or_else(|| kind_file(about, self.typed.plural.as_deref()));
        files.create(&format!("{folder}/{}.rs", about.file), text);
        if !existing.has_clients() {
            let root = existing.below(&existing.project.crate_root);
            modules::add(&root, "pub mod client;", files);
        }
        let (api_version, kind, lower) = (&about.api_version, &about.kind, &about.lower);
        let text = rust!(api_version, kind, lower => include_str!("templates/sample.yaml.tmpl"));
        files.create(&about.sample(), text);
    }
}

/// The module of a group, which no other group may have.
fn group_module(group: &str, existing: &Existing, files: &mut Scaffold) -> String {
    let known = existing.groups().find(|(name, _)| *name == group);
    if let Some((_, module)) = known {
        return module.to_owned();
    }
    let module = existing
        .group_alias(group)
        .unwrap_or_else(|| of_kinds::group_module(group));
    if let Some((other, _)) = existing.groups().find(|(_, of)| *of == module) {
        files.report(
            Diagnostic::error(format!(
                "the groups {other} and {group} would have one module, `{module}`"
            ))
            .help(format!(
                "name another: `group-aliases = {{ \"{group}\" = \"{}\" }}` in `[package.metadata.genclient]`",
                group.replace(['.', '-'], "_")
            )),
        );
    }
    module
}

/// Marks the one version that a kind has as the stored one, which it stays.
fn mark_stored(about: &KindNames, existing: &Existing, files: &mut Scaffold) {
    let mut versions = existing.versions(&about.group, &about.kind);
    if let (Some((_, _, resource)), None) = (versions.next(), versions.next())
        && let Some((file, text)) = modules::source(
            super::kind::parent(&resource.type_path),
            about,
            existing,
            files,
        )
        && !text.contains("storage")
    {
        let what = format!("add `{STORED}` to {}", about.kind);
        files.insert(&file, &what, |text| {
            insert::attribute(text, &about.kind, STORED)
        });
    }
}

/// The file of the kind in its newest version, with the name of this one.
fn copy(about: &KindNames, existing: &Existing, files: &mut Scaffold) -> Option<String> {
    let (_, version, resource) = existing.versions(&about.group, &about.kind).last()?;
    let module = super::kind::parent(&resource.type_path);
    let (file, text) = modules::source(module, about, existing, files)?;
    let is_its_own = file.ends_with(&format!("/{}.rs", about.file));
    let old = format!("`{}/{}`", about.group, version.name);
    let new = format!("`{}`", about.api_version);
    let without = |text: String, line| insert::without_line(&text, line).unwrap_or(text);
    is_its_own.then(|| without(without(text.replacen(&old, &new, 1), STORED), CONVERTED))
}

/// The file of a new type.
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

/// Adds a test that the sample is taken, where there is no controller to test.
fn add_sample_test(about: &KindNames, existing: &Existing, files: &mut Scaffold) {
    let KindNames {
        kind,
        type_name,
        lower,
        file,
        version,
        ..
    } = about;
    let (crate_name, objects) = (&existing.project.library, about.objects());
    let (module_path, sample) = (about.module_outside(crate_name), about.sample());
    let text = rust!(kind, type_name, lower, crate_name, objects, module_path, sample =>
        include_str!("templates/kind_test.rs.tmpl"));
    let group = of_kinds::group_module(&about.group);
    let places = [
        format!("tests/{file}.rs"),
        format!("tests/{file}_{version}.rs"),
        format!("tests/{group}_{file}.rs"),
        format!("tests/{group}_{file}_{version}.rs"),
    ];
    files.create(&modules::free(places, files), text);
}
