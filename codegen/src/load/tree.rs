//! Reader of module trees: follows `mod` lines to files.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprLit, Item, ItemMod, Lit, Meta, Token, Visibility};

use super::{features, syntax};
use crate::diagnostic::{Diagnostic, Location, Severity, Sink, SourceText};
use crate::header::is_generated;
use crate::inputs;
use crate::paths::normalize;
use crate::project::{Project, may_have_kind};
use crate::sources::{
    CrateId, Module, ModuleFile, ModuleId, ModuleState, Sources, bare_name, is_cfg_test,
};

/// A file of a module.
pub(super) struct ParsedFile {
    pub(super) source: Arc<SourceText>,
    pub(super) items: Vec<Item>,
}

/// Reader of the modules of one crate.
pub(super) struct ModuleReader<'a> {
    pub(super) project: &'a Project,
    pub(super) sources: &'a mut Sources,
    pub(super) krate: CrateId,
    /// The files that were read.
    pub(super) seen: BTreeSet<PathBuf>,
    /// `Some`: every file is read immediately, and errors are pushed to this sink. `None`: files
    /// are read on demand, and an error is kept in [`ModuleState::Unreadable`].
    pub(super) eager: Option<&'a mut Sink>,
    /// The folder of generated clients. A reader skips the generated module there. `api_root` sets
    /// the path; in a lazy reader it stays empty, so that no module is skipped.
    pub(super) client: PathBuf,
}

impl<'a> ModuleReader<'a> {
    /// Returns a reader of the API module and every module below it.
    pub(super) fn eager(
        project: &'a Project,
        sources: &'a mut Sources,
        sink: &'a mut Sink,
    ) -> Self {
        Self {
            project,
            sources,
            krate: CrateId::OWN,
            seen: BTreeSet::new(),
            eager: Some(sink),
            client: PathBuf::new(),
        }
    }

    /// Returns a reader that reads the modules of a crate on demand.
    pub(super) fn lazy(project: &'a Project, sources: &'a mut Sources, krate: CrateId) -> Self {
        Self {
            project,
            sources,
            krate,
            seen: BTreeSet::new(),
            eager: None,
            client: PathBuf::new(),
        }
    }

    /// Adds a module without a parent.
    pub(super) fn add_root(&mut self, file: PathBuf, beside: bool) -> ModuleId {
        let source = Arc::new(SourceText {
            path: self.project.shown(&file),
            ..SourceText::default()
        });
        self.sources.add_module(Module {
            name: String::new(),
            krate: self.krate,
            parent: None,
            children: Vec::new(),
            is_api: self.eager.is_some(),
            visibility: Visibility::Public(syn::token::Pub::default()),
            declared: None,
            attrs: Vec::new(),
            source,
            items: Vec::new(),
            trait_impls: Vec::new(),
            names: OnceCell::new(),
            content: ModuleState::Unloaded(ModuleFile {
                candidates: vec![file],
                beside,
            }),
        })
    }

    /// Reads the file of a module, unless it is read already.
    pub(super) fn load_file(&mut self, id: ModuleId) {
        let content = &mut self.sources[id].content;
        let ModuleState::Unloaded(file) = mem::replace(content, ModuleState::Read) else {
            return;
        };
        if self.is_optional(&file) {
            return;
        }
        let opened = self
            .find_file(&file, id)
            .and_then(|path| Ok((self.parse_file(path)?, path)));
        match opened {
            Ok((ParsedFile { source, items }, path)) => {
                let dir = ModuleDir::from_file(path, file.beside);
                self.add_items(id, &source, items, &dir);
            }
            Err(findings) => {
                if let Some(first) = findings.first() {
                    self.sources[id].content = ModuleState::Unreadable(first.clone());
                }
                let is_passed_over = self.is_optional_module(id, &file);
                self.sources.is_partial |= is_passed_over && self.eager.is_some();
                self.report(if is_passed_over {
                    findings.into_iter().map(downgrade_error).collect()
                } else {
                    findings
                });
            }
        }
    }

