//! [`Webhooks`]: the webhooks of a program, and their paths.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use genclient::conversion::Versions;
use genclient::kube::Resource;
use genclient::metrics::{NoMetrics, Provider};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::admission::{Defaulter, Route, Validator};
use super::certificates::CaBundleTarget;
use super::conversion::Conversions;
use super::service::{WebhookHandler, WebhookService};
use crate::error::SetupError;

/// Path of conversions, as in controller-runtime.
const CONVERSION_PATH: &str = "/convert";

/// The webhooks of a program.
///
/// Several defaulters of one path run in the order in which they were added. Each gets the object
/// with the changes of the previous ones. Several validators of one path run until one denies the
/// request. The response has the warnings of the validators that allowed the request.
///
/// A [`WebhookServer`](super::WebhookServer) serves the webhooks. [`Self::into_service`] is for any
/// other server, and for tests.
#[derive(Default)]
#[must_use = "they do nothing until they are served, such as by a `WebhookServer`"]
pub struct Webhooks {
    routes: BTreeMap<String, Route>,
    conversions: Conversions,
    /// The CustomResourceDefinition whose conversion was added twice.
    added_twice: Option<String>,
}

impl Webhooks {
    /// Creates a set without webhooks.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a mutating webhook, at `/mutate-<group>-<version>-<kind>` or at
    /// [`Defaulter::PATH`].
    pub fn defaulter<D: Defaulter>(mut self, defaulter: D) -> Self {
        let path = D::PATH.map_or_else(|| default_path::<D::Object>("mutate"), str::to_owned);
        self.route(path).defaulters.push(Box::new(defaulter));
        self
    }

    /// Adds a validating webhook, at `/validate-<group>-<version>-<kind>` or at
    /// [`Validator::PATH`].
    pub fn validator<V: Validator>(mut self, validator: V) -> Self {
        let path = V::PATH.map_or_else(|| default_path::<V::Object>("validate"), str::to_owned);
        self.route(path).validators.push(Box::new(validator));
        self
    }

    /// Adds the conversion of a kind, at `/convert`.
    pub fn conversion<H>(mut self, versions: Versions<H>) -> Self
    where
        H: Resource<DynamicType = ()> + Serialize + DeserializeOwned + 'static,
    {
        let definition = versions.definition();
        if !self.conversions.add(versions) {
            self.added_twice.get_or_insert(definition);
        }
        self
    }

    /// Returns the webhooks as a service, without metrics.
    ///
    /// # Errors
    ///
    /// If a path is invalid or serves two purposes, or a kind's conversion was added twice.
    pub fn into_service(self) -> Result<WebhookService, SetupError> {
        self.into_service_with(&NoMetrics)
    }

    /// Returns the webhooks as a service with the metrics `controller_runtime_webhook_…`.
    ///
    /// # Errors
    ///
    /// As for [`Self::into_service`].
    pub fn into_service_with(self, metrics: &dyn Provider) -> Result<WebhookService, SetupError> {
        self.check()?;
        let conversion = self
            .converts()
            .then_some((CONVERSION_PATH, self.conversions));
        Ok(WebhookService {
            handler: Arc::new(WebhookHandler::new(self.routes, conversion, metrics)),
        })
    }

    /// Whether there is neither a webhook nor a conversion.
    pub(super) fn is_empty(&self) -> bool {
        self.routes.is_empty() && self.conversions.is_empty()
    }

    pub(super) fn converts(&self) -> bool {
        !self.conversions.is_empty()
    }

    /// Returns the sets of objects in which these webhooks and conversions are configured, such as
    /// all MutatingWebhookConfigurations if there is a defaulter.
    pub(super) fn ca_targets(&self) -> Vec<CaBundleTarget> {
        let mut ca_targets = Vec::new();
        if self
            .routes
            .values()
            .any(|route| !route.defaulters.is_empty())
        {
            ca_targets.push(CaBundleTarget::Mutating);
        }
        if self
            .routes
            .values()
            .any(|route| !route.validators.is_empty())
        {
            ca_targets.push(CaBundleTarget::Validating);
        }
        let definitions = self.conversions.definitions().map(str::to_owned);
        ca_targets.extend(definitions.map(CaBundleTarget::Definition));
        ca_targets
    }

    pub(super) fn check(&self) -> Result<(), SetupError> {
        if let Some(definition) = &self.added_twice {
            return Err(SetupError::SameConversion(definition.clone()));
        }
        for (path, route) in &self.routes {
            let problem = if !is_valid_path(path) {
                "expected slash-separated letters, digits, `-` and `_`, such as `/mutate-pods`"
            } else if path == CONVERSION_PATH && self.converts() {
                "the path is reserved for conversions: choose another path"
            } else if !route.defaulters.is_empty() && !route.validators.is_empty() {
                "the path is used by a defaulter and a validator: choose another path for one of them"
            } else {
                continue;
            };
            return Err(SetupError::WebhookPath {
                path: path.clone(),
                problem,
            });
        }
        Ok(())
    }

    fn route(&mut self, path: String) -> &mut Route {
        self.routes.entry(path).or_default()
    }
}

impl fmt::Debug for Webhooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Webhooks")
            .field("paths", &self.routes.keys())
            .field(
                "conversions",
                &self.conversions.definitions().collect::<Vec<_>>(),
            )
            .finish_non_exhaustive()
    }
}

/// Returns `/<verb>-<group, its dots as dashes>-<version>-<kind in lower case>`, as
/// controller-runtime's `generateMutatePath` does.
fn default_path<K: Resource<DynamicType: Default>>(verb: &str) -> String {
    let types = K::DynamicType::default();
    let group = K::group(&types).replace('.', "-");
    let (version, kind) = (K::version(&types), K::kind(&types).to_lowercase());
    format!("/{verb}-{group}-{version}-{kind}")
}

/// Whether a path is `/`, or consists of slash-separated `[a-zA-Z0-9-_]+`, as controller-runtime
/// requires.
fn is_valid_path(path: &str) -> bool {
    let is_valid = |segment: &str| {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        !segment.is_empty() && segment.bytes().all(is_allowed)
    };
    let rest = path.strip_prefix('/');
    rest.is_some_and(|rest| rest.is_empty() || rest.split('/').all(is_valid))
}
