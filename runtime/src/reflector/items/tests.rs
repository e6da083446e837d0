//! Tests of the splitter against serde_json: both must find the same items.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;

/// Splits `body` in chunks of every size, and checks that items and envelope are the same.
#[track_caller]
fn check(body: &str, items: &[Value], envelope: &Value) {
    for size in 1..=body.len() {
        let mut cut = Items::default();
        let mut found = Vec::new();
        for chunk in body.as_bytes().chunks(size) {
            cut.push(chunk, |item| found.push(item.to_vec()));
        }
        let found: Vec<Value> = found
            .iter()
            .map(|item| serde_json::from_slice(item).unwrap())
            .collect();
        assert_eq!(found, items, "in chunks of {size}");
        let rest: Value = serde_json::from_slice(&cut.into_envelope()).unwrap();
        assert_eq!(&rest, envelope, "in chunks of {size}");
    }
}

#[test]
fn completed_items_are_not_buffered() {
    let mut cut = Items::default();
    for (chunk, held) in [
        (r#"{"items":["#, 10),
        (r#"{"a":"0123456789"#, 16),
        ("0123456789", 26),
        (r#""},"#, 10),
        (r#"],"kind":"ConfigMapList""#, 34),
    ] {
        cut.push(chunk.as_bytes(), |_| {});
        assert_eq!(cut.held(), held, "after {chunk}");
    }
}

#[test]
fn items_are_extracted_at_any_position() {
    check(
        r#"{"apiVersion":"v1", "items" : [ {"a":[1,{"b":"]}"}]} , {"c":"\"\\"}], "kind":"List"}"#,
        &[json!({"a": [1, {"b": "]}"}]}), json!({"c": "\"\\"})],
        &json!({"apiVersion": "v1", "items": [], "kind": "List"}),
    );
}

#[test]
fn only_top_level_items_are_extracted() {
    check(
        r#"{"metadata":{"items":[1]},"items":[{"items":[2]}],"note":"\"items\":["}"#,
        &[json!({"items": [2]})],
        &json!({"metadata": {"items": [1]}, "items": [], "note": "\"items\":["}),
    );
}

#[test]
fn lists_without_items_are_kept_in_the_envelope() {
    for body in [
        r#"{"items":null}"#,
        r#"{"kind":"Status"}"#,
        r#"[{"a":1}]"#,
        "\"text\"",
    ] {
        check(body, &[], &serde_json::from_str(body).unwrap());
    }
    check(r#"{"items":[]}"#, &[], &json!({"items": []}));
}

#[test]
fn scalar_items_are_extracted() {
    check(
        r#"{"items":[1, null ,"x]",{}]}"#,
        &[json!(1), Value::Null, json!("x]"), json!({})],
        &json!({"items": []}),
    );
}

#[test]
fn keys_ending_in_items_are_not_items() {
    check(
        r#"{"a\"items":[1],"items":[{}],"xitems":[2],"items\\":[3]}"#,
        &[json!({})],
        &json!({"a\"items": [1], "items": [], "xitems": [2], "items\\": [3]}),
    );
}

#[test]
fn truncated_body_is_not_valid_json() {
    let body =
        r#"{"kind":"List","items":[{"a":"]"},{"b":[1]}],"metadata":{"resourceVersion":"1"}}"#;
    for length in 0..body.len() {
        let mut cut = Items::default();
        cut.push(&body.as_bytes()[..length], |_| {});
        let envelope = serde_json::from_slice::<Value>(&cut.into_envelope());
        assert!(envelope.is_err(), "{}", &body[..length]);
    }
}

#[test]
fn item_larger_than_any_chunk_is_extracted_and_its_memory_freed() {
    let text = "x".repeat(3 << 20);
    let body = format!(r#"{{"items":[{{"a":"{text}"}},{{"b":1}}]}}"#);
    let mut cut = Items::default();
    let mut lengths = Vec::new();
    for chunk in body.as_bytes().chunks(16 << 10) {
        cut.push(chunk, |item| lengths.push(item.len()));
    }
    assert_eq!(lengths, [text.len() + 8, 7]);
    assert!(cut.item.capacity() <= MAX_CAPACITY);
}

#[test]
fn oversized_item_is_reported_as_endless() {
    for (length, is_endless) in [(MAX_LINE, false), (MAX_LINE + 1, true)] {
        // Zeroed pages take no memory until they are written to.
        let cut = Items {
            item: vec![0; length],
            ..Items::default()
        };
        assert_eq!(cut.is_endless(), is_endless, "{length}");
    }
}

/// Any JSON. Sometimes it contains text that the splitter searches for.
fn any_json() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        3 => Just("items".to_owned()),
        2 => "[\\[\\]{}\",:\\\\ ]{0,6}",
        5 => any::<String>(),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        text.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((text.clone(), inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Writes JSON in unusual forms: `noise` determines white space and escaped characters.
fn write(value: &Value, noise: &mut impl Iterator<Item = u8>, out: &mut String) {
    let space = |noise: &mut dyn Iterator<Item = u8>, out: &mut String| {
        out.push_str(["", "", "", " ", "\n", "\t \r"][usize::from(noise.next().unwrap_or(0)) % 6]);
    };
    space(noise, out);
    match value {
        Value::String(text) => write_text(text, noise, out),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { "," });
                write(item, noise, out);
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            for (at, (key, member)) in members.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { "," });
                space(noise, out);
                match &**key {
                    // API servers never write this key with escapes. If one did, the list would be
                    // rejected.
                    "items" => out.push_str("\"items\""),
                    key => write_text(key, noise, out),
                }
                space(noise, out);
                out.push(':');
                write(member, noise, out);
            }
            out.push('}');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
    space(noise, out);
}

fn write_text(text: &str, noise: &mut impl Iterator<Item = u8>, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        let mut units = [0; 2];
        match noise.next().unwrap_or(0) % 4 {
            0 => {
                for unit in character.encode_utf16(&mut units) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
            _ => {
                let quoted = Value::from(character.to_string()).to_string();
                out.push_str(&quoted[1..quoted.len() - 1]);
            }
        }
    }
    out.push('"');
}

proptest! {
    #[test]
    fn extracted_items_match_a_json_parser(
        mut members in vec((any::<String>(), any_json()), 0..4),
        items in proptest::option::of(vec(any_json(), 0..5)),
        place in any::<prop::sample::Index>(),
        noise in vec(any::<u8>(), 1..64),
        sizes in vec(1_usize..40, 1..8),
    ) {
        let items = items.map(Value::from).unwrap_or(Value::Null);
        members.retain(|(key, _)| key != "items");
        members.insert(place.index(members.len() + 1), ("items".to_owned(), items.clone()));
        let document: Map<String, Value> = members.into_iter().collect();
        let mut text = String::new();
        write(&Value::Object(document.clone()), &mut noise.into_iter().cycle(), &mut text);
        prop_assert_eq!(
            serde_json::from_str::<Value>(&text).unwrap(),
            Value::Object(document.clone()),
            "the test writes JSON"
        );

        let (mut cut, mut found) = (Items::default(), Vec::new());
        let mut rest = text.as_bytes();
        for size in sizes.into_iter().cycle() {
            let (chunk, after) = rest.split_at(size.min(rest.len()));
            cut.push(chunk, |item| found.push(serde_json::from_slice::<Value>(item).unwrap()));
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
        let mut envelope = Value::Object(document);
        if let Some(items) = envelope["items"].as_array_mut() {
            prop_assert_eq!(&found, &*items);
            items.clear();
        }
        let rest: Value = serde_json::from_slice(&cut.into_envelope()).unwrap();
        prop_assert_eq!(rest, envelope);
    }
}
