//! Conversion between versions by a webhook that is called through a Service.

use genclient::conversion::{self, Inconvertible, Spoke};

pub mod v2 {
    use std::collections::{BTreeMap, BTreeSet};

    use genclient::prelude::*;

    #[genclient]
    #[group = "conversion.example.com"]
    #[crd(storage, conversion(webhook(service = "system/converter", path = "/convert", port = 8443, review_versions = ["v1"])))]
    #[crd(annotation("cert-manager.io/inject-ca-from", "system/converter"))]
    pub struct Unit {
        pub metadata: ObjectMeta,
        pub spec: UnitSpec,
        pub status: Option<UnitStatus>,
    }

    #[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct UnitSpec {
        pub size: Quantity,
        #[crd(minimum = 1, maximum = 65535)]
        pub port: u16,
        pub mode: Mode,
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        pub limits: BTreeMap<String, IntOrString>,
        #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
        pub zones: BTreeSet<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub since: Option<Time>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub source: Option<Source>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub raw: Option<serde_json::Value>,
    }

    #[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, CrdSchema)]
    pub enum Mode {
        #[default]
        Fast,
        Safe,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "camelCase")]
    pub enum Source {
        Secret(String),
        Inline { text: String, ratio: Option<f64> },
    }

    #[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
    pub struct UnitStatus {
        pub ready: Vec<bool>,
    }
}

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "conversion.example.com"]
    #[crd(unserved)]
    pub struct Unit {
        pub metadata: ObjectMeta,
        pub spec: UnitSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct UnitSpec {
        #[crd(pattern = "^(fast|safe)$", enum = ["fast", "safe"])]
        pub mode: String,
        pub size: Quantity,
        #[crd(minimum = 1, maximum = 65535)]
        pub port: i32,
    }
}

pub mod v1beta1 {
    use genclient::prelude::*;

    use super::v2;

    #[genclient(skip_client)]
    #[group = "conversion.example.com"]
    pub struct Unit {
        pub metadata: ObjectMeta,
        pub spec: v2::UnitSpec,
        pub status: Option<v2::UnitStatus>,
    }
}

impl Spoke for v1beta1::Unit {
    type Hub = v2::Unit;

    fn to_hub(self) -> Result<v2::Unit, Inconvertible> {
        Ok(v2::Unit {
            metadata: self.metadata,
            spec: self.spec,
            status: self.status,
        })
    }

    fn from_hub(hub: v2::Unit) -> Result<Self, Inconvertible> {
        Ok(Self {
            metadata: hub.metadata,
            spec: hub.spec,
            status: hub.status,
        })
    }
}

/// Lacks fields of the hub, so it keeps the hub in an annotation.
impl Spoke for v1::Unit {
    type Hub = v2::Unit;

    fn to_hub(self) -> Result<v2::Unit, Inconvertible> {
        let mut metadata = self.metadata;
        let kept = conversion::kept::<v2::Unit>(&mut metadata)?;
        let (spec, status) = kept.map(|hub| (hub.spec, hub.status)).unwrap_or_default();
        let spec = v2::UnitSpec {
            mode: match self.spec.mode.as_str() {
                "fast" => v2::Mode::Fast,
                "safe" => v2::Mode::Safe,
                other => return Err(format!("unknown mode {other}").into()),
            },
            size: self.spec.size,
            port: self.spec.port.try_into()?,
            ..spec
        };
        Ok(v2::Unit {
            metadata,
            spec,
            status,
        })
    }

    fn from_hub(hub: v2::Unit) -> Result<Self, Inconvertible> {
        let mut metadata = hub.metadata.clone();
        conversion::keep(&hub, &mut metadata)?;
        let mode = match hub.spec.mode {
            v2::Mode::Fast => "fast",
            v2::Mode::Safe => "safe",
        };
        let spec = v1::UnitSpec {
            mode: mode.to_owned(),
            size: hub.spec.size,
            port: hub.spec.port.into(),
        };
        Ok(Self { metadata, spec })
    }
}
