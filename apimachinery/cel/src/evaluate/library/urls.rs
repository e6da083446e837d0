//! Functions for URLs (Go's package `net/url`).

use std::rc::Rc;

use super::binding::Binding;
use crate::evaluate::url::{Escaping, Url, check_request_uri, unescape};
use crate::evaluate::value::{List, MapValue, Text, Value};

pub(super) fn binding(function: &str) -> Option<Binding> {
    Some(match function {
        "url" => Binding::Guarded(url),
        "isURL" => Binding::Guarded(|args| match args {
            [Value::Text(text)] => Value::Bool(check_request_uri(text).is_ok()),
            _ => Value::no_such_overload(),
        }),
        "getScheme" => Binding::Guarded(|args| url_part(args, |url| url.scheme.clone())),
        "getHost" => Binding::Guarded(|args| url_part(args, |url| url.host.clone())),
        "getHostname" => Binding::Guarded(|args| url_part(args, |url| url.host_and_port().0)),
        "getPort" => Binding::Guarded(|args| url_part(args, |url| url.host_and_port().1)),
        "getEscapedPath" => Binding::Guarded(|args| url_part(args, Url::escaped_path)),
        "getQuery" => Binding::Guarded(query),
        _ => return None,
    })
}

fn url<'a>(args: &[Value<'a>]) -> Value<'a> {
    let [Value::Text(text)] = args else {
        return Value::no_such_overload();
    };
    match check_request_uri(text).and_then(|_| Url::parse(text)) {
        Ok(url) => Value::Url(Rc::new(url)),
        Err(error) => Value::error(format!(
            "URL parse error during conversion from string: {error}"
        )),
    }
}

fn url_part<'a>(args: &[Value<'a>], get: fn(&Url) -> String) -> Value<'a> {
    match args {
        [Value::Url(url)] => Value::text(get(url)),
        _ => Value::no_such_overload(),
    }
}

fn query<'a>(args: &[Value<'a>]) -> Value<'a> {
    let [Value::Url(url)] = args else {
        return Value::no_such_overload();
    };
    let mut found: Vec<(String, Vec<Text<'a>>)> = Vec::new();
    for pair in url.query.split('&') {
        if pair.is_empty() || pair.contains(';') {
            continue;
        }
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let (Ok(key), Ok(value)) = (
            unescape(key, Escaping::Query),
            unescape(value, Escaping::Query),
        ) else {
            continue;
        };
        let value = Text::Owned(value.into());
        match found.iter_mut().find(|(known, _)| *known == key) {
            Some((_, values)) => values.push(value),
            None => found.push((key, vec![value])),
        }
    }
    let entries = found.into_iter();
    Value::Map(MapValue::from_entries(entries.map(|(key, values)| {
        (Value::text(key), Value::List(List::texts(values)))
    })))
}
