//! Functions for regular expressions: `matches` and Kubernetes' regex library.

use regex::Regex;

use super::binding::{Binding, Trait};
use crate::evaluate::value::{List, Text, Value};
use crate::re2::Pattern;

pub(super) fn binding(function: &str) -> Option<Binding> {
    Some(match function {
        "matches" => Binding::Singleton(Trait::Matcher, matches),
        "find" => Binding::Guarded(find),
        "findAll" => Binding::Guarded(find_all),
        _ => return None,
    })
}

/// A literal pattern of a rule, compiled once.
#[derive(Debug)]
pub(in crate::evaluate) struct CompiledPattern {
    function: Function,
    regex: Regex,
}

#[derive(Debug)]
enum Function {
    Matches,
    Find,
    FindAll,
}

impl CompiledPattern {
    /// Compiles the pattern in a call, or returns `None` for a function that takes no pattern.
    ///
    /// # Errors
    ///
    /// Returns the error in the pattern.
    pub(in crate::evaluate) fn new(function: &str, pattern: &str) -> Option<Result<Self, String>> {
        let function = match function {
            "matches" => Function::Matches,
            "find" => Function::Find,
            "findAll" => Function::FindAll,
            _ => return None,
        };
        Some(compile(pattern).map(|regex| Self { function, regex }))
    }

    pub(in crate::evaluate) fn run<'a>(&self, args: &[Value<'a>]) -> Value<'a> {
        let Some(Value::Text(text)) = args.first() else {
            return Value::no_such_overload();
        };
        match self.function {
            Function::Matches => Value::Bool(self.regex.is_match(text)),
            Function::Find => find_first(&self.regex, text),
            Function::FindAll => match args.get(2) {
                None => find_matches(&self.regex, text, -1),
                Some(Value::Int(most)) => find_matches(&self.regex, text, *most),
                Some(other) => other.error_or_no_such_overload(),
            },
        }
    }
}

fn compile(pattern: &str) -> Result<Regex, String> {
    let parsed = Pattern::parse(pattern).map_err(|error| error.in_go(pattern))?;
    parsed
        .regex()
        .ok_or_else(|| format!("error parsing regexp: expression too large: `{pattern}`"))
}

fn matches<'a>(args: &[Value<'a>]) -> Value<'a> {
    let [Value::Text(text), pattern] = args else {
        return Value::no_such_overload();
    };
    let Value::Text(pattern) = pattern else {
        return pattern.error_or_no_such_overload();
    };
    match compile(pattern) {
        Ok(regex) => Value::Bool(regex.is_match(text)),
        Err(error) => Value::error(error),
    }
}

fn pattern_error<'a>(error: &str) -> Value<'a> {
    Value::error(format!("Illegal regex: {error}"))
}

fn find<'a>(args: &[Value<'a>]) -> Value<'a> {
    match args {
        [Value::Text(text), Value::Text(pattern)] => match compile(pattern) {
            Ok(regex) => find_first(&regex, text),
            Err(error) => pattern_error(&error),
        },
        _ => Value::no_such_overload(),
    }
}

fn find_all<'a>(args: &[Value<'a>]) -> Value<'a> {
    let (text, pattern, most) = match args {
        [Value::Text(text), Value::Text(pattern)] => (text, pattern, -1),
        [Value::Text(text), Value::Text(pattern), Value::Int(most)] => (text, pattern, *most),
        _ => return Value::no_such_overload(),
    };
    match compile(pattern) {
        Ok(regex) => find_matches(&regex, text, most),
        Err(error) => pattern_error(&error),
    }
}

fn find_first<'a>(regex: &Regex, text: &str) -> Value<'a> {
    Value::text(regex.find(text).map_or("", |found| found.as_str()))
}

fn find_matches<'a>(regex: &Regex, text: &str, most: i64) -> Value<'a> {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let found = regex.find_iter(text).take(most);
    Value::List(List::texts(
        found.map(|found| Text::Owned(found.as_str().into())),
    ))
}
