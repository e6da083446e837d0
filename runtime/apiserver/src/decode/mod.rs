//! Decoder of request bodies in JSON or YAML, which also finds duplicate fields.

pub(crate) mod large_stack;
mod members;
mod repeated_keys;

use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt;

use bytes::Bytes;
use genclient_apimachinery::go::quoted;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use serde_saphyr::Error;

use crate::go_numbers;
use large_stack::on_large_stack;

/// Limit on the size of a body, in bytes.
pub(crate) const REQUEST_BODY_LIMIT: usize = 3 * 1024 * 1024;

/// Limit on the number of duplicate fields that are reported (sigs.k8s.io/json).
const MAX_DUPLICATES: usize = 100;

/// Decoded body. [`json`] fills `duplicates`, and [`yaml`] fills `repeated_keys`. A protobuf body
/// has neither.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Decoded {
    pub(crate) value: Value,
    /// Paths of duplicate fields in a JSON body.
    pub(crate) duplicates: Vec<String>,
    /// Messages about duplicate keys in a YAML body: `line 2: key "a" already set in map`.
    pub(crate) repeated_keys: Vec<String>,
    /// Text of a JSON body that `ObjectRequest::read` decoded, otherwise empty. For a built-in
    /// kind, duplicate and unknown fields are reported in the order of this text.
    pub(crate) text: Bytes,
}

impl Decoded {
    /// Returns the messages about duplicate fields of a JSON body, sorted, or the message about
    /// duplicate keys of a YAML body.
    pub(crate) fn duplicate_fields(&self) -> Vec<String> {
        let paths = self.duplicates.iter();
        let mut findings: Vec<_> = paths
            .map(|path| format!("duplicate field \"{path}\""))
            .collect();
        findings.sort();
        let keys = repeated_keys_error(&self.repeated_keys);
        keys.into_iter().chain(findings).collect()
    }
}

const YAML_ERRORS: &str = "yaml: unmarshal errors:\n  ";

/// Returns the error that Go's YAML decoder returns for duplicate keys, or `None` if there are
/// none.
pub(crate) fn repeated_keys_error(keys: &[String]) -> Option<String> {
    (!keys.is_empty()).then(|| format!("{YAML_ERRORS}{}", keys.join("\n  ")))
}

/// Returns the warnings for a message about duplicate or unknown fields. A message about duplicate
/// YAML keys becomes one warning for each key (`parseYAMLWarnings`). Any other message becomes one
/// warning.
pub(crate) fn split_warnings(finding: &str) -> Vec<String> {
    match finding.strip_prefix(YAML_ERRORS) {
        Some(keys) => keys.split("\n  ").map(str::to_owned).collect(),
        None => vec![finding.to_owned()],
    }
}

/// Returns the messages about duplicate and unknown fields in the order in which the fields appear
/// in `text`, as Go's decoder does for built-in kinds. Fields inside an unknown field are not
/// reported. If an unknown field is not found in `text`, the message about it comes last.
///
/// `duplicates` has the paths of the duplicate fields, as in [`Decoded`]. `unknown` has complete
/// messages, such as `unknown field "spec.zzz"`.
pub(crate) fn in_order(text: &[u8], duplicates: &[String], unknown: &[String]) -> Vec<String> {
    let is_below = |path: &str, outer: &str| {
        let rest = path.strip_prefix(outer);
        rest.is_some_and(|rest| rest.starts_with(['.', '[']))
    };
    let unknown_messages: HashSet<&str> = unknown.iter().map(String::as_str).collect();
    let duplicate_paths: HashSet<&str> = duplicates.iter().map(String::as_str).collect();
    let (mut findings, mut reported) = (Vec::new(), HashSet::new());
    // Path of the last unknown field, whose members are skipped.
    let mut outer = None;
    for (path, is_repeated) in members::member_paths(text) {
        if outer.as_deref().is_some_and(|outer| is_below(&path, outer)) {
            continue;
        }
        let as_unknown = format!("unknown field {}", quoted(&path));
        let finding = if unknown_messages.contains(&*as_unknown) {
            outer = Some(path);
            as_unknown
        } else if is_repeated && duplicate_paths.contains(&*path) {
            format!("duplicate field {}", quoted(&path))
        } else {
            continue;
        };
        if reported.insert(finding.clone()) {
            findings.push(finding);
        }
    }
    let missing = unknown
        .iter()
        .filter(|finding| !reported.contains(*finding));
    findings.extend(missing.cloned());
    findings
}

