//! Objects in request bodies: decoding, and checks of type, namespace and name against the URL.

use genclient_apimachinery::field;
use genclient_apimachinery::go;
use genclient_builtins::types::{self, DecodeError, GoType};
use genclient_merge::ssa;
use serde_json::{Value, json};

use super::write::Write;
use crate::decode::{self, Decoded};
use crate::kinds::{BodyType, Kind};
use crate::metadata;
use crate::query::FieldValidation;
use crate::request::ObjectRequest;
use crate::status_error::StatusError;

const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Json,
    Yaml,
    Protobuf(GoType),
}

/// Type that the object in a body must have.
struct Expected<'a> {
    group: &'a str,
    version: &'a str,
    kind: &'a str,
    is_custom: bool,
}

impl ObjectRequest {
    /// Returns the `Content-Type` without parameters, in lower case.
    pub(crate) fn media_type(&self) -> String {
        let header = self.headers.get(http::header::CONTENT_TYPE);
        let text = header
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default();
        let media_type = text.split(';').next().unwrap_or_default().trim();
        media_type.to_ascii_lowercase()
    }

    fn format(&self) -> Result<Format, StatusError> {
        let type_ = self.kind.body_type(&self.target.subresource).go_type();
        match (&*self.media_type(), type_) {
            ("" | "application/json", _) => Ok(Format::Json),
            ("application/yaml", _) => Ok(Format::Yaml),
            (PROTOBUF, Some(type_)) => Ok(Format::Protobuf(type_)),
            _ => Err(StatusError::unsupported_media_type(&[
                "application/json",
                "application/yaml",
                PROTOBUF,
            ])),
        }
    }

    /// Decodes the object in the body, and checks its type against the URL.
    pub(crate) fn parse_object(&self) -> Result<Decoded, StatusError> {
        let decoded = self.parse_body(&self.kind.kind)?;
        self.check_object_type(decoded)
    }

    /// Decodes the `DeleteOptions` in the body, whatever their group and version.
    pub(crate) fn parse_delete_options(&self) -> Result<Value, StatusError> {
        let type_ = GoType::named("meta/v1.DeleteOptions").ok_or_else(StatusError::no_resource)?;
        let body = &self.body;
        if types::is_protobuf(body) {
            let decoded = types::decode_protobuf(body, type_);
            return decoded.map_err(|error| StatusError::bad_request(error.to_string()));
        }
        let without_type = |what: &str| {
            StatusError::bad_request(format!(
                "couldn't get version/kind; json parse error: {what}"
            ))
        };
        let mut value = match self.format()? {
            Format::Yaml => decode::yaml(body).map_err(StatusError::bad_request)?.value,
            _ => {
                let decoded = decode::json(body);
                decoded
                    .map_err(|error| without_type(&go::json_error(&error, body)))?
                    .value
            }
        };
        if value.is_null() {
            value = json!({});
        }
        check_type_meta(&value).map_err(|error| without_type(&error))?;
        let text = |field: &str| value[field].as_str().unwrap_or_default();
        let (api_version, kind) = (text("apiVersion"), text("kind"));
        if !["", "DeleteOptions"].contains(&kind) {
            return Err(StatusError::bad_request(not_registered(api_version, kind)));
        }
        types::decode(&value, type_)
            .map_err(|error| StatusError::bad_request(error.to_string()))?;
        Ok(value)
    }

    /// Decodes the Scale in the body, and checks its type.
    pub(crate) fn parse_scale(&self) -> Result<Decoded, StatusError> {
        let decoded = self.parse_body("Scale")?;
        self.check_scale_type(decoded)
    }

    /// Decodes the body. `kind` is used only in error messages.
    pub(crate) fn parse_body(&self, kind: &str) -> Result<Decoded, StatusError> {
        match self.format()? {
            Format::Json => match decode::json(&self.body) {
                Ok(decoded) => Ok(Decoded {
                    text: self.body.clone(),
                    ..decoded
                }),
                Err(error) => {
                    let what = go::json_error(&error, &self.body);
                    Err(self.without_type(kind, &what))
                }
            },
            Format::Yaml => {
                decode::yaml(&self.body).map_err(|error| self.unrecognized(kind, &error))
            }
            Format::Protobuf(type_) => match types::decode_protobuf(&self.body, type_) {
                Ok(value) => Ok(Decoded {
                    value,
                    ..Decoded::default()
                }),
                Err(error) => Err(self.unrecognized(kind, &error.to_string())),
            },
        }
    }

