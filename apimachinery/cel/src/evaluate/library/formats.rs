//! Functions of Kubernetes' `format` library for named formats.

use super::binding::Binding;
use crate::evaluate::named_format::FORMATS;
use crate::evaluate::value::{List, Text, Value};

pub(super) fn binding(function: &str) -> Option<Binding> {
    Some(match function {
        "validate" => Binding::Guarded(validate),
        "format.named" => Binding::Guarded(find_format),
        "format.dns1123Label" => Binding::Guarded(|_| format_constant(0)),
        "format.dns1123Subdomain" => Binding::Guarded(|_| format_constant(1)),
        "format.dns1035Label" => Binding::Guarded(|_| format_constant(2)),
        "format.qualifiedName" => Binding::Guarded(|_| format_constant(3)),
        "format.dns1123LabelPrefix" => Binding::Guarded(|_| format_constant(4)),
        "format.dns1123SubdomainPrefix" => Binding::Guarded(|_| format_constant(5)),
        "format.dns1035LabelPrefix" => Binding::Guarded(|_| format_constant(6)),
        "format.labelValue" => Binding::Guarded(|_| format_constant(7)),
        "format.uri" => Binding::Guarded(|_| format_constant(8)),
        "format.uuid" => Binding::Guarded(|_| format_constant(9)),
        "format.byte" => Binding::Guarded(|_| format_constant(10)),
        "format.date" => Binding::Guarded(|_| format_constant(11)),
        "format.datetime" => Binding::Guarded(|_| format_constant(12)),
        _ => return None,
    })
}

fn format_constant<'a>(place: usize) -> Value<'a> {
    match FORMATS.get(place) {
        Some((_, format)) => Value::Format(format),
        None => Value::no_such_overload(),
    }
}

fn find_format<'a>(args: &[Value<'a>]) -> Value<'a> {
    let [Value::Text(name)] = args else {
        return Value::no_such_overload();
    };
    let found = FORMATS.iter().find(|(known, _)| *known == &**name);
    found.map_or(Value::Optional(None), |(_, format)| {
        Value::some(Value::Format(format))
    })
}

fn validate<'a>(args: &[Value<'a>]) -> Value<'a> {
    let [Value::Format(format), Value::Text(text)] = args else {
        return Value::no_such_overload();
    };
    let errors = (format.validate)(text);
    if errors.is_empty() {
        return Value::Optional(None);
    }
    let errors = errors.into_iter().map(|error| Text::Owned(error.into()));
    Value::some(Value::List(List::texts(errors)))
}
