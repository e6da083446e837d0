//! Tables `[[package.metadata.genclient.kinds]]` of stated kinds, as written in Cargo.toml.

use genclient_syntax::{dns, names};
use serde::Deserialize;
use toml::Spanned;

use super::toml_errors::HELP_SEPARATOR;
use crate::model::Scope;

/// A stated kind, with a type that a macro or a build generates.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "WrittenTable")]
pub(super) struct KindTable {
    pub(super) type_path: Spanned<String>,
    pub(super) names: StatedNames,
}

/// Source of a stated kind's names.
#[derive(Clone, Debug)]
pub(super) enum StatedNames {
    /// A file contains the CRD. `kind` selects a CRD in the file, and `version` one of its
    /// versions, by default the storage version.
    InFile {
        file: String,
        kind: Option<String>,
        version: Option<String>,
    },
    /// The table has the names itself.
    Here {
        group: String,
        version: String,
        kind: String,
        plural: String,
        scope: Scope,
        status: bool,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct WrittenTable {
    #[serde(rename = "type")]
    type_path: Spanned<String>,
    crd: Option<String>,
    group: Option<String>,
    version: Option<String>,
    kind: Option<String>,
    plural: Option<String>,
    scope: Option<WrittenScope>,
    status: Option<bool>,
}

#[derive(Deserialize)]
enum WrittenScope {
    Namespaced,
    Cluster,
}

impl TryFrom<WrittenTable> for KindTable {
    type Error = String;

    fn try_from(written: WrittenTable) -> Result<Self, String> {
        check_type_path(written.type_path.get_ref())?;
        let names = match written.crd {
            Some(file) => {
                let beside = [
                    ("group", written.group.is_some()),
                    ("plural", written.plural.is_some()),
                    ("scope", written.scope.is_some()),
                    ("status", written.status.is_some()),
                ];
                if let Some((key, _)) = beside.iter().find(|(_, is_stated)| *is_stated) {
                    return Err(format!(
                        "`{key}` cannot be combined with `crd`{HELP_SEPARATOR}remove `{key}`: the file of `crd` has it"
                    ));
                }
                StatedNames::InFile {
                    file,
                    kind: written.kind,
                    version: written.version,
                }
            }
            None => StatedNames::Here {
                group: validate_key("group", written.group, dns::is_subdomain)?,
                version: validate_key("version", written.version, dns::is_label)?,
                kind: validate_key("kind", written.kind, names::is_kind)?,
                plural: validate_key("plural", written.plural, dns::is_label)?,
                scope: match require_key("scope", written.scope)? {
                    WrittenScope::Namespaced => Scope::Namespaced,
                    WrittenScope::Cluster => Scope::Cluster,
                },
                status: written.status.unwrap_or_default(),
            },
        };
        Ok(Self {
            type_path: written.type_path,
            names,
        })
    }
}

/// Checks that the path of a type begins with a crate and has no generic arguments. `self` and
/// `super` are refused, because they have another meaning in the modules of generated code.
fn check_type_path(path: &str) -> Result<(), String> {
    let parsed = syn::parse_str::<syn::Path>(path).ok();
    let is_absolute = parsed.is_some_and(|path| {
        let is_plain = path.segments.iter().all(|it| it.arguments.is_none());
        let first = path.segments.first().map(|first| first.ident.to_string());
        let is_relative = matches!(first.as_deref(), Some("self" | "super" | "Self"));
        is_plain && path.segments.len() > 1 && !is_relative
    });
    if is_absolute {
        Ok(())
    } else {
        Err(format!(
            "expected the path of a type from its crate, found `{path}`{HELP_SEPARATOR}start with the crate: `type = \"crate::apis::Task\"`"
        ))
    }
}

fn require_key<T>(key: &str, value: Option<T>) -> Result<T, String> {
    value.ok_or_else(|| {
        format!(
            "a kind without `crd` needs `group`, `version`, `kind`, `plural` and `scope`{HELP_SEPARATOR}add `{key} = \"..\"`, or \
             name the file that the program writes: `crd = \"..\"`"
        )
    })
}

/// Returns the value of a required key if `is_valid` accepts it.
fn validate_key(
    key: &str,
    value: Option<String>,
    is_valid: impl Fn(&str) -> bool,
) -> Result<String, String> {
    let value = require_key(key, value)?;
    if is_valid(&value) {
        Ok(value)
    } else {
        Err(format!(
            "invalid {key} `{value}`{HELP_SEPARATOR}use the {key} of the CRD"
        ))
    }
}