    /// Checks `apiVersion` and `kind` of an object against the URL. Objects of built-in kinds may
    /// omit them.
    pub(crate) fn check_object_type(&self, decoded: Decoded) -> Result<Decoded, StatusError> {
        let kind = &self.kind;
        self.check_body_type(
            decoded,
            &Expected {
                group: kind.group(),
                version: &kind.version,
                kind: &kind.kind,
                is_custom: kind.custom().is_some(),
            },
        )
    }

    /// Checks `apiVersion` and `kind` of a Scale.
    pub(crate) fn check_scale_type(&self, decoded: Decoded) -> Result<Decoded, StatusError> {
        let scale = Expected {
            group: "autoscaling",
            version: "v1",
            kind: "Scale",
            is_custom: false,
        };
        self.check_body_type(decoded, &scale)
    }

    fn check_body_type(
        &self,
        mut decoded: Decoded,
        kind: &Expected<'_>,
    ) -> Result<Decoded, StatusError> {
        let expected = match kind.group {
            "" => kind.version.to_owned(),
            group => format!("{group}/{}", kind.version),
        };
        let object = &mut decoded.value;
        if object.is_null() {
            *object = json!({});
        }
        check_type_meta(object).map_err(|error| self.without_type(kind.kind, &error))?;
        if !kind.is_custom {
            fill(object, "apiVersion", &expected);
            fill(object, "kind", kind.kind);
        } else if object["kind"].as_str().unwrap_or_default().is_empty() {
            let text = String::from_utf8_lossy(&self.body);
            let what = format!("Object 'Kind' is missing in '{text}'");
            return Err(self.unrecognized(kind.kind, &what));
        }
        let found = object["apiVersion"].as_str().unwrap_or_default();
        let named = object["kind"].as_str().unwrap_or_default();
        if !kind.is_custom && !is_known(found, named) {
            return Err(StatusError::bad_request(format!(
                "{named} in version \"{}\" cannot be handled as a {}: {}",
                version_of(found),
                kind.kind,
                not_registered(found, named)
            )));
        }
        if found != expected {
            let message = format!(
                "the API version in the data ({found}) does not match the expected API version \
                 ({expected})"
            );
            return Err(StatusError::bad_request(message));
        }
        // The kind of a custom resource is checked later, when the object is validated.
        let found = object["kind"].as_str().unwrap_or_default();
        if found != kind.kind && !kind.is_custom {
            let message = format!(
                "{found} in version \"{}\" cannot be handled as a {}: converting (v1.{found}) to \
                 ({}.{}): unknown conversion",
                kind.version, kind.kind, kind.version, kind.kind
            );
            return Err(StatusError::bad_request(message));
        }
        Ok(decoded)
    }

    /// Returns the error for a body whose `apiVersion` and `kind` cannot be read.
    fn without_type(&self, kind: &str, what: &str) -> StatusError {
        let what = format!("couldn't get version/kind; json parse error: {what}");
        self.unrecognized(kind, &what)
    }

    /// Returns the error for a body that cannot be decoded (`transformDecodeError` in
    /// k8s.io/apiserver/pkg/endpoints/handlers).
    fn unrecognized(&self, kind: &str, what: &str) -> StatusError {
        let body = summary(&self.body);
        StatusError::bad_request(format!(
            "the object provided is unrecognized (must be of type {kind}): {what} ({body})"
        ))
    }

    /// Checks namespace and name of an object against the URL, and sets the namespace.
    pub(crate) fn check_name_and_namespace(&self, object: &mut Value) -> Result<(), StatusError> {
        self.check_object_namespace(object)?;
        let name = metadata::str_field(object, "name");
        let expected = &self.target.name;
        if expected.is_empty() || name == expected {
            return Ok(());
        }
        let message = match name {
            "" => format!(
                "the name of the object ({expected} based on URL) was undeterminable: name must be \
                 provided"
            ),
            name => format!(
                "the name of the object ({name}) does not match the name on the URL ({expected})"
            ),
        };
        Err(StatusError::bad_request(message))
    }

