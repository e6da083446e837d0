//! Output files of one package while they are generated, and the layout of a Rust file.

use super::kind_paths::{self, KindPaths};
use super::names::api_version;
use super::uses::Uses;
use super::wrap::wrap;
use crate::file_set::FileSet;
use crate::header::HEADER;
use crate::manifests::rbac::ROLES_FILE;
use crate::manifests::webhook::WEBHOOKS_FILE;
use crate::model::{Artefact, Group, Resource, Version};
use crate::project::Project;

/// Parts of a Rust file, before long lines are wrapped.
#[derive(Default)]
pub(super) struct RustFile {
    /// The module documentation, one line each.
    pub(super) docs: Vec<String>,
    /// Inner attributes and `mod` items.
    pub(super) modules: String,
    pub(super) uses: Uses,
    /// Items with multi-line literals. Their lines are not wrapped.
    pub(super) verbatim: String,
    /// All other items, each statement on one line.
    pub(super) items: String,
}

fn render_rust_file(boilerplate: &[String], source: &RustFile) -> String {
    let docs: String = source
        .docs
        .iter()
        .map(|line| comment_line("//!", line))
        .collect();
    let mut sections = vec![file_header("//", boilerplate), wrap(&docs)];
    sections.push(source.modules.clone());
    sections.extend(source.uses.sections());
    sections.push(source.verbatim.clone());
    sections.push(wrap(&source.items));
    sections.retain(|section| !section.is_empty());
    sections.join("\n")
}

/// The boilerplate and the header of generated files, as comments.
fn file_header(mark: &str, boilerplate: &[String]) -> String {
    let mut text: String = boilerplate
        .iter()
        .map(|line| comment_line(mark, line))
        .collect();
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(&comment_line(mark, HEADER));
    text
}

pub(super) fn doc_comments<'a>(lines: impl IntoIterator<Item = &'a str>) -> String {
    lines
        .into_iter()
        .map(|line| comment_line("///", line))
        .collect()
}

fn comment_line(mark: &str, line: &str) -> String {
    format!("{mark} {line}").trim_end().to_owned() + "\n"
}

/// A resource of the model, with its group and version.
pub(super) type ResourceEntry<'m> = (&'m Group, &'m Version, &'m Resource);

/// Collects the generated files of one package.
pub(super) struct PackageFiles<'a> {
    pub(super) project: &'a Project,
    /// The types that modules of the client import from `kinds`.
    pub(super) kinds: &'a KindPaths<'a>,
    pub(super) files: FileSet,
}

impl<'a> PackageFiles<'a> {
    pub(super) fn new(project: &'a Project, kinds: &'a KindPaths<'a>) -> Self {
        Self {
            project,
            kinds,
            files: FileSet::default(),
        }
    }

    /// Adds a Rust file at `file` below the client folder.
    pub(super) fn rust(&mut self, file: &str, source: &RustFile) {
        let path = self.project.client.dir.join(file);
        let text = render_rust_file(&self.project.boilerplate, source);
        self.files.insert(path, text);
    }

    /// Adds the file with the client of a kind.
    pub(super) fn add_client_file(
        &mut self,
        (group, version, resource): ResourceEntry<'_>,
        uses: Uses,
        items: String,
    ) {
        let (kind, title) = (&resource.kind, api_version(group, version));
        let source = RustFile {
            docs: vec![format!("The client of `{kind}` in `{title}`.")],
            uses,
            items,
            ..RustFile::default()
        };
        let (group, version, file) = (&group.module, &version.module, &resource.names.module);
        self.rust(&format!("clientset/{group}/{version}/{file}.rs"), &source);
    }

    /// Adds a YAML file at `file` below the configuration folder.
    pub(super) fn yaml<D: AsRef<str>>(&mut self, file: &str, documents: &[D]) {
        let mut text = file_header("#", &self.project.boilerplate);
        for document in documents {
            text.push_str("---\n");
            text.push_str(document.as_ref());
        }
        self.files.insert(self.project.config.join(file), text);
    }

    /// The path of a module of the client: `crate::client::listers`.
    pub(super) fn module(&self, below: &str) -> String {
        format!("{}::{below}", self.project.client.path)
    }

    /// Claims the client module's root file, and that of its module `kinds`.
    pub(super) fn own_root(&mut self) {
        let client = &self.project.client;
        for file in [&client.root_file, kind_paths::FILE] {
            self.files.own(client.dir.join(file));
        }
    }

    /// Claims the files of an artefact, so that stale files are removed.
    pub(super) fn own(&mut self, artefact: Artefact) {
        let client = &self.project.client.dir;
        match artefact {
            Artefact::Crd => self.files.own(self.project.config.join("crd")),
            Artefact::Rbac => self.files.own(self.project.config.join(ROLES_FILE)),
            Artefact::Webhook => self.files.own(self.project.config.join(WEBHOOKS_FILE)),
            // The folders of a deployment depend on the other artefacts: see `config::own_folders`.
            Artefact::Deploy => {}
            Artefact::Scheme | Artefact::Crds | Artefact::Conversion => {
                self.files
                    .own(client.join(format!("{}.rs", artefact.module())));
            }
            Artefact::Clientset
            | Artefact::ApplyConfiguration
            | Artefact::Listers
            | Artefact::Informers => {
                self.files.own(client.join(artefact.module()));
            }
        }
    }
}
