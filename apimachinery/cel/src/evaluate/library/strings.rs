//! String functions: cel-go's standard functions and its extension `strings`, version 2.

use super::binding::Binding;
use super::formatting;
use crate::evaluate::value::{List, Text, Value};

pub(super) fn binding(function: &str) -> Option<Binding> {
    Some(match function {
        "contains" => Binding::Unguarded(|args| test_text(args, |text, part| text.contains(part))),
        "startsWith" => {
            Binding::Unguarded(|args| test_text(args, |text, part| text.starts_with(part)))
        }
        "endsWith" => Binding::Unguarded(|args| test_text(args, |text, part| text.ends_with(part))),
        "charAt" => Binding::Guarded(char_at),
        "lowerAscii" => Binding::Guarded(|args| map_text(args, str::to_ascii_lowercase)),
        "upperAscii" => Binding::Guarded(|args| map_text(args, str::to_ascii_uppercase)),
        "trim" => Binding::Guarded(|args| map_text(args, |text| text.trim().to_owned())),
        "replace" => Binding::Guarded(replace),
        "split" => Binding::Guarded(split),
        "substring" => Binding::Guarded(substring),
        "join" => Binding::Guarded(join),
        "format" => Binding::Guarded(formatting::format),
        "strings.quote" => Binding::Guarded(|args| map_text(args, quote_text)),
        _ => return None,
    })
}

fn test_text<'a>(args: &[Value<'a>], holds: fn(&str, &str) -> bool) -> Value<'a> {
    match args {
        [Value::Text(text), Value::Text(part)] => Value::Bool(holds(text, part)),
        _ => Value::no_such_overload(),
    }
}

fn map_text<'a>(args: &[Value<'a>], change: fn(&str) -> String) -> Value<'a> {
    match args {
        [Value::Text(text)] => Value::text(change(text)),
        _ => Value::no_such_overload(),
    }
}

fn out_of_range<'a>(index: i64) -> Value<'a> {
    Value::error(format!("index out of range: {index}"))
}

fn char_at<'a>(args: &[Value<'a>]) -> Value<'a> {
    let [Value::Text(text), Value::Int(index)] = args else {
        return Value::no_such_overload();
    };
    let Ok(place) = usize::try_from(*index) else {
        return out_of_range(*index);
    };
    let mut rest = text.chars().skip(place);
    match rest.next() {
        Some(found) => Value::text(found.to_string()),
        None if text.chars().count() == place => Value::text(""),
        None => out_of_range(*index),
    }
}

pub(super) fn index_of<'a>(text: &str, part: &str, offset: i64) -> Value<'a> {
    if part.is_empty() {
        return Value::Int(offset);
    }
    let Ok(start) = usize::try_from(offset) else {
        return out_of_range(offset);
    };
    let text: Vec<_> = text.chars().collect();
    let part: Vec<_> = part.chars().collect();
    let found = text.get(start..).and_then(|rest| {
        let mut windows = rest.windows(part.len());
        windows.position(|window| window == part)
    });
    index_or_minus_one(found.map(|found| found + start))
}

/// Implements `lastIndexOf` of a string. The offset is the last index to consider.
pub(super) fn last_index_of<'a>(text: &str, part: &str, offset: Option<i64>) -> Value<'a> {
    let text: Vec<_> = text.chars().collect();
    let length = i64::try_from(text.len()).unwrap_or(i64::MAX);
    if part.is_empty() {
        return Value::Int(offset.unwrap_or(length));
    }
    let part: Vec<_> = part.chars().collect();
    let last = match offset {
        Some(offset) => offset,
        None if text.len() < part.len() => return Value::Int(-1),
        None => length - 1,
    };
    let Ok(last) = usize::try_from(last) else {
        return out_of_range(last);
    };
    if last >= text.len() {
        return Value::Int(-1);
    }
    let mut windows = text.windows(part.len()).take(last + 1).enumerate();
    let mut found = None;
    while let Some((at, window)) = windows.next_back() {
        if window == part {
            found = Some(at);
            break;
        }
    }
    index_or_minus_one(found)
}

pub(super) fn index_or_minus_one<'a>(found: Option<usize>) -> Value<'a> {
    Value::Int(found.map_or(-1, |found| i64::try_from(found).unwrap_or(i64::MAX)))
}

fn replace<'a>(args: &[Value<'a>]) -> Value<'a> {
    match args {
        [Value::Text(text), Value::Text(old), Value::Text(new)] => {
            Value::text(text.replace(&**old, new))
        }
        [
            Value::Text(text),
            Value::Text(old),
            Value::Text(new),
            Value::Int(most),
        ] => match usize::try_from(*most) {
            Ok(most) => Value::text(text.replacen(&**old, new, most)),
            Err(_) => Value::text(text.replace(&**old, new)),
        },
        _ => Value::no_such_overload(),
    }
}

fn split<'a>(args: &[Value<'a>]) -> Value<'a> {
    let (text, separator, most) = match args {
        [Value::Text(text), Value::Text(separator)] => (text, separator, None),
        [Value::Text(text), Value::Text(separator), Value::Int(most)] => {
            (text, separator, usize::try_from(*most).ok())
        }
        _ => return Value::no_such_overload(),
    };
    let most = most.unwrap_or(usize::MAX);
    let parts: Vec<String> = match () {
        () if most == 0 => Vec::new(),
        () if separator.is_empty() => split_characters(text, most),
        () => text.splitn(most, &**separator).map(str::to_owned).collect(),
    };
    Value::List(List::texts(
        parts.into_iter().map(|part| Text::Owned(part.into())),
    ))
}

/// Splits a string into its characters. The last of at most `most` parts contains the rest.
fn split_characters(text: &str, most: usize) -> Vec<String> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        if parts.len() + 1 == most {
            parts.push(rest.to_owned());
            break;
        }
        parts.push(letter.to_string());
        rest = &rest[letter.len_utf8()..];
    }
    parts
}

fn substring<'a>(args: &[Value<'a>]) -> Value<'a> {
    let (text, start, end) = match args {
        [Value::Text(text), Value::Int(start)] => (text, *start, None),
        [Value::Text(text), Value::Int(start), Value::Int(end)] => (text, *start, Some(*end)),
        _ => return Value::no_such_overload(),
    };
    if let Some(end) = end.filter(|end| start > *end) {
        return Value::error(format!(
            "invalid substring range. start: {start}, end: {end}"
        ));
    }
    let length = text.chars().count();
    let inside = |index: i64| usize::try_from(index).ok().filter(|index| *index <= length);
    let Some(from) = inside(start) else {
        return out_of_range(start);
    };
    let to = match end {
        None => length,
        Some(end) => match inside(end) {
            Some(to) => to,
            None => return out_of_range(end),
        },
    };
    let part: String = text.chars().skip(from).take(to - from).collect();
    Value::text(part)
}

fn join<'a>(args: &[Value<'a>]) -> Value<'a> {
    let (list, separator) = match args {
        [Value::List(list)] => (list, ""),
        [Value::List(list), Value::Text(separator)] => (list, &**separator),
        _ => return Value::no_such_overload(),
    };
    let mut out = String::new();
    for (at, item) in list.iter().enumerate() {
        if at > 0 {
            out.push_str(separator);
        }
        let Value::Text(text) = &item else {
            return Value::error(format!("join: invalid input: {}", item.printed()));
        };
        out.push_str(text);
    }
    Value::text(out)
}

fn quote_text(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{b}' => out.push_str("\\v"),
            '\\' => out.push_str("\\\\"),
            '"' => out.push_str("\\\""),
            letter => out.push(letter),
        }
    }
    out.push('"');
    out
}
