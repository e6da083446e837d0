//! Tests of objects without fields that their type requires, as kube-apiserver converts them for
//! server-side apply.

use std::collections::BTreeMap;

use genclient::conversion::{self, Inconvertible, Spoke, Versions};
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

mod v1 {
    use genclient::k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    pub struct Lamp {
        pub metadata: ObjectMeta,
        pub spec: LampSpec,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub status: Option<LampStatus>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct LampSpec {
        pub size: i32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub color: Option<String>,
        pub keep_days: u32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub address: Option<String>,
        pub mode: Mode,
        pub rooms: Vec<Room>,
        pub since: Time,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub hubs_own: Option<u8>,
        #[serde(flatten)]
        pub shade: Shade,
    }

    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
    pub enum Mode {
        On,
        Off,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Room {
        pub name: String,
        pub lit: bool,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Shade {
        pub width: u32,
        pub cloth: String,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct LampStatus {
        pub lit: bool,
    }
}

mod v1beta1 {
    use genclient::k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    pub struct Lamp {
        pub metadata: ObjectMeta,
        pub spec: LampSpec,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub status: Option<super::v1::LampStatus>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct LampSpec {
        pub size: i32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub colour: Option<String>,
        pub keep: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub endpoint: Option<Endpoint>,
        pub mode: Mode,
        pub rooms: Vec<Room>,
        pub since: Time,
        pub shade: super::v1::Shade,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Endpoint {
        pub host: String,
        pub port: u16,
    }

    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "lowercase")]
    pub enum Mode {
        On,
        Off,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Room {
        pub title: String,
        pub lit: bool,
    }
}

impl Spoke for v1beta1::Lamp {
    type Hub = v1::Lamp;

    fn to_hub(mut self) -> Result<v1::Lamp, Inconvertible> {
        let kept = conversion::kept::<v1::Lamp>(&mut self.metadata)?;
        let spec = self.spec;
        let rooms = spec.rooms.into_iter().map(|room| v1::Room {
            name: room.title,
            lit: room.lit,
        });
        let keep_days = match &*spec.keep {
            "" => 0,
            keep => keep.trim_end_matches('d').parse()?,
        };
        let join = |endpoint: v1beta1::Endpoint| format!("{}:{}", endpoint.host, endpoint.port);
        let spec = v1::LampSpec {
            size: spec.size,
            color: spec.colour,
            keep_days,
            address: spec.endpoint.map(join),
            mode: match spec.mode {
                v1beta1::Mode::On => v1::Mode::On,
                v1beta1::Mode::Off => v1::Mode::Off,
            },
            rooms: rooms.collect(),
            since: spec.since,
            hubs_own: kept.and_then(|hub| hub.spec.hubs_own),
            shade: spec.shade,
        };
        Ok(v1::Lamp {
            metadata: self.metadata,
            spec,
            status: self.status,
        })
    }

    fn from_hub(hub: v1::Lamp) -> Result<Self, Inconvertible> {
        let mut metadata = hub.metadata.clone();
        conversion::keep(&hub, &mut metadata)?;
        let spec = hub.spec;
        let split = |address: String| -> Result<_, Inconvertible> {
            let (host, port) = address.split_once(':').ok_or("the address has no port")?;
            Ok(v1beta1::Endpoint {
                host: host.to_owned(),
                port: port.parse()?,
            })
        };
        let rooms = spec.rooms.into_iter().map(|room| v1beta1::Room {
            title: room.name,
            lit: room.lit,
        });
        let spec = v1beta1::LampSpec {
            size: spec.size,
            colour: spec.color,
            keep: format!("{}d", spec.keep_days),
            endpoint: spec.address.map(split).transpose()?,
            mode: match spec.mode {
                v1::Mode::On => v1beta1::Mode::On,
                v1::Mode::Off => v1beta1::Mode::Off,
            },
            rooms: rooms.collect(),
            since: spec.since,
            shade: spec.shade,
        };
        Ok(Self {
            metadata,
            spec,
            status: hub.status,
        })
    }
}

fn convert(from: &str, fields: &Value, to: &str) -> Result<Value, String> {
    let mut object = json!({"apiVersion": format!("example.com/{from}"), "kind": "Lamp"});
    let members = fields.as_object().unwrap().clone();
    object.as_object_mut().unwrap().extend(members);
    let versions = Versions::<v1::Lamp>::hub().spoke::<v1beta1::Lamp>();
    let object = to_raw_value(&object).unwrap();
    let converted = versions
        .convert(&object, &format!("example.com/{to}"))
        .map_err(|error| error.to_string())?;
    let mut converted: BTreeMap<String, Value> = serde_json::from_str(converted.get()).unwrap();
    assert_eq!(
        converted.remove("apiVersion"),
        Some(json!(format!("example.com/{to}")))
    );
    assert_eq!(converted.remove("kind"), Some(json!("Lamp")));
    Ok(json!(converted))
}

/// Asserts that `old` converts to `new`, and `new` to `old` with further fields.
#[track_caller]
fn check(old: &Value, new: &Value) {
    assert_eq!(convert("v1beta1", old, "v1").as_ref(), Ok(new), "{old}");
    assert_eq!(convert("v1", new, "v1beta1").as_ref(), Ok(old), "{new}");
}

#[test]
fn absent_fields_stay_absent_in_both_directions() {
    let metadata = json!({"name": "a", "labels": {"a": "b"}, "managedFields": [{"manager": "m"}]});
    for (old, new) in [
        (json!({}), json!({})),
        (
            json!({"status": {"lit": true}}),
            json!({"status": {"lit": true}}),
        ),
        (json!({"status": {}}), json!({"status": {}})),
        (json!({"spec": {}}), json!({"spec": {}})),
        // Same, renamed and moved fields, in spite of values that are also placeholders.
        (json!({"spec": {"size": 1}}), json!({"spec": {"size": 1}})),
        (json!({"spec": {"size": 0}}), json!({"spec": {"size": 0}})),
        (
            json!({"spec": {"colour": "red"}}),
            json!({"spec": {"color": "red"}}),
        ),
        (
            json!({"spec": {"colour": ""}}),
            json!({"spec": {"color": ""}}),
        ),
        (
            json!({"spec": {"shade": {"width": 3}}}),
            json!({"spec": {"width": 3}}),
        ),
        (
            json!({"spec": {"shade": {"cloth": "silk"}}}),
            json!({"spec": {"cloth": "silk"}}),
        ),
        // Values with another type or another name.
        (
            json!({"spec": {"keep": "7d"}}),
            json!({"spec": {"keepDays": 7}}),
        ),
        (
            json!({"spec": {"mode": "off"}}),
            json!({"spec": {"mode": "Off"}}),
        ),
        (
            json!({"spec": {"mode": "on"}}),
            json!({"spec": {"mode": "On"}}),
        ),
        (
            json!({"spec": {"since": "2026-02-03T04:05:06Z"}}),
            json!({"spec": {"since": "2026-02-03T04:05:06Z"}}),
        ),
        // Joined and split.
        (
            json!({"spec": {"endpoint": {"host": "lamp", "port": 80}}}),
            json!({"spec": {"address": "lamp:80"}}),
        ),
        // Items of lists.
        (
            json!({"spec": {"rooms": []}}),
            json!({"spec": {"rooms": []}}),
        ),
        (
            json!({"spec": {"size": 1, "rooms": [{"title": "a"}, {"lit": true}, {}]}}),
            json!({"spec": {"size": 1, "rooms": [{"name": "a"}, {"lit": true}, {}]}}),
        ),
    ] {
        check(&with(&metadata, &old), &with(&metadata, &new));
    }
}

fn with(metadata: &Value, fields: &Value) -> Value {
    let mut fields = fields.clone();
    fields["metadata"] = metadata.clone();
    fields
}

/// The metadata is in every result, since kube-apiserver requires it.
#[test]
fn objects_without_metadata_are_converted() {
    let spec = json!({"spec": {"size": 1}});
    let expected = json!({"metadata": {}, "spec": {"size": 1}});
    assert_eq!(convert("v1beta1", &spec, "v1"), Ok(expected));
}

#[test]
fn fields_that_join_data_with_a_placeholder_are_kept() {
    let old = json!({"metadata": {}, "spec": {"endpoint": {"host": "lamp"}, "keep": "7d"}});
    let new = json!({"metadata": {}, "spec": {"address": "lamp:0", "keepDays": 7}});
    assert_eq!(convert("v1beta1", &old, "v1"), Ok(new));
}

/// A field that only the hub has is kept in an annotation, as in complete objects.
#[test]
fn fields_of_the_hub_alone_are_kept() {
    let new = json!({"metadata": {}, "spec": {"hubsOwn": 3, "size": 1}});
    let old = convert("v1", &new, "v1beta1").unwrap();
    assert_eq!(old["spec"], json!({"size": 1}));
    assert_eq!(convert("v1beta1", &old, "v1"), Ok(new));
}

mod strict {
    pub mod v1 {
        use genclient::prelude::*;

        #[genclient]
        #[group = "example.com"]
        pub struct Timer {
            pub metadata: ObjectMeta,
            pub spec: TimerSpec,
        }

        #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
        pub struct TimerSpec {
            pub period: u32,
            pub zone: String,
        }
    }

    pub mod v1beta1 {
        use genclient::prelude::*;

        #[genclient]
        #[group = "example.com"]
        pub struct Timer {
            pub metadata: ObjectMeta,
            pub spec: TimerSpec,
        }

        #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
        pub struct TimerSpec {
            pub period: String,
            pub zone: String,
        }
    }
}

impl Spoke for strict::v1beta1::Timer {
    type Hub = strict::v1::Timer;

    fn to_hub(self) -> Result<Self::Hub, Inconvertible> {
        if self.spec.zone == "Mars" {
            return Err("no such zone".into());
        }
        let period = self.spec.period.parse()?;
        Ok(strict::v1::Timer {
            metadata: self.metadata,
            spec: strict::v1::TimerSpec {
                period,
                zone: self.spec.zone,
            },
        })
    }

    fn from_hub(hub: Self::Hub) -> Result<Self, Inconvertible> {
        if !hub.spec.zone.contains('/') {
            return Err("the zone has no `/`".into());
        }
        Ok(Self {
            metadata: hub.metadata,
            spec: strict::v1beta1::TimerSpec {
                period: hub.spec.period.to_string(),
                zone: hub.spec.zone,
            },
        })
    }
}

/// A conversion that refuses a placeholder is called with others. If none is accepted, the error
/// names what the object lacks.
#[test]
fn strict_conversions_get_other_placeholders() {
    let versions = Versions::<strict::v1::Timer>::hub().spoke::<strict::v1beta1::Timer>();
    let timer = |version: &str, spec: Value| {
        let version = format!("example.com/{version}");
        json!({"apiVersion": version, "kind": "Timer", "metadata": {}, "spec": spec})
    };
    for (from, spec, to, expected) in [
        (
            "v1beta1",
            json!({"zone": "Europe/Berlin"}),
            "v1",
            Ok(json!({"zone": "Europe/Berlin"})),
        ),
        (
            "v1",
            json!({"zone": "Europe/Berlin"}),
            "v1beta1",
            Ok(json!({"zone": "Europe/Berlin"})),
        ),
        (
            "v1beta1",
            json!({"zone": "Mars"}),
            "v1",
            Err("no such zone (the object is partial; filled in: `.spec.period` as `\"\"`)"),
        ),
        (
            "v1",
            json!({"period": 7}),
            "v1beta1",
            Err("the zone has no `/` (the object is partial; filled in: `.spec.zone` as `\"\"`)"),
        ),
        // Not partial, and of another type besides.
        (
            "v1beta1",
            json!({"zone": "Mars", "period": "7"}),
            "v1",
            Err("no such zone"),
        ),
        (
            "v1",
            json!({"period": "hunter2"}),
            "v1beta1",
            Err(
                "cannot decode the object as `Timer` of `example.com/v1`: invalid type: string, \
                 expected u32 at line 1 column 86",
            ),
        ),
    ] {
        let object = to_raw_value(&timer(from, spec)).unwrap();
        let converted = versions.convert(&object, &format!("example.com/{to}"));
        let converted = match converted {
            Ok(converted) => Ok(serde_json::from_str::<Value>(converted.get()).unwrap()),
            Err(error) => Err(error.to_string()),
        };
        let expected = expected.map(|spec| timer(to, spec)).map_err(str::to_owned);
        assert_eq!(converted, expected, "{object}");
    }
}
