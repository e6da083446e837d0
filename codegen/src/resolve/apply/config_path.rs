//! Paths of apply configurations: those of the types that they are of, with a suffix.

use genclient_syntax::names;

use crate::model::{Artefact, TypeName};
use crate::project::Project;

/// Path of an apply configuration below its artefact's module.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ConfigPath {
    pub(super) modules: Vec<String>,
    /// `GPUTaskApply`.
    pub(super) name: String,
}

impl ConfigPath {
    /// Returns the path of the configuration of a variant's fields, beside that of its enum.
    pub(super) fn of_variant(&self, variant: &str) -> Self {
        let of_enum = self.name.strip_suffix(SUFFIX).unwrap_or(&self.name);
        Self {
            modules: self.modules.clone(),
            name: format!("{of_enum}{variant}{SUFFIX}"),
        }
    }

    /// Returns the path in generated code.
    pub(super) fn type_name(&self, project: &Project) -> TypeName {
        let root = Artefact::ApplyConfiguration.module();
        let modules = self.modules.iter().map(String::as_str);
        let below: Vec<_> = modules.chain([&*self.name]).collect();
        name_of(&format!(
            "{}::{root}::{}",
            project.client.path,
            below.join("::")
        ))
    }
}

const SUFFIX: &str = "Apply";

/// Returns the path of the configuration of the type at `path` in generated code. The
/// configuration of a type in the API module has the path of the type below that module, and that
/// of another type its path in its crate.
pub(super) fn config_path(path: &str, project: &Project) -> ConfigPath {
    let in_api = path
        .strip_prefix(&*project.types)
        .and_then(|below| below.strip_prefix("::"));
    let below = match in_api {
        Some(below) => below,
        None => path.split_once("::").map_or(path, |(_, below)| below),
    };
    let mut modules: Vec<_> = below
        .split("::")
        .map(|name| name.strip_prefix("r#").unwrap_or(name))
        .collect();
    let name = modules.pop().unwrap_or_default();
    ConfigPath {
        modules: modules.into_iter().map(names::module).collect(),
        name: format!("{name}{SUFFIX}"),
    }
}

/// Returns a type without arguments.
pub(super) fn name_of(path: &str) -> TypeName {
    TypeName {
        path: path.to_owned(),
        arguments: Vec::new(),
    }
}
