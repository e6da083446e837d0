//! [`object`]: reads the object of a file in tests.

use std::path::Path;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::manifests;

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
/// If the file cannot be read, does not hold exactly one object, or holds one of another type.
pub fn object<T: DeserializeOwned>(path: impl AsRef<Path>) -> Result<T, ObjectFileError> {
    let path = path.as_ref();
    let failed = |why: String| ObjectFileError(format!("{}: {why}", path.display()));
    let found = manifests::read(path).map_err(|errors| ObjectFileError(errors.join("\n")))?;
    let objects: Vec<Value> = found.into_iter().map(|manifest| manifest.object).collect();
    let count = objects.len();
    let [object] = <[Value; 1]>::try_from(objects)
        .map_err(|_| failed(format!("{count} objects, where one is expected")))?;
    serde_json::from_value(object).map_err(|error| failed(error.to_string()))
}

/// File that does not hold one object of the expected type.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub struct ObjectFileError(String);
