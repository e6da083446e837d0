//! Schema mappings for types of other crates that serde serializes as strings.
//!
//! Types are errors if serde writes them as numbers, or if features of their crate change the text.
//!
//! A schema has a `format` only if the API server accepts the type's texts in that format. Rare
//! exceptions are years before 0 or after 9999, leap seconds, and spans of three centuries or more.

use super::mapping::Known;
use crate::model::{JsonType, Schema};

/// Returns the mapping of a path into another crate.
pub(super) fn find_string_type(path: &str) -> Option<Known> {
    Some(match path {
        "chrono::DateTime" | "jiff::Timestamp" => Known::formatted("date-time"),
        "chrono::NaiveDate" | "chrono::naive::NaiveDate" | "jiff::civil::Date" => {
            Known::formatted("date")
        }
        // The API server's `date-time` requires an offset, which these types do not write.
        "chrono::NaiveDateTime" | "chrono::naive::NaiveDateTime" | "jiff::civil::DateTime" => {
            Known::string()
        }
        "chrono::NaiveTime" | "chrono::naive::NaiveTime" | "jiff::civil::Time" => Known::string(),
        "chrono_tz::Tz" => Known::string(),
        // The text ends with a time zone in brackets, which `date-time` refuses.
        "jiff::Zoned" => Known::string(),
        "jiff::Span" | "jiff::SignedDuration" => Known::formatted("duration"),
        "uuid::Uuid" => Known::formatted("uuid"),
        "url::Url" => url_mapping(),
        "ipnet::IpNet" | "ipnet::Ipv4Net" | "ipnet::Ipv6Net" => Known::formatted("cidr"),
        "semver::Version" | "semver::VersionReq" => Known::string(),
        "camino::Utf8PathBuf" | "smol_str::SmolStr" => Known::string(),
        _ => Known::Refused(refusal_reason(path)?),
    })
}

/// Returns the schema of an absolute URL. The API server's format `uri` does not fit: it admits
/// `/path`, which has no scheme, and rejects `http://a/%zz`, which `Url` admits.
fn url_mapping() -> Known {
    Known::schema(Schema {
        pattern: Some("^[A-Za-z][A-Za-z0-9+.-]*:".to_owned()),
        ..Schema::typed(JsonType::String)
    })
}

fn refusal_reason(path: &str) -> Option<&'static str> {
    Some(match path {
        "chrono::TimeDelta" | "chrono::Duration" | "time::Duration" => {
            "serde writes it as numbers: use `genclient::prelude::Duration`, which reads `1h30m`"
        }
        _ if path.starts_with("time::") => {
            "its serialization depends on the features of the crate `time`: use `genclient::prelude::Time`"
        }
        "bytes::Bytes" | "bytes::BytesMut" | "serde_bytes::ByteBuf" | "serde_bytes::Bytes" => {
            "serde writes it as a list of numbers: use `k8s_openapi::ByteString`, which is base64"
        }
        "rust_decimal::Decimal" => {
            "its serialization depends on the features of the crate `rust_decimal`: \
             give its schema on the field: `#[crd(schema = { \"type\": \"string\" })]`"
        }
        _ => return None,
    })
}
