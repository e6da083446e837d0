//! The schemas of Kubernetes' own types, as a running API server publishes them.
//!
//! `hack/kubernetes-schemas.sh` writes them to `apimachinery/schema/data`, and a test compares that
//! file with the server.

mod compact;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::ControlPlane;

/// The file that the generator reads: one definition per line, sorted by name.
pub const KUBERNETES: &str = include_str!("../../../../apimachinery/schema/data/kubernetes.tsv");

/// The path of that file from the repository root.
pub const FILE: &str = "apimachinery/schema/data/kubernetes.tsv";

/// The schemas could not be read.
#[derive(Debug, thiserror::Error)]
pub enum PublishedError {
    /// The API server did not respond.
    #[error("no answer from the API server")]
    Request(#[from] kube::Error),
    /// The response is not an OpenAPI document.
    #[error("the API server publishes no OpenAPI document: {0}")]
    Json(#[from] serde_json::Error),
    /// A schema has an unknown form.
    #[error("the schema of {0} has a form that is new: {1}")]
    Unknown(String, String),
}

/// Reads the OpenAPI documents of every group version, and returns the text of [`FILE`].
///
/// # Errors
///
/// [`PublishedError`].
///
/// # Cancel safety
///
/// The function only reads, so a dropped future loses nothing.
pub async fn read(plane: &ControlPlane) -> Result<String, PublishedError> {
    let version = plane.client().apiserver_version().await?.git_version;
    let index = document(plane, "/openapi/v3").await?;
    let paths = index["paths"].as_object().into_iter().flatten();
    let mut definitions = BTreeMap::new();
    for (path, _) in paths.filter(|(path, _)| path.starts_with("api")) {
        let mut group = document(plane, &format!("/openapi/v3/{path}")).await?;
        if let Value::Object(schemas) = group["components"]["schemas"].take() {
            // The documents also contain CRDs that other tests install.
            let own = schemas
                .into_iter()
                .filter(|(name, _)| name.starts_with("io.k8s."));
            definitions.extend(own.filter(|(_, schema)| !is_list(schema)));
        }
    }
    let mut compacted = BTreeMap::new();
    for (name, schema) in definitions {
        let compact =
            compact::schema(&schema).map_err(|form| PublishedError::Unknown(name.clone(), form))?;
        compacted.insert(name, compact);
    }
    let mut text = format!("# What Kubernetes {version} publishes at /openapi/v3.\n");
    for (name, schema) in compacted {
        text += &format!("{name}\t{schema}\n");
    }
    Ok(text)
}

async fn document(plane: &ControlPlane, path: &str) -> Result<Value, PublishedError> {
    let request = http::Request::get(path)
        .body(Vec::new())
        .map_err(kube::Error::HttpError)?;
    Ok(serde_json::from_str(
        &plane.client().request_text(request).await?,
    )?)
}

/// True for `PodList` and similar types: `k8s-openapi` has one `List<T>` for all of them.
fn is_list(schema: &Value) -> bool {
    let metadata = &schema["properties"]["metadata"]["allOf"][0]["$ref"];
    metadata
        .as_str()
        .is_some_and(|name| name.ends_with(".ListMeta"))
}
