//! Part of a [`Reflector`] that adds and removes objects when the shards of this replica change.
//!
//! Objects of new shards are listed while the watch continues. Then the watch is opened again for
//! all objects. It starts at the version of the list, or at the version that the watch has reached
//! if that is older. Some cached objects are then newer than the events of the watch. Events that
//! are older than the cached object are ignored.

use futures::FutureExt;
use parking_lot::Mutex;

use super::{Reflector, is_older};
use crate::reflector::error::ListWatchError;
use crate::reflector::event::WatchEvent;
use crate::reflector::gain::{Gain, ListedGain, listed};
use crate::reflector::shards::{Ahead, ShardFilter};
use crate::reflector::store::{Listed, ReflectorStore};
use crate::scheme::Object;

impl<K: Object, S: ReflectorStore<K> + Clone + 'static> Reflector<K, S> {
    /// Waits until this replica has objects to cache, and limits the next list to them. Until then,
    /// the cache is complete without objects.
    pub(super) async fn wait_for_shards(&mut self) -> Result<(), ListWatchError> {
        self.gain = None;
        while let Some(shards) = &mut self.shards {
            let gained = shards.cache.prepare();
            // An older list may lack the last changes by the replica that had the objects, or be
            // older than the cache.
            self.version_unavailable |= !gained.is_empty() || !shards.ahead.is_empty();
            for ahead in std::mem::take(&mut shards.ahead) {
                if is_older(&self.version, &ahead.version) {
                    self.version = ahead.version;
                }
            }
            shards.reached.clear();
            let mut ranges = shards.cache.ranges();
            ranges.extend(gained);
            let changed = shards.cache.changed(&ranges, false);
            shards.filter.ranges = ranges;
            self.store.retain(&shards.filter);
            if !shards.filter.ranges.is_empty() {
                self.apply_filter();
                break;
            }
            // This also shows whether the kind may be listed.
            let version = self.target.latest_version().await?;
            self.replace(Listed::empty(version));
            changed.await;
        }
        Ok(())
    }

    /// Removes what this replica has lost, and begins to list what it has got. Waits while it has
    /// nothing. Returns whether the watch has to be opened again.
    pub(super) async fn follow_shards(&mut self) -> Result<bool, ListWatchError> {
        let mut has_changed = false;
        while let Some(shards) = &mut self.shards {
            let kept = shards.cache.ranges();
            if kept != shards.filter.ranges {
                shards.filter.ranges = kept;
                self.store.retain(&shards.filter);
                self.apply_filter();
                has_changed = true;
            }
            self.begin_gain();
            let is_empty = self
                .shards
                .as_ref()
                .is_some_and(|it| it.filter.ranges.is_empty());
            if !is_empty {
                break;
            }
            let mut gain = self.gain.take();
            let outdated = self.shards_outdated(gain.is_some());
            tokio::select! {
                listed = listed(&mut gain) => self.add_gained(listed)?,
                () = outdated => self.gain = gain,
            }
            has_changed = true;
        }
        Ok(has_changed)
    }

    /// Begins to list what this replica has got, unless a list is running.
    fn begin_gain(&mut self) {
        let Some(shards) = &self.shards else { return };
        if self.gain.is_some() {
            return;
        }
        let ranges = shards.cache.prepare();
        if !ranges.is_empty() {
            let filter = shards.filter.with_ranges(ranges.clone());
            self.gain = Some(Gain {
                ranges,
                since: self.version.clone(),
                listing: Mutex::new(self.sibling(filter).list_latest().boxed()),
            });
        }
    }

    /// Returns a reflector of the same collection, for one list.
    fn sibling(&self, filter: ShardFilter) -> Self {
        let target = &self.target;
        let mut sibling = Self::new(
            target.client.clone(),
            target.types.clone(),
            target.namespace.clone(),
            self.options.clone(),
            None,
            target.outage.clone(),
            self.store.clone(),
        );
        sibling.target.selectors.shards = filter.selector();
        sibling.target.metrics.clone_from(&target.metrics);
        sibling.decoder = self.decoder.with_filter(filter);
        sibling
    }

    /// Lists the latest state. Retries until it succeeds.
    async fn list_latest(mut self) -> Listed<K> {
        loop {
            self.version_unavailable = true;
            let listed = match self.stream_latest().await {
                Some(listed) => listed,
                None => self.list_at_least().await,
            };
            match listed {
                Ok(listed) => return listed,
                Err(error) => self.report_and_pause(error, S::failed).await,
            }
        }
    }

    /// Streams the latest state. Returns `None` if it cannot be streamed.
    async fn stream_latest(&mut self) -> Option<Result<Listed<K>, ListWatchError>> {
        if !self.options.watch_list {
            return None;
        }
        match self.stream_once().await {
            Ok((listed, _)) => Some(Ok(listed)),
            Err(error) if error.is_overload() => Some(Err(error)),
            Err(error) => {
                self.target.trace_unstreamed(&error);
                None
            }
        }
    }

    /// Adds what this replica has got to the cache.
    ///
    /// # Errors
    ///
    /// [`ListWatchError::WentBack`] if the list is older than the watch was when it was begun.
    pub(super) fn add_gained(&mut self, gain: ListedGain<K>) -> Result<(), ListWatchError> {
        let ListedGain {
            ranges,
            since,
            listed,
        } = gain;
        let version = listed.resource_version.clone();
        if is_older(&version, &since) {
            self.version_unavailable = true;
            let to = version;
            return Err(ListWatchError::WentBack { from: since, to });
        }
        self.note_filtering(&listed);
        { listed.skipped.iter() }.for_each(|skipped| self.target.warn_of_skipped(skipped));
        let Some(shards) = &mut self.shards else {
            return Ok(());
        };
        let kept = shards.filter.ranges.clone();
        shards.filter.ranges.extend(ranges.clone());
        self.store.extend(listed);
        if kept.is_empty() {
            self.version = version.clone();
            let bookmark = WatchEvent::Bookmark {
                resource_version: version,
                ends_initial_events: false,
            };
            self.store.handle_event(bookmark, &self.version);
        } else if is_older(&self.version, &version) {
            shards.ahead.push(Ahead { ranges, version });
        } else {
            let reached = std::mem::replace(&mut self.version, version);
            if !is_older(&reached, &shards.reached) {
                shards.reached.clone_from(&reached);
            }
            shards.ahead.push(Ahead {
                ranges: kept,
                version: reached,
            });
        }
        shards.cache.prepared();
        self.apply_filter();
        Ok(())
    }

    /// Returns the version up to which the cache is complete after an event.
    pub(super) fn complete_up_to(&self) -> &str {
        match &self.shards {
            Some(shards) if is_older(&self.version, &shards.reached) => &shards.reached,
            _ => &self.version,
        }
    }

    /// Returns the event, or a bookmark if the cache has a later state of its object.
    pub(super) fn without_outdated(&mut self, event: WatchEvent<K>) -> WatchEvent<K> {
        let Some(shards) = self.shards.as_mut().filter(|it| !it.ahead.is_empty()) else {
            return event;
        };
        let version = event.resource_version().unwrap_or_default().to_owned();
        let cached = event.object_name().map(|(namespace, name)| {
            let cached = self.store.cached(namespace, name)?;
            cached.meta().resource_version.clone()
        });
        let is_outdated = match cached {
            Some(Some(known)) => !is_older(&known, &version),
            Some(None) => shards.is_behind(&event, &version),
            None => false,
        };
        shards
            .ahead
            .retain(|ahead| is_older(&version, &ahead.version));
        if is_outdated {
            return WatchEvent::Bookmark {
                resource_version: version,
                ends_initial_events: false,
            };
        }
        event
    }

    /// Limits lists and watches to the ranges of the filter.
    fn apply_filter(&mut self) {
        if let Some(shards) = &self.shards {
            self.target.selectors.shards = shards.filter.selector();
            self.decoder.filter = Some(shards.filter.clone());
        }
    }

    /// Waits until the cache has to have other objects. Without sharding, never resolves.
    pub(super) fn shards_outdated(
        &self,
        is_gaining: bool,
    ) -> impl Future<Output = ()> + Send + use<K, S> {
        let shards = self.shards.as_ref();
        let changed = shards.map(|it| it.cache.changed(&it.filter.ranges, is_gaining));
        async move {
            match changed {
                Some(changed) => changed.await,
                None => std::future::pending().await,
            }
        }
    }

    /// Logs once that the API server sends objects that it was asked to leave out.
    pub(super) fn note_filtering(&mut self, listed: &Listed<K>) {
        if let Some(shards) = &mut self.shards
            && listed.outside > 0
            && shards.filter.is_by_namespace()
            && !std::mem::replace(&mut shards.is_unfiltered, true)
        {
            self.target.trace_unfiltered();
        }
    }
}

#[cfg(test)]
mod tests;
