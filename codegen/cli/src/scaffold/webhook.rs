//! `genclient create webhook`: scaffolding of defaults, validation and conversion of a kind, with
//! tests.

use genclient_codegen::{Diagnostic, Diagnostics, rust};
use genclient_syntax::names::ident;

use super::existing::{self, ExistingProject};
use super::files::Scaffold;
use super::kind::KindNames;
use super::sample::{self, Sample};
use super::{RequestedKind, conversion, dependencies, modules, names, testing};
use crate::insert;

/// Webhooks to add to a kind.
#[derive(Clone, Debug)]
pub(crate) struct CreateWebhook {
    /// Group, version and kind. For a conversion, the version is the hub.
    pub(crate) typed: RequestedKind,
    /// Whether to add a mutating webhook.
    pub(crate) defaulting: bool,
    /// Whether to add a validating webhook.
    pub(crate) validation: bool,
    pub(crate) conversion: bool,
    /// The versions to convert to and from the hub; empty for all other versions.
    pub(crate) spokes: Vec<String>,
}

impl CreateWebhook {
    /// Collects the files of the webhooks.
    ///
    /// # Errors
    ///
    /// No webhook is requested, a name is invalid, the kind or a version does not exist, a webhook
    /// or file exists already, or a conversion is impossible: the kind belongs to another project
    /// or to Kubernetes, has only one version, or its source is not found.
    pub(crate) fn plan(&self, existing: &ExistingProject) -> Result<Scaffold, Diagnostics> {
        let mut files = existing.scaffold();
        if !self.defaulting && !self.validation && !self.conversion {
            files.report(Diagnostic::error("nothing to create: no type of webhook is requested").help(
                "pass one or more of `--defaulting`, `--programmatic-validation` and `--conversion`",
            ));
        }
        let external = self.typed.external.as_ref();
        if let Some(external) = external {
            names::check_external(&self.typed, external, files.sink());
        }
        let served = existing.find_kind(&self.typed);
        let kind = match (external, served, existing::built_in(&self.typed)) {
            (Some(external), ..) => KindNames::from_external(&self.typed, external),
            (None, Some(served), _) => KindNames::from_project(served),
            (None, None, Some((path, kind))) => KindNames::from_builtin(&path, &kind),
            (None, None, None) => {
                files.report(self.unknown(existing));
                return files.finish();
            }
        };
        if external.is_none()
            && let Some(reading) = existing.interpret_kind(&self.typed, served.is_some())
        {
            files.set_interpretation(reading);
        }
        if self.defaulting || self.validation {
            let admission = Admission {
                defaulting: self.defaulting,
                validation: self.validation,
                kind: &kind,
                existing,
            };
            admission.add(&mut files);
        }
        if self.conversion && !kind.is_foreign() {
            conversion::add_conversion(&kind, &self.spokes, existing, &mut files);
        } else if self.conversion {
            let owner = if kind.is_external {
                "another project"
            } else {
                "Kubernetes"
            };
            let kind = &kind.kind;
            files.report(
                Diagnostic::error(format!(
                    "`--conversion` does not apply to {kind}: it belongs to {owner}"
                ))
                .help("remove `--conversion`"),
            );
        }
        dependencies::expect_dependencies(external, existing, &mut files);
        files.finish()
    }

    fn unknown(&self, existing: &ExistingProject) -> Diagnostic {
        let RequestedKind {
            group,
            version,
            kind,
            ..
        } = &self.typed;
        let full = existing.complete_group(group);
        let versions: Vec<_> = existing
            .versions(&full, kind)
            .map(|(_, version, _)| version.name.as_str())
            .collect();
        let wrong = Diagnostic::error(format!("no kind {kind} in {full}/{version}"));
        match (versions.last(), existing::similar_built_in(&self.typed)) {
            (Some(known), _) => wrong.help(format!(
                "its versions are {}: pass `--version {known}`",
                versions.join(", ")
            )),
            (None, Some(similar)) => wrong.help(format!(
                "did you mean {} of Kubernetes? Pass `--version {} --kind {}`",
                similar.kind, similar.version, similar.kind
            )),
            (None, None) => wrong.help(format!(
                "create it first: `genclient create api --group {group} --version {version} --kind {kind}`"
            )),
        }
    }
}

const WEBHOOK_LIBRARY: &str = "genclient_controller::webhook";

/// Admission webhooks to add to a kind.
struct Admission<'a> {
    defaulting: bool,
    validation: bool,
    kind: &'a KindNames,
    existing: &'a ExistingProject,
}

