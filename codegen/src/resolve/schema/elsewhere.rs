//! Types outside the API types: schemas stated by path, and errors for unknown or unreadable types.

use std::sync::Arc;

use genclient_syntax::suggest;

use super::{Resolver, Slot};
use crate::diagnostic::{Diagnostic, Severity};
use crate::known;
use crate::resolve::paths;
use crate::sources::{CrateId, ModuleId};

impl Resolver<'_, '_> {
    /// Returns the schema that the package states for a path.
    fn stated_as(&mut self, path: String) -> Option<Slot> {
        let stated = self.sources.stated.get(&path).cloned();
        self.made.paths.asked.insert(path);
        stated.map(Slot::of)
    }

    /// Returns the stated schema of a type, by its path with imports followed.
    pub(super) fn stated(&mut self, path: &syn::Path) -> Option<Slot> {
        if self.sources.stated.is_empty() {
            return None;
        }
        self.stated_as(self.paths.spelled(self.module, path))
    }

    /// Returns the stated schema of a type, by the path of its definition.
    pub(super) fn stated_where_defined(&mut self, module: ModuleId, name: &str) -> Option<Slot> {
        if self.sources.stated.is_empty() {
            return None;
        }
        self.stated_as(self.paths.definition(module, name))
    }

    /// Reports a type whose path leads through something unreadable.
    pub(super) fn unreadable(&mut self, why: &Diagnostic, path: &syn::Path) -> Slot {
        let told = |found: &mut Diagnostic| {
            found.message == why.message
                && (why.location.is_none() || found.location == why.location)
        };
        // One failure hides many types, so it is reported once.
        if self.sink.since(0).iter_mut().any(told) {
            return Slot::default();
        }
        let user = self.locate(path);
        let finding = why.clone();
        self.sink.push(if finding.location.is_none() {
            finding.at(user)
        } else {
            finding.label(user, "the type is used here")
        });
        Slot::default()
    }

    /// Reports a type that does not exist.
    pub(super) fn unknown(&mut self, path: &syn::Path) -> Slot {
        let user = self.locate(path);
        let shown = paths::display(path);
        let finding = match self.macro_that_makes(path) {
            Some(made) => Diagnostic::error(format!(
                "`{shown}` is made by a macro, which is not expanded"
            ))
            .at(user)
            .label(made, "by this one")
            .help(format!(
                "write the type out, or {}",
                stated_instead(&self.paths.spelled(self.module, path))
            )),
            None => Diagnostic::error(format!("the schema of `{shown}` is not known"))
                .at(user)
                .help(self.what_to_write(&shown)),
        };
        self.sink.push(finding);
        Slot::default()
    }

    /// Help for a name that does not resolve.
    fn what_to_write(&self, name: &str) -> String {
        let imports: Vec<_> = known::paths_to(name)
            .iter()
            .map(|path| format!("`use {path};`"))
            .collect();
        if !imports.is_empty() {
            return format!("import it: {}; or define the type", imports.join(" or "));
        }
        let here = self.sources.names(self.module).of_types();
        match suggest::closest(name, here.filter(|other| *other != name)) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None if self.is_of_schemars() => UNKNOWN_OF_SCHEMARS.to_owned(),
            None => UNKNOWN.to_owned(),
        }
    }

    /// Adds to findings in other crates where the API types use the type, and the help for foreign
    /// crates.
    pub(super) fn say_where_used(
        &mut self,
        mark: usize,
        (module, name): &(ModuleId, String),
        path: &syn::Path,
    ) {
        let (inside, outside) = (&self.sources[*module], &self.sources[self.module]);
        if inside.krate == CrateId::OWN || outside.krate != CrateId::OWN {
            return;
        }
        let foreign = self.sources[inside.krate].foreign;
        let definition = self.paths.definition(*module, name);
        for finding in self.sink.since(mark) {
            let place = finding.location.as_ref();
            if place.is_none_or(|at| Arc::ptr_eq(&at.source, &outside.source)) {
                continue;
            }
            *finding = finding
                .clone()
                .label(outside.locate(path), "the type is used here");
            if foreign && finding.severity == Severity::Error {
                finding.help = Some(stated_instead(&definition));
            }
        }
    }
}

/// Help for a type whose schema source does not determine.
pub(super) fn stated_instead(definition: &str) -> String {
    format!(
        "state its schema: `#[crd(schema = {{ … }})]` at the field, or `\"{definition}\" = {{ … }}` in \
         `[package.metadata.genclient.schemas]`"
    )
}

pub(super) const UNKNOWN: &str = "define the type, or state its schema at the field: `#[crd(schema = { … })]`, \
     or `#[crd(preserve_unknown_fields, type = \"object\")]`";

pub(super) const UNKNOWN_OF_SCHEMARS: &str =
    "define the type, or name one that has its schema at the field: `#[schemars(with = \"..\")]`";
