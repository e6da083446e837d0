//! POST of a review such as a SubjectAccessReview. The review is answered but not stored.

use std::sync::Arc;

use super::pipeline::Write;
use super::response;
use crate::answer::Answer;
use crate::authorization;
use crate::failure::Failure;
use crate::metadata;
use crate::query::WriteOptions;
use crate::request::ObjectRequest;
use crate::route::Verb;
use crate::state::State;

/// Responds with the review from the request body, with its `status` filled in.
pub(super) async fn create(
    server: &Arc<State>,
    request: &ObjectRequest,
) -> Result<Answer, Failure> {
    if !request.target.name.is_empty() {
        return Err(Failure::no_resource());
    }
    if request.verb != Verb::Create {
        return Err(Failure::method_not_allowed());
    }
    let view = response::view(request)?;
    let options = WriteOptions::read(&request.query, request.verb, false)?;
    let decoded = request.object()?;
    let write = Write::new(server, request, &options, view);
    let mut review = write.read(decoded)?;
    request.check_place(&mut review)?;
    for field in [
        "uid",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "selfLink",
    ] {
        metadata::set(&mut review, field, None);
    }
    write.manage(None, &mut review).await;
    let review = write.mutate(review, None).await?;
    let answer = authorization::answer_review(server, request, review.clone())?;
    write.admit(&review, None).await?;
    Ok(Answer::json(201, answer.to_string().into_bytes()))
}
