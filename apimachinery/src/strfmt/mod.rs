//! String and number formats that the API server knows
//! (k8s.io/kube-openapi/pkg/validation/strfmt).

mod addresses;
mod moments;
mod numbers;

use std::net::Ipv6Addr;

use crate::validation::{label, subdomain};

pub use self::moments::{parse_date, parse_date_time, parse_duration};

/// The known formats. The API server warns about any other.
pub const KNOWN: &[&str] = &[
    "int32",
    "int64",
    "float",
    "double",
    "byte",
    "date",
    "date-time",
    "datetime",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "cidr",
    "mac",
    "uri",
    "uuid",
    "uuid3",
    "uuid4",
    "uuid5",
    "password",
    "k8s-short-name",
    "k8s-long-name",
    "isbn",
    "isbn10",
    "isbn13",
    "creditcard",
    "ssn",
    "hexcolor",
    "rgbcolor",
    "bsonobjectid",
];

/// Returns whether a format is a number format. The API server recognizes a number format only
/// beside its type, such as `int32` beside `integer`.
pub fn is_numeric(format: &str) -> bool {
    matches!(format, "int32" | "int64" | "float" | "double")
}

/// Returns whether the text has the format. Returns true for an unknown format, and for some texts
/// that the API server rejects.
///
/// The checks follow `k8s.io/kube-openapi/pkg/validation/strfmt`. For some formats, that package
/// accepts more or fewer texts than the name of the format suggests.
pub fn admits(format: &str, text: &str) -> bool {
    match format {
        "byte" => numbers::is_base64(text),
        "date" => parse_date(text).is_ok(),
        "date-time" | "datetime" => moments::is_date_time(text),
        "duration" => parse_duration(text).is_ok(),
        "email" => addresses::is_email(text),
        "hostname" => addresses::is_hostname(text),
        "ipv4" => addresses::is_ipv4(text),
        "ipv6" => text.parse::<Ipv6Addr>().is_ok(),
        "cidr" => addresses::is_cidr(text),
        "mac" => addresses::is_mac(text),
        "uri" => addresses::is_request_uri(text),
        "uuid" | "uuid3" | "uuid4" | "uuid5" => numbers::is_uuid(text, format),
        "k8s-short-name" => label(text).is_empty(),
        "k8s-long-name" => subdomain(text).is_empty(),
        "isbn10" => numbers::is_isbn10(text),
        "isbn13" => numbers::is_isbn13(text),
        "isbn" => numbers::is_isbn10(text) || numbers::is_isbn13(text),
        "creditcard" => numbers::is_credit_card(text),
        "ssn" => numbers::is_ssn(text),
        "hexcolor" => numbers::is_hex_color(text),
        "rgbcolor" => numbers::is_rgb_color(text),
        "bsonobjectid" => text.len() == 24 && text.bytes().all(|byte| byte.is_ascii_hexdigit()),
        _ => true,
    }
}
