//! Steps of a write that compute managed fields, and the name of its field manager.

use std::sync::Arc;

use genclient_merge::ssa::{self, ApplyFailure, ConversionError, Writer};
use genclient_schema::meta::{DuplicateOwners, remove_duplicate_owners};
use parking_lot::Mutex;
use serde_json::Value;

use super::write::Write;
use crate::conversion;
use crate::query::WriteOptions;
use crate::request::ObjectRequest;
use crate::status_error::StatusError;

/// Maximum length in bytes of a field manager name from the user agent.
const LIMIT: usize = 128;

impl Write<'_> {
    /// Removes duplicate owner references that a client has sent, with a warning.
    pub fn drop_duplicate_owners(&self, object: &mut Value) {
        let warning = remove_duplicate_owners(object, DuplicateOwners::Sent);
        self.request.warn(warning);
    }

    /// Sets the managed fields of an object that a create, update or patch will write. Runs before
    /// admission.
    pub async fn update_managed_fields(&self, live: Option<&Value>, object: &mut Value) {
        let request = self.request;
        let Some(field_manager) = request.kind.field_manager(&request.target.subresource) else {
            return;
        };
        let manager = manager_name(self.options, request);
        let now = self.server.clock.timestamp();
        let writer = Writer {
            manager: &manager,
            now: &now,
        };
        let sent = object.clone();
        *object = self
            .with_conversions(field_manager, |field_manager| {
                let mut object = sent.clone();
                ssa::update(field_manager, live, &mut object, writer);
                object
            })
            .await;
        if let Some(live) = live {
            ssa::keep_unchanged_times(live, object);
        }
    }

    /// Applies a configuration to `live`, or to an empty object if `live` is `None`. Returns `None`
    /// if nothing changes.
    pub async fn apply_configuration(
        &self,
        live: Option<&Value>,
        applied: &Value,
    ) -> Result<Option<Value>, StatusError> {
        let request = self.request;
        let Some(field_manager) = request.kind.field_manager(&request.target.subresource) else {
            return Err(request.not_found());
        };
        let now = self.server.clock.timestamp();
        let writer = Writer {
            manager: &self.options.field_manager,
            now: &now,
        };
        let force = self.options.force;
        let mut object = self
            .with_conversions(field_manager, |field_manager| {
                ssa::apply(field_manager, live, applied, writer, force)
            })
            .await
            .map_err(apply_failure)?;
        if let (Some(live), Some(object)) = (live, &mut object) {
            ssa::keep_unchanged_times(live, object);
        }
        Ok(object)
    }
}

impl Write<'_> {
    /// Runs `run`, a computation of managed fields. It may convert the object to versions in which
    /// other managers have written.
    ///
    /// `run` is synchronous, but calls of a conversion webhook are not. If `run` needs a conversion
    /// that is not known yet, the webhook is called, and `run` runs again with the result.
    async fn with_conversions<T>(
        &self,
        field_manager: &ssa::FieldManager,
        run: impl Fn(&ssa::FieldManager) -> T,
    ) -> T {
        let request = self.request;
        let versions = request.kind.webhook_versions();
        let Some(versions) = versions.filter(|_| request.target.subresource != "scale") else {
            return run(field_manager);
        };
        let known = Arc::new(Mutex::new(KnownConversions::default()));
        let of_step = Arc::clone(&known);
        let field_manager = field_manager.converted_by(Arc::new(move |object, version| {
            of_step.lock().find(object, version)
        }));
        loop {
            let result = run(&field_manager);
            let Some((object, version)) = known.lock().missing.take() else {
                return result;
            };
            let converted =
                conversion::convert(self.server, versions, object.clone(), &version).await;
            known.lock().found.push((object, version, converted));
        }
    }
}

/// Returns `fieldManager` of the request, or else the program's name in the user agent.
fn manager_name(options: &WriteOptions, request: &ObjectRequest) -> String {
    let named = &options.field_manager;
    if !named.is_empty() {
        return named.clone();
    }
    let mut program = request
        .headers
        .get(http::header::USER_AGENT)
        .and_then(|agent| agent.to_str().ok())
        .and_then(|agent| agent.split('/').next())
        .unwrap_or_default()
        .to_owned();
    program.truncate(LIMIT);
    program
}

/// Conversions that a computation of managed fields has asked for: the results, and the next
/// conversion to do.
#[derive(Default)]
struct KnownConversions {
    found: Vec<(Value, String, Result<Value, String>)>,
    missing: Option<(Value, String)>,
}

impl KnownConversions {
    fn find(&mut self, object: &Value, version: &str) -> Result<Value, ConversionError> {
        let is_wanted = |(known, to, _): &&(Value, String, _)| known == object && to == version;
        if let Some((_, _, converted)) = self.found.iter().find(is_wanted) {
            return converted.clone().map_err(ConversionError::Failed);
        }
        if self.missing.is_none() {
            self.missing = Some((object.clone(), version.to_owned()));
        }
        Err(ConversionError::Failed("not converted yet".to_owned()))
    }
}

fn apply_failure(error: ApplyFailure) -> StatusError {
    match error {
        ApplyFailure::BadRequest(message) => StatusError::bad_request(message),
        ApplyFailure::Internal(message) => StatusError::unknown(500, message),
        ApplyFailure::Conflict { message, causes } => StatusError::apply_conflict(message, causes),
    }
}
