//! The formats that the API server knows.

use std::net::{Ipv4Addr, Ipv6Addr};

/// Of any other the API server warns.
pub(super) const KNOWN: &[&str] = &[
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

/// True for formats of numbers, which the API server knows only beside a type.
pub(super) fn is_numeric(format: &str) -> bool {
    matches!(format, "int32" | "int64" | "float" | "double")
}

/// False if a text is certainly none of the format.
pub(super) fn admits(format: &str, text: &str) -> bool {
    match format {
        "ipv4" => text.parse::<Ipv4Addr>().is_ok(),
        "ipv6" => text.parse::<Ipv6Addr>().is_ok(),
        "uuid" | "uuid3" | "uuid4" | "uuid5" => is_uuid(text),
        "date" => text.len() == 10 && begins_with_date(text),
        "date-time" | "datetime" => begins_with_date(text),
        _ => true,
    }
}

fn is_uuid(text: &str) -> bool {
    let digits = text.replace('-', "");
    digits.len() == 32 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
}

/// True for `2026-01-31` and for what goes on like this.
fn begins_with_date(text: &str) -> bool {
    let shape = b"0000-00-00";
    text.len() >= shape.len()
        && text.bytes().zip(shape).all(|(byte, wanted)| match wanted {
            b'-' => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

#[cfg(test)]
mod tests {
    use super::admits;

    /// A format, a text of it, and one that is none.
    const CASES: &[(&str, &str, &str)] = &[
        ("ipv4", "10.0.0.1", "10.0.0"),
        ("ipv6", "::1", "10.0.0.1"),
        (
            "uuid",
            "7d444840-9dc0-11d1-b245-5ffdce74fad2",
            "7d444840-9dc0-11d1-b245-5ffdce74fad",
        ),
        ("date", "2026-01-31", "2026-01-31T12:00:00Z"),
        ("date-time", "2026-01-31T12:00:00Z", "yesterday"),
    ];

    #[test]
    fn texts_are_told_apart() {
        for (format, right, wrong) in CASES {
            assert!(admits(format, right), "{right} as {format}");
            assert!(!admits(format, wrong), "{wrong} as {format}");
        }
    }
}
