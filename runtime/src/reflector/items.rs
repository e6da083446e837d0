//! [`Items`]: splitter of a list's body into items while the body arrives, so that memory never
//! holds the whole body.

use super::watch::MAX_LINE;

/// Maximum capacity of the item buffer, in bytes, when it is reused for the next item.
const MAX_CAPACITY: usize = 1 << 20;

/// Splitter of a JSON object with an array `items` into the items and the envelope.
///
/// The envelope is the body with an empty `items` array: small enough for a JSON parser. The
/// splitter looks only at brackets and strings and does not validate items.
#[derive(Debug, Default)]
pub(super) struct Items {
    envelope: Vec<u8>,
    /// The part of the current item that arrived in earlier chunks.
    item: Vec<u8>,
    place: JsonPlace,
    /// Number of open brackets in the envelope, or in the current item.
    depth: usize,
    text: Text,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum JsonPlace {
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
    /// Reads the next part of the body, and calls `complete` for every complete item. An item that
    /// lies within one chunk is not copied.
    pub(super) fn push(&mut self, chunk: &[u8], mut complete: impl FnMut(&[u8])) {
        let mut rest = chunk;
        while !rest.is_empty() {
            rest = match self.place {
                JsonPlace::Envelope => self.push_envelope(rest),
                JsonPlace::Between => self.push_between(rest),
                JsonPlace::Item => self.push_item(rest, &mut complete),
            };
        }
    }

    /// Returns the envelope, after the whole body was pushed.
    pub(super) fn into_envelope(self) -> Vec<u8> {
        self.envelope
    }

    /// Whether the unfinished item, or the envelope, is longer than [`MAX_LINE`], so that the
    /// body cannot be a list.
    pub(super) fn is_endless(&self) -> bool {
        self.held() > MAX_LINE
    }

    /// Length in bytes of the envelope or of the unfinished item, whichever is longer.
    fn held(&self) -> usize {
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
                self.place = JsonPlace::Between;
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
            // The bracket closes the array. It belongs to the envelope.
            self.place = JsonPlace::Envelope;
        } else {
            self.place = JsonPlace::Item;
            self.depth = 0;
        }
        &chunk[at..]
    }

    fn push_item<'a>(&mut self, chunk: &'a [u8], complete: &mut impl FnMut(&[u8])) -> &'a [u8] {
        let mut at = 0;
        while at < chunk.len() {
            if self.text == Text::Inside {
                at += memchr::memchr2(b'"', b'\\', &chunk[at..]).unwrap_or(chunk.len() - at);
                if at == chunk.len() {
                    break;
                }
            }
            let byte = chunk[at];
            // A scalar item ends before the next comma or bracket. Kubernetes' lists have no scalar
            // items, but the body may be other JSON.
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

    fn finish_item(&mut self, end: &[u8], complete: &mut impl FnMut(&[u8])) {
        if self.item.is_empty() {
            complete(end);
        } else {
            self.item.extend_from_slice(end);
            complete(&self.item);
            self.item.clear();
            self.item.shrink_to(MAX_CAPACITY);
        }
        self.place = JsonPlace::Between;
        // Two brackets are open between items: that of the list object and that of the array.
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

/// Whether `envelope` ends with `key` (given with its quotes) and a colon.
fn ends_with_key(envelope: &[u8], key: &[u8]) -> bool {
    let before = envelope.trim_ascii_end().strip_suffix(b":");
    let before = before.and_then(|before| before.trim_ascii_end().strip_suffix(key));
    // If a backslash precedes the first quote, the quote is part of a longer key.
    before.is_some_and(|before| !before.ends_with(b"\\"))
}

#[cfg(test)]
mod tests;
