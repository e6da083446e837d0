//! DELETE of a collection: every selected object by the rules of its own deletion.

use std::sync::Arc;

use super::list::{self, Selection};
use super::output::{self, ListMeta};
use super::{ObjectRequest, delete};
use crate::answer::Answer;
use crate::failure::Failure;
use crate::server::Inner;

/// Deletes what the selectors match, and answers with the objects as they were.
pub(super) async fn delete(
    server: &Arc<Inner>,
    request: &ObjectRequest,
) -> Result<Answer, Failure> {
    let view = output::view(request)?;
    let kind = &request.kind;
    let selection = Selection::read(kind, &request.query)?;
    let options = delete::options(request)?;
    let limit = request.query.number("limit")?.unwrap_or_default();
    let limit = usize::try_from(limit).ok().filter(|limit| *limit > 0);
    let snapshot = server.store.list(&kind.resource, &list::prefix(request));
    let selected = snapshot.objects.iter().map(|(_, stored)| stored);
    let selected = selected.filter(|stored| selection.matches(kind, stored));
    let selected: Vec<_> = selected.take(limit.unwrap_or(usize::MAX)).collect();
    for stored in &selected {
        match delete::one(server, request, &stored.namespace, &stored.name, &options) {
            Err(failure) if failure.code != 404 => return Err(failure),
            _ => {}
        }
    }
    let meta = ListMeta {
        version: snapshot.version,
        ..ListMeta::default()
    };
    Ok(output::list(
        kind,
        &meta,
        selected.iter().map(|it| &***it),
        view,
    ))
}
