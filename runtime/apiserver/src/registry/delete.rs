//! DELETE of an object or a collection.

use std::sync::Arc;

use serde_json::{Value, json};

use super::write::{Deleted, Write};
use super::{get, response};
use crate::api_response::ApiResponse;
use crate::kinds::Kind;
use crate::query::{DeleteOptions, WriteOptions};
use crate::request::ObjectRequest;
use crate::state::ServerState;
use crate::status_error::StatusError;
use crate::store::Key;
use crate::stored::Stored;

/// Deletes the named object.
pub(super) async fn delete(
    server: &Arc<ServerState>,
    request: &ObjectRequest,
) -> Result<ApiResponse, StatusError> {
    let representation = response::negotiate(request)?;
    let options = options(request)?;
    let kind = &request.kind;
    let write_options = write_options(&options);
    let write = Write::new(server, request, &write_options, representation);
    match write.delete(&request.key(), &options).await? {
        Deleted::Remains(stored) => {
            let code = if options.is_not_orphaning { 202 } else { 200 };
            write.answer(code, &stored).await
        }
        Deleted::Gone(stored) if kind.flags.returns_deleted => {
            Ok(response::object(200, kind, &stored, representation))
        }
        Deleted::Gone(stored) => Ok(ApiResponse::value(&success(kind, &stored))),
    }
}

/// Deletes the objects that a list with the same query returns. Responds with the objects as they
/// were before the deletion.
pub(super) async fn delete_collection(
    server: &Arc<ServerState>,
    request: &ObjectRequest,
) -> Result<ApiResponse, StatusError> {
    let representation = response::negotiate(request)?;
    let options = options(request)?;
    let (meta, selected) = get::select_objects(server, request).await?;
    let write_options = write_options(&options);
    let write = Write::new(server, request, &write_options, representation);
    for stored in &selected {
        let key = Key::new(&stored.namespace, &stored.name);
        match write.delete(&key, &options).await {
            Err(failure) if failure.code != 404 => return Err(failure),
            _ => {}
        }
    }
    let objects = selected.iter().map(|stored| &**stored);
    Ok(response::list(
        &request.kind,
        &meta,
        objects,
        representation,
    ))
}

/// Returns the options of the writes that a deletion makes.
pub(super) fn write_options(options: &DeleteOptions) -> WriteOptions {
    WriteOptions {
        dry_run: options.dry_run,
        ..WriteOptions::default()
    }
}

/// Returns the options in the body, or those in the query if there is no body.
fn options(request: &ObjectRequest) -> Result<DeleteOptions, StatusError> {
    if request.body.is_empty() {
        return DeleteOptions::from_request(&request.query, None);
    }
    let body = request.parse_delete_options()?;
    DeleteOptions::from_request(&request.query, Some(&body))
}

/// Returns the Status that responds to a completed deletion.
fn success(kind: &Kind, stored: &Stored) -> Value {
    let mut details = json!({
        "name": stored.name,
        "kind": kind.plural(),
        "uid": stored.uid,
    });
    if !kind.group().is_empty() {
        details["group"] = kind.group().into();
    }
    json!({
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": details,
    })
}