    /// Checks the namespace of an object against the URL, and sets it. If the kind is
    /// cluster-scoped, removes a namespace that the object states
    /// (`EnsureObjectNamespaceMatchesRequestNamespace` in
    /// k8s.io/apiserver/pkg/registry/rest/meta.go).
    pub(crate) fn check_object_namespace(&self, object: &mut Value) -> Result<(), StatusError> {
        let expected = &self.target.namespace;
        if expected.is_empty() {
            metadata::set_field(object, "namespace", None);
            return Ok(());
        }
        let namespace = metadata::str_field(object, "namespace");
        if !namespace.is_empty() && namespace != expected {
            let message = "the namespace of the provided object does not match the namespace sent \
                           on the request";
            return Err(StatusError::bad_request(message));
        }
        metadata::set_field(object, "namespace", Some(expected.as_str().into()));
        Ok(())
    }
}

/// Decoded body.
pub(super) struct Body {
    /// The object in its Go type.
    pub object: Value,
    /// The JSON of the request.
    pub sent: Value,
}

impl Write<'_> {
    /// Decodes the object in the request body and sets defaults.
    pub fn decode_object(&self, decoded: Decoded) -> Result<Value, StatusError> {
        let Kind { kind, version, .. } = &*self.request.kind;
        self.decode_value(decoded)
            .map_err(|error| error.in_body(kind, version))
    }

    /// Decodes an object and sets defaults. Unknown and duplicate fields are reported and dropped.
    pub fn decode_value(&self, decoded: Decoded) -> Result<Value, BodyError> {
        let (object, findings) = self.request.kind.decode(decoded).map_err(BodyError)?;
        self.report(findings)?;
        Ok(object)
    }

    /// Decodes the result of an apply and sets defaults. Errors name `applied`, the sent
    /// configuration.
    pub fn decode_applied(&self, object: Value, applied: &Value) -> Result<Value, StatusError> {
        let kind = &self.request.kind;
        kind.decode_applied(object)
            .map_err(|error| unconvertible(kind, applied, &error))
    }

    /// Ignores unknown and duplicate fields, warns about them or rejects them, as `fieldValidation`
    /// asks.
    pub fn report(&self, findings: Vec<String>) -> Result<(), BodyError> {
        if findings.is_empty() {
            return Ok(());
        }
        match self.options.field_validation {
            FieldValidation::Ignore => {}
            FieldValidation::Warn => {
                let warnings = findings.iter().flat_map(|it| decode::split_warnings(it));
                self.request.warn(warnings);
            }
            FieldValidation::Strict => {
                return Err(BodyError(format!(
                    "strict decoding error: {}",
                    findings.join(", ")
                )));
            }
        }
        Ok(())
    }

    /// Like [`Self::report`], for duplicate keys in the configuration of an apply.
    pub fn report_repeated_keys(&self, keys: &[String]) -> Result<(), StatusError> {
        let Some(error) = decode::repeated_keys_error(keys) else {
            return Ok(());
        };
        match self.options.field_validation {
            FieldValidation::Ignore => {}
            FieldValidation::Warn => self.request.warn(keys.to_vec()),
            FieldValidation::Strict => {
                return Err(StatusError::bad_request(format!(
                    "error strict decoding YAML: error converting YAML to JSON: {error}"
                )));
            }
        }
        Ok(())
    }

    /// Decodes the body of a POST to a subresource, and checks its type. `also` has `apiVersion`s
    /// that are accepted besides that of the subresource's kind.
    pub fn decode_subresource(&self, also: &[&str]) -> Result<Body, StatusError> {
        let request = self.request;
        let type_ = request.kind.body_type(&request.target.subresource);
        let body = request.parse_body(type_.kind)?;
        self.check_type(type_, also, &body.value)?;
        let Some(go_type) = type_.go_type() else {
            return Err(StatusError::no_resource());
        };
        let in_body = |error: BodyError| error.in_body(type_.kind, type_.version);
        let mut findings = body.duplicate_fields();
        let decoded = types::decode(&body.value, go_type)
            .map_err(|error| in_body(BodyError(error.to_string())))?;
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
    fn check_type(
        &self,
        type_: BodyType<'_>,
        also: &[&str],
        body: &Value,
    ) -> Result<(), StatusError> {
        let text = |field: &str| body[field].as_str().unwrap_or_default();
        let (found, kind) = (text("apiVersion"), text("kind"));
        let is_version = found.is_empty() || found == api_version(type_) || also.contains(&found);
        if is_version && ["", type_.kind].contains(&kind) {
            return Ok(());
        }
        let version = found.rsplit('/').next().unwrap_or_default();
        let reason = match self.server.kinds.find(found, kind) {
            Some(_) => {
                let group = type_.group.split('.').next().unwrap_or_default();
                let group = if group.is_empty() { "core" } else { group };
                let to = format!("{group}.{}", type_.kind);
                format!("converting ({version}.{kind}) to ({to}): unknown conversion")
            }
            None => not_registered(found, kind),
        };
        let expected = type_.kind;
        Err(StatusError::bad_request(format!(
            "{kind} in version \"{version}\" cannot be handled as a {expected}: {reason}"
        )))
    }
}

