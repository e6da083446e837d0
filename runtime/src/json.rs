//! What is wrong with JSON, told without the values in it, which may be secret.

/// What serde calls the value that it found, in `invalid type: … "value", expected …`. `number` is
/// serde_json's.
const FOUND: [&str; 18] = [
    "null",
    "boolean",
    "integer",
    "number",
    "floating point",
    "character",
    "string",
    "byte array",
    "unit value",
    "Option value",
    "newtype struct",
    "sequence",
    "map",
    "enum",
    "unit variant",
    "newtype variant",
    "tuple variant",
    "struct variant",
];

/// The message of `error`, its place included, without any value that was read.
///
/// Messages of serde quote values (`invalid type: string "hunter2", expected u32`), and those of a
/// type's own `Deserialize` say what they like. Names of fields, which come from the type, stay.
pub(crate) fn describe(error: &serde_json::Error) -> String {
    let text = error.to_string();
    if !error.is_data() {
        return text;
    }
    let place = format!(" at line {} column {}", error.line(), error.column());
    match text.strip_suffix(&place) {
        Some(message) => without_values(message) + &place,
        None => without_values(&text),
    }
}

fn without_values(message: &str) -> String {
    const SAFE: [&str; 5] = [
        "missing field `",
        "unknown field `",
        "duplicate field `",
        "invalid length ",
        "data did not match any variant",
    ];
    if SAFE.iter().any(|safe| message.starts_with(safe)) {
        return message.to_owned();
    }
    // What is expected comes last, and from the type. A value may look like it, but is before it.
    let (found, expected) = match message.rfind(", expected ") {
        Some(at) => message.split_at(at),
        None => (message, ""),
    };
    if found.starts_with("unknown variant `") {
        return format!("unknown variant{expected}");
    }
    for kind in ["invalid type: ", "invalid value: "] {
        let Some(found) = found.strip_prefix(kind) else {
            continue;
        };
        let name = FOUND.iter().find(|name| {
            let rest = found.strip_prefix(**name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '`', '"']))
        });
        return format!("{kind}{}{expected}", name.unwrap_or(&"value"));
    }
    "invalid value".to_owned()
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde::de::Error;
    use serde_json::Value;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only the errors matter")]
    struct Typed {
        number: Option<u8>,
        text: Option<String>,
        choice: Option<Choice>,
        own: Option<Own>,
        pair: Option<(u8, u8)>,
    }

    #[derive(Debug, Deserialize)]
    enum Choice {
        One,
        Two,
    }

    #[derive(Debug)]
    struct Own;

    impl<'de> Deserialize<'de> for Own {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let value = Value::deserialize(deserializer)?;
            Err(D::Error::custom(format!("cannot use {value}")))
        }
    }

    #[test]
    fn values_are_not_quoted() {
        for (json, expected) in [
            (
                r#"{"number": "hunter2"}"#,
                "invalid type: string, expected u8 at line 1 column 20",
            ),
            (
                r#"{"number": ", expected hunter2"}"#,
                "invalid type: string, expected u8 at line 1 column 31",
            ),
            (
                r#"{"number": 4711}"#,
                "invalid value: integer, expected u8 at line 1 column 15",
            ),
            (
                r#"{"number": 4711.5}"#,
                "invalid type: floating point, expected u8 at line 1 column 17",
            ),
            (
                r#"{"text": true}"#,
                "invalid type: boolean, expected a string at line 1 column 13",
            ),
            (
                r#"{"text": {"hunter2": 1}}"#,
                "invalid type: map, expected a string at line 1 column 9",
            ),
            (
                r#"{"choice": "hunter2"}"#,
                "unknown variant, expected `One` or `Two` at line 1 column 20",
            ),
            (r#"{"own": "hunter2"}"#, "invalid value at line 1 column 18"),
            (
                r#"{"pair": [1]}"#,
                "invalid length 1, expected a tuple of size 2 at line 1 column 12",
            ),
            (
                r#"{"other": "hunter2"}"#,
                "unknown field `other`, expected one of `number`, `text`, `choice`, `own`, `pair` \
                 at line 1 column 8",
            ),
            (
                r#"{"text": "hunter2"#,
                "EOF while parsing a string at line 1 column 17",
            ),
            (
                r#""hunter2""#,
                "invalid type: string, expected struct Typed at line 1 column 9",
            ),
        ] {
            let error = serde_json::from_str::<Typed>(json).unwrap_err();
            assert_eq!(describe(&error), expected, "{error}");
        }
    }
}
