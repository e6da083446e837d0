//! [`Keeper`]: issues certificates, keeps them in a Secret, and makes their authority known.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use futures::stream::{self, BoxStream};
use futures::{StreamExt, future};
use genclient::informer::SharedInformerFactory;
use genclient::k8s_openapi::api::core::v1::Secret;
use genclient::kube::api::{Api, ApiResource, DynamicObject, PostParams};
use genclient::kube::{self, Client, ResourceExt as _};
use genclient::leaderelection::Leadership;
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use super::bundle::{Bundle, Plan, Terms};
use super::inject::{Callers, Inject};
use crate::failure::BoxError;
use crate::tls::ServingCertificate;

/// The label of Secrets that are written here.
const MANAGED_BY: &str = "app.kubernetes.io/managed-by";
/// The longest pause, so that a replica notices that it leads.
const PERIOD: Duration = Duration::from_secs(30);
/// The pause after a failure, or after another replica was faster.
const AFTER_FAILURE: Duration = Duration::from_secs(1);

/// Keeps the certificates of a set of replicas.
pub(in crate::webhook) struct Keeper {
    pub(in crate::webhook) client: Client,
    pub(in crate::webhook) namespace: String,
    pub(in crate::webhook) secret: String,
    pub(in crate::webhook) terms: Terms,
    pub(in crate::webhook) callers: Callers,
    pub(in crate::webhook) serving: ServingCertificate,
    pub(in crate::webhook) field_manager: Arc<str>,
    /// Who leads. Without an election, every replica does.
    pub(in crate::webhook) leadership: Option<Leadership>,
    pub(in crate::webhook) readiness: Readiness,
}

/// Whether the API server can call the webhooks. What was ready once stays so: the API server may
/// be away, or a renewal under way.
#[derive(Clone, Debug)]
pub(in crate::webhook) struct Readiness(Arc<Mutex<Result<(), String>>>);

/// A Secret, if it is there, with what is in it.
#[derive(Default)]
struct Kept {
    secret: Option<Secret>,
    bundle: Option<Bundle>,
}

impl Readiness {
    pub(in crate::webhook) fn new() -> Self {
        let not_yet = "the certificates are not issued yet".to_owned();
        Self(Arc::new(Mutex::new(Err(not_yet))))
    }

    pub(in crate::webhook) fn check(&self) -> Result<(), String> {
        self.0.lock().clone()
    }

    pub(in crate::webhook) fn set(&self, readiness: Result<(), String>) {
        let mut current = self.0.lock();
        if current.is_err() {
            *current = readiness;
        }
    }

    fn injected(&self, is_trusted: bool) {
        let not_yet = "the API server does not trust the certificates yet".to_owned();
        self.set(if is_trusted { Ok(()) } else { Err(not_yet) });
    }
}

impl Keeper {
    /// Keeps the certificates until `stop`.
    pub(in crate::webhook) async fn run(self, stop: CancellationToken) {
        let factories = self.factories();
        let changes = factories.iter().map(changes_of).collect::<Vec<_>>();
        let mut changes = stream::select_all(changes).ready_chunks(1000);
        let kept = async {
            loop {
                let pause = self.keep().await.unwrap_or_else(|error| {
                    self.readiness.set(Err(error.to_string()));
                    tracing::warn!(error, "the certificates of the webhooks were not kept");
                    None
                });
                match pause {
                    None => tokio::time::sleep(AFTER_FAILURE).await,
                    Some(pause) => {
                        // Whether something changed or not, everything is looked at.
                        let _ = tokio::time::timeout(pause, changes.next()).await;
                    }
                }
            }
        };
        stop.run_until_cancelled(kept).await;
        future::join_all(factories.iter().map(|(_, factory)| factory.shutdown())).await;
    }

