//! JSON in conversions: parsing of the original object, and its metadata in the result.

use std::borrow::Cow;
use std::collections::BTreeMap;

use kube::Resource;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use super::Inconvertible;
use crate::json;

/// Fields that an object has in every version.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Head<'o> {
    #[serde(borrow)]
    pub(super) api_version: Cow<'o, str>,
    #[serde(borrow)]
    pub(super) kind: Cow<'o, str>,
    #[serde(borrow, default)]
    metadata: Option<&'o RawValue>,
}

type Fields<'o> = BTreeMap<Cow<'o, str>, Cow<'o, RawValue>>;

pub(super) struct Converted {
    object: String,
    /// Labels and annotations, the only metadata that a conversion may change.
    changeable: [(&'static str, Option<Box<RawValue>>); 2],
}

/// Parses an object without a recursion limit. [`Versions::convert`](super::Versions::convert), the
/// only entry point, limits the depth of objects and uses a large stack for deep ones.
pub(super) fn parse_object<'o, T: Deserialize<'o>>(object: &'o str) -> serde_json::Result<T> {
    let mut deserializer = serde_json::Deserializer::from_str(object);
    deserializer.disable_recursion_limit();
    T::deserialize(&mut deserializer)
}

pub(super) fn decode_as<K>(object: &str) -> Result<K, Inconvertible>
where
    K: Resource<DynamicType = ()> + DeserializeOwned,
{
    let malformed = |error| {
        let (api_version, kind) = (K::api_version(&()), K::kind(&()));
        let error = json::describe_error(&error);
        format!("cannot decode the object as `{kind}` of `{api_version}`: {error}").into()
    };
    parse_object(object).map_err(malformed)
}

// === impl Converted ===

impl Converted {
    pub(super) fn new<K: Resource + Serialize>(object: &K) -> Result<Self, Inconvertible> {
        let meta = object.meta();
        let raw =
            |texts: &Option<BTreeMap<String, String>>| texts.as_ref().map(to_raw_value).transpose();
        Ok(Self {
            object: serde_json::to_string(object)?,
            changeable: [
                ("labels", raw(&meta.labels)?),
                ("annotations", raw(&meta.annotations)?),
            ],
        })
    }

    /// Returns the converted object in `api_version`. Its labels and annotations are those of the
    /// conversion; its other metadata is that of the original. kube-apiserver also restores
    /// metadata (`restoreObjectMeta` in
    /// `k8s.io/apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go`), but rejects
    /// an object if the conversion changed its name, namespace or UID.
    pub(super) fn restore(
        &self,
        original: &Head<'_>,
        api_version: &str,
    ) -> Result<Box<RawValue>, Inconvertible> {
        let mut metadata: Fields<'_> = match original.metadata {
            Some(metadata) => parse_object(metadata.get())?,
            None => Fields::new(),
        };
        for (field, changed) in &self.changeable {
            match changed {
                Some(changed) => metadata.insert((*field).into(), Cow::Borrowed(changed)),
                None => metadata.remove(*field),
            };
        }
        let mut object: Fields<'_> = parse_object(&self.object)?;
        object.insert("apiVersion".into(), Cow::Owned(to_raw_value(api_version)?));
        object.insert("kind".into(), Cow::Owned(to_raw_value(&original.kind)?));
        object.insert("metadata".into(), Cow::Owned(to_raw_value(&metadata)?));
        Ok(to_raw_value(&object)?)
    }
}