/// Decodes JSON. If a field is repeated, the last value counts. Invalid UTF-8 becomes U+FFFD, as in
/// Go.
pub(crate) fn json(text: &[u8]) -> Result<Decoded, serde_json::Error> {
    let duplicates = RefCell::default();
    let text = String::from_utf8_lossy(text);
    let mut reader = serde_json::Deserializer::from_str(&text);
    let seed = ValueSeed {
        path: String::new(),
        duplicates: &duplicates,
    };
    let value = seed.deserialize(&mut reader)?;
    reader.end()?;
    Ok(Decoded {
        value,
        duplicates: duplicates.into_inner(),
        ..Decoded::default()
    })
}

/// Decoder of one value in the body, with the value's path.
struct ValueSeed<'a> {
    path: String,
    duplicates: &'a RefCell<Vec<String>>,
}

impl<'de> DeserializeSeed<'de> for ValueSeed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ValueSeed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    /// Converts integers above the range of `i64` into doubles.
    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        let mut value = value.into();
        go_numbers::convert_large_integers(&mut value);
        Ok(value)
    }

    /// Keeps doubles such as `1.0`. They become integers later: those of a YAML body in
    /// `with_integers`, those of a JSON body when the object is stored.
    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        loop {
            let path = format!("{}[{}]", self.path, list.len());
            let duplicates = self.duplicates;
            match items.next_element_seed(ValueSeed { path, duplicates })? {
                Some(item) => list.push(item),
                None => return Ok(Value::Array(list)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            let path = match &*self.path {
                "" => name.clone(),
                path => format!("{path}.{name}"),
            };
            let duplicates = self.duplicates;
            if map.contains_key(&name) {
                let mut duplicates = duplicates.borrow_mut();
                if duplicates.len() < MAX_DUPLICATES && !duplicates.contains(&path) {
                    duplicates.push(path.clone());
                }
            }
            let value = members.next_value_seed(ValueSeed { path, duplicates })?;
            map.insert(name, value);
        }
        Ok(Value::Object(map))
    }
}

/// Decodes YAML, of which JSON is a subset.
pub(crate) fn yaml(text: &[u8]) -> Result<Decoded, String> {
    let is_utf8 = std::str::from_utf8(text).map_err(|error| error.to_string());
    if let Ok(decoded) = json(text) {
        let repeated_keys = if decoded.duplicates.is_empty() {
            Vec::new()
        } else {
            let text = is_utf8?;
            on_large_stack(|| repeated_keys::find_repeated_keys(text))?
        };
        return Ok(with_integers(Decoded {
            repeated_keys,
            duplicates: Vec::new(),
            ..decoded
        }));
    }
    let text = is_utf8?;
    on_large_stack(|| non_json_yaml(text))?
}

/// Decodes YAML that is not also JSON.
fn non_json_yaml(text: &str) -> Result<Decoded, String> {
    let error =
        match serde_saphyr::from_str_with_options(text, genclient_schema::yaml::options(text)) {
            Ok(value) => {
                return Ok(with_integers(Decoded {
                    value,
                    ..Decoded::default()
                }));
            }
            Err(error) => error,
        };
    if genclient_schema::yaml::is_excessive_aliasing(&error) {
        // The text of Go's decoder (`decode.go` in `go.yaml.in/yaml/v2`).
        return Err(yaml_error("document contains excessive aliasing"));
    }
    let repeated = match root_cause(&error) {
        // The parser rejects duplicate keys, but Kubernetes only reports them.
        Error::DuplicateMappingKey { .. } => repeated_keys::parse_value(text),
        _ => None,
    };
    match repeated {
        Some(value) => Ok(with_integers(Decoded {
            value,
            repeated_keys: repeated_keys::find_repeated_keys(text),
            ..Decoded::default()
        })),
        None => Err(yaml_error(&error.to_string())),
    }
}

/// The error itself, if the parser wraps it to add the location of an alias.
fn root_cause(error: &Error) -> &Error {
    match error {
        Error::AliasError { error, .. } => root_cause(error),
        error => error,
    }
}

/// Returns the first line of the YAML parser's error, as the message of a response.
fn yaml_error(error: &str) -> String {
    let sentence = error.lines().next().unwrap_or_default();
    let sentence = sentence.strip_prefix("error: ").unwrap_or(sentence);
    format!("yaml: {sentence}")
}

