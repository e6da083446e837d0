//! `genclient init`: scaffolding of a new project without kinds.

use std::path::{Path, PathBuf};

use genclient_codegen::{Diagnostic, Diagnostics, rust};

use super::files::Scaffold;
use super::{modules, names, testing};

/// A new project.
#[derive(Clone, Debug)]
pub(crate) struct Init {
    /// The name of the project and its package.
    pub(crate) name: String,
    /// The domain suffix of its API groups.
    pub(crate) domain: String,
    /// Whether the manager is restricted to one namespace.
    pub(crate) namespaced: bool,
    pub(crate) license: License,
    pub(crate) dependencies: CrateSource,
}

/// The license of a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum License {
    /// Apache License 2.0
    Apache2,
    /// None
    None,
}

/// The source of genclient's crates.
#[derive(Clone, Debug)]
pub(crate) enum CrateSource {
    /// The registry, with the version of this program.
    Released,
    /// A checkout of genclient.
    Path(PathBuf),
}

impl CrateSource {
    /// The arguments with which `cargo install` finds a program.
    fn installed(&self, folder: &str, package: &str) -> String {
        match self {
            Self::Released => format!("--locked {package}"),
            Self::Path(checkout) => format!("--path {}", checkout.join(folder).display()),
        }
    }

    /// The dependency on a crate: `"0.1.0"`, or a table with version or path, and other keys.
    fn requirement(&self, folder: &str, keys: &str) -> String {
        let source = match self {
            Self::Released => {
                let version = concat!("\"", env!("CARGO_PKG_VERSION"), "\"");
                if keys.is_empty() {
                    return version.to_owned();
                }
                format!("version = {version}")
            }
            Self::Path(checkout) => {
                let path = checkout.join(folder);
                format!("path = {}", toml_string(&path.display().to_string()))
            }
        };
        match keys {
            "" => format!("{{ {source} }}"),
            _ => format!("{{ {source}, {keys} }}"),
        }
    }
}

/// The profile of a standalone package. Its own code keeps its debug information.
const CARGO_PROFILE: &str = include_str!("templates/profile.toml.tmpl");

impl Init {
    /// Collects the files of the project below `root`.
    ///
    /// # Errors
    ///
    /// The name or the domain is invalid, the folder contains a package, a parent workspace neither
    /// includes nor excludes the folder, or a file exists already.
    pub(crate) fn plan(&self, root: &Path) -> Result<Scaffold, Diagnostics> {
        let mut files = Scaffold::new(root, "2024");
        names::check_project(&self.name, files.sink());
        names::check_domain(&self.domain, files.sink());
        let is_member = self.check_place(root, &mut files);
        if files.is_refused() {
            return files.finish();
        }
        let name = &self.name;
        let crate_name = name.replace('-', "_");
        // Cargo reads the profiles of a workspace from its root only.
        let profile = if is_member { "" } else { CARGO_PROFILE };
        files.create("Cargo.toml", self.manifest() + profile);
        files.create(
            "src/main.rs",
            rust!(name, crate_name => include_str!("templates/main.rs.tmpl")),
        );
        files.create(
            "pkg/lib.rs",
            rust!(name => include_str!("templates/lib.rs.tmpl")),
        );
        files.create(testing::END_TO_END_TEST, self.end_to_end_test(&crate_name));
        files.create("pkg/apis/mod.rs", "//! API types, by group and version.\n");
        files.create("pkg/controller/mod.rs", modules::CONTROLLER_LIST);
        files.create("pkg/webhook/mod.rs", modules::WEBHOOK_LIST);
        files.create_or_keep(".gitignore", include_str!("templates/gitignore.tmpl"));
        let program = self
            .dependencies
            .installed("codegen/cli", "cargo-genclient");
        let server = self
            .dependencies
            .installed("runtime/apiserver", "genclient-apiserver");
        files.create_or_keep(
            "README.md",
            rust!(name, program, server => include_str!("templates/README.md.tmpl")),
        );
        if is_member {
            self.add_build_in_workspace(&mut files);
        } else {
            self.add_own_build(&mut files);
        }
        files.finish()
    }

    /// Adds the Dockerfile and the CI workflow of a standalone package.
    fn add_own_build(&self, files: &mut Scaffold) {
        let name = &self.name;
        files.create(
            "Dockerfile",
            rust!(name => include_str!("templates/Dockerfile.tmpl")),
        );
        files.create_or_keep(".dockerignore", include_str!("templates/dockerignore.tmpl"));
        files.create(
            ".github/workflows/ci.yml",
            include_str!("templates/ci.yml.tmpl"),
        );
    }

