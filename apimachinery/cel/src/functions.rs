//! CEL functions and operators with their overloads, declared in `functions.txt` and, for match
//! conditions, `authorizer.txt`.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use super::types::Type;

/// An overload of a function. A method's receiver is the first argument.
#[derive(Clone, Debug)]
pub struct Overload {
    /// True for a method.
    pub method: bool,
    /// The types of the arguments.
    pub args: Vec<Type>,
    /// The type of the result.
    pub result: Type,
}

/// Functions that an expression may call, with their overloads.
#[derive(Debug)]
pub struct Functions {
    overloads: BTreeMap<&'static str, Vec<Arc<Overload>>>,
}

const DECLARATIONS: &str = include_str!("functions.txt");
#[cfg(feature = "evaluate")]
const AUTHORIZER_DECLARATIONS: &str = include_str!("authorizer.txt");

impl Functions {
    /// Returns every function that the rules of a CRD may call.
    pub fn all() -> &'static Self {
        static ALL: LazyLock<Functions> =
            LazyLock::new(|| Functions::from_declarations(&[DECLARATIONS]));
        &ALL
    }

    /// Returns every function that match conditions may call.
    #[cfg(feature = "evaluate")]
    pub fn of_conditions() -> &'static Self {
        static ALL: LazyLock<Functions> = LazyLock::new(|| {
            Functions::from_declarations(&[DECLARATIONS, AUTHORIZER_DECLARATIONS])
        });
        &ALL
    }

    fn from_declarations(declarations: &[&'static str]) -> Self {
        let lines = declarations.iter().flat_map(|text| text.lines());
        let mut overloads: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for line in lines.filter(|line| !line.starts_with('#')) {
            if let Some((name, overload)) = parse_declaration(line) {
                overloads.entry(name).or_default().push(Arc::new(overload));
            }
        }
        Self { overloads }
    }

    /// Returns the overloads of a function, or `None` if there is no function of that name.
    pub fn get(&self, name: &str) -> Option<&[Arc<Overload>]> {
        self.overloads.get(name).map(Vec::as_slice)
    }

    /// Returns the names of all functions except operators and functions whose name begins with
    /// `@`.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.overloads
            .keys()
            .copied()
            .filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))
    }
}

/// Parses a line such as `string .split(string, int) -> list(string)`.
fn parse_declaration(line: &'static str) -> Option<(&'static str, Overload)> {
    let (left, result) = line.split_once(" -> ")?;
    let (receiver, call) = match left.split_once(" .") {
        Some((receiver, call)) => (Some(receiver), call),
        None => (None, left),
    };
    let (name, args) = call.strip_suffix(')')?.split_once('(')?;
    let mut types = Vec::new();
    types.extend(receiver.map(parse_type));
    types.extend(split_at_commas(args).into_iter().map(parse_type));
    Some((
        name,
        Overload {
            method: receiver.is_some(),
            args: types,
            result: parse_type(result),
        },
    ))
}

/// Splits the text at the outermost commas.
fn split_at_commas(text: &'static str) -> Vec<&'static str> {
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (at, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.extend(Some(text[start..].trim()).filter(|last| !last.is_empty()));
    parts
}

/// Parses a type. A single letter is a type parameter.
fn parse_type(text: &'static str) -> Type {
    let inner = |name: &str| {
        text.strip_prefix(name)?
            .strip_prefix('(')?
            .strip_suffix(')')
    };
    if let Some(items) = inner("list") {
        return Type::list(parse_type(items));
    }
    if let Some(value) = inner("optional") {
        return Type::optional(parse_type(value));
    }
    if let Some([keys, values]) = inner("map").map(split_at_commas).as_deref() {
        return Type::map(parse_type(keys), parse_type(values));
    }
    match text {
        "dyn" => Type::Dyn,
        "bool" => Type::Bool,
        "int" => Type::Int,
        "uint" => Type::Uint,
        "double" => Type::Double,
        "string" => Type::Text,
        "bytes" => Type::Bytes,
        "duration" => Type::Duration,
        "timestamp" => Type::Timestamp,
        "type" => Type::Meta,
        _ => match *text.as_bytes() {
            [letter] => Type::Parameter(char::from(letter)),
            _ => Type::Named(text),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::{DECLARATIONS, Functions, parse_declaration};
    use crate::types::Type;

    #[test]
    fn every_line_is_a_declaration() {
        let lines = DECLARATIONS.lines().filter(|line| !line.starts_with('#'));
        let unread: Vec<_> = lines
            .filter(|line| parse_declaration(line).is_none())
            .collect();
        assert_eq!(unread, [""; 0]);
    }

    #[test]
    fn arguments_are_split_at_the_outer_commas() {
        let functions = Functions::from_declarations(&[DECLARATIONS]);
        let [_, map] = functions.get("@in").unwrap_or_default() else {
            panic!("`in` has two overloads");
        };
        let (key, value) = (Type::Parameter('A'), Type::Parameter('B'));
        assert_eq!(map.args, [key.clone(), Type::map(key, value)]);
        assert_eq!(map.result, Type::Bool);
    }
}
