//! Installation of objects of any kind, in the order in which they depend on each other.

use genclient::kube::api::{DynamicObject, GroupVersionKind};
use genclient::kube::discovery::{self, Scope};
use genclient::kube::error::DiscoveryError;
use genclient::kube::{Error, Resource};
use serde_json::{Value, json};

use crate::manifests::Manifests;
use crate::objects::{Applied, ApplyError};
use crate::server::ControlPlane;
use crate::webhooks::is_webhook_configuration;

impl ControlPlane {
    /// Applies all objects in manifests as `kubectl apply --server-side --force-conflicts` does,
    /// with strict field validation. They may be samples, or what `genclient deploy` installs.
    /// Namespaced objects without a namespace are applied in `default`. The results are in the
    /// order in which the objects were applied:
    ///
    /// 1. namespaces
    /// 2. CustomResourceDefinitions; the next step begins when they are established and their
    ///    custom resources can be listed and discovered in every served version
    /// 3. other objects
    /// 4. webhook configurations, which [`Manifests::redirect_to`] redirects to this process
    ///
    /// Objects of the same step are applied in the order in which they were read. Objects that
    /// exist are updated, even in an existing cluster. No objects are no error.
    ///
    /// # Errors
    ///
    /// [`ApplyError::Object`] for the first object that cannot be applied. The objects before it
    /// are installed.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, some of the objects may exist.
    pub async fn install(&self, manifests: &Manifests) -> Result<Vec<Applied>, ApplyError> {
        let mut applied: Vec<Applied> = Vec::new();
        for step in InstallStep::ALL {
            let first = applied.len();
            for object in manifests.objects() {
                if InstallStep::of_object(object) == step {
                    applied.push(self.install_object(object).await?);
                }
            }
            if step == InstallStep::Definitions {
                for Applied { object, .. } in &applied[first..] {
                    let served = self.wait_until_served(object).await;
                    served.map_err(|error| ApplyError::NotServed(error).about(object))?;
                }
            }
        }
        Ok(applied)
    }

    async fn install_object(&self, object: &Value) -> Result<Applied, ApplyError> {
        let apply = async {
            let path = self.find_path(object).await?;
            self.apply_object(&path, object).await
        };
        apply.await.map_err(|error| error.about(object))
    }

    /// Returns the URL path of the resource of an object, by the discovery of the API server.
    async fn find_path(&self, object: &Value) -> Result<String, ApplyError> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (api_version, kind_name) = (text(&object["apiVersion"]), text(&object["kind"]));
        let names = [&api_version, &kind_name, &text(&object["metadata"]["name"])];
        if names.iter().any(|name| name.is_empty()) {
            return Err(ApplyError::Incomplete(object.to_string()));
        }
        let (group, version) = api_version.split_once('/').unwrap_or(("", &api_version));
        let kind = GroupVersionKind::gvk(group, version, &kind_name);
        let found = discovery::pinned_kind(&self.client(), &kind).await;
        let (resource, capabilities) = found.map_err(|error| match error {
            Error::Discovery(DiscoveryError::MissingKind(_)) => unknown_kind(&kind),
            Error::Api(status) if status.code == 404 => unknown_kind(&kind),
            Error::Api(status) => ApplyError::Refused(json!(status).to_string()),
            error => ApplyError::Request(error),
        })?;
        let namespace = match (
            &capabilities.scope,
            object["metadata"]["namespace"].as_str(),
        ) {
            (Scope::Cluster, _) => None,
            (Scope::Namespaced, stated) => Some(stated.unwrap_or("default")),
        };
        Ok(DynamicObject::url_path(&resource, namespace))
    }
}

fn unknown_kind(kind: &GroupVersionKind) -> ApplyError {
    ApplyError::UnknownKind {
        api_version: kind.api_version(),
    }
}

/// The step of an installation in which an object is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InstallStep {
    Namespaces,
    Definitions,
    Others,
    Webhooks,
}

impl InstallStep {
    const ALL: [Self; 4] = [
        Self::Namespaces,
        Self::Definitions,
        Self::Others,
        Self::Webhooks,
    ];

    fn of_object(object: &Value) -> Self {
        match object["kind"].as_str() {
            Some("Namespace") => Self::Namespaces,
            Some("CustomResourceDefinition") => Self::Definitions,
            _ if is_webhook_configuration(object) => Self::Webhooks,
            _ => Self::Others,
        }
    }
}
