//! [`Manifests`]: Kubernetes objects to install in a control plane.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use genclient_apiserver::private::{on_large_stack, read_text_file};
use genclient_schema::yaml;
use serde::Serialize;
use serde_json::Value;

/// Extensions of the files that are read in a folder, as in envtest (`readCRDs` in
/// pkg/envtest/crd.go).
const FILE_EXTENSIONS: [&str; 3] = ["json", "yaml", "yml"];

/// Kubernetes objects to install, such as CustomResourceDefinitions and webhook configurations.
/// They come from values, strings, files or folders.
///
/// ```
/// use genclient_envtest::Manifests;
///
/// let manifests = Manifests::parse("kind: Namespace\n---\nkind: Secret\n")?;
/// assert_eq!(manifests.objects().len(), 2);
/// # Ok::<(), genclient_envtest::ManifestError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Manifests {
    objects: Vec<Value>,
}

/// Error of reading [`Manifests`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ManifestError {
    /// A file or folder does not exist or is not readable.
    #[error("cannot read {}\nhelp: tests run in the folder of their Cargo.toml", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A file is neither YAML nor JSON, or a document in it is not an object.
    #[error("{}: {message}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error message, with the position of a syntax error.
        message: String,
    },
    /// A string is neither YAML nor JSON.
    #[error("{0}")]
    Text(String),
    /// A value or document is not a JSON object.
    #[error("not an object of Kubernetes: {0}")]
    Value(String),
}

impl Manifests {
    /// Creates manifests from values, such as those of a generated client's `crds::all()`.
    ///
    /// # Errors
    ///
    /// [`ManifestError::Value`] if a value is not serialized as a JSON object.
    pub fn new<T: Serialize>(values: impl IntoIterator<Item = T>) -> Result<Self, ManifestError> {
        let mut objects = Vec::new();
        for value in values {
            match serde_json::to_value(value) {
                Ok(value @ Value::Object(_)) => objects.push(value),
                Ok(other) => return Err(ManifestError::Value(other.to_string())),
                Err(error) => return Err(ManifestError::Value(error.to_string())),
            }
        }
        Ok(Self { objects })
    }

    /// Parses YAML with any number of documents, or JSON. Empty documents are skipped. The items of
    /// a `List` replace the `List`.
    ///
    /// # Errors
    ///
    /// [`ManifestError::Text`] with the position if `text` is neither YAML nor JSON.
    /// [`ManifestError::Value`] if a document is not an object.
    pub fn parse(text: &str) -> Result<Self, ManifestError> {
        let documents = on_large_stack(|| {
            serde_saphyr::from_multiple_with_options::<Value>(text, yaml::options(text))
                .map_err(|error| error.to_string())
        })
        .flatten()
        .map_err(ManifestError::Text)?
        .into_iter()
        .filter(|value| !value.is_null());
        Self::new(documents.flat_map(list_items))
    }

    /// Reads files and folders. In a folder, files that end in `.yaml`, `.yml` or `.json` are read
    /// in the order of their names. Subfolders are skipped, and so is `kustomization.yaml`, which
    /// is not an API object.
    ///
    /// # Errors
    ///
    /// A [`ManifestError`] that names the file. A missing path is an error; envtest skips it unless
    /// `ErrorIfPathMissing` is set, as [`read_if_present`](Self::read_if_present) does.
    pub fn read<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Result<Self, ManifestError> {
        let mut all = Self::default();
        for path in paths {
            for file in manifest_files(path.as_ref())? {
                let text = read_text_file(&file).map_err(|source| ManifestError::Read {
                    path: file.clone(),
                    source,
                })?;
                let read = Self::parse(&text).map_err(|error| ManifestError::File {
                    path: file,
                    message: error.to_string(),
                })?;
                all = all.and(read);
            }
        }
        Ok(all)
    }

    /// Like [`read`](Self::read), but a path that does not exist has no objects, as in envtest
    /// without `ErrorIfPathMissing`. A project without webhooks has no `config/webhook`.
    ///
    /// # Errors
    ///
    /// A [`ManifestError`] that names the file.
    pub fn read_if_present<P: AsRef<Path>>(
        paths: impl IntoIterator<Item = P>,
    ) -> Result<Self, ManifestError> {
        // The error about a path that cannot be examined comes from `read`.
        let is_present = |path: &P| path.as_ref().try_exists().unwrap_or(true);
        Self::read(paths.into_iter().filter(is_present))
    }

    /// Appends the objects of `others`.
    #[must_use]
    pub fn and(mut self, others: Self) -> Self {
        self.objects.extend(others.objects);
        self
    }

    /// Returns all objects, in the order in which they were read.
    pub fn objects(&self) -> &[Value] {
        &self.objects
    }

    pub(crate) fn objects_mut(&mut self) -> &mut [Value] {
        &mut self.objects
    }
}

/// Returns the items of an object of kind `List`, or else the object itself.
fn list_items(mut object: Value) -> Vec<Value> {
    match object.get_mut("items").map(Value::take) {
        Some(Value::Array(items)) if object["kind"] == "List" => items,
        Some(items) => {
            object["items"] = items;
            vec![object]
        }
        None => vec![object],
    }
}

fn manifest_files(path: &Path) -> Result<Vec<PathBuf>, ManifestError> {
    let failed = |source| ManifestError::Read {
        path: path.to_owned(),
        source,
    };
    if !fs::metadata(path).map_err(failed)?.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = Vec::new();
    for entry in fs::read_dir(path).map_err(failed)? {
        let file = entry.map_err(failed)?.path();
        let ending = file.extension().and_then(|ending| ending.to_str());
        let is_object = !file.ends_with("kustomization.yaml");
        if is_object && ending.is_some_and(|it| FILE_EXTENSIONS.contains(&it)) && file.is_file() {
            files.push(file);
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn manifest_files_are_read_in_name_order() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("b.yml", "---\nkind: B\n---\n---\nkind: C\nitems: 1\n");
        write("a.json", r#"{"kind": "List", "items": [{"kind": "A"}]}"#);
        write("notes.txt", "kind: D");
        write("kustomization.yaml", "kind: Kustomization");
        fs::create_dir(folder.path().join("c.yaml")).unwrap();
        let read = Manifests::read([folder.path()]).unwrap();
        let expected = [
            json!({"kind": "A"}),
            json!({"kind": "B"}),
            json!({"kind": "C", "items": 1}),
        ];
        assert_eq!(read.objects(), expected);
    }

    #[test]
    fn manifest_errors_name_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("missing");
        let present = Manifests::read_if_present([&missing]).unwrap();
        assert_eq!(present, Manifests::default());
        let error = Manifests::read([&missing]).unwrap_err().to_string();
        assert!(error.starts_with(&format!("cannot read {}\n", missing.display())));
        let broken = folder.path().join("broken.yaml");
        fs::write(&broken, "kind: [").unwrap();
        let error = Manifests::read([&broken]).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("{}: ", broken.display())),
            "{error}"
        );
        assert!(Manifests::read_if_present([&missing, &broken]).is_err());
        let error = Manifests::parse("just text").unwrap_err().to_string();
        assert_eq!(error, "not an object of Kubernetes: \"just text\"");
    }
}
