//! PUT of an object, of a subresource with the same kind, such as its status, or of the finalizers
//! of a namespace.

use std::sync::Arc;

use serde_json::Value;

use super::response;
use super::write::Write;
use crate::answer::Answer;
use crate::failure::Failure;
use crate::metadata;
use crate::query::WriteOptions;
use crate::request::ObjectRequest;
use crate::state::State;
use crate::stored::Stored;

/// Replaces the object by the one in the body.
pub(super) async fn update(
    server: &Arc<State>,
    request: &ObjectRequest,
) -> Result<Answer, Failure> {
    let view = response::view(request)?;
    let options = WriteOptions::read(&request.query, request.verb, false)?;
    if request.target.name.is_empty() {
        return Err(Failure::bad_request("name must be provided"));
    }
    let decoded = request.object()?;
    let write = Write::new(server, request, &options, view);
    let mut sent = write.read(decoded)?;
    request.check_place(&mut sent)?;
    let is_unconditional = metadata::text(&sent, "resourceVersion").is_empty();
    let (code, stored) = loop {
        match update_once(&write, sent.clone()).await {
            Err(failure) if failure.is_raced && is_unconditional => {}
            written => break written?,
        }
    };
    write.answer(code, &stored).await
}

/// Updates the live object, without a retry after a concurrent write. If there is no live object
/// and the kind allows creation by PUT, creates the object.
async fn update_once(write: &Write<'_>, mut object: Value) -> Result<(u16, Arc<Stored>), Failure> {
    let request = write.request;
    let Some(live) = write.live() else {
        let creates = request.kind.flags.create_on_update && request.target.subresource.is_empty();
        if !creates {
            return Err(request.not_found());
        }
        let uid = metadata::text(&object, "uid");
        if !uid.is_empty() {
            return Err(write.wrong_uid(uid, ""));
        }
        write.check_namespace(&object)?;
        write.drop_duplicate_owners(&mut object);
        write.manage(None, &mut object).await;
        let object = write.admit_mutating(object, None).await?;
        return Ok((201, write.create(object).await?));
    };
    let old = write.start_from(&live).await?;
    write.drop_duplicate_owners(&mut object);
    write.manage(Some(&old), &mut object).await;
    let object = write.admit_mutating(object, Some(&old)).await?;
    let view = |object: &Value| Ok(object.clone());
    Ok((200, write.replace(&live, &old, object, &view).await?))
}
