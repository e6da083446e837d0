//! Commits: states of objects that go to the store, and what follows from them at once.

use std::sync::Arc;

use serde_json::Value;

use crate::authorization;
use crate::definitions;
use crate::kinds::Kind;
use crate::state::State;
use crate::store::{Change, Key, Raced};
use crate::stored::Stored;

/// Writes a state of an object to the store, and serves what a definition defines.
///
/// # Errors
///
/// If the object is no longer the live one.
pub(crate) fn commit(
    server: &State,
    kind: &Kind,
    key: &Key,
    live: Option<&Arc<Stored>>,
    object: Option<Value>,
    schema_id: u64,
) -> Result<Arc<Stored>, Raced> {
    let lag = server.seed.delay(server.lag);
    let write = |version| object.map(|object| Stored::new(object, version, schema_id));
    let observe = |change: &Change| server.observations.add(&kind.resource, change);
    let stored = server
        .store
        .commit(&kind.resource, key, live, write, lag, observe)?;
    if kind.resource == server.definitions {
        definitions::settle(server, kind, &stored);
    }
    authorization::aggregate_after(server, kind, lag);
    Ok(stored)
}
