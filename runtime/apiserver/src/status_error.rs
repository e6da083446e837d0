//! [`StatusError`]: error response to a request, which the server sends as a `Status`
//! (k8s.io/apimachinery/pkg/api/errors).

use genclient_apimachinery::errors::aggregate;
use genclient_apimachinery::field;
use serde_json::{Map, Value, json};

/// Error response with a status code of 400 or more.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StatusError {
    pub(crate) code: u16,
    pub(crate) reason: &'static str,
    pub(crate) message: String,
    pub(crate) details: Option<Box<Details>>,
    /// The complete Status, if a webhook or an admission plug-in has returned one.
    sent: Option<Box<Value>>,
    /// Whether a concurrent write made this write fail, so that the server may retry it.
    pub(crate) is_raced: bool,
}

/// Field `details` of a Status. Empty fields are omitted.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Details {
    pub(crate) name: String,
    pub(crate) group: String,
    pub(crate) kind: String,
    pub(crate) uid: String,
    pub(crate) causes: Vec<(String, String, String)>,
    pub(crate) retry_after: Option<u64>,
}

/// Returns the name of a resource with its group, as in messages: `widgets.example.com` or `pods`.
pub(crate) fn qualified_resource(name: &str, group: &str) -> String {
    match group {
        "" => name.to_owned(),
        group => format!("{name}.{group}"),
    }
}

impl StatusError {
    fn new(code: u16, reason: &'static str, message: String) -> Self {
        Self {
            code,
            reason,
            message,
            details: None,
            sent: None,
            is_raced: false,
        }
    }

    /// Marks the error as caused by a concurrent write of the same object.
    pub(crate) fn raced(self) -> Self {
        Self {
            is_raced: true,
            ..self
        }
    }

    fn with(mut self, details: Details) -> Self {
        self.details = Some(Box::new(details));
        self
    }

