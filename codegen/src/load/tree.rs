//! `mod` lines → files, and files → modules.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::fs;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use syn::{Attribute, Expr, ExprLit, Item, ItemMod, Lit, Meta, Visibility};

use super::{Content, Module, ModuleFile, Sources, bare_name, features, is_cfg_test};
use crate::diagnostic::{Diagnostic, Location, Sink, SourceText};
use crate::emit::HEADER;
use crate::nesting;
use crate::project::{Project, normalize, shown};

/// Where the files of a module's children are looked for.
#[derive(Clone)]
pub(super) struct Place {
    /// The folder of the file that the module is in: what `#[path]` is relative to.
    file_dir: PathBuf,
    /// The folder of its children's files.
    children: PathBuf,
    /// True inside an inline module, where `#[path]` is relative to the children's folder.
    inline: bool,
}

impl Place {
    fn of_file(file: &Path, beside: bool) -> Self {
        let file_dir = file.parent().unwrap_or(Path::new("")).to_owned();
        let is_root = ["mod.rs", "lib.rs", "main.rs"]
            .iter()
            .any(|name| file.ends_with(name));
        let children = if is_root || beside {
            file_dir.clone()
        } else {
            file.with_extension("")
        };
        Self {
            file_dir,
            children,
            inline: false,
        }
    }

    /// What `#[path = "…"]` names here.
    fn of_path(&self, path: &str) -> PathBuf {
        if self.inline {
            self.children.join(path)
        } else {
            self.file_dir.join(path)
        }
    }

    fn inside(&self, name: &str) -> Self {
        Self {
            file_dir: self.file_dir.clone(),
            children: self.children.join(name),
            inline: true,
        }
    }
}

/// What is read of a file, or what is wrong with it.
type Opened = Result<(Arc<SourceText>, Vec<Item>), Vec<Diagnostic>>;

/// Reads the modules of one crate.
pub(super) struct Reader<'a> {
    sources: &'a mut Sources,
    krate: usize,
    /// The files that were read.
    pub(super) seen: BTreeSet<PathBuf>,
    /// Where mistakes go if every file is read at once; `None` leaves files until they are wanted, and mistakes with their modules.
    eager: Option<&'a mut Sink>,
    /// The folder that clients go to, which has no API types.
    client: PathBuf,
}

impl<'a> Reader<'a> {
    /// Reads the API types, with all modules below.
    pub(super) fn eager(sources: &'a mut Sources, sink: &'a mut Sink) -> Self {
        Self {
            sources,
            krate: 0,
            seen: BTreeSet::new(),
            eager: Some(sink),
            client: PathBuf::new(),
        }
    }

    /// Reads a crate's modules one by one.
    pub(super) fn lazy(sources: &'a mut Sources, krate: usize) -> Self {
        Self {
            sources,
            krate,
            seen: BTreeSet::new(),
            eager: None,
            client: PathBuf::new(),
        }
    }

    /// The module of the API types: a file, or an inline module of the crate's root file.
    pub(super) fn api_root(&mut self, project: &Project) {
        self.client.clone_from(&project.client.dir);
        let candidates = [
            project.apis.join("mod.rs"),
            project.apis.with_extension("rs"),
            project.apis.join("lib.rs"),
        ];
        if let Some(file) = candidates.iter().find(|file| file.is_file()) {
            self.sources.api.file = normalize(file);
            let root = self.root(file.clone(), false);
            self.fill(root);
        } else if !self.inline_root(project) {
            self.report(vec![
                Diagnostic::error(format!(
                    "no API types: neither {} nor {} is there",
                    shown(&candidates[0]),
                    shown(&candidates[1])
                ))
                .help("write it, with a `pub mod` line for each group"),
            ]);
        }
    }

    /// The API module as an inline module of the crate's root file.
    fn inline_root(&mut self, project: &Project) -> bool {
        let root = &project.crate_root;
        let root_dir = root.parent().unwrap_or(Path::new(""));
        let Ok(below) = project.apis.strip_prefix(root_dir) else {
            return false;
        };
        if !root.is_file() {
            return false;
        }
        let (source, mut items) = match self.open(root) {
            Ok(opened) => opened,
            Err(findings) => {
                self.report(findings);
                return true;
            }
        };
        let mut place = Place::of_file(root, true);
        let mut names = Vec::new();
        for part in below.components() {
            let name = part.as_os_str().to_string_lossy().into_owned();
            let inline = items.into_iter().find_map(|item| match item {
                Item::Mod(module) if module.ident == name => module.content,
                _ => None,
            });
            let Some((_, content)) = inline else {
                return false;
            };
            items = content;
            place = place.inside(&name);
            names.push(name);
        }
        self.sources.api.file = normalize(root);
        self.sources.api.inline = names;
        let module = self.root(root.clone(), false);
        self.sources.modules[module].content = Content::Read;
        self.items(module, &source, items, &place);
        true
    }

