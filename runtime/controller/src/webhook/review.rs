//! Admission reviews: [`AdmissionReview`] is a request, [`Admission`] the request without its
//! objects, and [`AdmissionResponse`] the response.

use genclient::k8s_openapi::ByteString;
use genclient::k8s_openapi::api::authentication::v1::UserInfo;
use genclient::k8s_openapi::apimachinery::pkg::apis::meta::v1::Status;
use genclient::kube::core::{GroupVersionKind, GroupVersionResource};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

/// The version of the response to a review without a version, as in controller-runtime.
const V1: &str = "admission.k8s.io/v1";

/// An admission request without its objects, which are separate arguments of a webhook.
///
/// Fields are those of `AdmissionRequest` in `admission.k8s.io/v1`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Admission {
    /// The ID of this call, which the API server logs.
    pub uid: String,
    /// The operation on the object.
    pub operation: Operation,
    /// The kind of the object as it was sent to the webhook.
    pub kind: GroupVersionKind,
    /// The resource of the object as it was sent to the webhook.
    pub resource: GroupVersionResource,
    /// The subresource, such as `status` or `scale`.
    #[serde(rename = "subResource")]
    pub subresource: Option<String>,
    /// The kind that the user sent. It differs from [`kind`](Self::kind) if the API server
    /// converted the object to a version that the webhook matches.
    pub request_kind: Option<GroupVersionKind>,
    /// The resource that the user sent.
    pub request_resource: Option<GroupVersionResource>,
    /// The subresource that the user sent.
    #[serde(rename = "requestSubResource")]
    pub request_subresource: Option<String>,
    /// The object's name. Empty if the API server has to generate one.
    #[serde(default)]
    pub name: String,
    /// The object's namespace, if its kind is namespaced. For a Namespace, it is the Namespace's
    /// own name.
    pub namespace: Option<String>,
    /// The user who sent the request.
    pub user_info: UserInfo,
    /// Whether this is a dry run. If so, the webhook must not have side effects.
    #[serde(default)]
    pub dry_run: bool,
    /// The options of the operation, such as a `CreateOptions`.
    pub options: Option<Value>,
}

/// Operation on an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[non_exhaustive]
pub enum Operation {
    /// The object is created.
    Create,
    /// The object is updated or patched.
    Update,
    /// The object is deleted.
    Delete,
    /// A connection to the object is opened, such as by `kubectl exec`.
    Connect,
}

/// An admission request with its raw objects.
pub(super) struct AdmissionReview {
    pub(super) admission: Admission,
    pub(super) objects: AdmissionObjects,
    api_version: String,
}

/// The objects of a request, not parsed yet.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AdmissionObjects {
    /// The new object. Absent if the object is deleted.
    pub(super) object: Option<Box<RawValue>>,
    /// The existing object. Absent if the object is created, or a connection to it is opened.
    pub(super) old_object: Option<Box<RawValue>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AdmissionReviewResponse {
    api_version: String,
    kind: &'static str,
    response: AdmissionResponse,
}

/// Response to an admission request: whether it is allowed, with patch and warnings.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AdmissionResponse {
    uid: String,
    allowed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<Status>,
    #[serde(skip_serializing_if = "Option::is_none")]
    patch: Option<ByteString>,
    #[serde(skip_serializing_if = "Option::is_none")]
    patch_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl AdmissionReview {
    /// Parses a review of `admission.k8s.io/v1` or `v1beta1`, which have the same fields. Version
    /// and kind may be absent.
    pub(super) fn parse(body: &[u8]) -> Result<Self, String> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Envelope<'a> {
            #[serde(default)]
            api_version: String,
            #[serde(default)]
            kind: String,
            #[serde(borrow)]
            request: Option<&'a RawValue>,
        }
        let to_message = |error: serde_json::Error| error.to_string();
        let envelope: Envelope<'_> = serde_json::from_slice(body).map_err(to_message)?;
        let is_review = matches!(&*envelope.kind, "" | "AdmissionReview")
            && matches!(&*envelope.api_version, "" | V1 | "admission.k8s.io/v1beta1");
        if !is_review {
            let Envelope {
                api_version, kind, ..
            } = envelope;
            return Err(format!(
                "expected an AdmissionReview, found `{kind}` of `{api_version}`"
            ));
        }
        let request = envelope.request.ok_or("the review has no request")?.get();
        Ok(Self {
            admission: serde_json::from_str(request).map_err(to_message)?,
            objects: serde_json::from_str(request).map_err(to_message)?,
            api_version: envelope.api_version,
        })
    }

    /// Returns the response, in the version of the review.
    pub(super) fn answer(self, response: AdmissionResponse) -> AdmissionReviewResponse {
        let api_version = match self.api_version {
            none if none.is_empty() => V1.to_owned(),
            version => version,
        };
        AdmissionReviewResponse {
            api_version,
            kind: "AdmissionReview",
            response: AdmissionResponse {
                uid: self.admission.uid,
                ..response
            },
        }
    }
}

impl AdmissionReviewResponse {
    /// Returns the response to a request whose body cannot be read or is not a review.
    pub(super) fn unread(code: u16, reason: &str, message: String) -> Self {
        let status = Status {
            code: Some(code.into()),
            message: Some(message),
            reason: Some(reason.to_owned()),
            status: Some("Failure".to_owned()),
            ..Status::default()
        };
        Self {
            api_version: V1.to_owned(),
            kind: "AdmissionReview",
            response: AdmissionResponse::denied(status),
        }
    }
}

impl AdmissionResponse {
    pub(super) fn allowed() -> Self {
        Self {
            allowed: true,
            ..Self::default()
        }
    }

    pub(super) fn denied(status: Status) -> Self {
        Self {
            status: Some(status),
            ..Self::default()
        }
    }

    /// Returns the response that allows a request and changes its object by a JSON patch.
    pub(super) fn patched(patch: Vec<u8>) -> Self {
        Self {
            allowed: true,
            patch: Some(ByteString(patch)),
            patch_type: Some("JSONPatch"),
            ..Self::default()
        }
    }

    pub(super) fn with_warnings(mut self, warnings: Vec<String>) -> Self {
        self.warnings = warnings;
        self
    }
}
