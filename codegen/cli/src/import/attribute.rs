//! Attributes of generated types: their arguments, formatted as rustfmt does.

use serde_json::Value;

/// Maximum width of an argument list on one line: rustfmt's `attr_fn_like_width`.
const ARGUMENTS_WIDTH: usize = 70;

/// Maximum line width: rustfmt's `max_width`.
pub(super) const MAX_LINE_WIDTH: usize = 100;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum KeyArgument {
    /// `storage`
    Flag(&'static str),
    /// `minimum = 1`, `default = { .. }`
    Value(&'static str, Value),
    /// `items(..)`
    List(&'static str, Vec<KeyArgument>),
    /// `annotation("key", "value")`
    Pair(&'static str, String, String),
}

impl KeyArgument {
    /// `name = "text"`.
    pub(super) fn from_text(name: &'static str, text: impl Into<String>) -> Self {
        Self::Value(name, Value::String(text.into()))
    }

    /// True if the argument is a meta item of Rust's grammar. rustfmt formats an attribute only if
    /// all arguments are.
    fn is_meta(&self) -> bool {
        match self {
            Self::Flag(_) | Self::Pair(..) => true,
            Self::Value(_, Value::Number(number)) => !number.to_string().starts_with('-'),
            Self::Value(_, value) => value.is_string() || value.is_boolean(),
            Self::List(_, arguments) => arguments.iter().all(Self::is_meta),
        }
    }

    /// True if the nested arguments are narrow enough for one line. The caller checks the width of
    /// the whole line.
    fn is_narrow(&self) -> bool {
        match self {
            Self::List(_, arguments) => are_narrow(arguments),
            Self::Pair(name, ..) => self.in_line().len() - name.len() - 2 <= ARGUMENTS_WIDTH,
            Self::Flag(_) | Self::Value(..) => true,
        }
    }

    fn in_line(&self) -> String {
        match self {
            Self::Flag(name) => (*name).to_owned(),
            Self::Value(name, value) => format!("{name} = {}", value_in_line(value)),
            Self::Pair(name, key, value) => {
                format!("{name}({}, {})", string_literal(key), string_literal(value))
            }
            Self::List(name, arguments) => format!("{name}({})", join_arguments(arguments)),
        }
    }

    /// Formats the argument at an indentation, over several lines if necessary.
    fn laid_out(&self, indent: usize) -> String {
        let line = self.in_line();
        if self.is_narrow() && indent + line.len() < MAX_LINE_WIDTH {
            return line;
        }
        match self {
            Self::Flag(_) => line,
            Self::Value(name, value) => format!("{name} = {}", value_laid_out(value, indent)),
            Self::Pair(name, key, value) => {
                let pad = " ".repeat(indent + 4);
                let (key, value) = (string_literal(key), string_literal(value));
                format!(
                    "{name}(\n{pad}{key},\n{pad}{value}\n{})",
                    " ".repeat(indent)
                )
            }
            Self::List(name, arguments) => format!("{name}{}", format_arguments(arguments, indent)),
        }
    }
}

/// `#[name(arguments)]` at an indentation.
pub(super) fn format_attribute(name: &str, arguments: &[KeyArgument], indent: usize) -> String {
    if arguments.is_empty() {
        return format!("#[{name}]");
    }
    let line = format!("#[{name}({})]", join_arguments(arguments));
    let is_meta = arguments.iter().all(KeyArgument::is_meta);
    let fits = !is_meta || are_narrow(arguments);
    if fits && indent + line.len() <= MAX_LINE_WIDTH && !line.contains('\n') {
        return line;
    }
    format!("#[{name}{}]", format_arguments(arguments, indent))
}

/// Formats the arguments one per line. A single argument that has nested arguments follows the
/// parenthesis on the same line.
fn format_arguments(arguments: &[KeyArgument], indent: usize) -> String {
    if let [KeyArgument::List(name, inner)] = arguments {
        return format!("({name}{})", format_arguments(inner, indent));
    }
    if let [only @ KeyArgument::Pair(..)] = arguments {
        let broken = only.laid_out(indent);
        let broken = if broken.contains('\n') {
            broken
        } else {
            format_broken_pair(only, indent)
        };
        return format!("({broken})");
    }
    let pad = " ".repeat(indent + 4);
    let lines: Vec<_> = arguments
        .iter()
        .map(|argument| format!("{pad}{}", argument.laid_out(indent + 4)))
        .collect();
    format!("(\n{}\n{})", lines.join(",\n"), " ".repeat(indent))
}

fn format_broken_pair(pair: &KeyArgument, indent: usize) -> String {
    let KeyArgument::Pair(name, key, value) = pair else {
        return pair.in_line();
    };
    let pad = " ".repeat(indent + 4);
    let (key, value) = (string_literal(key), string_literal(value));
    format!(
        "{name}(\n{pad}{key},\n{pad}{value}\n{})",
        " ".repeat(indent)
    )
}

/// True if the list is narrow enough for one line. [`ARGUMENTS_WIDTH`] limits only lists of several
/// arguments.
fn are_narrow(arguments: &[KeyArgument]) -> bool {
    match arguments {
        [only] => only.is_narrow(),
        several => join_arguments(several).len() <= ARGUMENTS_WIDTH,
    }
}

fn join_arguments(arguments: &[KeyArgument]) -> String {
    let parts: Vec<_> = arguments.iter().map(KeyArgument::in_line).collect();
    parts.join(", ")
}

/// A JSON value in the syntax of the attribute grammar, on one line.
fn value_in_line(value: &Value) -> String {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => string_literal(text),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(value_in_line).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(members) if members.is_empty() => "{}".to_owned(),
        Value::Object(members) => {
            let members: Vec<_> = members
                .iter()
                .map(|(name, value)| format!("{}: {}", string_literal(name), value_in_line(value)))
                .collect();
            format!("{{ {} }}", members.join(", "))
        }
    }
}

fn value_laid_out(value: &Value, indent: usize) -> String {
    let line = value_in_line(value);
    if indent + line.len() + 20 <= MAX_LINE_WIDTH {
        return line;
    }
    let (inner, pad) = (indent + 4, " ".repeat(indent + 4));
    let end = " ".repeat(indent);
    match value {
        Value::Array(items) if !items.is_empty() => {
            let lines: Vec<_> = items
                .iter()
                .map(|item| format!("{pad}{},\n", value_laid_out(item, inner)))
                .collect();
            format!("[\n{}{end}]", lines.concat())
        }
        Value::Object(members) if !members.is_empty() => {
            let lines: Vec<_> = members
                .iter()
                .map(|(name, value)| {
                    let name = string_literal(name);
                    format!("{pad}{name}: {},\n", value_laid_out(value, inner))
                })
                .collect();
            format!("{{\n{}{end}}}", lines.concat())
        }
        _ => line,
    }
}

/// A string literal. Text with quotes or backslashes becomes a raw string, unless it contains
/// control characters.
fn string_literal(text: &str) -> String {
    let needs_escapes = text.contains(|c: char| c.is_control());
    let would_escape = text.contains(['"', '\\']);
    if !would_escape || needs_escapes {
        return proc_macro2::Literal::string(text).to_string();
    }
    let mut hashes = String::new();
    if text.contains('"') {
        hashes.push('#');
    }
    while text.contains(&format!("\"{hashes}")) && !hashes.is_empty() {
        hashes.push('#');
    }
    format!("r{hashes}\"{text}\"{hashes}")
}
