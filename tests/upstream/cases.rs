//! Cases: requests with what kube-apiserver answers, and the upstream tests that they stand for.

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

/// Requests, sent in their order in a namespace of their own.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    pub(crate) name: String,
    /// Upstream's tests that assert this, as `tests.txt` lists them.
    pub(crate) of: Vec<String>,
    /// What upstream asserts, where kube-apiserver does something else.
    pub(crate) upstream: Option<String>,
    /// Why the server in the process answers differently.
    pub(crate) differs: Option<String>,
    pub(crate) steps: Vec<Step>,
}

/// A request and its answer.
///
/// `$ns` stands for the namespace, `$begin` for its version, `$i` for the number among `times`
/// requests and `$NAME` for what `save` keeps.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Step {
    /// Method and path.
    pub(crate) request: String,
    /// Media type of the body: a kind of patch, or the whole type.
    #[serde(rename = "type")]
    pub(crate) media_type: Option<String>,
    pub(crate) accept: Option<String>,
    pub(crate) body: Option<Value>,
    /// So many requests at once.
    #[serde(default)]
    pub(crate) times: Option<usize>,
    /// Sent at the same time as each of these requests.
    pub(crate) beside: Option<Beside>,
    /// The code of the answer, or those that requests sent at once may have.
    pub(crate) code: Value,
    /// Members of the answer; see [`matching`](crate::matching).
    pub(crate) answer: Option<Value>,
    /// Parts of the answer for later steps, by JSON pointer.
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

/// Reads the files of a folder.
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
