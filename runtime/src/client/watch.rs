//! [`WatchStream`]: the stream that the verb `watch` returns.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures::stream::BoxStream;
use futures::{Stream, StreamExt};
use kube::Error;
use kube::api::WatchEvent;

use super::Result;
use super::answer::unreadable;

/// Events of one watch, until the API server ends it.
///
/// # Cancel safety
///
/// No event is lost if the future of the next item is dropped. Dropping the stream ends the watch.
pub struct WatchStream<K> {
    events: BoxStream<'static, Result<WatchEvent<K>>>,
}

impl<K> WatchStream<K> {
    pub(super) fn new(events: impl Stream<Item = Result<WatchEvent<K>>> + Send + 'static) -> Self {
        let events = events.map(|event| {
            event.map_err(|error| match error {
                Error::SerdeError(error) => unreadable(&error),
                error => error,
            })
        });
        Self {
            events: events.boxed(),
        }
    }
}

impl<K> Stream for WatchStream<K> {
    type Item = Result<WatchEvent<K>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.events.poll_next_unpin(context)
    }
}

impl<K> fmt::Debug for WatchStream<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WatchStream").finish_non_exhaustive()
    }
}
