//! Strings, numbers and enums that are types of fields.

use std::fmt;

use genclient::prelude::*;
use serde::{Deserializer, Serializer, de::Error};

/// At least four characters.
#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
#[crd(min_length = 4)]
pub struct LongerString(pub String);

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
#[crd(
    min_items = 1,
    list_type = "set",
    items(
        min_length = 1,
        max_length = 255,
        pattern = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
    )
)]
pub struct Hosts(pub Vec<String>);

#[derive(Clone, Copy, Debug, Serialize, Deserialize, CrdSchema)]
pub struct UnmarkeredInteger(pub i32);

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct UnmarkeredString(pub String);

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
#[crd(validation(rule = "self.size() % 2 == 0", message = "must have even length"))]
pub struct StringEvenType(pub String);

pub type StringAlias = String;

/// Alias of a string, in place of a string type of Kubernetes.
pub type IpFamilyPolicy = String;

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
#[serde(transparent)]
#[crd(title = "title on type")]
pub struct StringAliasWithTitle {
    pub text: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
#[crd(min_length = 1, max_length = 255)]
pub struct StringAliasWithValidation(pub String);

/// Treatment of a run while the previous job is active.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, CrdSchema)]
pub enum ConcurrencyPolicy {
    /// Both jobs run.
    Allow,
    /// The new run is skipped.
    Forbid,
    /// The previous job is stopped.
    Replace,
}

/// The same policy with `rename_all`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, CrdSchema)]
#[serde(rename_all = "PascalCase")]
pub enum K8sConcurrencyPolicy {
    Allow,
    Forbid,
    Replace,
}

/// Boolean that is serialized as text.
#[derive(Clone, Copy, Debug, CrdSchema)]
#[crd(type = "string")]
pub struct TotallyABool(pub bool);

impl Serialize for TotallyABool {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for TotallyABool {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map(Self).map_err(D::Error::custom)
    }
}

/// Parts of a URL, whose serialized type is stated by `into`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, CrdSchema)]
#[serde(try_from = "String", into = "String")]
pub struct Url {
    pub scheme: String,
    pub rest: String,
}

impl TryFrom<String> for Url {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let (scheme, rest) = text.split_once(':').ok_or("an address has a scheme")?;
        Ok(Self {
            scheme: scheme.to_owned(),
            rest: rest.to_owned(),
        })
    }
}

impl From<Url> for String {
    fn from(url: Url) -> Self {
        url.to_string()
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.scheme, self.rest)
    }
}

/// URL whose serialized type is stated by `#[crd(type)]`.
#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
#[crd(type = "string")]
pub struct Url2(pub Url);

/// URL as a key of a map.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, CrdSchema)]
pub struct Url3(pub Url);

/// URL in a transparent struct with a named field.
#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
#[serde(transparent)]
pub struct Url4 {
    pub url: Url,
}

/// Time, serialized in milliseconds.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, CrdSchema)]
#[serde(from = "i64", into = "i64")]
pub struct Time2(pub std::time::Duration);

impl From<i64> for Time2 {
    fn from(milliseconds: i64) -> Self {
        Self(std::time::Duration::from_millis(
            milliseconds.unsigned_abs(),
        ))
    }
}

impl From<Time2> for i64 {
    fn from(time: Time2) -> Self {
        time.0.as_millis().try_into().unwrap_or(Self::MAX)
    }
}