/// Error message of an object that cannot be decoded, or that has unknown or duplicate fields in
/// strict mode.
pub(super) struct BodyError(pub(super) String);

impl BodyError {
    /// Returns the error of a request whose body has this error.
    pub fn in_body(self, kind: &str, version: &str) -> StatusError {
        let what = self.0;
        let message =
            format!("{kind} in version \"{version}\" cannot be handled as a {kind}: {what}");
        StatusError::bad_request(message)
    }

    /// Returns the error of a patch whose result has this error. The cause quotes the text
    /// `patch`.
    pub fn in_patch(self, patch: &str) -> StatusError {
        let cause = field::Error::invalid("patch", &patch.into(), &self.0);
        StatusError::invalid("", "", "", vec![cause])
    }
}

/// Returns the error of an apply whose result does not match the Go type of the kind.
fn unconvertible(kind: &Kind, applied: &Value, error: &DecodeError) -> StatusError {
    let described = ssa::describe_object(applied);
    let (version, kind) = (kind.version_in_messages(), &kind.kind);
    let prefix = if error.0.starts_with("cannot convert") {
        ""
    } else {
        "error decoding from json: "
    };
    StatusError::unknown(
        500,
        format!(
            "failed to convert new object ({described}) to proper version: unable to convert \
             unstructured object to {version}, Kind={kind}: {prefix}{error}"
        ),
    )
}

fn api_version(type_: BodyType<'_>) -> String {
    match type_.group {
        "" => type_.version.to_owned(),
        group => format!("{group}/{}", type_.version),
    }
}

/// Returns whether kube-apiserver has a Go type for this `apiVersion` and kind.
fn is_known(api_version: &str, kind: &str) -> bool {
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    GoType::of_kind(group, version, kind).is_some()
}

fn version_of(api_version: &str) -> &str {
    let version = api_version.split_once('/').map(|(_, version)| version);
    version.unwrap_or(api_version)
}

fn not_registered(api_version: &str, kind: &str) -> String {
    format!(
        "no kind \"{kind}\" is registered for version \"{api_version}\" in scheme \
         \"pkg/runtime/scheme.go:111\""
    )
}

fn fill(object: &mut Value, field: &str, text: &str) {
    if object[field].as_str().unwrap_or_default().is_empty() {
        object[field] = text.into();
    }
}

/// Checks that a patched custom resource has a kind. Validation compares the kind with the URL
/// later.
pub(super) fn check_patched_type(object: &Value) -> Result<(), String> {
    check_type_meta(object)
        .map_err(|error| format!("couldn't get version/kind; json parse error: {error}"))?;
    match object["kind"].as_str().unwrap_or_default() {
        "" => Err(format!("Object 'Kind' is missing in '{object}'")),
        _ => Ok(()),
    }
}

/// Checks that a value is an object, and that `apiVersion` and `kind` are strings, null or absent.
/// The errors are those of Go's JSON decoder.
fn check_type_meta(value: &Value) -> Result<(), String> {
    if !value.is_object() {
        return Err(format!(
            "json: cannot unmarshal {} into Go value of type struct {{ APIVersion string \
             \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }}",
            go::kind(value)
        ));
    }
    for field in ["apiVersion", "kind"] {
        let value = &value[field];
        if !value.is_null() && !value.is_string() {
            let found = go::kind(value);
            return Err(format!(
                "json: cannot unmarshal {found} into Go struct field .{field} of type string"
            ));
        }
    }
    Ok(())
}

/// Returns the start of a body for an error message: a JSON object as text, anything else in
/// hexadecimal.
fn summary(body: &[u8]) -> String {
    /// Maximum number of bytes of the body in the message.
    const MAX_BYTES: usize = 30;
    let shown = body.get(..MAX_BYTES).unwrap_or(body);
    let text = match body.first() {
        None => return "<empty>".to_owned(),
        Some(b'{') => String::from_utf8_lossy(shown).into_owned(),
        Some(_) => shown.iter().map(|byte| format!("{byte:02x}")).collect(),
    };
    if body.len() > MAX_BYTES {
        format!("{text} ...")
    } else {
        text
    }
}
