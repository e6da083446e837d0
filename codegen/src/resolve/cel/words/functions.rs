//! Messages and help for calls of undeclared functions.

use std::mem::discriminant;

use genclient_cel::{MACROS, Overload, Type};
use genclient_syntax::closest;

use super::expression::Words;

impl Words<'_> {
    pub(super) fn undeclared_function(
        &self,
        function: &str,
        target: Option<&(usize, Type)>,
    ) -> (String, String) {
        let library = target
            .and_then(|(target, _)| self.node(*target).qualified_name())
            .filter(|prefix| LIBRARIES.contains(&prefix.as_str()));
        let written = match &library {
            Some(library) => format!("{library}.{function}"),
            None => function.to_owned(),
        };
        let receiver = target.filter(|_| library.is_none()).map(|(_, type_)| type_);
        let is_not = function.eq_ignore_ascii_case("not") && target.is_none();
        let help = match MACROS.iter().find(|(name, ..)| *name == function) {
            Some(&(_, fewest, most)) => macro_help(function, fewest, most, receiver),
            None if is_not => "write `!(…)`".to_owned(),
            None => match self.meant(&written, receiver) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => "the API server has no function with this name".to_owned(),
            },
        };
        (
            format!("undeclared reference to function `{written}`"),
            help,
        )
    }

    /// Returns the call for a method or macro without brackets: `size()` for `size`, and
    /// `startsWith(…)` for `startsWith`.
    pub(super) fn call_of(&self, name: &str, receiver: &Type) -> Option<String> {
        let functions = self.environment.functions;
        let methods = |name| {
            let overloads = functions.get(name).unwrap_or_default().iter();
            overloads.filter(|overload| is_called_on(overload, Some(receiver)))
        };
        let is_macro = |name| {
            let mut macros = MACROS.iter();
            macros.any(|(macro_, ..)| *macro_ == name) && is_macro_on(name, Some(receiver))
        };
        let is_known = methods(name).next().is_some() || is_macro(name);
        let name = if is_known {
            name
        } else {
            self.meant(name, Some(receiver))?
        };
        if methods(name).any(|overload| overload.args.len() == 1) {
            return Some(format!("{name}()"));
        }
        Some(format!("{name}(…)"))
    }

    /// Suggests a function or macro for `written`: one with a similar name, or the counterpart of
    /// a function of another language. The suggestion can be called on `receiver`, or without a
    /// receiver if `receiver` is `None`.
    fn meant(&self, written: &str, receiver: Option<&Type>) -> Option<&'static str> {
        let functions = self.environment.functions;
        let is_called_so = |name: &&str| {
            let mut overloads = functions.get(name).unwrap_or_default().iter();
            overloads.any(|overload| is_called_on(overload, receiver))
        };
        let names = functions.names().filter(is_called_so);
        let macros = MACROS.iter().map(|(name, ..)| *name);
        let macros = macros.filter(|name| is_macro_on(name, receiver));
        let candidates: Vec<_> = names.chain(macros).collect();
        closest(written, candidates.iter().copied()).or_else(|| {
            let mut others = OTHER_LANGUAGES.iter();
            let (_, name) =
                others.find(|(other, name)| *other == written && candidates.contains(name))?;
            Some(*name)
        })
    }
}

/// Says how to call a macro that takes `fewest` or `most` arguments.
fn macro_help(function: &str, fewest: usize, most: usize, receiver: Option<&Type>) -> String {
    match (function, receiver) {
        ("has", _) => "call it with one field: `has(self.…)`".to_owned(),
        (_, None) => format!("call it on a value: `….{function}(…)`"),
        _ if fewest == most => format!("`{function}` takes {fewest} arguments"),
        _ => format!("`{function}` takes {fewest} or {most} arguments"),
    }
}

fn is_called_on(overload: &Overload, receiver: Option<&Type>) -> bool {
    match (receiver, overload.args.first()) {
        (Some(receiver), Some(wanted)) => overload.method && may_be(receiver, wanted),
        (receiver, _) => receiver.is_none() && !overload.method,
    }
}

/// True if a value of the type may be passed where `wanted` is expected. Any two maps, any two
/// optionals and any two objects match.
pub(super) fn may_be(type_: &Type, wanted: &Type) -> bool {
    match (type_, wanted) {
        (Type::Dyn | Type::Error, _) | (_, Type::Dyn | Type::Parameter(_)) => true,
        (Type::List(items), Type::List(wanted)) => may_be(items, wanted),
        (Type::Named(name), Type::Named(wanted)) => name == wanted,
        _ => discriminant(type_) == discriminant(wanted),
    }
}

fn is_macro_on(name: &str, receiver: Option<&Type>) -> bool {
    match receiver {
        None => name == "has",
        Some(Type::Dyn | Type::Error) => name != "has",
        Some(Type::Optional(_)) => name.starts_with("opt"),
        Some(Type::List(_) | Type::Map(..)) => name != "has" && !name.starts_with("opt"),
        Some(_) => false,
    }
}

/// Namespaces of functions that have no receiver.
const LIBRARIES: [&str; 8] = [
    "cel", "math", "base64", "sets", "lists", "strings", "optional", "format",
];

/// Functions of other languages, with the CEL functions that replace them.
const OTHER_LANGUAGES: [(&str, &str); 9] = [
    ("any", "exists"),
    ("count", "size"),
    ("every", "all"),
    ("includes", "contains"),
    ("len", "size"),
    ("length", "size"),
    ("toLowerCase", "lowerAscii"),
    ("toUpperCase", "upperAscii"),
    ("to_string", "string"),
];
