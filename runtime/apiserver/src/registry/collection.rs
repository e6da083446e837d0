//! DELETE of a collection: deletes each selected object by the generic rules.

use std::sync::Arc;

use super::{delete, list, output};
use crate::answer::Answer;
use crate::failure::Failure;
use crate::request::ObjectRequest;
use crate::state::State;

/// Deletes the objects that match the selectors, and returns their states before.
pub(super) async fn delete(
    server: &Arc<State>,
    request: &ObjectRequest,
) -> Result<Answer, Failure> {
    let view = output::view(request)?;
    let options = delete::options(request)?;
    let (meta, selected) = list::selected(server, request).await?;
    for stored in &selected {
        let (namespace, name) = (&stored.namespace, &stored.name);
        match delete::one(server, request, namespace, name, &options).await {
            Err(failure) if failure.code != 404 => return Err(failure),
            _ => {}
        }
    }
    let objects = selected.iter().map(|stored| &**stored);
    Ok(output::list(&request.kind, &meta, objects, view))
}