    /// Returns whether an unreadable module causes only a warning, because a build may generate its
    /// file. If API types may be anywhere in the crate, modules without kinds are read, too. Such a
    /// module may be unreadable, unless it is a root. If the file of the module or a file below it
    /// has kinds, the module must be readable.
    fn is_optional_module(&self, id: ModuleId, file: &ModuleFile) -> bool {
        let has_kinds =
            |file: &PathBuf| inputs::read_text_file(file).is_ok_and(|text| may_have_kind(&text));
        // If `#[path]` names the file, other files in its folder may belong to other modules.
        let below = |candidate: &PathBuf| {
            if file.beside {
                Vec::new()
            } else {
                inputs::list_rust_files(&ModuleDir::from_file(candidate, false).children)
            }
        };
        self.project.reads_whole_crate()
            && self.sources[id].parent.is_some()
            && !file.candidates.iter().any(has_kinds)
            && !file
                .candidates
                .iter()
                .flat_map(below)
                .any(|file| has_kinds(&file))
    }

    /// Returns whether the file of a module is missing and may be created.
    fn is_optional(&self, file: &ModuleFile) -> bool {
        let may_be_missing = |file: &PathBuf| {
            let file = normalize(file);
            self.project.optional.iter().any(|end| file.ends_with(end))
        };
        let exists = |file: &PathBuf| self.project.has_file(file) || inputs::exists(file);
        file.candidates.iter().any(may_be_missing) && !file.candidates.iter().any(exists)
    }

    fn find_file<'f>(
        &self,
        file: &'f ModuleFile,
        id: ModuleId,
    ) -> Result<&'f Path, Vec<Diagnostic>> {
        let exists = |file: &&PathBuf| self.project.has_file(file) || inputs::exists(file);
        if let Some(found) = file.candidates.iter().find(exists) {
            return Ok(found);
        }
        let wanted: Vec<_> = file
            .candidates
            .iter()
            .map(|file| self.project.shown(file))
            .collect();
        let wanted = wanted.join(" or ");
        let name = &self.sources[id].name;
        Err(vec![match &self.sources[id].declared {
            Some(mod_line) => Diagnostic::error(format!("file not found for module `{name}`"))
                .at(mod_line.clone())
                .help(format!("create {wanted}")),
            None => Diagnostic::error(format!("crate root {wanted} not found")),
        }])
    }

    pub(super) fn parse_file(&mut self, file: &Path) -> Result<ParsedFile, Vec<Diagnostic>> {
        self.seen.insert(normalize(file));
        let text = self.project.read_file(file).map_err(|error| {
            let message = format!("cannot read {}: {error}", self.project.shown(file));
            let help = "a module must be a readable file of UTF-8 text";
            vec![Diagnostic::error(message).help(help)]
        })?;
        // Some editors write a byte order mark, which the parser's spans do not count.
        let without_mark = text.trim_start_matches('\u{feff}');
        let source = Arc::new(SourceText {
            path: self.project.shown(file),
            text: without_mark.to_owned(),
            offset: text.len() - without_mark.len(),
        });
        if self.eager.is_some() {
            self.sources.files.push(Arc::clone(&source));
        }
        let items = syntax::parse_items(&source)?;
        Ok(ParsedFile { source, items })
    }

    pub(super) fn report(&mut self, findings: Vec<Diagnostic>) {
        if let Some(sink) = &mut self.eager {
            findings.into_iter().for_each(|finding| sink.push(finding));
        }
    }

    /// Adds the items of a module, and its child modules.
    pub(super) fn add_items(
        &mut self,
        id: ModuleId,
        source: &Arc<SourceText>,
        items: Vec<Item>,
        dir: &ModuleDir,
    ) {
        let items = if self.krate == CrateId::OWN {
            let settled = features::settle_members(items, &self.features(id));
            let findings = settled.conditions.into_iter();
            self.report(
                findings
                    .map(|span| default_features_warning(source, span))
                    .collect(),
            );
            settled.items
        } else {
            features::resolve_features(items, &self.sources[self.krate].features)
        };
        let items = expand_lazy_statics(items);
        let (modules, items): (Vec<_>, Vec<_>) = items
            .into_iter()
            .partition(|item| matches!(item, Item::Mod(_)));
        let this = &mut self.sources[id];
        this.source = Arc::clone(source);
        this.trait_impls = (0..items.len())
            .filter(|at| is_serde_impl(&items[*at]))
            .collect();
        this.items = items;
        this.names = OnceCell::new();
        for module in modules {
            match module {
                Item::Mod(module) if module.attrs.iter().any(is_cfg_test) => {
                    self.sources
                        .tests
                        .extend(candidate_files(&module, dir).candidates);
                }
                Item::Mod(module) => self.add_child(id, module, source, dir),
                _ => {}
            }
        }
    }

    /// Returns the package's default features, and the features that the `cfg`s of a module and of
    /// its parents require.
    fn features(&self, module: ModuleId) -> BTreeSet<String> {
        let mut all = self.project.features.clone();
        let mut at = Some(module);
        while let Some(id) = at {
            all.append(&mut features::required_features(&self.sources[id].attrs));
            at = self.sources[id].parent;
        }
        all
    }

    /// Returns whether a module is the client module, and its file is generated or missing.
    fn is_generated(&self, candidates: &[PathBuf]) -> bool {
        let root = self.client.join("mod.rs");
        let is_client = candidates.iter().any(|file| normalize(file) == root);
        let is_written_by_hand =
            |file: &PathBuf| inputs::read_text_file(file).is_ok_and(|text| !is_generated(&text));
        is_client && !candidates.iter().any(is_written_by_hand)
    }

    fn add_child(
        &mut self,
        parent: ModuleId,
        module: ItemMod,
        source: &Arc<SourceText>,
        dir: &ModuleDir,
    ) {
        let name = bare_name(&module.ident);
        let file = candidate_files(&module, dir);
        if self.is_api_root(parent, &name, &file.candidates, module.content.is_some()) {
            self.sources[parent].children.push(ModuleId::API);
            self.sources.above_api = Some((parent, name));
            return;
        }
        if self.is_generated(&file.candidates) {
            return;
        }
        let id = self.sources.add_module(Module {
            name: name.clone(),
            krate: self.krate,
            parent: Some(parent),
            children: Vec::new(),
            is_api: self.eager.is_some(),
            visibility: module.vis.clone(),
            declared: Some(Location::new(source, module.ident.span())),
            attrs: module.attrs.clone(),
            source: Arc::clone(source),
            items: Vec::new(),
            trait_impls: Vec::new(),
            names: OnceCell::new(),
            content: ModuleState::Read,
        });
        if let Some((_, items)) = module.content {
            let dir = match path_attribute(&module.attrs) {
                // `#[path]` on an inline module names the folder of its children.
                Some(path) => ModuleDir {
                    children: dir.resolve_path_attribute(&path),
                    inline: true,
                    ..dir.clone()
                },
                None => dir.inside(&name),
            };
            self.add_items(id, source, items, &dir);
            return;
        }
        self.sources[id].content = ModuleState::Unloaded(file);
        if self.eager.is_some() {
            self.load_file(id);
        }
    }
}

