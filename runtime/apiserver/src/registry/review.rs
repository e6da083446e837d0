//! POST of a review: an answer instead of an object.

use std::sync::Arc;

use super::pipeline::Write;
use super::{ObjectRequest, metadata, output};
use crate::answer::Answer;
use crate::authorization;
use crate::failure::Failure;
use crate::query::WriteOptions;
use crate::route::Verb;
use crate::server::Inner;

/// Answers the review of the body.
pub(super) fn create(server: &Arc<Inner>, request: &ObjectRequest) -> Result<Answer, Failure> {
    if !request.target.name.is_empty() {
        return Err(Failure::no_resource());
    }
    if request.verb != Verb::Create {
        return Err(Failure::method_not_allowed());
    }
    output::view(request)?;
    let options = WriteOptions::read(&request.query, request.verb, false)?;
    let decoded = request.object()?;
    let write = Write::new(server, request, &options);
    let mut review = write.read(decoded)?;
    request.check_place(&mut review)?;
    for field in ["uid", "creationTimestamp", "deletionTimestamp", "selfLink"] {
        metadata::set(&mut review, field, None);
    }
    write.manage(None, &mut review);
    let review = authorization::answer_review(server, request, review)?;
    Ok(Answer::json(201, review.to_string().into_bytes()))
}
