//! Types of other crates that serde writes as strings, and those that look as if it did.
//!
//! A format is stated where the API server's check takes what the type writes. What it does not take is as rare as it is
//! useless there: years before 0 and after 9999, leap seconds, and spans of three centuries.

use super::mapping::Known;
use crate::model::{JsonType, Schema};

/// What a type of another crate is.
pub(super) fn known(path: &str) -> Option<Known> {
    Some(match path {
        "chrono::DateTime" | "jiff::Timestamp" => Known::formatted("date-time"),
        "chrono::NaiveDate" | "chrono::naive::NaiveDate" | "jiff::civil::Date" => {
            Known::formatted("date")
        }
        // The server's `date-time` asks for an offset, which these do not write.
        "chrono::NaiveDateTime" | "chrono::naive::NaiveDateTime" | "jiff::civil::DateTime" => {
            Known::string()
        }
        "chrono::NaiveTime" | "chrono::naive::NaiveTime" | "jiff::civil::Time" => Known::string(),
        "chrono_tz::Tz" => Known::string(),
        // Followed by a time zone in brackets.
        "jiff::Zoned" => Known::string(),
        "jiff::Span" | "jiff::SignedDuration" => Known::formatted("duration"),
        "uuid::Uuid" => Known::formatted("uuid"),
        "url::Url" => url(),
        "ipnet::IpNet" | "ipnet::Ipv4Net" | "ipnet::Ipv6Net" => Known::formatted("cidr"),
        "semver::Version" | "semver::VersionReq" => Known::string(),
        "camino::Utf8PathBuf" | "smol_str::SmolStr" => Known::string(),
        _ => Known::Refused(refused(path)?),
    })
}

/// An absolute URL. The server's `uri` is another thing: it takes `/path`, which has no scheme, and refuses `http://a/%zz`.
fn url() -> Known {
    Known::schema(Schema {
        pattern: Some("^[A-Za-z][A-Za-z0-9+.-]*:".to_owned()),
        ..Schema::typed(JsonType::String)
    })
}

fn refused(path: &str) -> Option<&'static str> {
    Some(match path {
        "chrono::TimeDelta" | "chrono::Duration" | "time::Duration" => {
            "serde writes it as numbers: use `genclient::prelude::Duration`, which reads `1h30m`"
        }
        _ if path.starts_with("time::") => {
            "how it is written depends on the features of the crate `time`: use `genclient::prelude::Time`"
        }
        "bytes::Bytes" | "bytes::BytesMut" | "serde_bytes::ByteBuf" | "serde_bytes::Bytes" => {
            "serde writes it as a list of numbers: use `k8s_openapi::ByteString`, which is base64"
        }
        "rust_decimal::Decimal" => {
            "how it is written depends on the features of the crate `rust_decimal`: \
             state it at the field: `#[crd(schema = { \"type\": \"string\" })]`"
        }
        _ => return None,
    })
}
