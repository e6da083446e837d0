//! Regular expressions: `matches`, and the library of Kubernetes.

use regex::Regex;

use super::{Binding, Trait};
use crate::cel::evaluate::list::List;
use crate::cel::evaluate::value::{Text, Value};
use crate::re2::Pattern;

pub(super) fn binding(function: &str) -> Option<Binding> {
    Some(match function {
        "matches" => Binding::Singleton(Trait::Matcher, matches),
        "find" => Binding::Guarded(find),
        "findAll" => Binding::Guarded(find_all),
        _ => return None,
    })
}

/// A pattern that is a literal of the rule, compiled once.
#[derive(Debug)]
pub(in crate::cel::evaluate) struct Compiled {
    function: Function,
    regex: Regex,
}

#[derive(Debug)]
enum Function {
    Matches,
    Find,
    FindAll,
}

impl Compiled {
    /// The call of a function with this pattern.
    ///
    /// # Errors
    ///
    /// What is wrong with the pattern.
    pub(in crate::cel::evaluate) fn new(
        function: &str,
        pattern: &str,
    ) -> Option<Result<Self, String>> {
        let function = match function {
            "matches" => Function::Matches,
            "find" => Function::Find,
            "findAll" => Function::FindAll,
            _ => return None,
        };
        Some(compile(pattern).map(|regex| Self { function, regex }))
    }

    /// Runs the call.
    pub(in crate::cel::evaluate) fn run<'a>(&self, args: &[Value<'a>]) -> Value<'a> {
        let Some(Value::Text(text)) = args.first() else {
            return Value::no_such_overload();
        };
        match self.function {
            Function::Matches => Value::Bool(self.regex.is_match(text)),
            Function::Find => found(&self.regex, text),
            Function::FindAll => match args.get(2) {
                None => all(&self.regex, text, -1),
                Some(Value::Int(most)) => all(&self.regex, text, *most),
                Some(other) => other.error_or_no_such_overload(),
            },
        }
    }
}

fn compile(pattern: &str) -> Result<Regex, String> {
    let parsed = Pattern::parse(pattern).map_err(|error| error.message)?;
    parsed
        .regex()
        .ok_or_else(|| "the expression is too large".to_owned())
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
        Err(error) => Value::error(format!("error parsing regexp: {error}: `{}`", &**pattern)),
    }
}

fn illegal<'a>(error: &str, pattern: &str) -> Value<'a> {
    Value::error(format!(
        "Illegal regex: error parsing regexp: {error}: `{pattern}`"
    ))
}

fn find<'a>(args: &[Value<'a>]) -> Value<'a> {
    match args {
        [Value::Text(text), Value::Text(pattern)] => match compile(pattern) {
            Ok(regex) => found(&regex, text),
            Err(error) => illegal(&error, pattern),
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
        Ok(regex) => all(&regex, text, most),
        Err(error) => illegal(&error, pattern),
    }
}

fn found<'a>(regex: &Regex, text: &str) -> Value<'a> {
    Value::text(regex.find(text).map_or("", |found| found.as_str()))
}

fn all<'a>(regex: &Regex, text: &str, most: i64) -> Value<'a> {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let found = regex.find_iter(text).take(most);
    Value::List(List::texts(
        found.map(|found| Text::Owned(found.as_str().into())),
    ))
}