    /// Adds the Dockerfile of a workspace member. The build context is the workspace, for its
    /// Cargo.lock. No CI workflow is added: GitHub reads workflows only from the repository's root.
    fn add_build_in_workspace(&self, files: &mut Scaffold) {
        let name = &self.name;
        files.create(
            "Dockerfile",
            rust!(name => include_str!("templates/Dockerfile.member.tmpl")),
        );
        files.create(
            "Dockerfile.dockerignore",
            include_str!("templates/dockerignore.member.tmpl"),
        );
        files.add_manual_step(format!(
            "in the CI of the workspace: run `genclient verify -p {name}` beside its tests"
        ));
    }

    /// The test on a real API server. It reads the manifests, samples, controllers and webhooks of
    /// the package, so that no later command needs to change it.
    fn end_to_end_test(&self, crate_name: &str) -> String {
        let name = &self.name;
        let namespaces = if self.namespaced {
            format!(".namespaces([\"{name}-system\"])")
        } else {
            String::new()
        };
        rust!(name, crate_name, namespaces => include_str!("templates/e2e.rs.tmpl"))
    }

    fn manifest(&self) -> String {
        let (name, domain) = (&self.name, &self.domain);
        let license = match self.license {
            License::Apache2 => "license = \"Apache-2.0\"",
            License::None => "",
        };
        let namespaced = if self.namespaced {
            "namespaced = true"
        } else {
            ""
        };
        let genclient = self.dependencies.requirement("runtime", "");
        let controller = self
            .dependencies
            .requirement("runtime/controller", "features = [\"webhook\"]");
        let envtest = self
            .dependencies
            .requirement("runtime/envtest", "optional = true");
        let apiserver = self.dependencies.requirement("runtime/apiserver", "");
        rust!(name, domain, license, namespaced, genclient, controller, envtest, apiserver =>
            include_str!("templates/Cargo.toml.tmpl"))
    }

    /// Reports a folder that already contains a package, or that the workspace above neither
    /// includes nor excludes. Returns whether the new package belongs to a workspace.
    fn check_place(&self, root: &Path, files: &mut Scaffold) -> bool {
        if files.has("Cargo.toml") {
            let text = files.read_text("Cargo.toml").unwrap_or_default();
            let wrong = if text.contains("[package.metadata.genclient]") {
                Diagnostic::error("this folder already contains a project")
                    .help("add a kind to it: `genclient create api --group webapp --version v1 --kind Guestbook`")
            } else {
                Diagnostic::error("this folder already contains a package")
                    .help("create a folder for the project: `mkdir operator && cd operator`, then run `genclient init` again")
            };
            files.report(wrong);
            return false;
        }
        let mut workspaces = root.ancestors().skip(1).filter_map(|above| {
            let manifest =
                genclient_codegen::file_system::read_text_file(&above.join("Cargo.toml")).ok()?;
            Some((above, parse_workspace(&manifest)?))
        });
        let Some((above, workspace)) = workspaces.next() else {
            return false;
        };
        let below = root.strip_prefix(above).unwrap_or(root);
        if workspace.excludes(below) {
            return false;
        }
        if !workspace.has_member(below) {
            let manifest = genclient_codegen::file_system::display_path(&above.join("Cargo.toml"));
            let member = format!("`members = [\"{}\"]`", below.display());
            let exclude = format!("`exclude = [\"{}\"]`", below.display());
            files.report(
                Diagnostic::error(format!(
                    "this package would not be a member of the workspace {manifest}"
                ))
                .help(format!(
                    "add {member} to its `[workspace]`, or {exclude}; or choose a folder outside of it"
                )),
            );
        }
        true
    }
}

/// The folders that a workspace includes, by patterns, and those that it excludes.
#[derive(Default, serde::Deserialize)]
#[serde(default)]
struct WorkspaceFolders {
    members: Vec<String>,
    exclude: Vec<String>,
}

impl WorkspaceFolders {
    fn has_member(&self, folder: &Path) -> bool {
        let options = glob::MatchOptions {
            require_literal_separator: true,
            ..glob::MatchOptions::new()
        };
        let is_named = |pattern: &String| {
            let pattern = glob::Pattern::new(pattern.trim_start_matches("./"));
            pattern.is_ok_and(|pattern| pattern.matches_path_with(folder, options))
        };
        self.members.iter().any(is_named)
    }

    fn excludes(&self, folder: &Path) -> bool {
        let is_above = |excluded: &String| folder.starts_with(excluded.trim_start_matches("./"));
        self.exclude.iter().any(is_above)
    }
}

/// The workspace of a manifest, if it declares one.
fn parse_workspace(manifest: &str) -> Option<WorkspaceFolders> {
    #[derive(serde::Deserialize)]
    struct WorkspaceManifest {
        workspace: Option<WorkspaceFolders>,
    }
    toml::from_str::<WorkspaceManifest>(manifest)
        .ok()?
        .workspace
}

fn toml_string(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
