//! The body of a list, cut into its items as it arrives, so that it is never in memory as a whole.

use bytes::{Bytes, BytesMut};

/// Cuts a JSON object with an array `items` into the items and the rest of it.
///
/// The rest is the object with that array emptied: small, and ready for a JSON parser. Whether an item is valid JSON is for the
/// parser, too; brackets and strings are all that is looked at here.
#[derive(Debug, Default)]
pub(super) struct Items {
    /// The object without its items.
    envelope: Vec<u8>,
    /// What of the current item has arrived.
    item: BytesMut,
    place: Place,
    /// How many brackets are open, of the envelope or of the item.
    depth: usize,
    text: Text,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    /// Outside of the array.
    #[default]
    Envelope,
    /// In the array, between two items.
    Between,
    /// In an item.
    Item,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Text {
    /// Not in a string.
    #[default]
    Outside,
    /// In a string.
    Inside,
    /// In a string, after a backslash.
    Escaped,
}

impl Items {
    /// Takes the next part of the body, and hands over every item that is complete.
    pub(super) fn push(&mut self, chunk: &[u8], mut complete: impl FnMut(Bytes)) {
        let mut rest = chunk;
        while !rest.is_empty() {
            rest = match self.place {
                Place::Envelope => self.push_envelope(rest),
                Place::Between => self.push_between(rest),
                Place::Item => self.push_item(rest, &mut complete),
            };
        }
    }

    /// The object without its items, after the whole body was pushed.
    pub(super) fn into_envelope(self) -> Vec<u8> {
        self.envelope
    }

    /// How much is kept of what has not ended yet: of the current item, or of the object without its items.
    pub(super) fn held(&self) -> usize {
        self.envelope.len().max(self.item.len())
    }

    fn push_envelope<'a>(&mut self, chunk: &'a [u8]) -> &'a [u8] {
        for (at, byte) in chunk.iter().enumerate() {
            let opens_items = *byte == b'['
                && self.text == Text::Outside
                && self.depth == 1
                && ends_with_key(&self.envelope, b"\"items\"");
            self.envelope.push(*byte);
            self.scan(*byte);
            if opens_items {
                self.place = Place::Between;
                return &chunk[at + 1..];
            }
        }
        &[]
    }

    fn push_between<'a>(&mut self, chunk: &'a [u8]) -> &'a [u8] {
        let separator = |byte: &u8| *byte == b',' || byte.is_ascii_whitespace();
        let Some(at) = chunk.iter().position(|byte| !separator(byte)) else {
            return &[];
        };
        if chunk[at] == b']' {
            // The bracket belongs to the envelope again, and closes what opened the array.
            self.place = Place::Envelope;
        } else {
            self.place = Place::Item;
            self.depth = 0;
        }
        &chunk[at..]
    }

    fn push_item<'a>(&mut self, chunk: &'a [u8], complete: &mut impl FnMut(Bytes)) -> &'a [u8] {
        let mut at = 0;
        while at < chunk.len() {
            if self.text == Text::Inside {
                at += memchr::memchr2(b'"', b'\\', &chunk[at..]).unwrap_or(chunk.len() - at);
                if at == chunk.len() {
                    break;
                }
            }
            let byte = chunk[at];
            // A scalar, which no list of objects holds, ends at what follows it.
            if self.depth == 0 && self.text == Text::Outside && matches!(byte, b',' | b']') {
                self.finish_item(&chunk[..at], complete);
                return &chunk[at..];
            }
            self.scan(byte);
            at += 1;
            if self.depth == 0 && matches!(byte, b'}' | b']') && self.text == Text::Outside {
                self.finish_item(&chunk[..at], complete);
                return &chunk[at..];
            }
        }
        self.item.extend_from_slice(chunk);
        &[]
    }

    fn finish_item(&mut self, end: &[u8], complete: &mut impl FnMut(Bytes)) {
        self.item.extend_from_slice(end);
        complete(self.item.split().freeze());
        self.place = Place::Between;
        // Back in the array, within the object.
        self.depth = 2;
    }

    fn scan(&mut self, byte: u8) {
        self.text = match (self.text, byte) {
            (Text::Outside, b'"') | (Text::Escaped, _) => Text::Inside,
            (Text::Inside, b'"') => Text::Outside,
            (Text::Inside, b'\\') => Text::Escaped,
            (text, _) => text,
        };
        if self.text == Text::Outside {
            match byte {
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
    }
}

/// Whether `envelope` ends with `key` and a colon.
fn ends_with_key(envelope: &[u8], key: &[u8]) -> bool {
    let before = envelope.trim_ascii_end().strip_suffix(b":");
    before.is_some_and(|before| before.trim_ascii_end().ends_with(key))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// Cuts `body` in chunks of every size, and checks that items and envelope are always the same.
    #[track_caller]
    fn check(body: &str, items: &[Value], envelope: &Value) {
        for size in 1..=body.len() {
            let mut cut = Items::default();
            let mut found = Vec::new();
            for chunk in body.as_bytes().chunks(size) {
                cut.push(chunk, |item| found.push(item));
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
    fn nothing_is_held_of_an_item_that_has_ended() {
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
    fn items_are_cut_out_wherever_they_stand() {
        check(
            r#"{"apiVersion":"v1", "items" : [ {"a":[1,{"b":"]}"}]} , {"c":"\"\\"}], "kind":"List"}"#,
            &[json!({"a": [1, {"b": "]}"}]}), json!({"c": "\"\\"})],
            &json!({"apiVersion": "v1", "items": [], "kind": "List"}),
        );
    }

    #[test]
    fn only_the_items_of_the_object_itself_are_cut_out() {
        check(
            r#"{"metadata":{"items":[1]},"items":[{"items":[2]}],"note":"\"items\":["}"#,
            &[json!({"items": [2]})],
            &json!({"metadata": {"items": [1]}, "items": [], "note": "\"items\":["}),
        );
    }

    #[test]
    fn lists_without_items_are_all_envelope() {
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
    fn scalars_are_items_too() {
        check(
            r#"{"items":[1, null ,"x]",{}]}"#,
            &[json!(1), Value::Null, json!("x]"), json!({})],
            &json!({"items": []}),
        );
    }
}