impl Admission<'_> {
    /// Adds the webhooks and a test. The kind's webhook file is created if it is missing.
    fn add(&self, files: &mut Scaffold) {
        let settings = self.existing.project.webhooks.as_deref();
        let folder = self.existing.folder_or_default(settings, "webhook");
        let (file, text) = modules::choose_file(&folder, self.kind, files);
        let path = format!("{folder}/{file}.rs");
        let is_new = match text {
            None => {
                files.create(&path, self.file());
                true
            }
            Some(text) => self.extend(&path, &text, files),
        };
        let list = modules::declared_file(&folder, modules::WEBHOOK_LIST, self.existing, files);
        modules::declare_module(&list, "pub ", &file, files);
        let module = ident(&file).to_string();
        for (method, name) in self.chosen() {
            let call = format!(".{method}({module}::{name})");
            let what = format!("add `{call}` to the webhooks");
            files.insert(&list, &what, |text| {
                insert::add_call(text, "webhooks", &call)
            });
        }
        testing::serve_admission(self.existing, files);
        if testing::lacks_crd(self.kind, self.existing) {
            return testing::expect_definition(self.kind, "the webhooks", files);
        }
        if self.kind.is_foreign() {
            sample::add_of_kubernetes(self.kind, self.existing, files);
        } else {
            testing::serve_kinds(self.existing, files);
        }
        if let Some(sample) =
            Sample::find_or_add(self.kind, "a test of the webhooks", self.existing, files)
        {
            let second = if self.validation {
                "validator"
            } else {
                "defaulter"
            };
            let test_paths = [
                format!("tests/{file}_webhook.rs"),
                format!("tests/{file}_{second}.rs"),
            ];
            let test = self.test(&sample);
            // The test is there if only the webhooks were deleted.
            let has_test = test_paths
                .iter()
                .any(|path| files.is_unchanged(path, &test))
                || (!is_new && modules::has_test(&test_paths, |_| true, files));
            if !has_test {
                files.create(&modules::first_free(test_paths, files), test);
            }
        }
    }

    /// The registration methods of the chosen webhooks, and their types.
    fn chosen(&self) -> Vec<(&'static str, String)> {
        let kind = &self.kind.kind;
        let all = [
            (self.defaulting, "defaulter", format!("{kind}Defaulter")),
            (self.validation, "validator", format!("{kind}Validator")),
        ];
        let chosen = all.into_iter().filter(|(is_chosen, ..)| *is_chosen);
        chosen.map(|(_, method, name)| (method, name)).collect()
    }

    /// Adds the webhooks to an existing file. Returns whether one of them was missing.
    fn extend(&self, path: &str, text: &str, files: &mut Scaffold) -> bool {
        let shown = files.display_path(path);
        let (present, missing): (Vec<_>, Vec<_>) = self
            .chosen()
            .into_iter()
            .partition(|(_, name)| insert::type_names(text).contains(name));
        for (method, name) in present {
            if insert::items_of_type(text, &name)
                != insert::items_of_type(&self.item(method, &name), &name)
            {
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
            let items = genclient_codegen::template::join_with_blank_lines(items);
            let text = insert::add_names(text, WEBHOOK_LIBRARY, &self.names())?;
            let text = insert::add_item(&text, "use genclient::kube::ResourceExt;")?;
            let text = insert::add_item(&text, "use genclient::webhook;")?;
            let text = insert::add_item(&text, &format!("use {};", self.kind.module_path))?;
            insert::add_items(&text, &format!("{constant}{items}"))
        });
        true
    }

    fn constant(&self) -> String {
        let domain = self.existing.domain(&self.kind.group);
        rust!(domain => include_str!("templates/created_by.rs.tmpl"))
    }

    fn file(&self) -> String {
        let (kinds, constant) = (&self.kind.kinds, self.constant());
        let (names, items) = (self.names().join(", "), self.items());
        let own = format!("use {};", self.kind.module_path);
        let (own, foreign) = if self.kind.is_foreign() {
            (String::new(), own)
        } else {
            (own, String::new())
        };
        rust!(kinds, constant, names, items, own, foreign => include_str!("templates/webhook.rs.tmpl"))
    }

    /// The attribute arguments that state the names of an external kind, whose type is not read.
    /// For other kinds genclient derives the names from the type, so the text is empty.
    fn explicit_names(&self, (first, verb): (&str, &str)) -> String {
        let KindNames {
            group,
            version,
            plural,
            lower,
            ..
        } = self.kind;
        if !self.kind.is_external {
            return String::new();
        }
        let dashed = group.replace('.', "-");
        rust!(group, version, plural, lower, first, verb, dashed =>
            include_str!("templates/stated.rs.tmpl"))
    }

    fn items(&self) -> String {
        let chosen = self.chosen().into_iter();
        genclient_codegen::template::join_with_blank_lines(
            chosen.map(|(method, name)| self.item(method, &name)),
        )
    }

    /// The type of one webhook, with its trait.
    fn item(&self, method: &str, name: &str) -> String {
        let (a_kind, type_name) = (&self.kind.a_kind, &self.kind.type_name);
        let (key, value) = self.existing.selector_label();
        // A webhook on a kind such as `Pod` selects objects by a label. Otherwise, it would block
        // writes of every Pod while the program is down, including Pods of other programs.
        let attribute = |operation, role| {
            if self.kind.is_foreign() {
                let stated = self.explicit_names(role);
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

    /// The names that the webhooks import from [`WEBHOOK_LIBRARY`].
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
        let (kind, existing) = (self.kind, self.existing);
        let (kinds, type_name) = (&kind.kinds, &kind.type_name);
        let annotation = format!("{}/created-by", existing.domain(&kind.group));
        let module_path = kind.module_outside(&existing.project.library);
        let (api, path) = (testing::api_expression(kind, existing), &sample.path);
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
