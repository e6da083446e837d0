//! [`ApiVersion`] and [`KindName`]: fields of an apply configuration that have only one value.

use std::fmt;
use std::marker::PhantomData;

use kube::Resource;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::__private::check_type_field;

/// The `apiVersion` of the kind `K`. Takes no space, serializes as the constant, and accepts no
/// other value when it is deserialized.
pub struct ApiVersion<K>(PhantomData<fn() -> K>);

/// The `kind` of the kind `K`. Takes no space, serializes as the constant, and accepts no other
/// value when it is deserialized.
pub struct KindName<K>(PhantomData<fn() -> K>);

/// Implements the traits of a field whose value is `Resource::$constant`. Derives would demand
/// them of `K`.
macro_rules! impl_type_field {
    ($type:ident, $field:literal, $constant:ident) => {
        impl<K> Clone for $type<K> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<K> Copy for $type<K> {}

        impl<K> Default for $type<K> {
            fn default() -> Self {
                Self(PhantomData)
            }
        }

        impl<K> PartialEq for $type<K> {
            fn eq(&self, _: &Self) -> bool {
                true
            }
        }

        impl<K> Eq for $type<K> {}

        impl<K: Resource<DynamicType = ()>> fmt::Debug for $type<K> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&K::$constant(&()), f)
            }
        }

        impl<K: Resource<DynamicType = ()>> Serialize for $type<K> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&K::$constant(&()))
            }
        }

        impl<'de, K: Resource<DynamicType = ()>> Deserialize<'de> for $type<K> {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let found = String::deserialize(deserializer)?;
                check_type_field($field, &K::$constant(&()), Some(&found))?;
                Ok(Self::default())
            }
        }
    };
}

impl_type_field!(ApiVersion, "apiVersion", api_version);
impl_type_field!(KindName, "kind", kind);

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::Pod;
    use serde_json::json;

    use super::*;

    #[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
    struct PodApply {
        #[serde(rename = "apiVersion")]
        api_version: ApiVersion<Pod>,
        kind: KindName<Pod>,
    }

    #[test]
    fn type_meta_has_the_constants_of_the_kind() {
        let pod = PodApply::default();
        let json = json!({ "apiVersion": "v1", "kind": "Pod" });
        assert_eq!(serde_json::to_value(&pod).unwrap(), json);
        assert_eq!(serde_json::from_value::<PodApply>(json).unwrap(), pod);
        assert_eq!(size_of::<PodApply>(), 0);
        assert_eq!(
            format!("{pod:?}"),
            r#"PodApply { api_version: "v1", kind: "Pod" }"#
        );
    }

    #[test]
    fn other_type_meta_is_an_error() {
        for (json, expected) in [
            (
                json!({ "apiVersion": "v2", "kind": "Pod" }),
                "expected apiVersion `v1`, found `v2`",
            ),
            (
                json!({ "apiVersion": "v1", "kind": "Node" }),
                "expected kind `Pod`, found `Node`",
            ),
            (json!({ "apiVersion": "v1" }), "missing field `kind`"),
        ] {
            let error = serde_json::from_value::<PodApply>(json).unwrap_err();
            assert_eq!(error.to_string(), expected);
        }
    }
}
