//! Manifests: objects from YAML and JSON files, in the order in which the server creates them.
//! [`object`] reads a file with one object.

use std::io;
use std::path::{Path, PathBuf};

use genclient_apimachinery::unstructured::flatten_list;
use genclient_schema::yaml;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::decode::large_stack::on_large_stack;
use crate::kinds::Kinds;
use crate::text_file;

/// Object from a file, or from a Rust value given to the server's builder.
#[derive(Clone, Debug)]
pub(crate) struct Manifest {
    /// Path of the file, or empty if the object is not from a file.
    source: String,
    pub(crate) object: Value,
}

/// Reads a file, or the `.yaml`, `.yml` and `.json` files of a folder in the order of their names.
///
/// # Errors
///
/// A message for each file or folder that cannot be read or parsed, with its path.
pub(crate) fn read_manifests(path: &Path) -> Result<Vec<Manifest>, Vec<String>> {
    let failed = |error: io::Error| vec![format!("{}: {error}", path.display())];
    if !path.is_dir() {
        return read_file(path).map_err(|error| vec![error]);
    }
    let entries = std::fs::read_dir(path).map_err(failed)?;
    let paths: io::Result<Vec<PathBuf>> = entries.map(|entry| Ok(entry?.path())).collect();
    let mut paths = paths.map_err(failed)?;
    paths.retain(|path| {
        let extension = path.extension().and_then(|it| it.to_str());
        matches!(extension, Some("yaml" | "yml" | "json")) && path.is_file()
    });
    paths.sort();
    let (mut manifests, mut errors) = (Vec::new(), Vec::new());
    for path in paths {
        match read_file(&path) {
            Ok(found) => manifests.extend(found),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() {
        Ok(manifests)
    } else {
        Err(errors)
    }
}

fn read_file(path: &Path) -> Result<Vec<Manifest>, String> {
    let source = path.display().to_string();
    let text = text_file::read_text_file(path).map_err(|error| format!("{source}: {error}"))?;
    let documents = on_large_stack(|| {
        serde_saphyr::from_multiple_with_options::<Value>(&text, yaml::options(&text))
            .map_err(|error| error.to_string())
    })
    .flatten()
    .map_err(|error| format!("{source}: {error}"))?;
    let objects = documents
        .into_iter()
        .flat_map(flatten_list)
        .filter(|object| !object.is_null() && !is_no_object(object));
    Ok(objects
        .map(|object| Manifest {
            source: source.clone(),
            object,
        })
        .collect())
}

/// Returns whether a document is no object: it has no `kind`, or the `apiVersion` of Kustomize. A
/// `kustomization.yaml` beside the manifests may omit both.
fn is_no_object(object: &Value) -> bool {
    let version = object["apiVersion"].as_str().unwrap_or_default();
    version.starts_with("kustomize.config.k8s.io/") || object.get("kind").is_none()
}

/// Sorts CustomResourceDefinitions first, then Namespaces, then all others. The sort is stable, so
/// that objects are otherwise created in the order of their files.
pub(crate) fn sort_for_creation(manifests: &mut [Manifest]) {
    manifests.sort_by_key(|manifest| match &manifest.object["kind"] {
        _ if manifest.is_definition() => 0,
        Value::String(kind) if kind == "Namespace" => 1,
        _ => 2,
    });
}

impl Manifest {
    /// Returns the manifest of an object that is not from a file.
    pub(crate) fn from_object(object: Value) -> Self {
        Self {
            source: String::new(),
            object,
        }
    }

    pub(crate) fn is_definition(&self) -> bool {
        self.object["kind"] == "CustomResourceDefinition"
    }

    /// Prefixes an error message with the path of the file, if the object is from a file.
    pub(crate) fn with_source(&self, message: &str) -> String {
        match &*self.source {
            "" => message.to_owned(),
            source => format!("{source}: {message}"),
        }
    }

    /// Returns the URL path to which the object is posted.
    ///
    /// # Errors
    ///
    /// If the server does not serve the kind. The message is kubectl's.
    pub(crate) fn create_path(&self, kinds: &Kinds) -> Result<String, String> {
        let str_field = |field: &str| self.object[field].as_str().unwrap_or_default();
        let (api_version, kind) = (str_field("apiVersion"), str_field("kind"));
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let served = kinds.of_kind(group, version, kind).into_iter().next();
        let (plural, is_namespaced) = served.ok_or_else(|| {
            format!("no matches for kind \"{kind}\" in version \"{api_version}\"")
        })?;
        let root = match group {
            "" => format!("/api/{version}"),
            group => format!("/apis/{group}/{version}"),
        };
        let namespace = match &self.object["metadata"]["namespace"] {
            Value::String(namespace) if !namespace.is_empty() => namespace,
            _ => "default",
        };
        Ok(if is_namespaced {
            format!("{root}/namespaces/{namespace}/{plural}")
        } else {
            format!("{root}/{plural}")
        })
    }
}

/// Reads the object in a YAML or JSON file, such as a sample.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("sample.yaml");
/// # std::fs::write(&path, "apiVersion: v1\nkind: Pod\nmetadata:\n  name: sample\n")?;
/// use k8s_openapi::api::core::v1::Pod;
///
/// let pod: Pod = genclient_apiserver::object(&path)?;
/// assert_eq!(pod.metadata.name.as_deref(), Some("sample"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// If the file cannot be read, does not contain exactly one object, or the object is not a `T`.
pub fn object<T: DeserializeOwned>(path: impl AsRef<Path>) -> Result<T, ObjectFileError> {
    let path = path.as_ref();
    let failed = |why: String| ObjectFileError(format!("{}: {why}", path.display()));
    let manifests = read_manifests(path).map_err(|errors| ObjectFileError(errors.join("\n")))?;
    let objects: Vec<Value> = manifests
        .into_iter()
        .map(|manifest| manifest.object)
        .collect();
    let count = objects.len();
    let [object] = <[Value; 1]>::try_from(objects)
        .map_err(|_| failed(format!("{count} objects, where one is expected")))?;
    serde_json::from_value(object).map_err(|error| failed(error.to_string()))
}

/// Error of [`object()`]: the file cannot be read, or does not contain one object of the expected
/// type.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub struct ObjectFileError(String);

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lists_are_expanded_and_crds_are_sorted_first() {
        let folder = std::env::temp_dir().join(format!("manifests-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let list = "kind: List\napiVersion: v1\nitems:\n- {kind: ConfigMap}\n- {kind: Pod}\n";
        let files = [
            ("a.yaml", list),
            (
                "b.yml",
                "---\nkind: Namespace\n---\n---\nkind: CustomResourceDefinition\n",
            ),
            ("c.json", "{\"kind\": \"Secret\"}"),
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("notes.txt", "kind: Nothing"),
        ];
        for (name, text) in files {
            std::fs::write(folder.join(name), text).unwrap();
        }
        let mut manifests = read_manifests(&folder).unwrap();
        sort_for_creation(&mut manifests);
        let kinds: Vec<_> = manifests
            .iter()
            .map(|it| it.object["kind"].clone())
            .collect();
        std::fs::write(folder.join("broken.yaml"), "a: [").unwrap();
        let errors = read_manifests(&folder).unwrap_err();
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(
            json!(kinds),
            json!([
                "CustomResourceDefinition",
                "Namespace",
                "ConfigMap",
                "Pod",
                "Secret"
            ])
        );
        assert!(errors[0].contains("broken.yaml: "), "{errors:?}");
    }
}
