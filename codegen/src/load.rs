//! Files → a tree of modules, as rustc would find them.
//!
//! `#[cfg(test)]` modules are left out; every other `cfg` is kept for the output to carry.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprLit, Item, ItemMod, Lit, Meta, Visibility};

use crate::diagnostic::{Diagnostic, Location, Sink, SourceText};
use crate::nesting;
use crate::project::{Project, normalize, shown};

/// The module of the API types and everything below it.
pub struct Sources {
    /// The modules; the first is the root, a parent stands before its children.
    pub modules: Vec<Module>,
    /// Every file that was read.
    pub files: Vec<Arc<SourceText>>,
}

/// One module.
pub struct Module {
    /// Its name; empty for the root.
    pub name: String,
    /// The module it stands in.
    pub parent: Option<usize>,
    /// Its child modules.
    pub children: Vec<usize>,
    /// Its visibility.
    pub visibility: Visibility,
    /// The `cfg` attributes on it, without those of its parents.
    pub cfg: Vec<Attribute>,
    /// The file that its items are in.
    pub source: Arc<SourceText>,
    /// What stands in it, modules excepted.
    pub items: Vec<Item>,
}

/// Reads the modules of a project's API types.
pub fn load(project: &Project, sink: &mut Sink) -> Sources {
    let mut loader = Loader {
        sources: Sources {
            modules: Vec::new(),
            files: Vec::new(),
        },
        seen: BTreeSet::new(),
        sink,
    };
    loader.root(project);
    loader.report_strays(&project.apis);
    loader.sources
}

/// Where the files of a module's children are looked for.
#[derive(Clone)]
struct Place {
    /// The folder of the file that the module is in: what `#[path]` is relative to.
    file_dir: PathBuf,
    /// The folder of its children's files.
    children: PathBuf,
    /// True inside an inline module, where `#[path]` is relative to the children's folder.
    inline: bool,
}

impl Place {
    fn of_file(file: &Path) -> Self {
        let file_dir = file.parent().unwrap_or(Path::new("")).to_owned();
        let is_root = ["mod.rs", "lib.rs", "main.rs"]
            .iter()
            .any(|name| file.ends_with(name));
        let children = if is_root {
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

struct Loader<'a> {
    sources: Sources,
    seen: BTreeSet<PathBuf>,
    sink: &'a mut Sink,
}

impl Loader<'_> {
    fn root(&mut self, project: &Project) {
        let candidates = [
            project.apis.join("mod.rs"),
            project.apis.with_extension("rs"),
            project.apis.join("lib.rs"),
        ];
        if let Some(file) = candidates.iter().find(|file| file.is_file()) {
            if let Some(source) = self.read(file) {
                self.file(None, String::new(), &public(), Vec::new(), &source, file);
            }
            return;
        }
        if !self.inline_root(project) {
            self.sink.push(
                Diagnostic::error(format!(
                    "no API types: neither {} nor {} is there",
                    shown(&candidates[0]),
                    shown(&candidates[1])
                ))
                .help("write it, with a `pub mod` line for each group"),
            );
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
        let Some(source) = self.read(root) else {
            return true;
        };
        let Some(mut items) = self.parse(&source) else {
            return true;
        };
        let mut place = Place::of_file(root);
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
        }
        self.module(
            None,
            String::new(),
            &public(),
            Vec::new(),
            &source,
            items,
            &place,
        );
        true
    }

    fn read(&mut self, file: &Path) -> Option<Arc<SourceText>> {
        self.seen.insert(normalize(file));
        match fs::read_to_string(file) {
            Ok(text) => {
                let source = Arc::new(SourceText {
                    path: shown(file),
                    text,
                });
                self.sources.files.push(Arc::clone(&source));
                Some(source)
            }
            Err(error) => {
                let message = format!("cannot read {}: {error}", shown(file));
                let help = "a module is a file of UTF-8 text that you may read";
                self.sink.push(Diagnostic::error(message).help(help));
                None
            }
        }
    }

    fn parse(&mut self, source: &Arc<SourceText>) -> Option<Vec<Item>> {
        if let Some(finding) = nested_too_deep(source) {
            self.sink.push(finding);
            return None;
        }
        match syn::parse_file(&source.text) {
            Ok(file) => Some(file.items),
            Err(error) => {
                for error in error {
                    let mut at = Location::of(source, error.span());
                    if at.span.is_empty() {
                        // Something is missing where the file ends.
                        at.span = source.text.len()..source.text.len();
                    }
                    self.sink
                        .push(Diagnostic::error(syntax_error(&error)).at(at).help(
                        "mend the syntax: `cargo check` shows the same place with more around it",
                    ));
                }
                None
            }
        }
    }

    fn file(
        &mut self,
        parent: Option<usize>,
        name: String,
        visibility: &Visibility,
        cfg: Vec<Attribute>,
        source: &Arc<SourceText>,
        file: &Path,
    ) {
        if let Some(items) = self.parse(source) {
            let place = Place::of_file(file);
            self.module(parent, name, visibility, cfg, source, items, &place);
        }
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "one argument for each field of the module"
    )]
    fn module(
        &mut self,
        parent: Option<usize>,
        name: String,
        visibility: &Visibility,
        cfg: Vec<Attribute>,
        source: &Arc<SourceText>,
        items: Vec<Item>,
        place: &Place,
    ) {
        let (modules, items): (Vec<_>, Vec<_>) = items
            .into_iter()
            .partition(|item| matches!(item, Item::Mod(_)));
        let id = self.sources.modules.len();
        if let Some(parent) = parent {
            self.sources.modules[parent].children.push(id);
        }
        self.sources.modules.push(Module {
            name,
            parent,
            children: Vec::new(),
            visibility: visibility.clone(),
            cfg,
            source: Arc::clone(source),
            items,
        });
        for module in modules {
            if let Item::Mod(module) = module {
                self.child(id, module, source, place);
            }
        }
    }

