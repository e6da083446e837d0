//! Reconcilers: [`Reconciler`] of objects, and [`RequestReconciler`] of requests of any type.

use std::fmt;
use std::hash::Hash;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use genclient::cache::ObjectName;
use genclient::kube::Resource;
use genclient::scheme::Object;

use crate::context::Context;
use crate::failure::{Action, Result};

/// Brings the cluster to the state that an object of one kind describes.
///
/// It is called with an object after the object or one that belongs to it has changed, and whenever
/// it requested another call. Two calls for one object never overlap. A call acts on the current
/// state, and not on the event: the state may have changed again since.
///
/// ```
/// use std::sync::Arc;
///
/// use genclient::cache::ObjectName;
/// use genclient_controller::{Action, Context, Reconciler, Result};
/// use k8s_openapi::api::core::v1::ConfigMap;
///
/// struct Settings;
///
/// impl Reconciler for Settings {
///     type Object = ConfigMap;
///
///     async fn reconcile(&self, settings: Arc<ConfigMap>, cx: &Context) -> Result {
///         if cx.attempt() > 1 {
///             println!("{:?} once more", settings.metadata.name);
///         }
///         Ok(Action::done())
///     }
///
///     async fn absent(&self, name: &ObjectName, _cx: &Context) -> Result {
///         println!("{name} is gone");
///         Ok(Action::done())
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a reconciler",
    label = "not a `Reconciler`",
    note = "write `impl Reconciler for {Self} {{ type Object = ..; async fn reconcile(&self, object: Arc<..>, cx: &Context) -> Result {{ .. }} }}`"
)]
pub trait Reconciler: Send + Sync + 'static {
    /// The kind of the objects.
    type Object: Object;

    /// Brings the cluster to the state that the object describes. An object that is being deleted
    /// has a `deletionTimestamp`.
    ///
    /// # Errors
    ///
    /// See [`Failure`](crate::Failure).
    ///
    /// # Cancel safety
    ///
    /// The future is dropped after the controller's timeout, and when the program stops and the
    /// grace period has passed.
    fn reconcile(
        &self,
        object: Arc<Self::Object>,
        cx: &Context,
    ) -> impl Future<Output = Result> + Send;

    /// Cleans up after an object that is gone, or that the selectors of the controller's watches
    /// exclude. Called once for each deletion that was observed, and for any other request whose
    /// object is not found.
    ///
    /// # Errors
    ///
    /// See [`Failure`](crate::Failure).
    ///
    /// # Cancel safety
    ///
    /// The future is dropped like that of [`reconcile`](Self::reconcile).
    fn absent(&self, _name: &ObjectName, _cx: &Context) -> impl Future<Output = Result> + Send {
        async { Ok(Action::done()) }
    }
}

/// Reconciler of requests of any type. A [`Reconciler`] is adapted to it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a reconciler of requests",
    label = "not a `RequestReconciler`",
    note = "write `impl RequestReconciler for {Self} {{ type Request = ..; async fn reconcile(&self, request: &.., cx: &Context) -> Result {{ .. }} }}`"
)]
pub trait RequestReconciler: Send + Sync + 'static {
    /// The type of requests. Equal requests are merged.
    type Request: Clone + Eq + Hash + fmt::Debug + Send + Sync + 'static;

    /// Handles a request.
    ///
    /// # Errors
    ///
    /// See [`Failure`](crate::Failure).
    ///
    /// # Cancel safety
    ///
    /// The future is dropped like that of [`Reconciler::reconcile`].
    fn reconcile(
        &self,
        request: &Self::Request,
        cx: &Context,
    ) -> impl Future<Output = Result> + Send;
}

/// Request to reconcile an object: its name, and its cluster.
#[derive(Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Request {
    /// The name of the cluster; empty for the manager's own cluster.
    pub cluster: Arc<str>,
    /// Namespace and name.
    pub name: ObjectName,
}

/// Conversion into a request of a controller: from the type of its requests, or from any type that
/// converts into it, such as an [`ObjectName`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a request of the controller, which are `{Q}`",
    label = "maps to `{Self}`",
    note = "return `ObjectName::namespaced(namespace, name)`, or an `Option` or a list of them"
)]
pub trait IntoRequest<Q> {
    /// Converts the value into a request.
    fn into_request(self) -> Q;
}

#[diagnostic::do_not_recommend]
impl<Q, T: Into<Q>> IntoRequest<Q> for T {
    fn into_request(self) -> Q {
        self.into()
    }
}

/// A request without a cluster, which becomes that of the object that triggered the request.
impl From<ObjectName> for Request {
    fn from(name: ObjectName) -> Self {
        let cluster = Arc::default();
        Self { cluster, name }
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.cluster.is_empty() {
            write!(f, "{}:", self.cluster)?;
        }
        fmt::Display::fmt(&self.name, f)
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Adapts a [`Reconciler`]: looks up the object of a request in the cache.
pub(crate) struct ByObject<R: Reconciler> {
    pub(crate) reconciler: R,
    pub(crate) types: <R::Object as Resource>::DynamicType,
}

impl<R: Reconciler> RequestReconciler for ByObject<R> {
    type Request = Request;

    async fn reconcile(&self, request: &Request, cx: &Context) -> Result {
        let objects = cx.client().reconciled::<R::Object>(self.types.clone());
        match objects.get(&request.name).await? {
            Some(object) => self.reconciler.reconcile(object, cx).await,
            None => self.reconciler.absent(&request.name, cx).await,
        }
    }
}

/// A reconciler of any type.
pub(crate) trait AnyReconciler<Q>: Send + Sync {
    fn reconcile<'a>(&'a self, request: &'a Q, cx: &'a Context) -> BoxFuture<'a, Result>;
}

impl<R: RequestReconciler> AnyReconciler<R::Request> for R {
    fn reconcile<'a>(&'a self, request: &'a R::Request, cx: &'a Context) -> BoxFuture<'a, Result> {
        RequestReconciler::reconcile(self, request, cx).boxed()
    }
}
