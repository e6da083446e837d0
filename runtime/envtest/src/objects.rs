//! Installation of objects that a test needs: namespaces and CustomResourceDefinitions.

use std::fmt;

use genclient::k8s_openapi::api::core::v1::Namespace;
use genclient::kube;
use genclient::kube::api::{Api, ObjectMeta, PostParams};
use genclient::kube::client::Body;
use genclient_apiserver::{NotYet, eventually};
use genclient_schema::yaml;
use http::header::{CONTENT_TYPE, WARNING};
use http_body_util::BodyExt as _;
use serde_json::Value;

use crate::error::explain;
use crate::manifests::Manifests;
use crate::server::ControlPlane;

const APPLY_QUERY: &str = "fieldManager=control-plane&force=true&fieldValidation=Strict";
const CRDS_PATH: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// Result of a server-side apply.
#[derive(Debug)]
pub struct Applied {
    /// The object as the API server stored it or, in a dry run, would have stored it.
    pub object: Value,
    /// The `Warning` headers of the response.
    pub warnings: Vec<String>,
}

/// Error of a server-side apply, or of waiting until an applied definition is served.
///
/// `Debug` prints the messages of the error and of its causes, so that the panic of `unwrap` shows
/// them.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum ApplyError {
    /// The text is neither YAML nor JSON, or has no `metadata.name`.
    #[error("not a CRD: {0}")]
    NotACrd(String),
    /// The manifests contain no object of the kind to install.
    #[error("there is no {0} among the manifests\nhelp: check their paths and kinds")]
    Nothing(&'static str),
    /// An object of [`ControlPlane::install`] was not applied.
    #[error("{object}: {}", explain(.reason))]
    Object {
        /// The kind, the namespace if the object states one, and the name.
        object: String,
        /// The error.
        reason: Box<ApplyError>,
    },
    /// An object lacks what the request needs.
    #[error("apiVersion, kind or metadata.name is missing in {0}")]
    Incomplete(String),
    /// The API server does not serve the kind of the object.
    #[error(
        "the API server has no such kind in {api_version}\n\
         help: install its CustomResourceDefinition, too"
    )]
    UnknownKind {
        /// The group and version of the object.
        api_version: String,
    },
    /// The API server rejected the object, with this Status.
    #[error("refused: {}", status_message(.0))]
    Refused(String),
    /// The request failed without a response, or the response is not JSON.
    #[error("no answer from the API server")]
    Request(#[from] kube::Error),
    /// The CustomResourceDefinition was applied, but its custom resources could not be listed or
    /// discovered in time.
    #[error(transparent)]
    NotServed(#[from] NotYet),
}

impl fmt::Debug for ApplyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&explain(self))
    }
}

impl ApplyError {
    /// The error as one about `object`.
    pub(crate) fn about(self, object: &Value) -> Self {
        let metadata = &object["metadata"];
        let stated = [&object["kind"], &metadata["namespace"], &metadata["name"]];
        let names: Vec<_> = stated.iter().filter_map(|name| name.as_str()).collect();
        let object = if names.is_empty() {
            "object".to_owned()
        } else {
            names.join(" ")
        };
        Self::Object {
            object,
            reason: Box::new(self),
        }
    }
}

/// Returns the message in a Status, or the whole text if there is no message.
fn status_message(status: &str) -> String {
    let value: Value = serde_json::from_str(status).unwrap_or_default();
    value["message"].as_str().unwrap_or(status).to_owned()
}

impl ControlPlane {
    /// Creates a namespace and returns its name, which starts with `prefix` and is otherwise
    /// generated.
    ///
    /// If each test has its own namespace, several tests can share a control plane. A deleted
    /// namespace is never emptied, since no controller manager runs.
    ///
    /// # Errors
    ///
    /// If the request fails.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the namespace may exist.
    pub async fn create_namespace(&self, prefix: &str) -> kube::Result<String> {
        let namespace = Namespace {
            metadata: ObjectMeta {
                generate_name: Some(format!("{prefix}-")),
                ..ObjectMeta::default()
            },
            ..Namespace::default()
        };
        let namespaces: Api<Namespace> = Api::all(self.client());
        let created = namespaces
            .create(&PostParams::default(), &namespace)
            .await?;
        Ok(created.metadata.name.unwrap_or_default())
    }

