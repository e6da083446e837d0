//! The files of a git revision.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use genclient_codegen::paths::normalize;
use genclient_codegen::project::Files;
use genclient_codegen::{Diagnostic, Diagnostics};
use genclient_diff::Text;

use super::git::{self, ObjectReader};
use super::is_yaml;

const NO_SUCH_FILE: &str =
    "no such file in the revision; symbolic links and submodules are not followed";

/// The files of a commit, by the paths that they have in the checkout.
#[derive(Debug)]
pub(super) struct Revision {
    /// The name that git resolves to the commit.
    name: String,
    /// The root of the repository.
    root: PathBuf,
    /// The object ids of files by their paths from the root, with `/` as the separator.
    files: BTreeMap<String, String>,
    objects: RefCell<ObjectReader>,
}

impl Revision {
    /// Finds the commit that `name` resolves to in the repository around `dir`; `None` if `name` is
    /// not a revision or there is no repository.
    pub(super) fn find(name: &str, dir: &Path) -> Result<Option<Self>, Diagnostics> {
        let Some(root) = git::repository_root(dir)? else {
            return Ok(None);
        };
        let Some(commit) = git::resolve_commit(dir, name)? else {
            return Ok(None);
        };
        let listing = git::run_git(dir, &["ls-tree", "-r", "-z", "--full-tree", &commit])?
            .map_err(|said| cannot_read_revision(name, &said))?;
        // Messages show a file as `REV:path`, which git accepts. Git does not accept
        // `main...HEAD:path`, so the commit id replaces `main...HEAD`.
        let is_merge_base = name.contains("...");
        let name = if is_merge_base { &commit } else { name };
        Ok(Some(Self {
            name: name.to_owned(),
            files: listing.split('\0').filter_map(parse_tree_entry).collect(),
            objects: RefCell::new(ObjectReader::open(&root)?),
            root,
        }))
    }

    /// Every YAML file at or below `path`.
    pub(super) fn read_yaml_files(&self, path: &Path) -> Result<Vec<Text>, Diagnostics> {
        let files = self
            .files_below(path)
            .into_iter()
            .filter(|file| is_yaml(file));
        files.map(|file| self.read_text(&file)).collect()
    }

    fn read_text(&self, path: &Path) -> Result<Text, Diagnostics> {
        let text = self.read_to_string(path);
        Ok(Text {
            package: None,
            label: self.shown(path),
            text: text.map_err(|error| cannot_read_revision(&self.name, &error.to_string()))?,
        })
    }

    /// Resolves the path typed after `REV:` as git does: relative to the root of the repository, or
    /// to the folder `here` if it starts with `./` or `../`.
    pub(super) fn resolve_path(&self, typed: &str, here: &Path) -> PathBuf {
        let is_relative = typed.starts_with("./") || typed.starts_with("../");
        let from = if is_relative { here } else { &self.root };
        normalize(&from.join(typed))
    }

    /// The path relative to the root of the repository; `None` outside of it.
    fn path_from_root(&self, path: &Path) -> Option<String> {
        let below = path.strip_prefix(&self.root).ok()?;
        let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
        Some(parts.join("/"))
    }

    fn object_id(&self, path: &Path) -> Option<&String> {
        self.files.get(&self.path_from_root(path)?)
    }

    /// The files at or below `path`, sorted.
    fn files_below(&self, path: &Path) -> Vec<PathBuf> {
        let Some(folder) = self.path_from_root(path) else {
            return Vec::new();
        };
        let is_below = |name: &&String| {
            let rest = &name[folder.len()..];
            folder.is_empty() || rest.is_empty() || rest.starts_with('/')
        };
        self.files
            .range(folder.clone()..)
            .map(|(name, _)| name)
            .take_while(|name| name.starts_with(&folder))
            .filter(is_below)
            .map(|name| self.root.join(name))
            .collect()
    }
}

impl Files for Revision {
    fn is_file(&self, path: &Path) -> bool {
        self.object_id(path).is_some()
    }

    fn is_dir(&self, path: &Path) -> bool {
        !self.is_file(path) && !self.files_below(path).is_empty()
    }

    fn read_to_string(&self, path: &Path) -> io::Result<String> {
        let id = self
            .object_id(path)
            .ok_or_else(|| io::Error::other(NO_SUCH_FILE))?;
        self.objects.borrow_mut().read_object(id)
    }

    fn rust_files(&self, dir: &Path) -> Vec<PathBuf> {
        let mut files = self.files_below(dir);
        files.retain(|file| file.extension().is_some_and(|extension| extension == "rs"));
        files
    }

    fn matching(&self, pattern: &str) -> Result<Vec<PathBuf>, String> {
        let pattern = glob::Pattern::new(pattern).map_err(|error| error.to_string())?;
        let options = glob::MatchOptions {
            require_literal_separator: true,
            ..glob::MatchOptions::default()
        };
        let mut files = self.files_below(&self.root);
        files.retain(|file| pattern.matches_path_with(file, options));
        Ok(files)
    }

    fn shown(&self, path: &Path) -> String {
        match self.path_from_root(path) {
            Some(name) => format!("{}:{name}", self.name),
            None => path.display().to_string(),
        }
    }
}

/// Parses the path and the id from a line of `git ls-tree`. Symbolic links and submodules are
/// skipped.
fn parse_tree_entry(line: &str) -> Option<(String, String)> {
    let (object, path) = line.split_once('\t')?;
    let id = object
        .strip_prefix("100644 blob ")
        .or_else(|| object.strip_prefix("100755 blob "))?;
    Some((path.to_owned(), id.to_owned()))
}

fn cannot_read_revision(name: &str, said: &str) -> Diagnostic {
    Diagnostic::error(format!("cannot read the revision `{name}`: {said}"))
        .help(format!("see the error of git: git show --stat {name}"))
}
