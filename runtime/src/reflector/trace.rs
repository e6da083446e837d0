//! Log events and spans of a reflector. The crate documentation describes them under "Tracing".

use std::error::Error as StdError;
use std::time::Duration;

use tokio::time::Instant;
use tracing::Span;

use super::error::ListWatchError;
use super::event::Skipped;
use super::request::ListWatchTarget;
use super::store::Listed;
use crate::object_ref::ObjectRef;
use crate::scheme::{GroupVersionResource, Object};

/// Logs an event about a collection. If the level is disabled, the arguments are not formatted.
macro_rules! about {
    ($level:ident, $target:expr, $($rest:tt)+) => {
        tracing::event!(
            tracing::Level::$level,
            object.kind = %K::kind(&$target.types),
            resource = %GroupVersionResource::of::<K>(&$target.types),
            namespace = $target.namespace,
            $($rest)+
        )
    };
}

impl<K: Object> ListWatchTarget<K> {
    /// Span of one list. For a streamed list, it covers the watch until the list is complete.
    pub(super) fn list_span(&self, resource_version: &str, streamed: bool) -> Span {
        tracing::debug_span!(
            "list",
            object.kind = %K::kind(&self.types),
            resource = %GroupVersionResource::of::<K>(&self.types),
            namespace = self.namespace,
            resource_version,
            streamed,
        )
    }

    /// Span of one watch, which lasts some minutes. There is no span for the whole life of an
    /// informer: collectors receive a span when it ends, and an informer runs as long as the
    /// program.
    pub(super) fn watch_span(&self, resource_version: &str) -> Span {
        tracing::debug_span!(
            "watch",
            object.kind = %K::kind(&self.types),
            resource = %GroupVersionResource::of::<K>(&self.types),
            namespace = self.namespace,
            resource_version,
        )
    }

    pub(super) fn trace_listed(&self, listed: &Listed<K>, begun: Instant) {
        about!(
            DEBUG,
            self,
            resource_version = listed.resource_version,
            objects = listed.objects.len(),
            skipped = listed.skipped.len(),
            elapsed = ?begun.elapsed(),
            "listed"
        );
    }

    pub(super) fn trace_unstreamed(&self, error: &ListWatchError) {
        let error: &dyn StdError = error;
        about!(
            DEBUG,
            self,
            error,
            "cannot stream the list; falling back to list"
        );
    }

    pub(super) fn warn_of_endless_list(&self, streaming: Duration) {
        about!(WARN, self, elapsed = ?streaming, "still streaming the list");
    }

    /// Warns that the cache was replaced by a list with a lower resource version.
    pub(super) fn warn_of_restore(&self, from: &str, to: &str) {
        about!(
            WARN,
            self,
            from,
            to,
            "resource versions went back, as after a restore of etcd; the cache was replaced"
        );
    }

    /// Logs that the API server ignores shard selectors.
    pub(super) fn trace_unfiltered(&self) {
        about!(
            INFO,
            self,
            "the API server sends the objects of all replicas; its feature gate ShardedListAndWatch is off"
        );
    }

    /// Logs that the latest resource version could not be requested.
    pub(super) fn trace_unconfirmed(&self, resource_version: &str, error: &ListWatchError) {
        let error: &dyn StdError = error;
        about!(
            DEBUG,
            self,
            resource_version,
            error,
            "cannot check the latest resource version"
        );
    }

    /// Logs the end of a watch. `resource_version` is the last version that the watch reached.
    pub(super) fn trace_watch_ended(&self, resource_version: &str) {
        about!(DEBUG, self, resource_version, "watch ended");
    }

    /// Logs that a watch was given up because it was silent for too long. This is not reported as a
    /// failure, since a new watch follows at once.
    pub(super) fn trace_given_up(&self, resource_version: &str, error: &ListWatchError) {
        let error: &dyn StdError = error;
        about!(DEBUG, self, resource_version, error, "restarting watch");
    }

    /// Logs a failure:
    ///
    /// - An expired version is logged at debug level, as in client-go. It is normal: the server
    ///   keeps only some minutes of history.
    /// - During an outage, the reflectors of a factory together log one warning at its start and
    ///   one every 30 s. The failures in between are logged at debug level.
    /// - A version that is newer than the server's latest is logged at debug level. The list that
    ///   follows is a warning.
    /// - Any other failure is a warning if `is_news`, otherwise logged at debug level.
    pub(super) fn trace_failure(
        &self,
        resource_version: &str,
        error: &ListWatchError,
        is_news: bool,
    ) {
        let is_expired = error.is_expired();
        let has_gone_back = matches!(error, ListWatchError::WentBack { .. });
        let is_outage = self.outage.covers(error);
        let is_known = is_outage && !self.outage.is_warning_due();
        let error: &dyn StdError = error;
        if is_known {
            about!(
                DEBUG,
                self,
                resource_version,
                error,
                "the API server still cannot be reached"
            );
        } else if is_expired {
            about!(
                DEBUG,
                self,
                resource_version,
                error,
                "resource version expired; relisting"
            );
        } else if is_outage || is_news && !has_gone_back {
            about!(
                WARN,
                self,
                resource_version,
                error,
                "list or watch failed; retrying"
            );
        } else {
            about!(
                DEBUG,
                self,
                resource_version,
                error,
                "list or watch failed; retrying"
            );
        }
    }

    pub(super) fn warn_of_skipped(&self, skipped: &Skipped) {
        tracing::warn!(
            "object.ref" = %ObjectRef::<K> { types: &self.types, name: &skipped.name },
            resource_version = skipped.resource_version,
            error = skipped.cause,
            "cannot decode object; skipping it"
        );
    }
}
