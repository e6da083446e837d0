//! Locations in a package: root files of its crates, API types, webhooks, controllers, manifests.

use std::iter;
use std::path::{Path, PathBuf};

use super::Manifest;
use crate::paths::normalize;

impl Manifest {
    /// Returns the root file of the crate with the API types: the library's, or a program's if
    /// there is no library.
    ///
    /// A program takes precedence over the library if it is the only one with kube's derive in a
    /// folder that does not contain the library, such as `src/bin/operator/main.rs`, and if the
    /// library's folder has no kinds elsewhere.
    pub(in crate::project) fn crate_root(&self) -> PathBuf {
        let library = self.library();
        let mut programs = self.programs();
        if let Some(library) = library {
            let is_apart = |program: &PathBuf| {
                let folder = program.parent().unwrap_or(&self.dir);
                !library.starts_with(folder) && self.has_kube_types(program)
            };
            programs.retain(is_apart);
            return match &programs[..] {
                [program] if !self.has_kinds_outside(&library, program) => program.clone(),
                _ => library,
            };
        }
        let main = self.dir.join("src/main.rs");
        if programs.is_empty() || programs.contains(&main) {
            return if programs.is_empty() {
                self.dir.join("src/lib.rs")
            } else {
                main
            };
        }
        // `has_kube_types` reads a whole folder, which several programs may share. A program with
        // kinds in its root file is therefore preferred.
        let mut all = programs.iter();
        let with_kinds = all.find(|program| self.file_derives_kind(program));
        let with_kinds = with_kinds.or_else(|| programs.iter().find(|it| self.has_kube_types(it)));
        with_kinds.unwrap_or(&programs[0]).clone()
    }

    /// Returns the root files of the package's other crates.
    pub(in crate::project) fn other_crates(&self) -> Vec<PathBuf> {
        let root = self.crate_root();
        let mut all: Vec<_> = self.library().into_iter().chain(self.programs()).collect();
        all.retain(|file| *file != root);
        all
    }

    /// Returns whether the manifest states a crate, or cargo finds one.
    pub(in crate::project) fn has_crate(&self) -> bool {
        self.library().is_some() || !self.programs().is_empty()
    }

    fn library(&self) -> Option<PathBuf> {
        let stated = self.content.lib.as_ref().and_then(|lib| lib.path.as_ref());
        match stated {
            Some(path) => Some(normalize(&self.dir.join(path))),
            None => Some(self.dir.join("src/lib.rs")).filter(|lib| self.files.is_file(lib)),
        }
    }

    /// Returns the root files of the programs: those in the manifest, and those that cargo finds.
    pub(in crate::project) fn programs(&self) -> Vec<PathBuf> {
        let stated = self.content.bin.iter().filter_map(|bin| bin.path.as_ref());
        let mut programs: Vec<_> = stated.map(|path| normalize(&self.dir.join(path))).collect();
        let folder = self.dir.join("src/bin");
        let mut found = self.files.rust_files(&folder);
        found.retain(|file| {
            let inside = file.parent();
            let is_main = file.ends_with("main.rs");
            inside == Some(&folder) || is_main && inside.and_then(Path::parent) == Some(&folder)
        });
        found.sort();
        for program in iter::once(self.dir.join("src/main.rs")).chain(found) {
            if !programs.contains(&program) {
                programs.push(program);
            }
        }
        programs.retain(|program| self.files.is_file(program));
        programs
    }

    /// Returns the folder of the API types.
    ///
    /// The setting `apis` decides. Without it, the folder is `pkg/apis` or else `src/apis`, if it
    /// exists. Without these folders, it is the folder of the crate's root file if the crate has
    /// kinds of kube's derive or stated kinds. Otherwise, it is `apis` beside that file, whether it
    /// exists or not: the file may have an inline `mod apis`.
    ///
    /// `src/apis` does not count if it lacks `#[genclient]`, while the rest of the crate has kinds
    /// of kube's derive.
    pub(in crate::project) fn apis(&self) -> PathBuf {
        if let Some(apis) = &self.settings().apis {
            return normalize(&self.dir.join(apis));
        }
        let pkg = self.dir.join("pkg/apis");
        let src = self.dir.join("src/apis");
        let root = self.crate_root();
        match (self.exists(&pkg), self.exists(&src)) {
            (false, true) if !self.kinds_are_elsewhere(&src) => src,
            (false, _) if self.has_kube_types(&root) || !self.settings().kinds.is_empty() => {
                self.source_dir()
            }
            (false, false) if self.library().is_some() || self.files.is_file(&root) => {
                root.with_file_name("apis")
            }
            _ => pkg,
        }
    }

    /// Returns the folder of the crate's root file.
    pub(in crate::project) fn source_dir(&self) -> PathBuf {
        let root = self.crate_root();
        root.parent().unwrap_or(&self.dir).to_owned()
    }

    /// Returns whether kube's derive may be used below the folder of a crate's root file. The check
    /// searches the text, so that most crates need no parsing.
    fn has_kube_types(&self, root: &Path) -> bool {
        let folder = root.parent().unwrap_or(&self.dir);
        let files = self.files.rust_files(folder);
        files.iter().any(|file| self.file_derives_kind(file))
    }

    fn file_derives_kind(&self, file: &Path) -> bool {
        self.files.read(file).is_ok_and(|text| derives_kind(&text))
    }

