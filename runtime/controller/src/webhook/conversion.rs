//! Conversion reviews: conversion of objects between the versions of their kind.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use genclient::conversion::{Inconvertible, Versions};
use genclient::kube::Resource;
use genclient::panics::panic_message;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio_util::sync::CancellationToken;

use super::metrics::WebhookMetrics;

const API_VERSION: &str = "apiextensions.k8s.io/v1";
const KIND: &str = "ConversionReview";

/// The conversions of a program, by kind.
#[derive(Default)]
pub(super) struct Conversions {
    kinds: Vec<ConvertedKind>,
}

struct ConvertedKind {
    group: String,
    kind: String,
    /// The name of the CustomResourceDefinition.
    definition: String,
    convert: Arc<Convert>,
}

type Convert = dyn Fn(&RawValue, &str) -> Result<Box<RawValue>, Inconvertible> + Send + Sync;

/// A `ConversionReview` from the API server.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ConversionReview<'a> {
    api_version: String,
    kind: String,
    #[serde(borrow)]
    request: ConversionRequest<'a>,
}

#[derive(Deserialize)]
struct ConversionRequest<'a> {
    uid: String,
    #[serde(rename = "desiredAPIVersion")]
    desired_api_version: String,
    #[serde(borrow)]
    objects: Vec<&'a RawValue>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ConversionAnswer {
    api_version: &'static str,
    kind: &'static str,
    response: ConversionResponse,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ConversionResponse {
    uid: String,
    converted_objects: Vec<Box<RawValue>>,
    result: ConversionResult,
}

#[derive(Serialize)]
struct ConversionResult {
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

/// Type and name of an object.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ObjectHead {
    api_version: String,
    kind: String,
    #[serde(default)]
    metadata: HeadName,
}

#[derive(Default, Deserialize)]
struct HeadName {
    namespace: Option<String>,
    #[serde(default)]
    name: String,
}

impl Conversions {
    /// Adds a kind. Returns `false` if it was added before.
    pub(super) fn add<H>(&mut self, versions: Versions<H>) -> bool
    where
        H: Resource<DynamicType = ()> + Serialize + DeserializeOwned + 'static,
    {
        let definition = versions.definition();
        if self.kinds.iter().any(|kind| kind.definition == definition) {
            return false;
        }
        self.kinds.push(ConvertedKind {
            group: H::group(&()).into_owned(),
            kind: H::kind(&()).into_owned(),
            definition,
            convert: Arc::new(move |object, version| versions.convert(object, version)),
        });
        true
    }

    pub(super) fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Returns the names of the CustomResourceDefinitions.
    pub(super) fn definitions(&self) -> impl Iterator<Item = &str> {
        self.kinds.iter().map(|kind| &*kind.definition)
    }

    /// Answers a review. Blocks the thread while objects are converted. Once `stop` is cancelled,
    /// no further object is converted.
    pub(super) fn answer(
        &self,
        review: ConversionReview<'_>,
        metrics: &WebhookMetrics,
        stop: &CancellationToken,
    ) -> ConversionAnswer {
        let converted = self.convert_all(&review, metrics, stop);
        if let Err(error) = &converted {
            tracing::error!(error, "conversion failed");
        }
        let (status, message) = match &converted {
            Ok(_) => ("Success", None),
            Err(message) => ("Failure", Some(message.clone())),
        };
        ConversionAnswer {
            api_version: API_VERSION,
            kind: KIND,
            response: ConversionResponse {
                uid: review.request.uid,
                converted_objects: converted.unwrap_or_default(),
                result: ConversionResult { status, message },
            },
        }
    }

    fn convert_all(
        &self,
        review: &ConversionReview<'_>,
        metrics: &WebhookMetrics,
        stop: &CancellationToken,
    ) -> Result<Vec<Box<RawValue>>, String> {
        let (kind, version) = (&review.kind, &review.api_version);
        if kind != KIND || version != API_VERSION {
            return Err(format!(
                "expected {KIND} of {API_VERSION}, found {kind} of {version}"
            ));
        }
        let request = &review.request;
        let objects = request.objects.iter().map(|object| {
            if stop.is_cancelled() {
                return Err("the request was canceled".to_owned());
            }
            self.convert(object, &request.desired_api_version, metrics)
        });
        objects.collect()
    }

    fn convert(
        &self,
        object: &RawValue,
        version: &str,
        metrics: &WebhookMetrics,
    ) -> Result<Box<RawValue>, String> {
        let head: ObjectHead =
            serde_json::from_str(object.get()).map_err(|error| error.to_string())?;
        let group = head
            .api_version
            .rsplit_once('/')
            .map_or("", |(group, _)| group);
        let kind = self
            .kinds
            .iter()
            .find(|it| it.group == group && it.kind == head.kind);
        let failed =
            |error: &dyn std::fmt::Display| format!("cannot convert {head} to {version}: {error}");
        let kind = kind.ok_or_else(|| failed(&"no conversion is registered for the kind"))?;
        let converted = catch_unwind(AssertUnwindSafe(|| (kind.convert)(object, version)));
        match converted {
            Ok(converted) => converted.map_err(|error| failed(&error)),
            Err(panic) => {
                metrics.panicked();
                let panic = panic_message(&*panic);
                Err(failed(&format_args!("the conversion panicked: {panic}")))
            }
        }
    }
}

impl std::fmt::Display for ObjectHead {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let HeadName { namespace, name } = &self.metadata;
        let namespace = namespace
            .as_deref()
            .map(|it| format!("{it}/"))
            .unwrap_or_default();
        write!(f, "{} {namespace}{name} of {}", self.kind, self.api_version)
    }
}
