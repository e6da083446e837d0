//! Bodies of POSTs to a subresource with a kind of its own: TokenRequest, Eviction and Binding.

use genclient_builtins::types;
use serde_json::{Value, json};

use super::pipeline::{Unreadable, Write};
use crate::answer::Answer;
use crate::failure::Failure;
use crate::kinds::BodyType;

/// Decoded body.
pub(super) struct Body {
    /// The object in its Go type.
    pub(super) object: Value,
    /// The JSON of the request.
    pub(super) sent: Value,
}

impl Write<'_> {
    /// Decodes the body of a POST to a subresource, and checks its type.
    pub(super) fn read_subresource(&self) -> Result<Body, Failure> {
        let request = self.request();
        let type_ = request.kind.type_of(&request.target.subresource);
        let body = request.read(type_.kind)?;
        self.check_type(type_, &body.value)?;
        let Some(go_type) = type_.go_type() else {
            return Err(Failure::no_resource());
        };
        let in_body = |error: Unreadable| error.in_body(type_.kind, type_.version);
        let mut findings = body.duplicate_fields();
        let decoded = types::decode(&body.value, go_type);
        let decoded = decoded.map_err(|error| in_body(Unreadable(error.to_string())))?;
        findings.extend(decoded.unknown);
        self.report(findings).map_err(in_body)?;
        let mut object = decoded.value;
        object["apiVersion"] = api_version(type_).into();
        object["kind"] = type_.kind.into();
        Ok(Body {
            object,
            sent: body.value,
        })
    }

    /// Checks `apiVersion` and `kind` of the body. Both may be omitted.
    fn check_type(&self, type_: BodyType<'_>, body: &Value) -> Result<(), Failure> {
        let text = |field: &str| body[field].as_str().unwrap_or_default();
        let (found, kind) = (text("apiVersion"), text("kind"));
        // Evictions may have the version that was served before 1.25 (`AcceptsGroupVersion` in
        // pkg/registry/core/pod/storage, eviction.go).
        let is_old = type_.kind == "Eviction" && found == "policy/v1beta1";
        let is_version = found.is_empty() || found == api_version(type_) || is_old;
        if is_version && ["", type_.kind].contains(&kind) {
            return Ok(());
        }
        let version = found.rsplit('/').next().unwrap_or_default();
        let reason = match self.server().kinds.find(found, kind) {
            Some(_) => {
                let group = type_.group.split('.').next().unwrap_or_default();
                let group = if group.is_empty() { "core" } else { group };
                let to = format!("{group}.{}", type_.kind);
                format!("converting ({version}.{kind}) to ({to}): unknown conversion")
            }
            None => format!(
                "no kind \"{kind}\" is registered for version \"{found}\" in scheme \
                 \"pkg/runtime/scheme.go:111\""
            ),
        };
        let expected = type_.kind;
        Err(Failure::bad_request(format!(
            "{kind} in version \"{version}\" cannot be handled as a {expected}: {reason}"
        )))
    }
}

fn api_version(type_: BodyType<'_>) -> String {
    match type_.group {
        "" => type_.version.to_owned(),
        group => format!("{group}/{}", type_.version),
    }
}

/// Returns the response to a POST that stores nothing at its path: a Status without details.
pub(super) fn success() -> Answer {
    let status = json!({
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "code": 201,
    });
    Answer::json(201, status.to_string().into_bytes())
}
