//! Commits: writes to the store, with their effects on served kinds and aggregated ClusterRoles.

use std::sync::Arc;

use crate::authorization;
use crate::definitions;
use crate::kinds::Kind;
use crate::state::ServerState;
use crate::store::{Key, Raced, StoreEvent};
use crate::stored::{Encoded, Stored};

/// Writes an object to the store, or deletes it if `encoded` is `None`.
///
/// If the object is a CustomResourceDefinition, the served kinds are updated at once. If it is a
/// ClusterRole, the rules of aggregated ClusterRoles are updated, unless aggregation is off.
///
/// # Errors
///
/// If `live` is no longer the stored state.
pub(crate) fn commit(
    server: &ServerState,
    kind: &Kind,
    key: &Key,
    live: Option<&Arc<Stored>>,
    encoded: Option<Encoded>,
) -> Result<Arc<Stored>, Raced> {
    let lag = server.seed.delay(server.lag);
    let write = |version| encoded.map(|it| Stored::new(it.object, version, it.schema_id));
    let observe = |change: &StoreEvent| server.controller_queue.add(&kind.resource, change);
    let stored = server
        .store
        .commit(&kind.resource, key, live, write, lag, observe)?;
    if kind.resource == server.definitions {
        definitions::settle(server, kind, &stored);
    }
    let states = live.into_iter().chain([&stored]);
    authorization::aggregate_after(server, kind, states.map(|state| &**state), lag);
    Ok(stored)
}
