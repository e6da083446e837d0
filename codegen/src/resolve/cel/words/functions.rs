//! Wording of calls of functions that do not exist.

use super::Words;
use crate::resolve::cel::suggest::closest;

impl Words<'_> {
    pub(super) fn undeclared_function(
        &self,
        function: &str,
        target: Option<usize>,
    ) -> (String, String) {
        let target = target.and_then(|target| self.node(target).qualified_name());
        let written = match target {
            Some(prefix)
                if matches!(
                    prefix.as_str(),
                    "cel"
                        | "math"
                        | "base64"
                        | "sets"
                        | "lists"
                        | "strings"
                        | "optional"
                        | "format"
                ) =>
            {
                format!("{prefix}.{function}")
            }
            _ => function.to_owned(),
        };
        let elsewhere = || {
            let other = OTHER_LANGUAGES.iter().find(|(other, _)| *other == function);
            other.map(|(_, name)| *name)
        };
        let names = self.environment.functions.names();
        let close = closest(&written, names.chain(MACROS));
        let help = match close.or_else(elsewhere) {
            _ if MACROS.contains(&function) => {
                format!("`{function}` takes another number of arguments")
            }
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "the API server has no function of this name".to_owned(),
        };
        (format!("there is no function `{written}`"), help)
    }
}

/// What other languages call a function of CEL.
const OTHER_LANGUAGES: [(&str, &str); 7] = [
    ("count", "size"),
    ("includes", "contains"),
    ("len", "size"),
    ("length", "size"),
    ("toLowerCase", "lowerAscii"),
    ("toUpperCase", "upperAscii"),
    ("to_string", "string"),
];

const MACROS: [&str; 14] = [
    "has",
    "all",
    "exists",
    "exists_one",
    "existsOne",
    "map",
    "filter",
    "optMap",
    "optFlatMap",
    "transformList",
    "transformMap",
    "transformMapEntry",
    "sortBy",
    "matches",
];