    /// Applies a CustomResourceDefinition as `kubectl apply --server-side` does: it sends the YAML
    /// or JSON text unchanged, with strict field validation. It returns once the definition is
    /// established and its custom resources can be listed and discovered in every served version.
    ///
    /// # Errors
    ///
    /// [`ApplyError`]. It is [`ApplyError::NotServed`] if the custom resources cannot be listed or
    /// discovered after 30 s.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the CustomResourceDefinition may exist.
    pub async fn apply_crd(&self, text: &str) -> Result<Applied, ApplyError> {
        let name = crd_name(text)?;
        let applied = self
            .apply(&format!("{CRDS_PATH}/{name}?{APPLY_QUERY}"), text)
            .await?;
        self.wait_until_served(&applied.object).await?;
        Ok(applied)
    }

    /// Applies the CustomResourceDefinitions in manifests. It returns once they are established and
    /// their custom resources can be listed and discovered in every served version. Objects of
    /// other kinds are skipped; [`install`](Self::install) applies all kinds.
    ///
    /// CustomResourceDefinitions that exist are updated, even in an existing cluster.
    ///
    /// # Errors
    ///
    /// [`ApplyError`]. It is [`ApplyError::Nothing`] if there is no CustomResourceDefinition, and
    /// [`ApplyError::NotServed`] if custom resources cannot be listed or discovered after 30 s.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, some of the CustomResourceDefinitions may exist.
    pub async fn install_crds(&self, manifests: &Manifests) -> Result<Vec<Applied>, ApplyError> {
        let mut applied = Vec::new();
        for object in manifests.objects() {
            if object["kind"] == "CustomResourceDefinition" {
                applied.push(self.apply_object(CRDS_PATH, object).await?);
            }
        }
        for one in &applied {
            self.wait_until_served(&one.object).await?;
        }
        if applied.is_empty() {
            Err(ApplyError::Nothing("CustomResourceDefinition"))
        } else {
            Ok(applied)
        }
    }

    /// Sends the request of [`ControlPlane::apply_crd`] as a dry run, which changes nothing.
    ///
    /// # Errors
    ///
    /// [`ApplyError`].
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, nothing has changed.
    pub async fn dry_run_crd(&self, text: &str) -> Result<Applied, ApplyError> {
        let name = crd_name(text)?;
        let path = format!("{CRDS_PATH}/{name}?{APPLY_QUERY}&dryRun=All");
        self.apply(&path, text).await
    }

    /// Applies an object; `path` is the URL path of its resource.
    pub(crate) async fn apply_object(
        &self,
        path: &str,
        object: &Value,
    ) -> Result<Applied, ApplyError> {
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        let path = format!("{path}/{name}?{APPLY_QUERY}");
        self.apply(&path, &object.to_string()).await
    }

    async fn apply(&self, path: &str, text: &str) -> Result<Applied, ApplyError> {
        let request = http::Request::patch(path)
            .header(CONTENT_TYPE, "application/apply-patch+yaml")
            .body(Body::from(text.as_bytes().to_vec()))
            .map_err(kube::Error::HttpError)?;
        let response = self.client().send(request).await?;
        let accepted = response.status().is_success();
        let warnings = response
            .headers()
            .get_all(WARNING)
            .iter()
            .map(|warning| String::from_utf8_lossy(warning.as_bytes()).into_owned())
            .collect();
        let body = response.into_body().collect().await?.to_bytes();
        if !accepted {
            let status = String::from_utf8_lossy(&body).into_owned();
            return Err(ApplyError::Refused(status));
        }
        let object = serde_json::from_slice(&body).map_err(kube::Error::SerdeError)?;
        Ok(Applied { object, warnings })
    }

