//! serde attributes on a kind and its fields, with their usual meaning.
#![deny(warnings)]

use genclient::prelude::*;

#[genclient]
#[group = "falldio.com"]
#[version = "v1"]
#[derive(Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Everything {
    pub metadata: ObjectMeta,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    pub some_thing: Option<String>,
    #[serde(rename = "r")]
    pub renamed: u8,
    #[serde(with = "shout")]
    pub loud: String,
    #[serde(default = "seven")]
    pub seven: u8,
    #[serde(skip)]
    pub hidden: u8,
    #[deprecated]
    pub old: u8,
}

fn seven() -> u8 {
    7
}

mod shout {
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(text: &str, output: S) -> Result<S::Ok, S::Error> {
        output.serialize_str(&text.to_uppercase())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<String, D::Error> {
        Ok(String::deserialize(input)?.to_lowercase())
    }
}

#[test]
fn serde_attributes_have_their_usual_meaning() {
    let read: Everything = serde_json::from_str(r#"{"loud":"ABC","someThing":"x","r":1}"#).unwrap();
    assert_eq!(
        (read.loud.as_str(), read.seven, read.renamed),
        ("abc", 7, 1)
    );
    assert_eq!(
        serde_json::to_string(&read).unwrap(),
        r#"{"apiVersion":"falldio.com/v1","kind":"Everything","metadata":{},"someThing":"x","r":1,"loud":"ABC","seven":7,"old":0}"#,
    );
    assert!(serde_json::from_str::<Everything>(r#"{"unknown":1}"#).is_err());
}
