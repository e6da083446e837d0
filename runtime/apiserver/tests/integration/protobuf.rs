//! Tests of decoding Kubernetes' protobuf, compared with client-go's JSON of the same objects
//! (`hack/oracle/protobuf`). `PROTOBUF_CASES` names a file with more cases.

use genclient_builtins::types::{GoType, decode, decode_protobuf};
use serde_json::Value;

fn compare_with_go(cases: &str) {
    let mut different = Vec::new();
    let mut count = 0;
    for line in cases.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let name = case["kind"].as_str().unwrap();
        let kind: Vec<&str> = name.split('/').collect();
        let [group, version, kind] = *kind else {
            panic!("{name}");
        };
        // Kinds that are not served by default have no type here.
        let Some(type_) = GoType::of_kind(group, version, kind) else {
            continue;
        };
        let bytes = unbase64(case["protobuf"].as_str().unwrap());
        let read = decode_protobuf(&bytes, type_).map_err(|error| error.to_string());
        let ours = read.and_then(|read| {
            let decoded = decode(&read, type_).map_err(|error| error.to_string())?;
            Ok(decoded.value)
        });
        let theirs = decode(&case["json"], type_).unwrap().value;
        match ours {
            Ok(ours) if ours == theirs => {}
            Ok(ours) => different.push(format!("{name}{}", first_difference(&ours, &theirs))),
            Err(error) => different.push(format!("{name}: {error}")),
        }
        count += 1;
        for end in (0..bytes.len()).step_by(7) {
            let _ = decode_protobuf(&bytes[..end], type_);
        }
    }
    let first: Vec<_> = different.iter().take(30).map(String::as_str).collect();
    let (differ, first) = (different.len(), first.join("\n"));
    assert!(different.is_empty(), "{differ} of {count} differ:\n{first}");
    println!("{count} objects are the same");
    assert_ne!(count, 0);
}

/// Returns the first path where two values differ, with both values.
fn first_difference(ours: &Value, theirs: &Value) -> String {
    if let (Value::Object(members), Value::Object(others)) = (ours, theirs) {
        let mut names = members.keys().chain(others.keys());
        let name = names.find(|name| members.get(*name) != others.get(*name));
        return name.map_or(String::new(), |name| {
            format!(".{name}{}", first_difference(&ours[name], &theirs[name]))
        });
    }
    if let (Value::Array(items), Value::Array(others)) = (ours, theirs)
        && items.len() == others.len()
    {
        let index = (0..items.len()).find(|index| items[*index] != others[*index]);
        return index.map_or(String::new(), |index| {
            format!(
                "[{index}]{}",
                first_difference(&ours[index], &theirs[index])
            )
        });
    }
    format!("\n  ours   {ours}\n  theirs {theirs}")
}

fn unbase64(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = Vec::new();
    let text = text.trim_end_matches('=').as_bytes();
    for chunk in text.chunks(4) {
        let mut bits: u32 = 0;
        for (index, letter) in chunk.iter().enumerate() {
            let digit = DIGITS.iter().position(|digit| digit == letter).unwrap();
            bits |= u32::try_from(digit).unwrap() << (18 - 6 * index);
        }
        bytes.extend_from_slice(&bits.to_be_bytes()[1..chunk.len()]);
    }
    bytes
}

#[test]
fn protobuf_objects_match_client_go() {
    compare_with_go(include_str!("../protobuf/sample.jsonl"));
}

#[test]
fn protobuf_cases_of_a_file_match_client_go() {
    if let Some(path) = std::env::var_os("PROTOBUF_CASES") {
        compare_with_go(&std::fs::read_to_string(path).unwrap());
    }
}
