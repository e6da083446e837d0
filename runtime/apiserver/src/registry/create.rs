//! POST of an object, and of a review such as a SubjectAccessReview, which is answered but not
//! stored.

use std::sync::Arc;

use serde_json::Value;

use super::response;
use super::write::Write;
use crate::api_response::ApiResponse;
use crate::authorization;
use crate::metadata;
use crate::query::WriteOptions;
use crate::request::ObjectRequest;
use crate::route::Verb;
use crate::state::ServerState;
use crate::status_error::StatusError;

/// Creates the object in the body.
pub(super) async fn create(
    server: &Arc<ServerState>,
    request: &ObjectRequest,
) -> Result<ApiResponse, StatusError> {
    let representation = response::negotiate(request)?;
    let options = WriteOptions::from_query(&request.query, request.verb, false)?;
    let write = Write::new(server, request, &options, representation);
    let mut object = sent_object(&write)?;
    write.check_namespace_lifecycle(&object)?;
    write.drop_duplicate_owners(&mut object);
    write.update_managed_fields(None, &mut object).await;
    let object = write.admit_mutating(object, None).await?;
    let stored = write.create(object).await?;
    write.answer(201, &stored).await
}

/// Responds with the review from the request body, with its `status` filled in.
pub(super) async fn create_review(
    server: &Arc<ServerState>,
    request: &ObjectRequest,
) -> Result<ApiResponse, StatusError> {
    if !request.target.name.is_empty() {
        return Err(StatusError::no_resource());
    }
    if request.verb != Verb::Create {
        return Err(StatusError::method_not_allowed());
    }
    let representation = response::negotiate(request)?;
    let options = WriteOptions::from_query(&request.query, request.verb, false)?;
    let write = Write::new(server, request, &options, representation);
    let mut review = sent_object(&write)?;
    write.drop_duplicate_owners(&mut review);
    write.update_managed_fields(None, &mut review).await;
    let review = write.mutate(review, None).await?;
    let answer = authorization::answer_review(server, request, review.clone())?;
    write.admit_validating(&review, None).await?;
    Ok(ApiResponse::json(201, answer.to_string().into_bytes()))
}

/// Returns the object in the body, without the metadata that a client cannot set.
fn sent_object(write: &Write<'_>) -> Result<Value, StatusError> {
    let mut object = write.decode_object(write.request.parse_object()?)?;
    write.request.check_name_and_namespace(&mut object)?;
    wipe_system_fields(&mut object);
    Ok(object)
}

/// Removes the metadata that a client cannot set (`WipeObjectMetaSystemFields`).
fn wipe_system_fields(object: &mut Value) {
    for field in [
        "uid",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "selfLink",
    ] {
        metadata::set_field(object, field, None);
    }
}
