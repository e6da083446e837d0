//! Scaffolding of admission webhooks of a kind, and of their test.

use genclient_codegen::{Diagnostic, rust};
use genclient_syntax::names;

use super::existing::Existing;
use super::files::Scaffold;
use super::kind::KindNames;
use super::sample::{self, Sample};
use super::{modules, testing};
use crate::insert;

/// Text of the module that lists the webhooks of a program.
pub(super) const LIST: &str = include_str!("templates/webhooks.rs.tmpl");

const LIBRARY: &str = "genclient_controller::webhook";

/// Admission webhooks to add to a kind.
pub(super) struct Admission<'a> {
    pub(super) defaulting: bool,
    pub(super) validation: bool,
    pub(super) about: &'a KindNames,
    pub(super) existing: &'a Existing,
}

impl Admission<'_> {
    /// Adds the webhooks and a test. The kind's webhook file is created if it is missing.
    pub(super) fn add(&self, files: &mut Scaffold) {
        let settings = self.existing.project.webhooks.as_deref();
        let folder = self.existing.beside(settings, "webhook");
        let (file, text) = modules::file_about(&folder, self.about, files);
        let path = format!("{folder}/{file}.rs");
        let is_new = match text {
            None => {
                files.create(&path, self.file());
                true
            }
            Some(text) => self.extend(&path, &text, files),
        };
        let list = modules::beside(&folder, LIST, self.existing, files);
        modules::declare(&list, "pub ", &file, files);
        let module = names::ident(&file).to_string();
        for (method, name) in self.chosen() {
            let call = format!(".{method}({module}::{name})");
            let what = format!("add `{call}` to the webhooks");
            files.insert(&list, &what, |text| insert::call(text, "webhooks", &call));
        }
        testing::serve_admission(self.existing, files);
        if testing::is_undefined(self.about, self.existing) {
            return testing::expect_definition(self.about, "the webhooks", files);
        }
        if self.about.is_foreign() {
            sample::add_of_kubernetes(self.about, self.existing, files);
        } else {
            testing::serve_kinds(self.existing, files);
        }
        if let Some(sample) =
            Sample::expect(self.about, "a test of the webhooks", self.existing, files)
        {
            let second = if self.validation {
                "validator"
            } else {
                "defaulter"
            };
            let places = [
                format!("tests/{file}_webhook.rs"),
                format!("tests/{file}_{second}.rs"),
            ];
            let test = self.test(&sample);
            // The test is there if only the webhooks were deleted.
            let is_there = places.iter().any(|place| files.is_unchanged(place, &test))
                || (!is_new && modules::has_test(&places, |_| true, files));
            if !is_there {
                files.create(&modules::free(places, files), test);
            }
        }
    }

    /// The registration methods of the chosen webhooks, and their types.
    fn chosen(&self) -> Vec<(&'static str, String)> {
        let kind = &self.about.kind;
        let all = [
            (self.defaulting, "defaulter", format!("{kind}Defaulter")),
            (self.validation, "validator", format!("{kind}Validator")),
        ];
        let chosen = all.into_iter().filter(|(is_chosen, ..)| *is_chosen);
        chosen.map(|(_, method, name)| (method, name)).collect()
    }

    /// Adds the webhooks to an existing file. Returns whether one of them was missing.
    fn extend(&self, path: &str, text: &str, files: &mut Scaffold) -> bool {
        let shown = files.shown(path);
        let (present, missing): (Vec<_>, Vec<_>) = self
            .chosen()
            .into_iter()
            .partition(|(_, name)| insert::types(text).contains(name));
        for (method, name) in present {
            if insert::items_of(text, &name) != insert::items_of(&self.item(method, &name), &name) {
                files.report(
                    Diagnostic::error(format!("{shown} already has a `{name}`"))
                        .help("edit it there; no code is overwritten"),
                );
            }
        }
        if missing.is_empty() {
            return false;
        }
        files.insert(path, "add the webhook", |text| {
            let constant = if insert::has_constant(text, "CREATED_BY") {
                String::new()
            } else {
                self.constant() + "\n"
            };
            let items = missing.iter().map(|(method, name)| self.item(method, name));
            let items = genclient_codegen::template::apart(items);
            let text = insert::names(text, LIBRARY, &self.names())?;
            let text = insert::item(&text, "use genclient::kube::ResourceExt;")?;
            let text = insert::item(&text, "use genclient::webhook;")?;
            let text = insert::item(&text, &format!("use {};", self.about.module_path))?;
            insert::items(&text, &format!("{constant}{items}"))
        });
        true
    }

    fn constant(&self) -> String {
        let domain = self.existing.domain(&self.about.group);
        rust!(domain => include_str!("templates/created_by.rs.tmpl"))
    }

    fn file(&self) -> String {
        let (kinds, constant) = (&self.about.kinds, self.constant());
        let (names, items) = (self.names().join(", "), self.items());
        let own = format!("use {};", self.about.module_path);
        let (own, foreign) = if self.about.is_foreign() {
            (String::new(), own)
        } else {
            (own, String::new())
        };
        rust!(kinds, constant, names, items, own, foreign => include_str!("templates/webhook.rs.tmpl"))
    }

    /// The attribute arguments that state the names of an external kind, whose type is not read.
    /// For other kinds genclient derives the names from the type, so the text is empty.
    fn stated(&self, (first, verb): (&str, &str)) -> String {
        let KindNames {
            group,
            version,
            plural,
            lower,
            ..
        } = self.about;
        if !self.about.is_external {
            return String::new();
        }
        let dashed = group.replace('.', "-");
        rust!(group, version, plural, lower, first, verb, dashed =>
            include_str!("templates/stated.rs.tmpl"))
    }

    fn items(&self) -> String {
        let chosen = self.chosen().into_iter();
        genclient_codegen::template::apart(chosen.map(|(method, name)| self.item(method, &name)))
    }

    /// The type of one webhook, with its trait.
    fn item(&self, method: &str, name: &str) -> String {
        let (a_kind, type_name) = (&self.about.a_kind, &self.about.type_name);
        let (key, value) = self.existing.selected();
        // A webhook on a kind such as `Pod` selects objects by a label. Otherwise, it would block
        // writes of every Pod while the program is down, including Pods of other programs.
        let attribute = |operation, role| {
            if self.about.is_foreign() {
                let stated = self.stated(role);
                rust!(operation, key, value, stated => include_str!("templates/selected.rs.tmpl"))
            } else {
                format!("#[webhook(operations = [\"{operation}\"])]")
            }
        };
        match method {
            "defaulter" => {
                let create = attribute("create", ("default", "mutate"));
                rust!(a_kind, type_name, name, create => include_str!("templates/defaulter.rs.tmpl"))
            }
            _ => {
                let update = attribute("update", ("validation", "validate"));
                rust!(a_kind, type_name, name, update => include_str!("templates/validator.rs.tmpl"))
            }
        }
    }

    /// The names that the webhooks import from [`LIBRARY`].
    fn names(&self) -> Vec<&'static str> {
        let mut names = vec!["Admission", "Denied"];
        if self.defaulting {
            names.push("Defaulter");
        }
        if self.validation {
            names.extend(["Change", "FieldError", "Validator", "Warnings"]);
        }
        names
    }

    fn test(&self, sample: &Sample) -> String {
        let (about, existing) = (self.about, self.existing);
        let (kinds, type_name) = (&about.kinds, &about.type_name);
        let annotation = format!("{}/created-by", existing.domain(&about.group));
        let module_path = about.module_outside(&existing.project.library);
        let (api, path) = (testing::objects(about, existing), &sample.path);
        let (parameters, validated, json) = if self.validation {
            (
                "Api, Patch, PatchParams, PostParams",
                rust!(annotation => include_str!("templates/validated.rs.tmpl")),
                "use serde_json::json;",
            )
        } else {
            ("Api, PostParams", String::new(), "")
        };
        let (created, defaulted) = if self.defaulting {
            (
                "let created =",
                format!("assert!(created.annotations().contains_key(\"{annotation}\"));"),
            )
        } else {
            ("", String::new())
        };
        let extension = if self.defaulting || self.validation {
            "use genclient::kube::ResourceExt;"
        } else {
            ""
        };
        let test_name = match (self.defaulting, self.validation) {
            (true, true) => "the_creator_is_noted_and_stays",
            (true, false) => "the_creator_is_noted",
            (false, _) => "the_creator_stays",
        };
        rust!(kinds, type_name, module_path, api, parameters, extension, created, defaulted, validated, json, test_name, path =>
            include_str!("templates/webhook_test.rs.tmpl"))
    }
}
