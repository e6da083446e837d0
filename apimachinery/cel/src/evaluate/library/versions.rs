//! Functions for semantic versions (github.com/blang/semver).

use std::rc::Rc;

use super::binding::Binding;
use crate::evaluate::semver::{SemVer, normalize_version};
use crate::evaluate::value::Value;

pub(super) fn binding(function: &str) -> Option<Binding> {
    Some(match function {
        "semver" => Binding::Guarded(|args| match parse_version(args) {
            Some(Ok(version)) => Value::Semver(Rc::new(version)),
            Some(Err(error)) => Value::error(error),
            None => Value::no_such_overload(),
        }),
        "isSemver" => Binding::Guarded(|args| match parse_version(args) {
            Some(version) => Value::Bool(version.is_ok()),
            None => Value::no_such_overload(),
        }),
        "major" => Binding::Guarded(|args| version_number(args, |version| version.numbers[0])),
        "minor" => Binding::Guarded(|args| version_number(args, |version| version.numbers[1])),
        "patch" => Binding::Guarded(|args| version_number(args, |version| version.numbers[2])),
        _ => return None,
    })
}

#[expect(clippy::cast_possible_wrap, reason = "converted as Go does")]
fn version_number<'a>(args: &[Value<'a>], get: fn(&SemVer) -> u64) -> Value<'a> {
    match args {
        [Value::Semver(version)] => Value::Int(get(version) as i64),
        _ => Value::no_such_overload(),
    }
}

fn parse_version(args: &[Value<'_>]) -> Option<Result<SemVer, String>> {
    match args {
        [Value::Text(text)] | [Value::Text(text), Value::Bool(false)] => Some(SemVer::parse(text)),
        [Value::Text(text), Value::Bool(true)] => {
            Some(normalize_version(text).and_then(|text| SemVer::parse(&text)))
        }
        _ => None,
    }
}
