//! Normalization of responses: masks everything that differs between servers.

use serde_json::Value;

/// Masks uids, versions and times, and sorts parts with a random order.
pub fn normalize(mut value: Value) -> Value {
    mask(&mut value, "");
    sort_sentences(&mut value);
    value
}

fn mask(value: &mut Value, field: &str) {
    match value {
        Value::Object(members) => {
            members.retain(|_, member| !member.is_null() || field != "metadata");
            if let Some(Value::Array(entries)) = members.get_mut("managedFields") {
                entries.sort_by_key(|entry| {
                    ["manager", "operation", "apiVersion", "subresource"]
                        .map(|it| entry[it].to_string())
                });
            }
            members.iter_mut().for_each(|(name, it)| mask(it, name));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| mask(item, "")),
        Value::String(text) => match field {
            "uid" if text != "uid-of-alice" => *text = "UID".to_owned(),
            "resourceVersion" | "creationTimestamp" | "deletionTimestamp" | "time"
            | "lastTransitionTime" => *text = field.to_owned(),
            "message" => mask_message(text),
            "name" => {
                if let Some(generated) = text.strip_prefix("g-") {
                    *text = format!("g-{}", "x".repeat(generated.len()));
                }
            }
            _ => {}
        },
        _ => {}
    }
}

/// Masks the uid of a review, addresses, and Go's diff of two Pods.
fn mask_message(text: &mut String) {
    *text = text.replace("https://webhook.hooks.svc:443", "URL");
    let begin = "expected response.uid=\"";
    if let Some((head, tail)) = text.split_once(begin)
        && let Some((_, tail)) = tail.split_once('"')
    {
        *text = format!("{head}{begin}UID\"{tail}");
    }
    mask_between(text, "\"g-", 5, "\"");
    mask_between(text, "\"time\":\"", 20, "\"");
    if let Some(at) = text.find("\n@@ ") {
        text.truncate(at);
        if text.contains("is invalid: [") {
            text.push(']');
        }
    }
}

/// Masks a text of the given length between two delimiters.
fn mask_between(text: &mut String, begin: &str, length: usize, end: &str) {
    let mut from = 0;
    while let Some(at) = text[from..].find(begin) {
        let at = from + at + begin.len();
        if text
            .get(at + length..)
            .is_some_and(|rest| rest.starts_with(end))
        {
            text.replace_range(at..at + length, "_");
        }
        from = at;
    }
}

/// Sorts errors inside one object, whose order is random in the real server.
fn sort_sentences(body: &mut Value) {
    let causes = body.pointer_mut("/details/causes");
    if let Some(causes) = causes.and_then(Value::as_array_mut) {
        causes.sort_by_key(ToString::to_string);
    }
    let Some(message) = body["message"].as_str() else {
        return;
    };
    if let Some((head, list)) = message.split_once(": [")
        && let Some(list) = list.strip_suffix(']')
    {
        let mut sentences: Vec<_> = list.split(", ").collect();
        sentences.sort_unstable();
        body["message"] = format!("{head}: [{}]", sentences.join(", ")).into();
    }
}
