//! [`ShardFilter`]: the objects of a kind that this replica caches. It is applied before an object
//! is decoded, since the API server may send the objects of all replicas.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::Arc;

use genclient_apimachinery::sharding::{ShardField, ShardSelector};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::Deserialize;
use serde_json::Deserializer;

use super::event::WatchEvent;
use super::members::metadata_offset;
use crate::cache::{ObjectName, compare_resource_versions};
use crate::scheme::Object;
use crate::sharding::{HashRanges, ShardBy, ShardCache, ShardKey};

/// The part of a collection that a reflector mirrors.
pub(crate) struct ReflectedShards {
    pub(super) cache: ShardCache,
    pub(super) filter: ShardFilter,
    /// Objects that are newer in the cache than in the watch. Their older events are ignored.
    pub(super) ahead: Vec<Ahead>,
    /// The version up to which the cache was complete before the watch was opened again at an older
    /// one. Empty if it never was.
    pub(super) reached: String,
    /// Whether the API server has sent objects that it was asked to leave out.
    pub(super) is_unfiltered: bool,
}

/// Ranges of objects that are cached as of a version that the watch has not reached yet.
pub(super) struct Ahead {
    pub(super) ranges: HashRanges,
    pub(super) version: String,
}

/// Filter of objects by the hash of their shard key.
#[derive(Clone)]
pub(crate) struct ShardFilter {
    shard_by: ShardBy,
    key: Arc<ShardKey>,
    pub(super) ranges: HashRanges,
}

/// Object that its shard key excludes.
pub(super) struct OutsideObject {
    pub(super) name: ObjectName,
    pub(super) resource_version: String,
}

/// Metadata that decides about an object's replica.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct KeyMetadata<'a> {
    #[serde(borrow, default)]
    namespace: Option<JsonText<'a>>,
    #[serde(borrow, default)]
    name: Option<JsonText<'a>>,
    #[serde(borrow, default)]
    resource_version: Option<JsonText<'a>>,
    #[serde(borrow, default)]
    owner_references: Option<Vec<Owner<'a>>>,
}

/// Text that is not copied if it has no escapes. serde copies it in an `Option<Cow<str>>`.
#[derive(Deserialize)]
struct JsonText<'a>(#[serde(borrow)] Cow<'a, str>);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Owner<'a> {
    #[serde(borrow, default)]
    api_version: Cow<'a, str>,
    #[serde(borrow, default)]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    name: Cow<'a, str>,
    #[serde(default)]
    controller: Option<bool>,
}

impl OutsideObject {
    pub(super) fn into_event<K>(self, is_added: bool) -> WatchEvent<K> {
        WatchEvent::Outside {
            name: self.name,
            resource_version: self.resource_version,
            is_added,
        }
    }
}

impl ReflectedShards {
    pub(crate) fn new(cache: ShardCache, key: ShardKey) -> Self {
        let filter = ShardFilter {
            shard_by: cache.shard_by(),
            key: Arc::new(key),
            ranges: HashRanges::new(),
        };
        Self {
            cache,
            filter,
            ahead: Vec::new(),
            reached: String::new(),
            is_unfiltered: false,
        }
    }

    /// Returns the number of the cache.
    pub(crate) fn number(&self) -> u64 {
        self.cache.number()
    }

    /// Whether the cache knows that the object of an event is gone.
    pub(super) fn is_behind<K: Object>(&self, event: &WatchEvent<K>, version: &str) -> bool {
        let hash = self.filter.hash_of_event(event);
        self.ahead.iter().any(|ahead| {
            hash.is_some_and(|hash| ahead.ranges.contains(&hash))
                && compare_resource_versions(version, &ahead.version).is_ok_and(Ordering::is_le)
        })
    }
}

impl ShardFilter {
    /// Returns the selector by which the API server filters, if it can.
    pub(super) fn selector(&self) -> Option<ShardSelector> {
        let ranges = self.ranges.iter().cloned();
        ShardSelector::new(ShardField::Namespace, ranges).filter(|_| self.is_by_namespace())
    }

