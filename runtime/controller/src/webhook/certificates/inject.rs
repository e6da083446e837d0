//! [`CaBundleTargets`]: injection of `caBundle` into webhook configurations and
//! CustomResourceDefinitions.

use genclient::k8s_openapi::ByteString;
use genclient::k8s_openapi::api::admissionregistration::v1::{
    MutatingWebhookConfiguration, ValidatingWebhookConfiguration,
};
use genclient::k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use genclient::kube::api::{Api, ApiResource, DynamicObject, ListParams, Patch, PatchParams};
use genclient::kube::{self, Client, ResourceExt as _};
use json_patch::jsonptr::PointerBuf;
use json_patch::{AddOperation, PatchOperation, TestOperation};
use serde_json::Value;

use crate::api_errors::{describe_error_with, find_status, is_missing_permission};

/// Webhook configurations and CustomResourceDefinitions that get the `caBundle`, and the Service
/// and URL by which a `clientConfig` names this program.
#[derive(Clone, Debug)]
pub(in crate::webhook) struct CaBundleTargets {
    pub(in crate::webhook) objects: Vec<CaBundleTarget>,
    /// Namespace and name of the Service.
    pub(in crate::webhook) service: Option<(String, String)>,
    /// Prefix of the URLs of this program's webhooks.
    pub(in crate::webhook) url: Option<String>,
}

/// Set of objects that configure webhooks or conversions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::webhook) enum CaBundleTarget {
    /// Every `MutatingWebhookConfiguration`.
    Mutating,
    /// Every `ValidatingWebhookConfiguration`.
    Validating,
    /// The CustomResourceDefinition of this name.
    Definition(String),
}

/// Result of [`CaBundleTargets::inject`].
#[derive(Debug, Default)]
pub(super) struct Injected {
    /// Whether a `caBundle` was replaced or, with `is_written` false, would have been.
    pub(super) is_new: bool,
    /// An error for each resource that cannot be listed and each object that cannot be patched.
    pub(super) errors: Vec<String>,
    /// Whether one of the errors is a missing permission.
    pub(super) is_forbidden: bool,
}

impl Injected {
    fn failed(&mut self, what: &str, error: &kube::Error) {
        let described = describe_error_with(error, |_| None);
        self.errors.push(format!("{what}: {described}"));
        self.is_forbidden |= find_status(error).is_some_and(is_missing_permission);
    }
}

impl CaBundleTargets {
    /// Returns how to grant the permissions for certificates: those for Secrets in the namespace,
    /// and those for the objects that get the `caBundle`. A program that lacks one usually lacks
    /// all of them.
    pub(super) fn permissions(&self, namespace: &str) -> String {
        let mut rules = vec![format!(
            "#[rbac(namespace = \"{namespace}\", group = \"\", resources = [\"secrets\"], \
             verbs = [\"get\", \"list\", \"watch\", \"create\", \"update\"])]"
        )];
        for target in &self.objects {
            let ApiResource { group, plural, .. } = target.resource();
            let rule = format!(
                "#[rbac(group = \"{group}\", resources = [\"{plural}\"], verbs = [\"get\", \
                 \"list\", \"watch\", \"patch\"])]"
            );
            if !rules.contains(&rule) {
                rules.push(rule);
            }
        }
        format!(
            "the certificates of webhooks need the permissions `{}`: add them to the controller and \
             run `genclient update`, or grant them through a Role and a ClusterRole",
            rules.join(" ")
        )
    }

    /// Writes `trusted` as `caBundle` into every `clientConfig` that names this program. An
    /// error of one object does not stop the others. If `is_written` is false, nothing is written,
    /// and [`Injected::is_new`] tells whether a `caBundle` differs.
    pub(super) async fn inject(
        &self,
        client: &Client,
        trusted: &[u8],
        is_written: bool,
        field_manager: &str,
    ) -> kube::Result<Injected> {
        let trusted =
            serde_json::to_value(ByteString(trusted.to_vec())).map_err(kube::Error::SerdeError)?;
        let mut injected = Injected::default();
        for target in &self.objects {
            let resource = target.resource();
            let api: Api<DynamicObject> = Api::all_with(client.clone(), &resource);
            let objects = match target.objects(&api).await {
                Ok(objects) => objects,
                Err(error) => {
                    injected.failed(&resource.plural, &error);
                    continue;
                }
            };
            let stale = objects.iter().filter_map(|object| {
                let patch = self.patch(object, &trusted);
                (!patch.0.is_empty()).then(|| (object.name_any(), patch))
            });
            for (name, patch) in stale {
                if is_written
                    && let Err(error) = apply_patch(&api, &name, patch, field_manager).await
                {
                    injected.failed(&format!("{} {name}", resource.kind), &error);
                    continue;
                }
                injected.is_new = true;
            }
        }
        Ok(injected)
    }

    /// Returns the patch of an object. The patch is empty if every `clientConfig` that names this
    /// program already has the `caBundle`.
    fn patch(&self, object: &DynamicObject, trusted: &Value) -> json_patch::Patch {
        let configs = client_configs(&object.data).into_iter();
        let stale = configs.filter(|(_, config)| {
            self.is_called_by(config) && config.get("caBundle") != Some(trusted)
        });
        let add = stale.map(|(path, _)| {
            PatchOperation::Add(AddOperation {
                path: PointerBuf::from_tokens(path).with_trailing_token("caBundle"),
                value: trusted.clone(),
            })
        });
        let mut operations: Vec<_> = add.collect();
        if let (Some(version), false) = (object.resource_version(), operations.is_empty()) {
            let is_unchanged = TestOperation {
                path: PointerBuf::from_tokens(["metadata", "resourceVersion"]),
                value: version.into(),
            };
            operations.insert(0, PatchOperation::Test(is_unchanged));
        }
        json_patch::Patch(operations)
    }

