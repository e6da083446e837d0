//! Stated kinds: kinds that Cargo.toml describes, with the definitions that programs write.

use std::path::PathBuf;
use std::sync::Arc;

use genclient_apimachinery::unstructured::{flatten_list, str_or_empty};
use genclient_schema::yaml;
use serde_json::Value;

use super::kind_table::{KindTable, StatedNames};
use super::manifest::CargoManifest;
use crate::diagnostic::{Diagnostic, Diagnostics, Location};
use crate::model::{GroupKind, Scope};
use crate::paths::normalize;

/// A kind that Cargo.toml describes.
#[derive(Clone, Debug, PartialEq)]
pub struct StatedKind {
    /// The path of its type in generated code: `crate::Task`.
    pub type_path: String,
    /// The API group.
    pub group: String,
    /// The version of the type.
    pub version: String,
    /// The kind.
    pub kind: String,
    /// Its plural.
    pub plural: String,
    /// Whether its objects live in namespaces.
    pub scope: Scope,
    /// Whether there is a status subresource.
    pub status: bool,
    /// Whether there is a scale subresource.
    pub scale: bool,
    /// The definition, if a file contains it.
    pub definition: Option<StatedDefinition>,
    /// The location of the type's path in Cargo.toml.
    pub place: Option<Location>,
}

/// Stated definition: the CRD file of a stated kind, written by a program.
#[derive(Clone, Debug, PartialEq)]
pub struct StatedDefinition {
    /// The file.
    pub path: PathBuf,
    /// The parsed CRD.
    pub document: Value,
}

impl StatedKind {
    pub(crate) fn name(&self) -> GroupKind {
        GroupKind {
            group: self.group.clone(),
            kind: self.kind.clone(),
        }
    }

    pub(crate) fn type_name(&self) -> &str {
        last_segment(&self.type_path)
    }

    /// Returns the path of the module of its type.
    pub(crate) fn module(&self) -> &str {
        let above = self.type_path.rsplit_once("::");
        above.map_or("", |(module, _)| module)
    }
}

fn last_segment(path: &str) -> &str {
    path.rsplit_once("::").map_or(path, |(_, last)| last)
}

/// Returns the stated kinds of a manifest. `owner` is the manifest of the package with the clients.
///
/// # Errors
///
/// A file cannot be read or parsed, or lacks the definition or version that a table names.
pub(super) fn stated_kinds(
    manifest: &CargoManifest,
    owner: &CargoManifest,
) -> Result<Vec<StatedKind>, Diagnostics> {
    let tables = &manifest.settings().kinds;
    let kinds = tables
        .iter()
        .map(|table| stated_kind(table, manifest, owner));
    kinds.collect()
}

fn stated_kind(
    table: &KindTable,
    manifest: &CargoManifest,
    owner: &CargoManifest,
) -> Result<StatedKind, Diagnostics> {
    let place = Location {
        source: Arc::clone(manifest.source()),
        span: table.type_path.span(),
    };
    let written = table.type_path.get_ref().trim_start_matches("::");
    let type_path = match written.strip_prefix("crate::") {
        Some(below) if owner.dir() != manifest.dir() => {
            format!("{}::{below}", manifest.crate_name())
        }
        _ => written.to_owned(),
    };
    let stated = match &table.names {
        StatedNames::Here {
            group,
            version,
            kind,
            plural,
            scope,
            status,
        } => StatedKind {
            type_path,
            group: group.clone(),
            version: version.clone(),
            kind: kind.clone(),
            plural: plural.clone(),
            scope: *scope,
            status: *status,
            scale: false,
            definition: None,
            place: None,
        },
        StatedNames::InFile {
            file,
            kind,
            version,
        } => {
            let path = normalize(&manifest.dir().join(file));
            let selected = SelectedDefinition {
                kind: kind.as_deref(),
                version: version.as_deref(),
            };
            kind_in_file(path, type_path, selected, manifest)
                .map_err(|error| error.at(place.clone()))?
        }
    };
    Ok(StatedKind {
        place: Some(place),
        ..stated
    })
}