    /// A module without a parent.
    pub(super) fn root(&mut self, file: PathBuf, beside: bool) -> usize {
        let source = Arc::new(SourceText {
            path: shown(&file),
            text: String::new(),
        });
        self.add(Module {
            name: String::new(),
            krate: self.krate,
            parent: None,
            children: Vec::new(),
            visibility: Visibility::Public(syn::token::Pub::default()),
            cfg: Vec::new(),
            source,
            items: Vec::new(),
            serialize_impls: Vec::new(),
            names: OnceCell::new(),
            content: Content::Unread(ModuleFile {
                candidates: vec![file],
                beside,
                declared: None,
            }),
        })
    }

    fn add(&mut self, module: Module) -> usize {
        let id = self.sources.modules.len();
        if let Some(parent) = module.parent {
            self.sources.modules[parent].children.push(id);
        }
        self.sources.modules.push(module);
        id
    }

    /// Reads the file of a module, if that was not done.
    pub(super) fn fill(&mut self, id: usize) {
        let content = &mut self.sources.modules[id].content;
        let Content::Unread(file) = mem::replace(content, Content::Read) else {
            return;
        };
        let opened = self
            .find(&file, id)
            .and_then(|path| Ok((self.open(path)?, path)));
        match opened {
            Ok(((source, items), path)) => {
                let place = Place::of_file(path, file.beside);
                self.items(id, &source, items, &place);
            }
            Err(findings) => {
                if let Some(first) = findings.first() {
                    self.sources.modules[id].content = Content::Unreadable(first.clone());
                }
                self.report(findings);
            }
        }
    }

    fn find<'f>(&self, file: &'f ModuleFile, id: usize) -> Result<&'f Path, Vec<Diagnostic>> {
        let mut candidates = file.candidates.iter();
        if let Some(found) = candidates.find(|file| file.exists()) {
            return Ok(found);
        }
        let wanted: Vec<_> = file.candidates.iter().map(|file| shown(file)).collect();
        let wanted = wanted.join(" or ");
        let name = &self.sources.modules[id].name;
        Err(vec![match &file.declared {
            Some(place) => Diagnostic::error(format!("no file for the module `{name}`"))
                .at(place.clone())
                .help(format!("create {wanted}")),
            None => Diagnostic::error(format!("no file {wanted}, the root of its crate")),
        }])
    }

    fn open(&mut self, file: &Path) -> Opened {
        self.seen.insert(normalize(file));
        let text = fs::read_to_string(file).map_err(|error| {
            let message = format!("cannot read {}: {error}", shown(file));
            let help = "a module is a file of UTF-8 text that you may read";
            vec![Diagnostic::error(message).help(help)]
        })?;
        let source = Arc::new(SourceText {
            path: shown(file),
            text,
        });
        if self.eager.is_some() {
            self.sources.files.push(Arc::clone(&source));
        }
        if let Some(finding) = nested_too_deep(&source) {
            return Err(vec![finding]);
        }
        match syn::parse_file(&source.text) {
            Ok(file) => Ok((source, file.items)),
            Err(error) => Err(syntax_errors(&error, &source)),
        }
    }

    fn report(&mut self, findings: Vec<Diagnostic>) {
        if let Some(sink) = &mut self.eager {
            findings.into_iter().for_each(|finding| sink.push(finding));
        }
    }

    /// What stands in a module.
    fn items(&mut self, id: usize, source: &Arc<SourceText>, items: Vec<Item>, place: &Place) {
        let items = if self.krate == 0 {
            items
        } else {
            features::settle(items, &self.sources.crates[self.krate].features)
        };
        let (modules, items): (Vec<_>, Vec<_>) = items
            .into_iter()
            .partition(|item| matches!(item, Item::Mod(_)));
        let this = &mut self.sources.modules[id];
        this.source = Arc::clone(source);
        this.serialize_impls = (0..items.len())
            .filter(|at| is_serialize_impl(&items[*at]))
            .collect();
        this.items = items;
        this.names = OnceCell::new();
        for module in modules {
            if let Item::Mod(module) = module
                && !module.attrs.iter().any(is_cfg_test)
            {
                self.child(id, module, source, place);
            }
        }
    }

    /// True for the module of the clients, if it is not there yet or was written by an earlier run.
    fn is_generated(&self, candidates: &[PathBuf]) -> bool {
        let root = self.client.join("mod.rs");
        let is_client = candidates.iter().any(|file| normalize(file) == root);
        let is_written_by_hand =
            |file: &PathBuf| fs::read_to_string(file).is_ok_and(|text| !text.contains(HEADER));
        is_client && !candidates.iter().any(is_written_by_hand)
    }

    fn child(&mut self, parent: usize, module: ItemMod, source: &Arc<SourceText>, place: &Place) {
        let name = bare_name(&module.ident);
        let attribute = path_attribute(&module.attrs);
        let candidates = match &attribute {
            Some(path) => vec![place.of_path(path)],
            None => vec![
                place.children.join(format!("{name}.rs")),
                place.children.join(&name).join("mod.rs"),
            ],
        };
        if self.is_api_root(parent, &name, &candidates, module.content.is_some()) {
            self.sources.modules[parent].children.push(0);
            self.sources.above_api = Some((parent, name));
            return;
        }
        if self.is_generated(&candidates) {
            return;
        }
        let cfg = module
            .attrs
            .iter()
            .filter(|attr| attr.path().is_ident("cfg"));
        let id = self.add(Module {
            name: name.clone(),
            krate: self.krate,
            parent: Some(parent),
            children: Vec::new(),
            visibility: module.vis.clone(),
            cfg: cfg.cloned().collect(),
            source: Arc::clone(source),
            items: Vec::new(),
            serialize_impls: Vec::new(),
            names: OnceCell::new(),
            content: Content::Read,
        });
        if let Some((_, items)) = module.content {
            let place = match attribute {
                // On an inline module it is the folder of its children.
                Some(path) => Place {
                    children: place.of_path(&path),
                    inline: true,
                    ..place.clone()
                },
                None => place.inside(&name),
            };
            self.items(id, source, items, &place);
            return;
        }
        self.sources.modules[id].content = Content::Unread(ModuleFile {
            candidates,
            // A file named by `#[path]` looks for its children beside itself, as a `mod.rs` does.
            beside: attribute.is_some(),
            declared: Some(Location::of(source, module.ident.span())),
        });
        if self.eager.is_some() {
            self.fill(id);
        }
    }

    /// True if the API module, which is read already, is what stands here.
    fn is_api_root(
        &self,
        parent: usize,
        name: &str,
        candidates: &[PathBuf],
        is_inline: bool,
    ) -> bool {
        if self.eager.is_some() || self.krate != 0 {
            return false;
        }
        let api = &self.sources.api;
        if api.inline.is_empty() {
            return !is_inline && candidates.iter().any(|file| normalize(file) == api.file);
        }
        let mut path = vec![name];
        let mut at = Some(parent);
        while let Some(id) = at {
            path.insert(0, &self.sources.modules[id].name);
            at = self.sources.modules[id].parent;
        }
        // The root's name is empty.
        is_inline && path[1..] == api.inline
    }
}