    /// Returns whether a library has kinds outside of a program's folder.
    fn has_kinds_outside(&self, library: &Path, program: &Path) -> bool {
        let folder = library.parent().unwrap_or(&self.dir);
        let inside = program.parent().unwrap_or(program);
        let mut files = self.files.rust_files(folder);
        files.retain(|file| !file.starts_with(inside));
        files.iter().any(|file| self.file_may_have_kind(file))
    }

    /// Returns whether the module `apis` has no `#[genclient]`, while the rest of the crate has
    /// kinds of kube's derive.
    fn kinds_are_elsewhere(&self, apis: &Path) -> bool {
        let root = self.crate_root();
        let folder = root.parent().unwrap_or(&self.dir);
        let (inside, outside): (Vec<_>, Vec<_>) = self
            .files
            .rust_files(folder)
            .into_iter()
            .partition(|file| file.starts_with(apis) || *file == apis.with_extension("rs"));
        let read = |file: &PathBuf| self.files.read(file).unwrap_or_default();
        !inside.iter().any(|file| read(file).contains(RESOURCE))
            && outside.iter().any(|file| derives_kind(&read(file)))
    }

    fn file_may_have_kind(&self, file: &Path) -> bool {
        self.files.read(file).is_ok_and(|text| may_have_kind(&text))
    }

    /// Returns the folder of the admission webhooks: the setting, or else `webhook` beside the API
    /// types if it exists.
    pub(in crate::project) fn webhooks(&self) -> Option<PathBuf> {
        if let Some(webhooks) = &self.settings().webhooks {
            return Some(normalize(&self.dir.join(webhooks)));
        }
        let beside = self.beside("webhook");
        self.exists(&beside).then_some(beside)
    }

    /// Returns the folder of the controllers: the setting, or else `controller` beside the API
    /// types. `controller` may be unrelated code, so it is read only if a file there has RBAC rules
    /// or the package has deployment settings.
    pub(in crate::project) fn controllers(&self) -> Option<PathBuf> {
        if let Some(controllers) = &self.settings().controllers {
            return Some(normalize(&self.dir.join(controllers)));
        }
        let beside = self.beside("controller");
        let mut files = self.files.rust_files(&beside);
        files.push(beside.with_extension("rs"));
        let is_deployed = self.settings().deploy.is_some();
        let has_rules = |file: &PathBuf| {
            let text = self.files.read(file);
            text.is_ok_and(|text| is_deployed || text.contains("rbac("))
        };
        files.iter().any(has_rules).then_some(beside)
    }

    /// Returns the path of a module beside the API types.
    fn beside(&self, name: &str) -> PathBuf {
        match self.apis() {
            apis if apis == self.source_dir() => apis.join(name),
            apis => apis.with_file_name(name),
        }
    }

    /// Returns the folder of the manifests, with `crd/`, `rbac/` and `webhook/`.
    pub(in crate::project) fn config(&self) -> PathBuf {
        let config = self.settings().config.as_deref().unwrap_or("config");
        normalize(&self.dir.join(config))
    }

    /// Returns whether the package has settings, or has kinds in the folder of the API types.
    pub(in crate::project) fn has_apis(&self) -> bool {
        self.is_set_up() || self.has_folder() && self.has_kinds()
    }

    pub(in crate::project) fn is_set_up(&self) -> bool {
        let package = self.content.package.as_ref();
        package.is_some_and(|package| package.metadata.genclient.is_some())
    }

    /// Returns whether the folder or file of the API types exists.
    pub(in crate::project) fn has_folder(&self) -> bool {
        self.content.package.is_some() && self.exists(&self.apis())
    }

    fn has_kinds(&self) -> bool {
        let apis = self.apis();
        let mut files = self.files.rust_files(&apis);
        files.push(apis.with_extension("rs"));
        files.iter().any(|file| self.file_may_have_kind(file))
    }

    fn exists(&self, apis: &Path) -> bool {
        self.files.is_dir(apis) || self.files.is_file(&apis.with_extension("rs"))
    }
}

/// Start of the attribute `#[genclient]`, which marks a kind.
pub(crate) const RESOURCE: &str = "#[genclient";

/// Name of kube's derive, which makes a type a kind.
pub(crate) const CUSTOM_RESOURCE: &str = "CustomResource";

/// Returns whether a file may have a kind, by genclient's attribute or kube's derive.
pub fn may_have_kind(text: &str) -> bool {
    text.contains(RESOURCE) || derives_kind(text)
}

/// Returns whether a type in a file may derive `CustomResource`. A file that only mentions the name
/// may match, too.
pub(crate) fn derives_kind(text: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    text.contains("derive(")
        && text.match_indices(CUSTOM_RESOURCE).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let after = text[at + CUSTOM_RESOURCE.len()..].chars().next();
            // `CustomResourceExt`, and the name in quotes, do not match.
            !after.is_some_and(is_name) && !before.is_some_and(|c| is_name(c) || "\"`".contains(c))
        })
}

#[cfg(test)]
mod tests {
    use super::derives_kind;

    #[test]
    fn custom_resource_derives_are_recognized() {
        for (text, expected) in [
            ("#[derive(CustomResource)]", true),
            (
                "use kube::CustomResource;\n#[derive(Clone, CustomResource)]",
                true,
            ),
            ("#[derive(Clone, kube::CustomResource)]", true),
            (
                "#[cfg_attr(feature = \"crd\", derive(kube::CustomResource))]",
                true,
            ),
            ("use kube::CustomResourceExt;\n#[derive(Clone)]", false),
            ("//! `CustomResource`\n#[derive(Clone)]", false),
            ("use kube::CustomResource;", false),
        ] {
            assert_eq!(derives_kind(text), expected, "{text}");
        }
    }
}