    fn is_called_by(&self, config: &Value) -> bool {
        let text = |pointer| config.pointer(pointer).and_then(Value::as_str);
        let service = text("/service/namespace").zip(text("/service/name"));
        let own = self
            .service
            .as_ref()
            .map(|(namespace, name)| (&**namespace, &**name));
        let is_own_url = |url: &str| {
            self.url
                .as_deref()
                .is_some_and(|own| is_below_url(url, own))
        };
        (service.is_some() && service == own) || text("/url").is_some_and(is_own_url)
    }
}

async fn apply_patch(
    api: &Api<DynamicObject>,
    name: &str,
    patch: json_patch::Patch,
    field_manager: &str,
) -> kube::Result<()> {
    let params = PatchParams {
        field_manager: Some(field_manager.to_owned()),
        ..PatchParams::default()
    };
    api.patch(name, &params, &Patch::Json::<()>(patch)).await?;
    let resource = api.resource_url();
    tracing::info!(resource, name, "injected the CA bundle");
    Ok(())
}

/// Whether a URL is `base` or below it: `https://a:1/x` is below `https://a:1`, and
/// `https://a:12/x` is not.
fn is_below_url(url: &str, base: &str) -> bool {
    let base = base.trim_end_matches('/');
    let rest = url.strip_prefix(base);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns the `clientConfig`s of an object, each with its path.
fn client_configs(object: &Value) -> Vec<(Vec<String>, &Value)> {
    let path = |tokens: &[&str]| tokens.iter().map(ToString::to_string).collect();
    let webhooks = object
        .get("webhooks")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .enumerate();
    let admission = webhooks.filter_map(|(index, webhook)| {
        let path = path(&["webhooks", &index.to_string(), "clientConfig"]);
        Some((path, webhook.get("clientConfig")?))
    });
    let conversion = object
        .pointer("/spec/conversion/webhook/clientConfig")
        .map(|config| {
            let path = path(&["spec", "conversion", "webhook", "clientConfig"]);
            (path, config)
        });
    admission.chain(conversion).collect()
}

impl CaBundleTarget {
    pub(super) fn resource(&self) -> ApiResource {
        match self {
            Self::Mutating => ApiResource::erase::<MutatingWebhookConfiguration>(&()),
            Self::Validating => ApiResource::erase::<ValidatingWebhookConfiguration>(&()),
            Self::Definition(_) => ApiResource::erase::<CustomResourceDefinition>(&()),
        }
    }

    /// Returns the field selector of the objects; `None` selects all.
    pub(super) fn fields(&self) -> Option<String> {
        match self {
            Self::Mutating | Self::Validating => None,
            Self::Definition(name) => Some(format!("metadata.name={name}")),
        }
    }

    async fn objects(&self, api: &Api<DynamicObject>) -> kube::Result<Vec<DynamicObject>> {
        match self {
            Self::Mutating | Self::Validating => Ok(api.list(&ListParams::default()).await?.items),
            Self::Definition(name) => Ok(api.get_opt(name).await?.into_iter().collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permissions_are_those_of_all_objects() {
        let definition = |name: &str| CaBundleTarget::Definition(name.to_owned());
        let ca_targets = CaBundleTargets {
            objects: vec![
                CaBundleTarget::Validating,
                definition("a.b.c"),
                definition("d.b.c"),
            ],
            service: None,
            url: None,
        };
        assert_eq!(
            ca_targets.permissions("system"),
            "the certificates of webhooks need the permissions `\
             #[rbac(namespace = \"system\", group = \"\", resources = [\"secrets\"], \
             verbs = [\"get\", \"list\", \"watch\", \"create\", \"update\"])] \
             #[rbac(group = \"admissionregistration.k8s.io\", \
             resources = [\"validatingwebhookconfigurations\"], \
             verbs = [\"get\", \"list\", \"watch\", \"patch\"])] \
             #[rbac(group = \"apiextensions.k8s.io\", resources = [\"customresourcedefinitions\"], \
             verbs = [\"get\", \"list\", \"watch\", \"patch\"])]`: add them to the controller \
             and run `genclient update`, or grant them through a Role and a ClusterRole"
        );
    }

    #[test]
    fn webhook_configs_are_matched_by_service_or_url() {
        let ca_targets = CaBundleTargets {
            objects: Vec::new(),
            service: Some(("system".to_owned(), "webhook".to_owned())),
            url: Some("https://127.0.0.1:9443/".to_owned()),
        };
        let service = |namespace: &str, name: &str| serde_json::json!({ "service": { "namespace": namespace, "name": name } });
        let url = |url: &str| serde_json::json!({ "url": url });
        let cases = [
            (service("system", "webhook"), true),
            (service("system", "other"), false),
            (service("other", "webhook"), false),
            (url("https://127.0.0.1:9443/mutate"), true),
            (url("https://127.0.0.1:9443"), true),
            (url("https://127.0.0.1:94430/mutate"), false),
            (serde_json::json!({}), false),
        ];
        for (config, expected) in cases {
            assert_eq!(ca_targets.is_called_by(&config), expected, "{config}");
        }
    }
}