    /// Does what is to be done now. Returns how long there is nothing else to do, or `None` if it
    /// is to be tried again.
    async fn keep(&self) -> Result<Option<Duration>, BoxError> {
        let terms = &self.terms;
        let now = SystemTime::now();
        let kept = self.read().await?;
        let Some(bundle) = &kept.bundle else {
            let bundle = Bundle::new(terms, now)?;
            self.write(kept.secret, &bundle).await?;
            return Ok(Some(Duration::ZERO));
        };
        self.serving.replace(&bundle.serving)?;
        let leads = self.leadership.as_ref().is_none_or(Leadership::is_leader);
        let which = if leads {
            Inject::Different
        } else {
            Inject::Missing
        };
        let trusted = bundle.trusted();
        let is_trusted = self
            .callers
            .inject(&self.client, &trusted, which, &self.field_manager)
            .await?;
        self.readiness.injected(is_trusted);
        if !leads {
            return Ok(Some(PERIOD));
        }
        match bundle.plan(terms, is_trusted, now)? {
            Plan::Wait(until) => {
                let pause = until.duration_since(now).unwrap_or_default();
                Ok(Some(pause.min(PERIOD)))
            }
            Plan::Replace(bundle) => Ok(self
                .write(kept.secret, &bundle)
                .await?
                .then_some(Duration::ZERO)),
        }
    }

    async fn read(&self) -> Result<Kept, BoxError> {
        let Some(secret) = self.secrets().get_opt(&self.secret).await? else {
            return Ok(Kept::default());
        };
        let empty = BTreeMap::new();
        let data = secret.data.as_ref().unwrap_or(&empty);
        let is_ours = secret.labels().contains_key(MANAGED_BY);
        if data.is_empty() {
            return Ok(Kept {
                secret: Some(secret),
                bundle: None,
            });
        }
        let bundle = match Bundle::from_data(data) {
            Ok(bundle) => Some(bundle),
            Err(error) if is_ours => {
                tracing::error!(error, secret = self.secret, "certificates are issued again");
                None
            }
            Err(error) => {
                let Self {
                    namespace, secret, ..
                } = self;
                let hint = "name another one, or use `Certificates::files`";
                let error = format!(
                    "the Secret {namespace}/{secret} was not written by this program, and {error}: {hint}"
                );
                return Err(error.into());
            }
        };
        Ok(Kept {
            secret: Some(secret),
            bundle,
        })
    }

    /// Writes the Secret, unless it was written meanwhile: then it returns false.
    async fn write(&self, secret: Option<Secret>, bundle: &Bundle) -> Result<bool, BoxError> {
        let params = PostParams {
            field_manager: Some(self.field_manager.to_string()),
            ..PostParams::default()
        };
        let is_new = secret.is_none();
        let mut secret = secret.unwrap_or_else(|| Secret {
            type_: Some("kubernetes.io/tls".to_owned()),
            ..Secret::default()
        });
        let name = self.secret.clone();
        secret.metadata.name = Some(name.clone());
        let manager = self.field_manager.to_string();
        secret.labels_mut().insert(MANAGED_BY.to_owned(), manager);
        secret.data = Some(bundle.to_data());
        let written = if is_new {
            self.secrets().create(&params, &secret).await
        } else {
            self.secrets().replace(&name, &params, &secret).await
        };
        match written {
            Ok(_) => {
                tracing::info!(
                    secret = name,
                    "the certificates of the webhooks were issued"
                );
                Ok(true)
            }
            Err(kube::Error::Api(status)) if status.code == 409 => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    fn secrets(&self) -> Api<Secret> {
        Api::namespaced(self.client.clone(), &self.namespace)
    }

    /// Informers of everything that is read here, started.
    fn factories(&self) -> Vec<(ApiResource, SharedInformerFactory)> {
        let secret = ApiResource::erase::<Secret>(&());
        let fields = Some(format!("metadata.name={}", self.secret));
        let secret = (secret, fields, Some(&self.namespace));
        let callers = self.callers.objects.iter();
        let callers = callers.map(|it| (it.resource(), it.fields(), None));
        let watched = [secret].into_iter().chain(callers);
        let factories = watched.map(|(resource, fields, namespace)| {
            let mut builder = SharedInformerFactory::builder(self.client.clone())
                .tweak_list_params(|params| params.fields = fields)
                .resync(Duration::ZERO);
            if let Some(namespace) = namespace {
                builder = builder.namespace(namespace);
            }
            (resource, builder.build())
        });
        factories.collect()
    }
}

/// The changes of what a factory watches. It is started by this.
fn changes_of(
    (resource, factory): &(ApiResource, SharedInformerFactory),
) -> BoxStream<'static, ()> {
    let informer = factory.metadata_informer_for_with::<DynamicObject>(resource.clone());
    let changes = informer.subscribe().map(drop).boxed();
    factory.start();
    changes
}