    pub(crate) async fn wait_until_served(&self, crd: &Value) -> Result<(), NotYet> {
        let name = crd["metadata"]["name"].as_str().unwrap_or_default();
        eventually(&format!("{name} is served"), async || {
            self.check_established(name).await?;
            self.check_listed(crd).await?;
            self.check_discovered(crd).await
        })
        .await
    }

    /// Checks the condition `Established` of a CustomResourceDefinition. Successful lists alone are
    /// no proof: if the definition was just deleted and created again, the deleted one may still be
    /// served.
    ///
    /// If a condition is `False`, such as `NamesAccepted` after a name conflict, the error has its
    /// type and message.
    async fn check_established(&self, name: &str) -> Result<(), String> {
        let request = http::Request::get(format!("{CRDS_PATH}/{name}"))
            .body(Vec::new())
            .map_err(|error| error.to_string())?;
        let crd: Value = self
            .client()
            .request(request)
            .await
            .map_err(|error| error.to_string())?;
        let conditions = || crd["status"]["conditions"].as_array().into_iter().flatten();
        if conditions().any(|it| it["type"] == "Established" && it["status"] == "True") {
            return Ok(());
        }
        let Some(unmet) = conditions().find(|it| it["status"] == "False") else {
            return Err("it has no condition Established yet".to_owned());
        };
        let text = |key: &str| unmet[key].as_str().unwrap_or_default();
        Err(format!("{} is False: {}", text("type"), text("message")))
    }

    /// Lists the custom resources of a CustomResourceDefinition once in every served version. The
    /// condition `Established` comes too early: the first requests after it may still get 429,
    /// "storage is (re)initializing". The requests set no `limit`, since a list with a limit would
    /// prove nothing: the API server reads it from etcd, even before the watch cache is ready.
    async fn check_listed(&self, crd: &Value) -> Result<(), String> {
        for Served {
            api_version,
            plural,
        } in served_versions(crd)
        {
            let request = http::Request::get(format!("/apis/{api_version}/{plural}"))
                .body(Vec::new())
                .map_err(|error| error.to_string())?;
            let list = self.client().request_text(request).await;
            list.map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// Looks for a CustomResourceDefinition in the discovery of every served version, which clients
    /// without a Rust type read. Another controller of the API server writes it.
    async fn check_discovered(&self, crd: &Value) -> Result<(), String> {
        for Served {
            api_version,
            plural,
        } in served_versions(crd)
        {
            let client = self.client();
            let found = client.list_api_group_resources(&api_version).await;
            let list = found.map_err(|error| error.to_string())?;
            if !list.resources.iter().any(|it| it.name == plural) {
                return Err(format!("{api_version} has no {plural} yet"));
            }
        }
        Ok(())
    }
}

/// A version of a CustomResourceDefinition that is served.
struct Served {
    /// Group and version.
    api_version: String,
    plural: String,
}

fn served_versions(crd: &Value) -> Vec<Served> {
    let spec = &crd["spec"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (group, plural) = (text(&spec["group"]), text(&spec["names"]["plural"]));
    let versions = spec["versions"].as_array().into_iter().flatten();
    versions
        .filter(|version| version["served"] == true)
        .map(|version| Served {
            api_version: format!("{group}/{}", text(&version["name"])),
            plural: plural.clone(),
        })
        .collect()
}

fn crd_name(text: &str) -> Result<String, ApplyError> {
    let crd: Value = serde_saphyr::from_str_with_options(text, yaml::options(text))
        .map_err(|error| ApplyError::NotACrd(error.to_string()))?;
    let name = crd["metadata"]["name"].as_str();
    name.map(str::to_owned)
        .ok_or_else(|| ApplyError::NotACrd("it has no metadata.name".to_owned()))
}
