//! Objects in request bodies: decoding, and checks of type, namespace and name against the URL.

use genclient_apimachinery::go;
use genclient_builtins::types::{self, GoType};
use serde_json::{Value, json};

use crate::decode::{self, Decoded};
use crate::failure::Failure;
use crate::metadata;
use crate::request::ObjectRequest;

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

    fn format(&self) -> Result<Format, Failure> {
        let type_ = self.kind.type_of(&self.target.subresource).go_type();
        match (&*self.media_type(), type_) {
            ("" | "application/json", _) => Ok(Format::Json),
            ("application/yaml", _) => Ok(Format::Yaml),
            (PROTOBUF, Some(type_)) => Ok(Format::Protobuf(type_)),
            _ => Err(Failure::unsupported_media_type(&[
                "application/json",
                "application/yaml",
                PROTOBUF,
            ])),
        }
    }

    /// Decodes the object in the body, and checks its type against the URL.
    pub(crate) fn object(&self) -> Result<Decoded, Failure> {
        let decoded = self.read(&self.kind.kind)?;
        self.checked_type(decoded)
    }

    /// Decodes the `DeleteOptions` in the body, whatever their group and version.
    pub(crate) fn delete_options(&self) -> Result<Value, Failure> {
        let type_ = GoType::named("meta/v1.DeleteOptions").ok_or_else(Failure::no_resource)?;
        let body = &self.body;
        if types::is_protobuf(body) {
            let decoded = types::decode_protobuf(body, type_);
            return decoded.map_err(|error| Failure::bad_request(error.to_string()));
        }
        let without_type = |what: &str| {
            Failure::bad_request(format!(
                "couldn't get version/kind; json parse error: {what}"
            ))
        };
        let mut value = match self.format()? {
            Format::Yaml => decode::yaml(body).map_err(Failure::bad_request)?.value,
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
            return Err(Failure::bad_request(not_registered(api_version, kind)));
        }
        types::decode(&value, type_).map_err(|error| Failure::bad_request(error.to_string()))?;
        Ok(value)
    }

    /// Decodes the Scale in the body, and checks its type.
    pub(crate) fn scale(&self) -> Result<Decoded, Failure> {
        let decoded = self.read("Scale")?;
        self.checked_scale(decoded)
    }

    /// Decodes the body. `kind` is used only in error messages.
    pub(crate) fn read(&self, kind: &str) -> Result<Decoded, Failure> {
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
    pub(crate) fn checked_type(&self, decoded: Decoded) -> Result<Decoded, Failure> {
        let kind = &self.kind;
        self.checked(
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
    pub(crate) fn checked_scale(&self, decoded: Decoded) -> Result<Decoded, Failure> {
        let scale = Expected {
            group: "autoscaling",
            version: "v1",
            kind: "Scale",
            is_custom: false,
        };
        self.checked(decoded, &scale)
    }

    fn checked(&self, mut decoded: Decoded, kind: &Expected<'_>) -> Result<Decoded, Failure> {
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
            return Err(Failure::bad_request(format!(
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
            return Err(Failure::bad_request(message));
        }
        // The kind of a custom resource is checked later, when the object is validated.
        let found = object["kind"].as_str().unwrap_or_default();
        if found != kind.kind && !kind.is_custom {
            let message = format!(
                "{found} in version \"{}\" cannot be handled as a {}: converting (v1.{found}) to \
                 ({}.{}): unknown conversion",
                kind.version, kind.kind, kind.version, kind.kind
            );
            return Err(Failure::bad_request(message));
        }
        Ok(decoded)
    }

    /// Returns the failure for a body whose `apiVersion` and `kind` cannot be read.
    fn without_type(&self, kind: &str, what: &str) -> Failure {
        let what = format!("couldn't get version/kind; json parse error: {what}");
        self.unrecognized(kind, &what)
    }

    /// Returns the failure for a body that cannot be decoded (`transformDecodeError` in
    /// k8s.io/apiserver/pkg/endpoints/handlers).
    fn unrecognized(&self, kind: &str, what: &str) -> Failure {
        let body = summary(&self.body);
        Failure::bad_request(format!(
            "the object provided is unrecognized (must be of type {kind}): {what} ({body})"
        ))
    }

    /// Checks namespace and name of an object against the URL, and sets the namespace.
    pub(crate) fn check_place(&self, object: &mut Value) -> Result<(), Failure> {
        self.check_namespace(object)?;
        let name = metadata::text(object, "name");
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
        Err(Failure::bad_request(message))
    }

    /// Checks the namespace of an object against the URL, and sets it. If the kind is
    /// cluster-scoped, removes a namespace that the object states
    /// (`EnsureObjectNamespaceMatchesRequestNamespace` in
    /// k8s.io/apiserver/pkg/registry/rest/meta.go).
    pub(crate) fn check_namespace(&self, object: &mut Value) -> Result<(), Failure> {
        let expected = &self.target.namespace;
        if expected.is_empty() {
            metadata::set(object, "namespace", None);
            return Ok(());
        }
        let namespace = metadata::text(object, "namespace");
        if !namespace.is_empty() && namespace != expected {
            let message = "the namespace of the provided object does not match the namespace sent \
                           on the request";
            return Err(Failure::bad_request(message));
        }
        metadata::set(object, "namespace", Some(expected.as_str().into()));
        Ok(())
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