    /// Returns the same filter for other ranges.
    pub(super) fn with_ranges(&self, ranges: HashRanges) -> Self {
        Self {
            ranges,
            ..self.clone()
        }
    }

    /// Whether the hash is that of the namespace, so that the API server can filter.
    pub(super) fn is_by_namespace(&self) -> bool {
        self.key.is_namespace(self.shard_by)
    }

    /// Whether the replica caches an object. A replica without ranges caches nothing.
    pub(crate) fn includes(&self, metadata: &ObjectMeta) -> bool {
        match self.hash(metadata) {
            Some(hash) => self.ranges.contains(&hash),
            None => !self.ranges.is_empty(),
        }
    }

    /// Whether the replica caches an object of which only the name is known.
    pub(crate) fn includes_name(&self, name: &ObjectName) -> bool {
        let namespace = name.namespace().unwrap_or_default();
        self.hash_of(namespace, name.name(), std::iter::empty())
            .is_none_or(|hash| self.ranges.contains(&hash))
    }

    /// Returns the hash of the shard key of an event's object, if it is known.
    fn hash_of_event<K: Object>(&self, event: &WatchEvent<K>) -> Option<u64> {
        match event {
            WatchEvent::Added(object)
            | WatchEvent::Modified(object)
            | WatchEvent::Deleted(object) => self.hash(object.meta()),
            WatchEvent::Skipped(skipped) | WatchEvent::SkippedDeletion(skipped) => {
                let namespace = skipped.name.namespace().unwrap_or_default();
                self.hash_of(namespace, skipped.name.name(), std::iter::empty())
            }
            WatchEvent::Outside { .. } | WatchEvent::Bookmark { .. } => None,
        }
    }

    /// Returns the hash of an object's shard key; `None` if all replicas cache the object.
    fn hash(&self, metadata: &ObjectMeta) -> Option<u64> {
        let namespace = metadata.namespace.as_deref().unwrap_or_default();
        let name = metadata.name.as_deref().unwrap_or_default();
        let references = metadata.owner_references.iter().flatten();
        let owners = references.map(|owner| Owner {
            api_version: Cow::Borrowed(&owner.api_version),
            kind: Cow::Borrowed(&owner.kind),
            name: Cow::Borrowed(&owner.name),
            controller: owner.controller,
        });
        self.hash_of(namespace, name, owners)
    }

    /// Returns the object if the replica does not cache it. `None` if it does, or if the metadata
    /// cannot be read.
    pub(super) fn outside(&self, json: &[u8]) -> Option<OutsideObject> {
        let offset = metadata_offset(json)?;
        let mut deserializer = Deserializer::from_slice(json.get(offset..)?);
        let metadata = KeyMetadata::deserialize(&mut deserializer).ok()?;
        let namespace = metadata.namespace.as_ref().map_or("", |it| &it.0);
        let name = &*metadata.name.as_ref()?.0;
        let owners = metadata.owner_references.into_iter().flatten();
        let hash = self.hash_of(namespace, name, owners)?;
        (!self.ranges.contains(&hash)).then(|| OutsideObject {
            name: ObjectName::new(namespace, name),
            resource_version: { metadata.resource_version }
                .map(|it| it.0.into_owned())
                .unwrap_or_default(),
        })
    }

    fn hash_of<'a>(
        &self,
        namespace: &str,
        name: &str,
        mut owners: impl Iterator<Item = Owner<'a>>,
    ) -> Option<u64> {
        if self.is_by_namespace() {
            return Some(self.shard_by.hash(namespace, ""));
        }
        match &*self.key {
            ShardKey::Itself => Some(self.shard_by.hash(namespace, name)),
            ShardKey::Controller {
                group,
                kind,
                is_cluster_scoped,
            } => {
                let owner = owners.find(|owner| owner.controller == Some(true))?;
                if owner.kind != *kind || group_of(&owner.api_version) != group {
                    return None;
                }
                let namespace = if *is_cluster_scoped { "" } else { namespace };
                Some(self.shard_by.hash(namespace, &owner.name))
            }
        }
    }
}

fn group_of(api_version: &str) -> &str {
    api_version.split_once('/').map_or("", |(group, _)| group)
}

#[cfg(test)]
mod tests;