/// A parser's stack is not endless.
fn nested_too_deep(source: &Arc<SourceText>) -> Option<Diagnostic> {
    let at = nesting::too_deep(&source.text)?;
    let location = Location {
        source: Arc::clone(source),
        span: at..at + 1,
    };
    let message = format!("nested more than {} levels deep", nesting::LIMIT);
    let finding = Diagnostic::error(message).at(location);
    Some(finding.help("give an inner part a name of its own"))
}

fn syntax_errors(error: &syn::Error, source: &Arc<SourceText>) -> Vec<Diagnostic> {
    let finding = |error: syn::Error| {
        let mut at = Location::of(source, error.span());
        if at.span.is_empty() {
            // Something is missing where the file ends.
            at.span = source.text.len()..source.text.len();
        }
        Diagnostic::error(syntax_error(&error))
            .at(at)
            .help("mend the syntax: `cargo check` shows the same place with more around it")
    };
    error.clone().into_iter().map(finding).collect()
}

/// What is wrong with the syntax; what no token can be made of has no words of its own.
fn syntax_error(error: &syn::Error) -> String {
    let text = error.to_string();
    if text == "cannot parse string into token stream" {
        "a bracket, a quote or a comment is not closed".to_owned()
    } else {
        text
    }
}

fn is_serialize_impl(item: &Item) -> bool {
    let Item::Impl(item) = item else { return false };
    let name = item.trait_.as_ref().and_then(|(of, _)| of.segments.last());
    name.is_some_and(|name| name.ident == "Serialize")
}

fn path_attribute(attrs: &[Attribute]) -> Option<String> {
    attrs.iter().find_map(|attr| match &attr.meta {
        Meta::NameValue(meta) if meta.path.is_ident("path") => match &meta.value {
            Expr::Lit(ExprLit {
                lit: Lit::Str(path),
                ..
            }) => Some(path.value()),
            _ => None,
        },
        _ => None,
    })
}
