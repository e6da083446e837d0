//! [`Snapshot`]: all objects of a server, to save and restore.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::authorization;
use crate::kinds::custom;
use crate::server::ApiServer;
use crate::store::{GroupResource, Key};
use crate::stored::{Stored, UNKNOWN_SCHEMA};

/// Copy of all objects of a server, from [`ApiServer::snapshot`].
#[derive(Clone)]
pub struct Snapshot {
    objects: Vec<(GroupResource, Key, Arc<Stored>)>,
}

/// Error of [`Snapshot::save`] or [`Snapshot::load`].
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// The file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A line of the file cannot be parsed.
    #[error("{}:{line}: {source}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// The reason.
        source: serde_json::Error,
    },
}

/// Line of a snapshot file: an object and its resource.
#[derive(Serialize, Deserialize)]
struct SnapshotLine {
    group: String,
    resource: String,
    object: Value,
}

impl ApiServer {
    /// Returns a snapshot of all objects.
    pub fn snapshot(&self) -> Snapshot {
        authorization::load_bootstrap_policy(&self.state);
        Snapshot {
            objects: self.state.store.all_objects(),
        }
    }

    /// Replaces all objects of the server by those of a snapshot, with their uids and resource
    /// versions.
    ///
    /// Open watches end, and reads at resource versions from before the call get 410. The server's
    /// resource version never goes back, so that no version is used twice.
    pub fn restore(&self, snapshot: &Snapshot) {
        let server = &self.state;
        server.kinds.clear();
        let objects = snapshot.objects.iter();
        for (_, _, stored) in objects.filter(|(resource, _, _)| *resource == server.definitions) {
            let definition = stored.value();
            let resource = custom::resource(&definition);
            server.kinds.replace(&resource, custom::kinds(&definition));
        }
        server.store.replace(snapshot.objects.clone());
        self.controllers.restart(server);
        server.watch_faults.end_all();
    }
}

impl Snapshot {
    /// Writes the objects to a file, each as one line of JSON.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), SnapshotError> {
        let path = path.as_ref();
        self.write(path).map_err(|source| SnapshotError::File {
            path: path.to_owned(),
            source,
        })
    }

    fn write(&self, path: &Path) -> io::Result<()> {
        let mut file = BufWriter::new(File::create(path)?);
        for (resource, _, stored) in &self.objects {
            let mut object = stored.value();
            if !stored.written_in.is_empty() {
                let api_version = format!("{}/{}", resource.group, stored.written_in);
                object["apiVersion"] = api_version.into();
            }
            let line = SnapshotLine {
                group: resource.group.clone(),
                resource: resource.plural.clone(),
                object,
            };
            serde_json::to_writer(&mut file, &line)?;
            file.write_all(b"\n")?;
        }
        file.flush()
    }

    /// Reads a file that [`save`](Self::save) has written.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or a line of it cannot be parsed.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, SnapshotError> {
        let path = path.as_ref();
        let failed = |source| SnapshotError::File {
            path: path.to_owned(),
            source,
        };
        let file = BufReader::new(File::open(path).map_err(failed)?);
        let mut objects = Vec::new();
        for (index, text) in file.lines().enumerate() {
            let line = serde_json::from_str(&text.map_err(failed)?).map_err(|source| {
                SnapshotError::Line {
                    path: path.to_owned(),
                    line: index + 1,
                    source,
                }
            })?;
            objects.push(to_entry(line));
        }
        Ok(Self { objects })
    }
}

/// Returns a line as an entry of the snapshot. Its schema may have changed since it was written.
fn to_entry(line: SnapshotLine) -> (GroupResource, Key, Arc<Stored>) {
    let SnapshotLine {
        group,
        resource: plural,
        object,
    } = line;
    let version = object["metadata"]["resourceVersion"].as_str();
    let version = version
        .and_then(|version| version.parse().ok())
        .unwrap_or_default();
    let stored = Stored::new(object, version, UNKNOWN_SCHEMA);
    let key = Key::new(&stored.namespace, &stored.name);
    (GroupResource { group, plural }, key, Arc::new(stored))
}

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Snapshot")
            .field("objects", &self.objects.len())
            .finish_non_exhaustive()
    }
}
