//! [`Query`]: selection of objects in a list.

use genclient::kube::core::SelectorExt;
use genclient::kube::{Resource, ResourceExt};
use genclient::lister::{IntoSelector, Selector, SelectorError};

/// Selection of objects in a list: by namespace, labels and an index.
///
/// ```
/// use genclient_controller::Query;
///
/// let query = Query::new().namespace("default").index("node", "worker");
/// # drop(query);
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "a query does nothing until it is given to `Client::list`"]
pub struct Query {
    pub(super) namespace: Option<String>,
    pub(super) labels: Selector,
    pub(super) error: Option<SelectorError>,
    pub(super) index: Option<(String, String)>,
}

impl Query {
    /// Selects every object.
    pub fn new() -> Self {
        Self::default()
    }

    /// Selects only objects in a namespace.
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = Some(namespace.into());
        self
    }

    /// Selects only objects that the label selector matches: `"app=train,!legacy"`,
    /// `[("app", "train")]`, or a [`Selector`]. If it is called several times, every selector has
    /// to match. An invalid selector is an error of the list.
    pub fn labels(mut self, selector: impl IntoSelector) -> Self {
        match selector.into_selector() {
            Ok(selector) => drop(self.labels.extend(selector)),
            Err(error) => self.error = Some(error),
        }
        self
    }

    /// Selects only objects that an index has under `value`: see
    /// [`Watch::index`](crate::Watch::index).
    pub fn index(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.index = Some((name.into(), value.into()));
        self
    }

    /// Whether an object found by the index also matches the namespace and the labels.
    pub(super) fn selects<K: Resource>(&self, object: &K) -> bool {
        let is_inside = |namespace: &String| object.namespace().as_ref() == Some(namespace);
        let labels = object.meta().labels.clone().unwrap_or_default();
        self.namespace.as_ref().is_none_or(is_inside) && self.labels.matches(&labels)
    }
}
