//! [`Denied`] and [`Warnings`]: refusals and warnings in the response of a webhook.

use std::fmt;

use genclient::k8s_openapi::apimachinery::pkg::apis::meta::v1::{Status, StatusDetails};

use super::field::FieldError;
use super::review::Admission;
use crate::api_errors::{describe_error, find_status};
use crate::failure::BoxError;

/// Refusal of a request by a webhook. The user receives it from the API server, as
/// `admission webhook "…" denied the request: …`.
///
/// `?` converts an error into a refusal with the error's message. If the error or one of its causes
/// is a response of the API server, such as a 409, the refusal has the code and reason of that
/// response. Otherwise, it is a 403 `Forbidden`.
///
/// ```
/// use genclient_controller::webhook::{Denied, FieldError};
///
/// fn check(replicas: i32) -> Result<(), Denied> {
///     if replicas > 10 {
///         let field = FieldError::invalid("spec.replicas", replicas, "must be at most 10");
///         return Err(Denied::invalid([field]));
///     }
///     Ok(())
/// }
/// # assert!(check(11).is_err());
/// ```
pub struct Denied {
    denial: Denial,
}

enum Denial {
    /// Fields that are invalid.
    Invalid(Vec<FieldError>),
    /// A complete status.
    Status(Box<Status>),
}

impl Denied {
    /// Refuses a request that is not permitted: 403 `Forbidden`.
    pub fn forbidden(message: impl Into<String>) -> Self {
        Self::status(403, "Forbidden", message)
    }

    /// Refuses an object with invalid fields: 422 `Invalid`, with a cause for each error.
    pub fn invalid(errors: impl IntoIterator<Item = FieldError>) -> Self {
        Self {
            denial: Denial::Invalid(errors.into_iter().collect()),
        }
    }

    /// Refuses a request with any code and reason, such as 429 `TooManyRequests`.
    pub fn status(code: u16, reason: impl Into<String>, message: impl Into<String>) -> Self {
        let status = Status {
            code: Some(code.into()),
            message: Some(message.into()),
            reason: Some(reason.into()),
            status: Some("Failure".to_owned()),
            ..Status::default()
        };
        Self {
            denial: Denial::Status(Box::new(status)),
        }
    }

    pub(super) fn bad_request(message: impl Into<String>) -> Self {
        Self::status(400, "BadRequest", message)
    }

    pub(super) fn internal(message: impl Into<String>) -> Self {
        Self::status(500, "InternalError", message)
    }

    /// Returns the status in the response to a request.
    pub(super) fn into_status(self, admission: &Admission) -> Status {
        match self.denial {
            Denial::Status(status) => *status,
            Denial::Invalid(errors) => invalid_status(&errors, admission),
        }
    }
}

/// Returns the status of invalid fields, as `NewInvalid` of k8s.io/apimachinery/pkg/api/errors
/// does.
fn invalid_status(errors: &[FieldError], admission: &Admission) -> Status {
    let (group, kind) = (&admission.kind.group, &admission.kind.kind);
    let qualified = match &**group {
        "" => kind.clone(),
        group => format!("{kind}.{group}"),
    };
    let messages = match errors {
        [error] => error.to_string(),
        errors => {
            let messages: Vec<_> = errors.iter().map(ToString::to_string).collect();
            format!("[{}]", messages.join(", "))
        }
    };
    Status {
        code: Some(422),
        details: Some(StatusDetails {
            causes: Some(errors.iter().map(FieldError::cause).collect()),
            group: Some(group.clone()),
            kind: Some(kind.clone()),
            name: Some(admission.name.clone()),
            ..StatusDetails::default()
        }),
        message: Some(format!(
            "{qualified} {:?} is invalid: {messages}",
            admission.name
        )),
        reason: Some("Invalid".to_owned()),
        status: Some("Failure".to_owned()),
        ..Status::default()
    }
}

impl<E: Into<BoxError>> From<E> for Denied {
    fn from(error: E) -> Self {
        let error = error.into();
        match find_status(&*error) {
            Some(status) => Self::status(status.code, &*status.reason, describe_error(&*error)),
            None => Self::forbidden(error.to_string()),
        }
    }
}

impl fmt::Debug for Denied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.denial {
            Denial::Invalid(errors) => f.debug_tuple("Invalid").field(errors).finish(),
            Denial::Status(status) => f.debug_tuple("Status").field(status).finish(),
        }
    }
}

/// Warnings that the API server adds to its response, and that kubectl prints. Each warning should
/// be one sentence of at most 120 characters. If all warnings together have more than 4096
/// characters, the API server truncates them.
///
/// ```
/// use genclient_controller::webhook::Warnings;
///
/// let warnings = Warnings::from(["spec.port: ports below 1024 need privileges"]);
/// let none = Warnings::none();
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Warnings(Vec<String>);

impl Warnings {
    /// Returns no warnings.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Adds a warning.
    pub fn push(&mut self, warning: impl Into<String>) {
        self.0.push(warning.into());
    }

    pub(super) fn into_vec(self) -> Vec<String> {
        self.0
    }
}

impl<W: Into<String>, I: IntoIterator<Item = W>> From<I> for Warnings {
    fn from(warnings: I) -> Self {
        Self(warnings.into_iter().map(Into::into).collect())
    }
}
