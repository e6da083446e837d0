//! The scaffolded admission webhooks of a kind, and their test.

use super::existing::Existing;
use super::files::Scaffold;
use super::kind::KindNames;
use super::{insert, modules, testing};
use crate::diagnostic::Diagnostic;
use crate::template::rust;

/// The module that lists the webhooks of a program.
pub(super) const LIST: &str = include_str!("templates/webhooks.rs.tmpl");

/// The path of what webhooks are made of.
const LIBRARY: &str = "genclient_controller::webhook";

/// Admission webhooks to add to a kind.
pub(super) struct Admission<'a> {
    pub(super) defaulting: bool,
    pub(super) validation: bool,
    pub(super) about: &'a KindNames,
    pub(super) existing: &'a Existing,
}

impl Admission<'_> {
    /// Adds the webhooks, to the file of the kind if there is one, and a test of them.
    pub(super) fn add(&self, files: &mut Scaffold) {
        let settings = self.existing.project.webhooks.as_deref();
        let folder = self.existing.beside(settings, "webhook");
        let path = format!("{folder}/{}.rs", self.about.file);
        match files.text(&path) {
            None => files.create(&path, self.file()),
            Some(text) => self.extend(&path, &text, files),
        }
        let list = modules::beside(&folder, LIST, self.existing, files);
        let module = self.about.module();
        modules::add(&list, &format!("pub mod {module};"), files);
        for (method, name) in self.chosen() {
            let call = format!(".{method}({module}::{name})");
            let what = format!("add `{call}` to the webhooks");
            files.insert(&list, &what, |text| insert::call(text, "webhooks", &call));
        }
        testing::serve_webhooks(self.existing, files);
        let file = &self.about.file;
        let second = match self.validation {
            true => "validator",
            false => "defaulter",
        };
        let places = [
            format!("tests/{file}_webhook.rs"),
            format!("tests/{file}_{second}.rs"),
        ];
        files.create(&modules::free(places, files), self.test());
    }

    /// The methods that add the webhooks, and their types.
    fn chosen(&self) -> Vec<(&'static str, String)> {
        let kind = &self.about.kind;
        let all = [
            (self.defaulting, "defaulter", format!("{kind}Defaulter")),
            (self.validation, "validator", format!("{kind}Validator")),
        ];
        let chosen = all.into_iter().filter(|(is_chosen, ..)| *is_chosen);
        chosen.map(|(_, method, name)| (method, name)).collect()
    }

    /// Adds the webhooks to a file that has others.
    fn extend(&self, path: &str, text: &str, files: &mut Scaffold) {
        for (_, name) in self.chosen() {
            if insert::types(text).contains(&name) {
                files.report(
                    Diagnostic::error(format!("{path} has a `{name}` already"))
                        .help("change it there; nothing is overwritten"),
                );
            }
        }
        files.insert(path, "add the webhook", |text| {
            let text = insert::names(text, LIBRARY, &self.names())?;
            Some(format!("{}\n\n{}", text.trim_end(), self.items()))
        });
    }

    /// The file of the kind's webhooks.
    fn file(&self) -> String {
        let (kinds, domain) = (&self.about.kinds, self.domain());
        let (names, items) = (self.names().join(", "), self.items());
        let own = format!("use {};", self.about.module_path);
        let (own, foreign) = match self.about.is_foreign() {
            true => (String::new(), own),
            false => (own, String::new()),
        };
        rust!(kinds, domain, names, items, own, foreign => include_str!("templates/webhook.rs.tmpl"))
    }

    fn items(&self) -> String {
        let (kind, type_name) = (&self.about.kind, &self.about.type_name);
        let texts = self
            .chosen()
            .into_iter()
            .map(|(method, name)| match method {
                "defaulter" => {
                    rust!(kind, type_name, name => include_str!("templates/defaulter.rs.tmpl"))
                }
                _ => rust!(kind, type_name, name => include_str!("templates/validator.rs.tmpl")),
            });
        crate::template::apart(texts)
    }

    /// The names of [`LIBRARY`] that the webhooks use.
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

    /// What the annotation of the scaffolded webhooks begins with.
    fn domain(&self) -> String {
        let domain = self.existing.project.domain.clone();
        domain.unwrap_or_else(|| match self.about.group.as_str() {
            "" => "example.com".to_owned(),
            group => group.to_owned(),
        })
    }

    fn test(&self) -> String {
        let about = self.about;
        let (kinds, type_name, lower) = (&about.kinds, &about.type_name, &about.lower);
        let annotation = format!("{}/created-by", self.domain());
        let module_path = about.module_outside(&self.existing.project.library);
        let api = about.objects();
        let objects = match about.is_foreign() {
            true => format!(".objects([json!({})])", about.object()),
            false => format!(".manifests(\"{}\")", about.sample()),
        };
        let (parameters, validated) = match self.validation {
            true => (
                "Api, Patch, PatchParams, PostParams",
                rust!(annotation => include_str!("templates/validated.rs.tmpl")),
            ),
            false => ("Api, PostParams", String::new()),
        };
        let (extension, created, defaulted) = match self.defaulting {
            true => (
                "use genclient::kube::ResourceExt;",
                "let object =",
                format!("assert!(object.annotations().contains_key(\"{annotation}\"));"),
            ),
            false => ("", "", String::new()),
        };
        let json = match self.validation || about.is_foreign() {
            true => "use serde_json::json;",
            false => "",
        };
        let test_name = match (self.defaulting, self.validation) {
            (true, true) => "the_creator_is_noted_and_stays",
            (true, false) => "the_creator_is_noted",
            (false, _) => "the_creator_stays",
        };
        rust!(kinds, type_name, lower, module_path, api, objects, parameters, extension, created, defaulted, validated, json, test_name =>
            include_str!("templates/webhook_test.rs.tmpl"))
    }
}
