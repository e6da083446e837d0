//! JSON parsing for deeply nested objects, and error descriptions without values from the JSON.

#[cfg(feature = "client")]
use serde::de::DeserializeOwned;

#[cfg(feature = "client")]
use crate::nesting;

/// Parses an object of up to [`nesting::MAX_DEPTH`] levels. If it exceeds serde_json's recursion
/// limit, which is rare, it is parsed again in a thread with a larger stack.
#[cfg(feature = "client")]
pub(crate) fn from_slice<T: DeserializeOwned + Send>(json: &[u8]) -> serde_json::Result<T> {
    let read = serde_json::from_slice(json);
    let is_too_deep = |error: &serde_json::Error| {
        error.is_syntax() && error.to_string().starts_with("recursion limit exceeded")
    };
    match read {
        Err(error) if is_too_deep(&error) && nesting::depth(json) <= nesting::MAX_DEPTH => {
            parse_on_large_stack(json).unwrap_or(Err(error))
        }
        read => read,
    }
}

/// Parses on a large stack. Returns `None` if no thread can be started.
#[cfg(feature = "client")]
fn parse_on_large_stack<T: DeserializeOwned + Send>(json: &[u8]) -> Option<serde_json::Result<T>> {
    nesting::on_large_stack(|| {
        let mut deserializer = serde_json::Deserializer::from_slice(json);
        deserializer.disable_recursion_limit();
        let value = T::deserialize(&mut deserializer)?;
        deserializer.end()?;
        Ok(value)
    })
}

/// Kinds of values in serde's messages, such as `string` in
/// `invalid type: string "value", expected …`. These are the texts of serde's `Unexpected`, and
/// `null` and `number`, which serde_json adds.
const SERDE_VALUE_KINDS: [&str; 18] = [
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

/// Like [`describe_error`]. If the error is in a field, the description has the path of the field,
/// such as `.spec.replicas`, instead of line and column. `json` is the text that could not be
/// parsed as a `T`.
#[cfg(feature = "client")]
pub(crate) fn describe_field<T: DeserializeOwned>(
    json: &[u8],
    error: &serde_json::Error,
) -> String {
    if !error.is_data() {
        return describe_error(error);
    }
    // Parses the text again. The first parse did not track paths, since that takes time.
    let mut json = serde_json::Deserializer::from_slice(json);
    match serde_path_to_error::deserialize::<_, T>(&mut json) {
        Err(error) if error.path().iter().next().is_some() && error.inner().is_data() => {
            format!(
                ".{}: {}",
                error.path(),
                message_without_values(error.inner())
            )
        }
        _ => describe_error(error),
    }
}

/// Returns the message of `error` with its location, but without values from the JSON, which may be
/// secret.
///
/// Serde's messages quote values (`invalid type: string "hunter2", expected u32`), and a
/// hand-written `Deserialize` can write any text. Names of fields are kept, including that of an
/// unknown field.
pub(crate) fn describe_error(error: &serde_json::Error) -> String {
    if !error.is_data() {
        return error.to_string();
    }
    match error.line() {
        0 => message_without_values(error),
        line => format!(
            "{} at line {line} column {}",
            message_without_values(error),
            error.column()
        ),
    }
}

/// Returns the message of a data error, without location and values.
fn message_without_values(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let location = format!(" at line {} column {}", error.line(), error.column());
    remove_values(text.strip_suffix(&location).unwrap_or(&text))
}

fn remove_values(message: &str) -> String {
    const PREFIXES_WITHOUT_VALUES: [&str; 5] = [
        "missing field `",
        "unknown field `",
        "duplicate field `",
        "invalid length ",
        "data did not match any variant",
    ];
    if PREFIXES_WITHOUT_VALUES
        .iter()
        .any(|safe| message.starts_with(safe))
    {
        return message.to_owned();
    }
    // The text after the last `, expected ` comes from the type. The value precedes it, even if the
    // value contains `, expected `.
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
        let name = SERDE_VALUE_KINDS.iter().find(|name| {
            let rest = found.strip_prefix(**name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '`', '"']))
        });
        return format!("{kind}{}{expected}", name.unwrap_or(&"value"));
    }
    "invalid value".to_owned()
}

#[cfg(test)]
#[cfg(feature = "client")]
mod tests {
    use std::collections::BTreeMap;

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
    fn json_errors_contain_the_field_path() {
        type Nested = BTreeMap<String, Vec<Typed>>;
        for (json, expected) in [
            (
                r#"{"a": [{}, {"number": "hunter2"}]}"#,
                ".a[1].number: invalid type: string, expected u8",
            ),
            (
                r#"{"a": [{"choice": "hunter2"}]}"#,
                ".a[0].choice: unknown variant, expected `One` or `Two`",
            ),
            (r#"{"a": {}}"#, ".a: invalid type: map, expected a sequence"),
            (
                r#""hunter2""#,
                "invalid type: string, expected a map at line 1 column 9",
            ),
            ("{", "EOF while parsing an object at line 1 column 1"),
        ] {
            let error = serde_json::from_str::<Nested>(json).unwrap_err();
            let described = describe_field::<Nested>(json.as_bytes(), &error);
            assert_eq!(described, expected, "{json}");
        }
    }

    /// Tests a depth that is parsed on the current stack, and one that is parsed in a thread.
    #[test]
    fn deeply_nested_json_has_the_same_errors() {
        for levels in [10, 200] {
            let nested = |text: &str| {
                let (open, close) = ("[".repeat(levels), "]".repeat(levels));
                from_slice::<Value>(format!("{open}{text}{close}").as_bytes())
            };
            assert!(nested("1").is_ok());
            assert!(nested("1]").unwrap_err().is_syntax());
            assert!(nested("x").unwrap_err().is_syntax());
            assert!(nested("[").unwrap_err().is_eof());
            let json = format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
            let panicked = std::panic::catch_unwind(|| from_slice::<Panics>(json.as_bytes()));
            assert!(panicked.is_err(), "{levels}");
        }
    }

    /// Panics once it has read a value.
    #[derive(Debug)]
    struct Panics;

    impl<'de> Deserialize<'de> for Panics {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            Value::deserialize(deserializer)?;
            panic!("as told");
        }
    }

    #[test]
    fn json_errors_do_not_contain_values() {
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
            assert_eq!(describe_error(&error), expected, "{error}");
        }
    }
}