/// Turns an error in a skipped module into a warning.
fn downgrade_error(finding: Diagnostic) -> Diagnostic {
    Diagnostic {
        severity: Severity::Warning,
        message: format!(
            "{}; kinds in the module are ignored, and stale files are kept",
            finding.message
        ),
        ..finding
    }
}

fn default_features_warning(source: &Arc<SourceText>, condition: Span) -> Diagnostic {
    Diagnostic::warning("the CRD is generated for the default features")
        .at(Location::new(source, condition))
        .help("remove this `cfg` if every build has the field or variant")
}

fn is_serde_impl(item: &Item) -> bool {
    let Item::Impl(item) = item else { return false };
    let name = item
        .trait_
        .as_ref()
        .and_then(|(path, _)| path.segments.last());
    name.is_some_and(|name| name.ident == "Serialize" || name.ident == "JsonSchema")
}

/// Returns the candidate paths of a module's file. If `#[path]` names the file, child modules are
/// in the file's own folder, as for `mod.rs`. A `#[path]` inside `cfg_attr` counts only if neither
/// `name.rs` nor `name/mod.rs` exists.
fn candidate_files(module: &ItemMod, dir: &ModuleDir) -> ModuleFile {
    if let Some(path) = path_attribute(&module.attrs) {
        return ModuleFile {
            candidates: vec![dir.resolve_path_attribute(&path)],
            beside: true,
        };
    }
    let name = bare_name(&module.ident);
    let usual = vec![
        dir.children.join(format!("{name}.rs")),
        dir.children.join(&name).join("mod.rs"),
    ];
    let conditional: Vec<_> = module
        .attrs
        .iter()
        .filter_map(conditional_path_attribute)
        .collect();
    if conditional.is_empty() || usual.iter().any(|file| inputs::exists(file)) {
        return ModuleFile {
            candidates: usual,
            beside: false,
        };
    }
    let conditional = conditional
        .iter()
        .map(|path| dir.resolve_path_attribute(path));
    ModuleFile {
        candidates: conditional.chain(usual).collect(),
        beside: true,
    }
}