    fn child(&mut self, parent: usize, module: ItemMod, source: &Arc<SourceText>, place: &Place) {
        if module.attrs.iter().any(is_cfg_test) {
            return;
        }
        let name = bare_name(&module.ident);
        let cfg: Vec<_> = module
            .attrs
            .iter()
            .filter(|attr| attr.path().is_ident("cfg"))
            .cloned()
            .collect();
        if let Some((_, items)) = module.content {
            let place = match path_attribute(&module.attrs) {
                // On an inline module it is the folder of its children.
                Some(path) => Place {
                    children: place.of_path(&path),
                    inline: true,
                    ..place.clone()
                },
                None => place.inside(&name),
            };
            self.module(Some(parent), name, &module.vis, cfg, source, items, &place);
            return;
        }
        let candidates = match path_attribute(&module.attrs) {
            Some(path) => vec![place.of_path(&path)],
            None => vec![
                place.children.join(format!("{name}.rs")),
                place.children.join(&name).join("mod.rs"),
            ],
        };
        let Some(file) = candidates.iter().find(|file| file.exists()) else {
            let wanted: Vec<_> = candidates.iter().map(|file| shown(file)).collect();
            self.sink.push(
                Diagnostic::error(format!("no file for the module `{name}`"))
                    .at(Location::of(source, module.ident.span()))
                    .help(format!("create {}", wanted.join(" or "))),
            );
            return;
        };
        if let Some(text) = self.read(file) {
            let from_path = path_attribute(&module.attrs).is_some();
            if from_path && let Some(items) = self.parse(&text) {
                // A file named by `#[path]` looks for its children beside itself, as a `mod.rs` does.
                let dir = file.parent().unwrap_or(Path::new("")).to_owned();
                let place = Place {
                    file_dir: dir.clone(),
                    children: dir,
                    inline: false,
                };
                self.module(Some(parent), name, &module.vis, cfg, &text, items, &place);
            } else if !from_path {
                self.file(Some(parent), name, &module.vis, cfg, &text, file);
            }
        }
    }

    /// Warns of files that name a resource but that no `mod` line reaches: rustc does not see them either.
    fn report_strays(&mut self, apis: &Path) {
        let mut strays = Vec::new();
        collect_rust_files(apis, &mut strays);
        strays.sort();
        for file in strays {
            if self.seen.contains(&normalize(&file)) {
                continue;
            }
            let names_resource =
                fs::read_to_string(&file).is_ok_and(|text| text.contains("#[genclient"));
            if names_resource {
                self.sink.push(
                    Diagnostic::warning(format!(
                        "{} is not part of the module tree: its types are not seen",
                        shown(&file)
                    ))
                    .help("add a `pub mod …;` line for it to the module above"),
                );
            }
        }
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

/// What is wrong with the syntax; what no token can be made of has no words of its own.
fn syntax_error(error: &syn::Error) -> String {
    let text = error.to_string();
    if text == "cannot parse string into token stream" {
        "a bracket, a quote or a comment is not closed".to_owned()
    } else {
        text
    }
}

fn collect_rust_files(dir: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(dir) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect_rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// An identifier's name without `r#`.
pub fn bare_name(ident: &syn::Ident) -> String {
    let name = ident.to_string();
    name.strip_prefix("r#").map(str::to_owned).unwrap_or(name)
}

/// True for `#[cfg(test)]`.
pub fn is_cfg_test(attr: &Attribute) -> bool {
    attr.path().is_ident("cfg")
        && attr
            .parse_args::<syn::Path>()
            .is_ok_and(|path| path.is_ident("test"))
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

fn public() -> Visibility {
    Visibility::Public(syn::token::Pub::default())
}

impl Module {
    /// A place in the module's file.
    pub fn locate(&self, node: &impl Spanned) -> Location {
        Location::of(&self.source, node.span())
    }
}
