//! Cases: requests with kube-apiserver's answers, and the upstream tests that they represent.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use crate::Failure;

/// The cases of one topic.
pub(crate) struct CaseFile {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) cases: Vec<Case>,
}

/// Requests, sent in order in a separate namespace.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    pub(crate) name: String,
    /// The upstream tests that assert this, by their names in `tests.txt`.
    pub(crate) of: Vec<String>,
    /// The upstream assertion, if kube-apiserver behaves differently.
    pub(crate) upstream: Option<String>,
    pub(crate) steps: Vec<Step>,
}

/// A request and its answer.
///
/// Variables: `$ns` is the namespace, `$begin` its resource version, `$i` the index among `times`
/// requests, and `$NAME` a value stored by `save`.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Step {
    /// Method and path.
    pub(crate) request: String,
    /// Media type of the body: a kind of patch, or a full media type.
    #[serde(rename = "type")]
    pub(crate) media_type: Option<String>,
    pub(crate) accept: Option<String>,
    pub(crate) body: Option<Value>,
    /// The number of concurrent copies of the request.
    #[serde(default)]
    pub(crate) times: Option<usize>,
    /// A request sent concurrently with each of these.
    pub(crate) beside: Option<Beside>,
    /// The status code of the answer, or the possible codes of concurrent requests.
    pub(crate) code: Value,
    /// Expected members of the answer; see [`matching`](crate::matching).
    pub(crate) answer: Option<Value>,
    /// Values of the answer to store for later steps, by JSON pointer.
    #[serde(default)]
    pub(crate) save: BTreeMap<String, String>,
}

/// A request that races with another.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Beside {
    pub(crate) request: String,
    #[serde(rename = "type")]
    pub(crate) media_type: Option<String>,
    pub(crate) body: Option<Value>,
    pub(crate) codes: Vec<u16>,
}

/// Reads the case files in a folder.
pub(crate) fn read(folder: &Path) -> Result<Vec<CaseFile>, Failure> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let text = fs::read_to_string(&path)?;
        let cases = serde_saphyr::from_str(&text);
        let cases = cases.map_err(|error| format!("{}: {error}", path.display()))?;
        let name = path.file_stem().unwrap_or_default();
        let name = name.to_string_lossy().into_owned();
        files.push(CaseFile { name, path, cases });
    }
    files.sort_by(|left, right| left.name.cmp(&right.name));
    Ok(files)
}
