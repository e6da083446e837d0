//! PUT of an object, of a subresource with the same kind, such as its status, or of the finalizers
//! of a namespace.

use std::sync::Arc;

use serde_json::Value;

use super::response;
use super::write::{Updated, UpdatedObject, Write};
use crate::api_response::ApiResponse;
use crate::metadata;
use crate::query::WriteOptions;
use crate::request::ObjectRequest;
use crate::state::ServerState;
use crate::status_error::StatusError;

/// Replaces the object by the one in the body.
pub(super) async fn update(
    server: &Arc<ServerState>,
    request: &ObjectRequest,
) -> Result<ApiResponse, StatusError> {
    let representation = response::negotiate(request)?;
    let options = WriteOptions::from_query(&request.query, request.verb, false)?;
    if request.target.name.is_empty() {
        return Err(StatusError::bad_request("name must be provided"));
    }
    let decoded = request.parse_object()?;
    let write = Write::new(server, request, &options, representation);
    let mut sent = write.decode_object(decoded)?;
    request.check_name_and_namespace(&mut sent)?;
    let (code, stored) = write.update(&PutObject(sent)).await?;
    write.answer(code, &stored).await
}

/// Object in the body of a PUT.
struct PutObject(Value);

impl UpdatedObject for PutObject {
    fn creates(&self, write: &Write<'_>) -> bool {
        let request = write.request;
        request.kind.flags.create_on_update && request.target.subresource.is_empty()
    }

    async fn updated_object(
        &self,
        write: &Write<'_>,
        old: Option<&Value>,
    ) -> Result<Updated, StatusError> {
        let mut object = self.0.clone();
        if old.is_none() {
            let uid = metadata::str_field(&object, "uid");
            if !uid.is_empty() {
                return Err(write.wrong_uid(uid, ""));
            }
            write.check_namespace_lifecycle(&object)?;
        }
        write.drop_duplicate_owners(&mut object);
        write.update_managed_fields(old, &mut object).await;
        Ok(Updated {
            object,
            is_unconditional: metadata::str_field(&self.0, "resourceVersion").is_empty(),
        })
    }
}
