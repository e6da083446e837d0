//! Managed fields of a write, and who it is that writes.

use genclient_schema::meta::{DuplicateOwners, remove_duplicate_owners};
use serde_json::Value;

use super::pipeline::Write;
use crate::failure::Failure;
use crate::ssa::{self, ApplyError, Writer};

/// The longest name of a field manager that is made of a user agent, in bytes.
const LIMIT: usize = 128;

impl Write<'_> {
    /// Brings the managed fields of an object up to date that is to be written, before the server
    /// changes anything of it.
    pub(super) fn manage(&self, live: Option<&Value>, object: &mut Value) {
        let request = self.request();
        request.warn(match live {
            Some(_) => None,
            None => remove_duplicate_owners(object, DuplicateOwners::Sent),
        });
        let Some(endpoint) = request.kind.endpoint(&request.target.subresource) else {
            return;
        };
        let manager = self.manager();
        let now = self.server().clock.timestamp();
        let writer = Writer {
            manager: &manager,
            now: &now,
        };
        ssa::update(endpoint, live, object, writer);
        if let Some(live) = live {
            request.warn(remove_duplicate_owners(object, DuplicateOwners::Admitted));
            ssa::keep_unchanged_times(live, object);
        }
    }

    /// Applies a configuration to an object, or to none. Nothing comes back if nothing changes.
    pub(super) fn apply(
        &self,
        live: Option<&Value>,
        applied: &Value,
    ) -> Result<Option<Value>, Failure> {
        let request = self.request();
        let Some(endpoint) = request.kind.endpoint(&request.target.subresource) else {
            return Err(request.not_found());
        };
        let now = self.server().clock.timestamp();
        let writer = Writer {
            manager: &self.options().field_manager,
            now: &now,
        };
        let force = self.options().force;
        let object = ssa::apply(endpoint, live, applied, writer, force);
        let mut object = object.map_err(refused)?;
        if let (Some(live), Some(object)) = (live, &mut object) {
            ssa::keep_unchanged_times(live, object);
        }
        Ok(object)
    }

    /// The field manager that the request names, or else the program that sends it.
    fn manager(&self) -> String {
        let named = &self.options().field_manager;
        if !named.is_empty() {
            return named.clone();
        }
        let agent = self.request().headers.get(http::header::USER_AGENT);
        let agent = agent.and_then(|agent| agent.to_str().ok());
        let program = agent.unwrap_or_default().split('/').next();
        let mut program = program.unwrap_or_default().to_owned();
        program.truncate(LIMIT);
        program
    }
}

fn refused(error: ApplyError) -> Failure {
    match error {
        ApplyError::BadRequest(message) => Failure::bad_request(message),
        ApplyError::Internal(message) => Failure::unknown(500, message),
        ApplyError::Conflict { message, causes } => Failure::apply_conflict(message, causes),
    }
}
