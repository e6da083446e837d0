//! [`Predicate`]: a filter of informer events.

pub use genclient::informer::Event;
use genclient::kube::Resource;

/// Filter of events: whether an event triggers a reconcile. Closures `Fn(&Event<K>) -> bool` are
/// predicates.
///
/// A predicate saves reconciles, but neither memory nor traffic: objects whose events it rejects
/// are cached, too.
///
/// ```
/// use genclient_controller::predicate::{GenerationChanged, LabelChanged, Predicate};
/// use k8s_openapi::api::apps::v1::Deployment;
///
/// fn takes(_: impl Predicate<Deployment>) {}
/// takes(GenerationChanged.or(LabelChanged));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a predicate of `{K}`",
    label = "not a `Predicate<{K}>`",
    note = "write `|event: &Event<{K}>| ..`, or use one from the module `predicate`"
)]
pub trait Predicate<K>: Send + Sync + 'static {
    /// Whether the event triggers a reconcile.
    fn admits(&self, event: &Event<K>) -> bool;
}

impl<K, F: Fn(&Event<K>) -> bool + Send + Sync + 'static> Predicate<K> for F {
    fn admits(&self, event: &Event<K>) -> bool {
        self(event)
    }
}

/// Admits the events that both predicates admit.
#[derive(Clone, Copy, Debug)]
pub struct And<A, B>(pub A, pub B);

/// Admits the events that at least one of the two predicates admits.
#[derive(Clone, Copy, Debug)]
pub struct Or<A, B>(pub A, pub B);

/// Admits the updates that the inner predicate rejects. For additions and deletions, it keeps the
/// result of the inner predicate, while controller-runtime's `Not` inverts it.
#[derive(Clone, Copy, Debug)]
pub struct Not<P>(pub P);

/// Methods that combine predicates. Closures are combined by [`And`], [`Or`] and [`Not`] directly.
macro_rules! combined {
    ($($predicate:ident $(<$($part:ident),+>)?),* $(,)?) => {$(
        impl $(<$($part),+>)? $predicate $(<$($part),+>)? {
            /// Admits the events that both predicates admit.
            pub fn and<Other>(self, other: Other) -> And<Self, Other> {
                And(self, other)
            }

            /// Admits the events that at least one of the two predicates admits.
            pub fn or<Other>(self, other: Other) -> Or<Self, Other> {
                Or(self, other)
            }

            /// See [`Not`].
            #[expect(clippy::should_implement_trait, reason = "`!LabelChanged` says less")]
            pub fn not(self) -> Not<Self> {
                Not(self)
            }
        }
    )*};
}

combined! {
    GenerationChanged, LabelChanged, AnnotationChanged, ResourceVersionChanged,
    And<A, B>, Or<A, B>, Not<P>,
}

/// Admits additions, deletions, and updates that change `metadata.generation`. These updates are
/// changes of the specification, and the start of a deletion that waits for finalizers. Changes of
/// labels, or of a status that is a subresource, do not change the generation.
///
/// For kinds without generations, such as `ConfigMap` and `Secret`, no update is admitted, not even
/// the start of a deletion that waits for finalizers.
#[derive(Clone, Copy, Debug)]
pub struct GenerationChanged;

/// Admits additions, deletions, and updates that change labels.
#[derive(Clone, Copy, Debug)]
pub struct LabelChanged;

/// Admits additions, deletions, and updates that change annotations.
#[derive(Clone, Copy, Debug)]
pub struct AnnotationChanged;

/// Admits additions, deletions, and updates that change the resource version. A resync does not
/// change it.
#[derive(Clone, Copy, Debug)]
pub struct ResourceVersionChanged;

impl<K: 'static, A: Predicate<K>, B: Predicate<K>> Predicate<K> for And<A, B> {
    fn admits(&self, event: &Event<K>) -> bool {
        self.0.admits(event) && self.1.admits(event)
    }
}

impl<K: 'static, A: Predicate<K>, B: Predicate<K>> Predicate<K> for Or<A, B> {
    fn admits(&self, event: &Event<K>) -> bool {
        self.0.admits(event) || self.1.admits(event)
    }
}

impl<K: 'static, P: Predicate<K>> Predicate<K> for Not<P> {
    fn admits(&self, event: &Event<K>) -> bool {
        match event {
            Event::Updated { .. } => !self.0.admits(event),
            _ => self.0.admits(event),
        }
    }
}

macro_rules! changed {
    ($($predicate:ident: $object:ident => $part:expr),* $(,)?) => {$(
        impl<K: Resource + 'static> Predicate<K> for $predicate {
            fn admits(&self, event: &Event<K>) -> bool {
                match event {
                    Event::Updated { old, new } => {
                        let part = |$object: &K| $part;
                        part(old) != part(new)
                    }
                    _ => true,
                }
            }
        }
    )*};
}

changed! {
    GenerationChanged: object => object.meta().generation,
    LabelChanged: object => object.meta().labels.clone().unwrap_or_default(),
    AnnotationChanged: object => object.meta().annotations.clone().unwrap_or_default(),
    ResourceVersionChanged: object => object.meta().resource_version.clone(),
}