/// The definition that a table selects in a file, and a version of it.
#[derive(Clone, Copy)]
struct SelectedDefinition<'a> {
    /// `None` for the kind with the type's name, or the only kind.
    kind: Option<&'a str>,
    /// `None` for the storage version.
    version: Option<&'a str>,
}

/// Returns a kind whose definition is in a file.
fn kind_in_file(
    path: PathBuf,
    type_path: String,
    selected: SelectedDefinition<'_>,
    manifest: &CargoManifest,
) -> Result<StatedKind, Diagnostic> {
    let place = manifest.files().shown(&path);
    let text = manifest.files().read_to_string(&path).map_err(|error| {
        Diagnostic::error(format!("cannot read the CRD {place}: {error}")).help(WRITE_HELP)
    })?;
    let documents = yaml::documents(&text, &place)?;
    let document = find_definition(documents, &place, selected.kind, last_segment(&type_path))?;
    let version = find_version(&document, selected.version, &place)?;
    let (spec, subresources) = (&document["spec"], &version["subresources"]);
    Ok(StatedKind {
        type_path,
        group: str_or_empty(&spec["group"]).to_owned(),
        version: str_or_empty(&version["name"]).to_owned(),
        kind: str_or_empty(&spec["names"]["kind"]).to_owned(),
        plural: str_or_empty(&spec["names"]["plural"]).to_owned(),
        scope: if spec["scope"] == "Cluster" {
            Scope::Cluster
        } else {
            Scope::Namespaced
        },
        status: subresources["status"].is_object(),
        scale: subresources["scale"].is_object(),
        definition: Some(StatedDefinition { path, document }),
        place: None,
    })
}

/// Help for a missing definition.
const WRITE_HELP: &str = "let the program that defines the kind write the file, or fix `crd`";

/// Returns the definition of `kind` among the documents of a file. Without `kind`, returns the
/// definition of a kind with the type's name, or else the only definition.
fn find_definition(
    documents: Vec<Value>,
    place: &str,
    kind: Option<&str>,
    type_name: &str,
) -> Result<Value, Diagnostic> {
    let mut definitions: Vec<_> = documents
        .into_iter()
        .flat_map(flatten_list)
        .filter(|document| {
            document["kind"] == "CustomResourceDefinition"
                && document["apiVersion"] == "apiextensions.k8s.io/v1"
        })
        .collect();
    if definitions.is_empty() {
        return Err(Diagnostic::error(format!(
            "{place} has no CustomResourceDefinition of `apiextensions.k8s.io/v1`"
        ))
        .help(WRITE_HELP));
    }
    let name = kind.unwrap_or(type_name);
    let kind_of =
        |definition: &Value| str_or_empty(&definition["spec"]["names"]["kind"]).to_owned();
    let is_meant = |definition: &Value| kind_of(definition) == name;
    match definitions.iter().position(is_meant) {
        Some(at) => Ok(definitions.swap_remove(at)),
        None if kind.is_none() && definitions.len() == 1 => Ok(definitions.remove(0)),
        None => {
            let kinds: Vec<_> = definitions.iter().map(kind_of).collect();
            let help = format!("set `kind` to one of its kinds: `{}`", kinds.join("`, `"));
            Err(Diagnostic::error(format!("{place} has no definition of `{name}`")).help(help))
        }
    }
}

/// Returns the version called `version`; without a name, the storage version.
fn find_version<'d>(
    document: &'d Value,
    version: Option<&str>,
    place: &str,
) -> Result<&'d Value, Diagnostic> {
    let versions = document["spec"]["versions"].as_array();
    let mut all = versions.into_iter().flatten();
    let is_meant = |found: &&Value| match version {
        Some(name) => found["name"] == name,
        None => found["storage"] == true,
    };
    all.find(is_meant).ok_or_else(|| {
        let names: Vec<_> = versions
            .into_iter()
            .flatten()
            .map(|version| str_or_empty(&version["name"]).to_owned())
            .collect();
        let which = match version {
            Some(name) => format!("version `{name}`"),
            None => "storage version".to_owned(),
        };
        let message = format!("the definition in {place} has no {which}");
        let help = format!(
            "set `version` to one of its versions: `{}`",
            names.join("`, `")
        );
        Diagnostic::error(message).help(help)
    })
}