/// Converts doubles without a fraction into integers, as Kubernetes does when it converts YAML to
/// JSON.
fn with_integers(mut decoded: Decoded) -> Decoded {
    go_numbers::convert_to_integers(&mut decoded.value);
    decoded
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn duplicate_fields_are_reported_with_their_path() {
        let text = br#"{"a":1,"spec":{"b":[{"c":1,"c":2}],"b":[{"c":3,"c":4,"c":5}]},"a":2}"#;
        let decoded = json(text).unwrap();
        assert_eq!(decoded.value, json!({"a": 2, "spec": {"b": [{"c": 5}]}}));
        assert_eq!(decoded.duplicates, ["spec.b[0].c", "spec.b", "a"]);
    }

    #[test]
    fn field_errors_are_reported_in_source_order() {
        let text = br#"{"z":1,"spec":{"q":{"x":1,"x":2},"a":1,"a":2},"m":1,"z":2}"#;
        let duplicates = json(text).unwrap().duplicates;
        let unknown = ["m", "spec.q", "z"].map(|path| format!("unknown field \"{path}\""));
        let expected = [
            "unknown field \"z\"",
            "unknown field \"spec.q\"",
            "duplicate field \"spec.a\"",
            "unknown field \"m\"",
        ];
        assert_eq!(in_order(text, &duplicates, &unknown), expected);
    }

    #[test]
    fn duplicate_yaml_keys_are_reported_with_the_line_of_their_value() {
        let text = "a:\n  b: {c: 1, c: 2}\n  b: 3\na:\n  d: [{e: 1, e: 2}]\n";
        let decoded = yaml(text.as_bytes()).unwrap();
        assert_eq!(decoded.value, json!({"a": {"d": [{"e": 2}]}}));
        let expected = [("c", 2), ("b", 3), ("e", 5), ("a", 5)];
        let expected =
            expected.map(|(key, line)| format!("line {line}: key \"{key}\" already set in map"));
        assert_eq!(decoded.repeated_keys, expected);
        let decoded = yaml(br#"{"a":1,"a":2}"#).unwrap();
        assert_eq!(
            decoded.repeated_keys,
            ["line 1: key \"a\" already set in map"]
        );
    }

    #[test]
    fn aliases_expand_as_far_as_in_go() {
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..30 {
            let aliases = vec![format!("*a{}", level - 1); 9].join(", ");
            bomb.push_str(&format!("a{level}: &a{level} [{aliases}]\n"));
        }
        let error = yaml(bomb.as_bytes()).unwrap_err();
        assert_eq!(error, "yaml: document contains excessive aliasing");
        let aliases = vec!["*a"; 500].join(", ");
        let text = format!("a: &a {{b: [1, 2, 3]}}\nall: [{aliases}]\n");
        let value = yaml(text.as_bytes()).unwrap().value;
        assert_eq!(value["all"][499], json!({"b": [1, 2, 3]}));
        // More than 400,000 nodes of aliases, beside as many others as Go asks for.
        let (plain, anchored) = (vec!["x"; 100_000].join(","), vec!["x"; 1000].join(","));
        let aliases = vec!["*a"; 450].join(",");
        let text = format!("plain: [{plain}]\na: &a [{anchored}]\nall: [{aliases}]\n");
        let value = yaml(text.as_bytes()).unwrap().value;
        assert_eq!(value["all"][449][999], "x");
    }

    #[test]
    fn objects_nested_in_150_levels_are_decoded() {
        let depth = 150;
        for key in ["a", "\"a\""] {
            let text = format!("{{{key}: ").repeat(depth) + "1" + &"}".repeat(depth);
            let mut value = &yaml(text.as_bytes()).unwrap().value;
            for _ in 0..depth {
                value = &value["a"];
            }
            assert_eq!(value, 1, "{key}");
        }
    }

    #[test]
    fn whole_floats_stay_floats_in_json_but_not_in_yaml() {
        let text = b"[1.0, 1e3, 12345678901234567890, 0.11072195482766456, -0.0]";
        assert_eq!(
            json(text).unwrap().value.to_string(),
            "[1.0,1000.0,1.2345678901234567e+19,0.11072195482766456,-0.0]"
        );
        assert_eq!(
            yaml(text).unwrap().value.to_string(),
            "[1,1000,1.2345678901234567e+19,0.11072195482766456,0]"
        );
    }
}
