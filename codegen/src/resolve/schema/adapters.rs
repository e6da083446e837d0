//! Schemas of well-known modules for `#[serde(with = "…")]`, such as `humantime_serde`.

use crate::model::{JsonType, Schema};

/// Returns the schema of what a module writes, if the module is known.
pub(super) fn of(path: &[String]) -> Option<Schema> {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    let schema = match path.as_slice() {
        // `1h 30m`, with a space, which the format `duration` does not admit.
        ["humantime_serde"] | ["humantime_serde", "option"] => Schema::typed(JsonType::String),
        ["chrono", "serde", name] if timestamp(name) => {
            Schema::formatted(JsonType::Integer, "int64")
        }
        ["uuid", "serde", "hyphenated" | "urn" | "braced" | "simple"] => {
            Schema::typed(JsonType::String)
        }
        _ => return None,
    };
    Some(schema)
}

fn timestamp(name: &str) -> bool {
    let unit = name.strip_suffix("_option").unwrap_or(name);
    let units = [
        "ts_seconds",
        "ts_milliseconds",
        "ts_microseconds",
        "ts_nanoseconds",
    ];
    units.contains(&unit)
}

#[cfg(test)]
mod tests {
    use super::of;
    use crate::model::JsonType;

    #[test]
    fn modules_are_known_by_what_they_write() {
        let cases = [
            ("humantime_serde", Some("string")),
            ("humantime_serde::option", Some("string")),
            ("humantime_serde::other", None),
            ("chrono::serde::ts_seconds", Some("integer")),
            ("chrono::serde::ts_nanoseconds_option", Some("integer")),
            ("chrono::serde::ts_option", None),
            ("uuid::serde::simple", Some("string")),
            ("uuid::serde::compact", None),
            ("crate::helper", None),
        ];
        for (path, written) in cases {
            let names: Vec<_> = path.split("::").map(str::to_owned).collect();
            let schema = of(&names).unwrap_or_default();
            assert_eq!(schema.type_.map(JsonType::as_str), written, "{path}");
        }
    }
}
