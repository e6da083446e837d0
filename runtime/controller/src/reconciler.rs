//! [`Reconciler`] of objects, and [`RequestReconciler`], to which it is adapted.

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

/// Makes the cluster what an object of one kind asks for.
///
/// It is called with an object after the object, or something that belongs to it, has changed, and
/// whenever it asked to be called again. It never runs twice at a time for one object. What it is
/// told of may be older than what is known by then, so it looks at what there is, and not at what
/// happened.
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

    /// Makes the cluster what the object asks for. An object that is being deleted has a
    /// `deletionTimestamp`.
    ///
    /// # Errors
    ///
    /// See [`Failure`](crate::Failure).
    ///
    /// # Cancel safety
    ///
    /// The future is dropped when its time is over: after the controller's timeout, and when the
    /// program stops and the grace has passed.
    fn reconcile(
        &self,
        object: Arc<Self::Object>,
        cx: &Context,
    ) -> impl Future<Output = Result> + Send;

    /// Cleans up after an object that is gone, or that the selectors of the controller's watches
    /// leave out. Called once for each deletion that was seen, and for names that something else
    /// led to.
    ///
    /// # Errors
    ///
    /// See [`Failure`](crate::Failure).
    ///
    /// # Cancel safety
    ///
    /// The future is dropped as that of [`reconcile`](Self::reconcile).
    fn absent(&self, _name: &ObjectName, _cx: &Context) -> impl Future<Output = Result> + Send {
        async { Ok(Action::done()) }
    }
}

/// Works on requests of any type: what a [`Reconciler`] is adapted to.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a reconciler of requests",
    label = "not a `RequestReconciler`",
    note = "write `impl RequestReconciler for {Self} {{ type Request = ..; async fn reconcile(&self, request: &.., cx: &Context) -> Result {{ .. }} }}`"
)]
pub trait RequestReconciler: Send + Sync + 'static {
    /// What there is to do. Equal requests are done once.
    type Request: Clone + Eq + Hash + fmt::Debug + Send + Sync + 'static;

    /// Does it.
    ///
    /// # Errors
    ///
    /// See [`Failure`](crate::Failure).
    ///
    /// # Cancel safety
    ///
    /// The future is dropped as that of [`Reconciler::reconcile`].
    fn reconcile(
        &self,
        request: &Self::Request,
        cx: &Context,
    ) -> impl Future<Output = Result> + Send;
}

/// The name of an object that is to be reconciled, and its cluster.
#[derive(Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Request {
    /// What the manager calls the cluster; empty for the manager's own.
    pub cluster: Arc<str>,
    /// Namespace and name.
    pub name: ObjectName,
}

/// What a watch is mapped to: the type of the requests, or whatever is converted to it, such as an
/// [`ObjectName`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a request of the controller, which are `{Q}`",
    label = "maps to `{Self}`",
    note = "return `ObjectName::namespaced(namespace, name)`, or an `Option` or a list of them"
)]
pub trait IntoRequest<Q> {
    /// The request.
    fn into_request(self) -> Q;
}

#[diagnostic::do_not_recommend]
impl<Q, T: Into<Q>> IntoRequest<Q> for T {
    fn into_request(self) -> Q {
        self.into()
    }
}

/// In the cluster whose object led to the request.
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

/// Looks objects up in the cache.
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

/// A reconciler of whatever type.
pub(crate) trait AnyReconciler<Q>: Send + Sync {
    fn reconcile<'a>(&'a self, request: &'a Q, cx: &'a Context) -> BoxFuture<'a, Result>;
}

impl<R: RequestReconciler> AnyReconciler<R::Request> for R {
    fn reconcile<'a>(&'a self, request: &'a R::Request, cx: &'a Context) -> BoxFuture<'a, Result> {
        RequestReconciler::reconcile(self, request, cx).boxed()
    }
}