    fn of_object(self, group: &str, kind: &str, name: &str) -> Self {
        self.with(Details {
            name: name.to_owned(),
            group: group.to_owned(),
            kind: kind.to_owned(),
            ..Details::default()
        })
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message.into())
    }

    /// The object does not exist.
    pub(crate) fn not_found(group: &str, plural: &str, name: &str) -> Self {
        let message = format!("{} \"{name}\" not found", qualified_resource(plural, group));
        Self::new(404, "NotFound", message).of_object(group, plural, name)
    }

    /// The requested resource does not exist in the built-in group.
    pub(crate) fn no_resource() -> Self {
        let message = "the server could not find the requested resource";
        Self::new(404, "NotFound", message.to_owned()).with(Details::default())
    }

    pub(crate) fn already_exists(group: &str, plural: &str, name: &str, is_deleting: bool) -> Self {
        let deleting = if is_deleting {
            "object is being deleted: "
        } else {
            ""
        };
        let resource = qualified_resource(plural, group);
        let message = format!("{deleting}{resource} \"{name}\" already exists");
        Self::new(409, "AlreadyExists", message).of_object(group, plural, name)
    }

    /// The write is based on an older version of the object.
    pub(crate) fn modified(group: &str, plural: &str, name: &str) -> Self {
        let reason = "the object has been modified; please apply your changes to the latest version \
                      and try again";
        Self::conflict(group, plural, name, reason)
    }

    pub(crate) fn conflict(group: &str, kind: &str, name: &str, reason: &str) -> Self {
        let resource = qualified_resource(kind, group);
        let message = format!("Operation cannot be fulfilled on {resource} \"{name}\": {reason}");
        Self::new(409, "Conflict", message).of_object(group, kind, name)
    }

    /// An apply conflicts with fields of other managers.
    pub(crate) fn apply_conflict(message: String, causes: field::ErrorList) -> Self {
        let cause_of = |error: field::Error| (error.reason.to_owned(), error.message, error.field);
        Self::new(409, "Conflict", message).with(Details {
            causes: causes.into_iter().map(cause_of).collect(),
            ..Details::default()
        })
    }

    pub(crate) fn forbidden(group: &str, plural: &str, name: &str, reason: &str) -> Self {
        let message = match (&*qualified_resource(plural, group), name) {
            ("", _) => format!("forbidden: {reason}"),
            (resource, "") => format!("{resource} is forbidden: {reason}"),
            (resource, name) => format!("{resource} \"{name}\" is forbidden: {reason}"),
        };
        Self::new(403, "Forbidden", message).of_object(group, plural, name)
    }

    /// The credentials are unknown or not valid.
    pub(crate) fn unauthorized() -> Self {
        Self::new(401, "Unauthorized", "Unauthorized".to_owned())
    }

    /// The object fails validation. The message contains equal errors only once; `causes` contains
    /// every error.
    pub(crate) fn invalid(group: &str, kind: &str, name: &str, causes: field::ErrorList) -> Self {
        let sentences = aggregate(&causes).unwrap_or_else(|| "<nil>".to_owned());
        let message = format!(
            "{} \"{name}\" is invalid: {sentences}",
            qualified_resource(kind, group)
        );
        let cause_of = |error: field::Error| (error.reason.to_owned(), error.message, error.field);
        Self::new(422, "Invalid", message).with(Details {
            name: name.to_owned(),
            group: group.to_owned(),
            kind: kind.to_owned(),
            causes: causes.into_iter().map(cause_of).collect(),
            ..Details::default()
        })
    }

    /// The options of the request fail validation.
    pub(crate) fn invalid_options(kind: &str, causes: field::ErrorList) -> Self {
        Self::invalid("meta.k8s.io", kind, "", causes)
    }

    /// The resource does not support the verb.
    pub(crate) fn method_not_supported(group: &str, plural: &str, verb: &str) -> Self {
        let resource = qualified_resource(plural, group);
        let message = format!("{verb} is not supported on resources of kind \"{resource}\"");
        let details = Details {
            group: group.to_owned(),
            kind: plural.to_owned(),
            ..Details::default()
        };
        Self::new(405, "MethodNotAllowed", message).with(details)
    }

    /// No route of the server accepts this HTTP method at this path.
    pub(crate) fn method_not_allowed() -> Self {
        let message = "the server does not allow this method on the requested resource";
        Self::new(405, "MethodNotAllowed", message.to_owned()).with(Details::default())
    }

    pub(crate) fn unsupported_media_type(accepted: &[&str]) -> Self {
        let accepted = accepted.join(", ");
        let message = format!(
            "the body of the request was in an unknown format - accepted media types include: \
             {accepted}"
        );
        Self::new(415, "UnsupportedMediaType", message)
    }

    pub(crate) fn not_acceptable(offered: &[&str]) -> Self {
        let offered = offered.join(", ");
        Self::not_acceptable_type(&format!(
            "only the following media types are accepted: {offered}"
        ))
    }

    /// The route offers no media type that the client accepts. The message is go-restful's.
    pub(crate) fn no_representation(offered: &[&str]) -> Self {
        let offered = offered.join(", ");
        let message = format!("406: Not Acceptable\n\nAvailable representations: {offered}");
        Self::not_acceptable_type(&message).with(Details::default())
    }

    /// The object cannot be converted to the requested form, such as a table.
    pub(crate) fn not_acceptable_type(message: &str) -> Self {
        Self::new(406, "NotAcceptable", message.to_owned())
    }

    pub(crate) fn too_large(limit: u64) -> Self {
        let message = format!("Request entity too large: limit is {limit}");
        Self::new(413, "RequestEntityTooLarge", message)
    }

    /// The requested resource version is compacted.
    pub(crate) fn expired(message: impl Into<String>) -> Self {
        Self::new(410, "Expired", message.into())
    }

    /// The store has not reached the requested resource version.
    pub(crate) fn too_large_version(version: u64, current: u64) -> Self {
        let message = format!("Timeout: Too large resource version: {version}, current: {current}");
        let cause = (
            "ResourceVersionTooLarge".to_owned(),
            "Too large resource version".to_owned(),
            String::new(),
        );
        Self::new(504, "Timeout", message).with(Details {
            causes: vec![cause],
            retry_after: Some(1),
            ..Details::default()
        })
    }

    /// The request timed out (`NewTimeoutError`).
    pub(crate) fn timeout(sentence: &str) -> Self {
        let message = format!("Timeout: {sentence}");
        Self::new(504, "Timeout", message).with(Details::default())
    }

    /// The watch cache is not initialized.
    pub(crate) fn initializing(error: &str) -> Self {
        let message = format!("storage is (re)initializing: {error}");
        Self::too_many_requests(&message, Some(1))
    }

    /// The server refuses the request for now (`NewTooManyRequests`). `retry_after` is in seconds.
    pub(crate) fn too_many_requests(message: &str, retry_after: Option<u64>) -> Self {
        Self::new(429, "TooManyRequests", message.to_owned()).with(Details {
            retry_after,
            ..Details::default()
        })
    }

    pub(crate) fn internal(message: impl Into<String>) -> Self {
        let message = message.into();
        let sentence = format!("Internal error occurred: {message}");
        Self::new(500, "InternalError", sentence).with(Details {
            causes: vec![(String::new(), message, String::new())],
            ..Details::default()
        })
    }

    /// The patch is malformed or cannot be applied.
    pub(crate) fn from_patch(code: u16, reason: &'static str, message: String) -> Self {
        let error = Self::new(code, reason, message);
        match code {
            422 => error.with(Details::default()),
            _ => error,
        }
    }

    /// Returns the error with the reason and message that client-go derives from a status code
    /// (`NewGenericServerResponse`). For 413, reason and message are the API server's.
    pub(crate) fn from_code(code: u16) -> Self {
        let (reason, message) = match code {
            400 => (
                "BadRequest",
                "the server rejected our request for an unknown reason",
            ),
            401 => (
                "Unauthorized",
                "the server has asked for the client to provide credentials",
            ),
            403 => (
                "Forbidden",
                "the server does not allow access to the requested resource",
            ),
            404 => (
                "NotFound",
                "the server could not find the requested resource",
            ),
            405 => (
                "MethodNotAllowed",
                "the server does not allow this method on the requested resource",
            ),
            406 => (
                "NotAcceptable",
                "the server was unable to respond with a content type that the client supports",
            ),
            409 => ("Conflict", "the server reported a conflict"),
            413 => ("RequestEntityTooLarge", "Request entity too large"),
            415 => (
                "UnsupportedMediaType",
                "the body of the request was in an unknown format",
            ),
            422 => (
                "Invalid",
                "the server rejected our request due to an error in our request",
            ),
            429 => (
                "TooManyRequests",
                "the server has received too many requests and has asked us to try again later",
            ),
            503 => (
                "ServiceUnavailable",
                "the server is currently unable to handle the request",
            ),
            504 => (
                "Timeout",
                "the server was unable to return a response in the time allotted, but may still be \
                 processing the request",
            ),
            500.. => (
                "InternalError",
                "an error on the server (\"unknown\") has prevented the request from succeeding",
            ),
            _ => return Self::unknown(code, unexplained_message(code)).with(Details::default()),
        };
        Self::new(code, reason, message.to_owned()).with(Details::default())
    }

    /// An error without a reason, as the API server returns for unexpected errors.
    pub(crate) fn unknown(code: u16, message: impl Into<String>) -> Self {
        Self::new(code, "", message.into())
    }

    /// Status that a webhook or an admission plug-in has returned. Its `code` becomes the HTTP
    /// status code. Without a `code`, the HTTP status code is 500.
    pub(crate) fn from_status(status: Value) -> Self {
        let code = status["code"].as_u64().and_then(|it| it.try_into().ok());
        let message = status["message"].as_str().unwrap_or_default().to_owned();
        Self {
            sent: Some(Box::new(status)),
            ..Self::new(code.unwrap_or(500), "", message)
        }
    }

    /// The request needs a feature of kube-apiserver that the in-process server lacks.
    pub(crate) fn not_implemented(what: &str) -> Self {
        let message = format!("the API server in the process does not serve {what}");
        Self::new(501, "NotImplemented", message)
    }

    pub(crate) fn with_cause(mut self, reason: &str, message: &str, field: &str) -> Self {
        let details = self.details.get_or_insert_with(Box::default);
        let cause = (reason.to_owned(), message.to_owned(), field.to_owned());
        details.causes.push(cause);
        self
    }

    /// Returns the response body: a `Status` object.
    pub(crate) fn status(&self) -> Value {
        if let Some(sent) = &self.sent {
            return (**sent).clone();
        }
        let mut status = json!({
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
            "code": self.code,
        });
        if !self.reason.is_empty() {
            status["reason"] = self.reason.into();
        }
        if let Some(details) = &self.details {
            status["details"] = details.json();
        }
        status
    }
}

/// Returns client-go's message for a status code without a specific message.
fn unexplained_message(code: u16) -> String {
    format!("the server responded with the status code {code} but did not return more information")
}

impl Details {
    fn json(&self) -> Value {
        let mut json = Map::new();
        let texts = [
            ("name", &self.name),
            ("group", &self.group),
            ("kind", &self.kind),
            ("uid", &self.uid),
        ];
        insert_texts(&mut json, &texts);
        let cause = |(reason, message, field): &(String, String, String)| {
            let mut cause = Map::new();
            let texts = [("reason", reason), ("message", message), ("field", field)];
            insert_texts(&mut cause, &texts);
            Value::Object(cause)
        };
        if !self.causes.is_empty() {
            json.insert("causes".to_owned(), self.causes.iter().map(cause).collect());
        }
        if let Some(seconds) = self.retry_after {
            json.insert("retryAfterSeconds".to_owned(), seconds.into());
        }
        Value::Object(json)
    }
}

fn insert_texts(json: &mut Map<String, Value>, texts: &[(&str, &String)]) {
    for (name, text) in texts.iter().filter(|(_, text)| !text.is_empty()) {
        json.insert((*name).to_owned(), (*text).as_str().into());
    }
}