/// Returns the path in `#[cfg_attr(unix, path = "..")]`.
fn conditional_path_attribute(attr: &Attribute) -> Option<String> {
    let list = attr.meta.require_list().ok()?;
    let parts = Punctuated::<Meta, Token![,]>::parse_terminated;
    let parts = list.parse_args_with(parts).ok()?;
    let is_conditional = list.path.is_ident("cfg_attr");
    let paths = parts.iter().skip(1).filter(|_| is_conditional);
    paths.into_iter().find_map(path_value)
}

fn path_attribute(attrs: &[Attribute]) -> Option<String> {
    attrs.iter().find_map(|attr| path_value(&attr.meta))
}

/// Returns the path in `path = ".."`.
fn path_value(meta: &Meta) -> Option<String> {
    match meta {
        Meta::NameValue(meta) if meta.path.is_ident("path") => match &meta.value {
            Expr::Lit(ExprLit {
                lit: Lit::Str(path),
                ..
            }) => Some(path.value()),
            _ => None,
        },
        _ => None,
    }
}

#[derive(Clone)]
pub(super) struct ModuleDir {
    /// The folder of the module's file. `#[path]` is relative to it, except in an inline module.
    file_dir: PathBuf,
    /// The folder with the files of child modules.
    pub(super) children: PathBuf,
    /// True for an inline module, where `#[path]` is relative to `children`.
    pub(super) inline: bool,
}

impl ModuleDir {
    /// Returns the folders of the module in `file`. With `beside`, child modules lie beside the
    /// file, whatever its name.
    pub(super) fn from_file(file: &Path, beside: bool) -> Self {
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

    /// Resolves `#[path = "…"]` of a child module.
    fn resolve_path_attribute(&self, path: &str) -> PathBuf {
        if self.inline {
            self.children.join(path)
        } else {
            self.file_dir.join(path)
        }
    }

    pub(super) fn inside(&self, name: &str) -> Self {
        Self {
            file_dir: self.file_dir.clone(),
            children: self.children.join(name),
            inline: true,
        }
    }
}

/// Replaces each `lazy_static!` by its statics, so that their names resolve to their values.
pub(super) fn expand_lazy_statics(items: Vec<Item>) -> Vec<Item> {
    let expanded = items
        .into_iter()
        .flat_map(|item| match lazy_statics(&item) {
            Some(statics) => statics,
            None => vec![item],
        });
    expanded.collect()
}

fn lazy_statics(item: &Item) -> Option<Vec<Item>> {
    let Item::Macro(call) = item else { return None };
    let name = call.mac.path.segments.last()?;
    let is_lazy = name.ident == "lazy_static";
    let tokens = is_lazy.then(|| remove_ref_keywords(&call.mac.tokens))?;
    Some(syn::parse2::<syn::File>(tokens).ok()?.items)
}

/// Turns `static ref NAME: T = value;` into `static NAME: T = value;`.
fn remove_ref_keywords(tokens: &TokenStream) -> TokenStream {
    let tokens = tokens.clone().into_iter();
    let is_ref = |token: &TokenTree| matches!(token, TokenTree::Ident(word) if word == "ref");
    tokens.filter(|token| !is_ref(token)).collect()
}

#[cfg(test)]
mod tests {
    use quote::ToTokens as _;

    use super::expand_lazy_statics;

    #[test]
    fn lazy_static_expands_to_statics() {
        for (source, expected) in [
            (
                "lazy_static! { pub static ref A: B = C::new(\"d\"); static ref E: F = g(); }",
                "pub static A : B = C :: new (\"d\") ; static E : F = g () ;",
            ),
            (
                "lazy_static::lazy_static! { a b }",
                "lazy_static :: lazy_static ! { a b }",
            ),
            (
                "other! { static ref A: B = C; }",
                "other ! { static ref A : B = C ; }",
            ),
        ] {
            let items = expand_lazy_statics(syn::parse_file(source).unwrap().items);
            let text: Vec<_> = items
                .iter()
                .map(|item| item.to_token_stream().to_string())
                .collect();
            assert_eq!(text.join(" "), expected);
        }
    }
}
