//! Extension methods of a client: `method(…)`.

use std::collections::BTreeSet;
use std::fmt;

use heck::ToSnakeCase;
use quote::ToTokens;

use crate::keys::Keys;
use crate::table::Key;
use crate::{MethodVerb, Problems, Spanned, Verb};

/// An extension method of a client.
#[derive(Clone)]
pub struct Method {
    /// Name of the method, a Rust identifier in snake case.
    pub name: Spanned<String>,
    /// The verb, which determines the request.
    pub verb: Spanned<MethodVerb>,
    /// Target subresource; `None` for the object itself.
    pub subresource: Option<Spanned<String>>,
    /// Type of the request body for `create`, `update` and `apply`; by default the kind's own.
    pub input: Option<Spanned<syn::Path>>,
    /// Type of the response; by default the kind's own.
    pub result: Option<Spanned<syn::Path>>,
}

/// Formats the types as tokens, because `syn` implements `Debug` only with its costly feature
/// `extra-traits`.
impl fmt::Debug for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tokens = |path: &Option<Spanned<syn::Path>>| {
            path.as_ref()
                .map(|path| path.value.to_token_stream().to_string())
        };
        f.debug_struct("Method")
            .field("name", &self.name.value)
            .field("verb", &self.verb.value)
            .field(
                "subresource",
                &self
                    .subresource
                    .as_ref()
                    .map(|subresource| &subresource.value),
            )
            .field("input", &tokens(&self.input))
            .field("result", &tokens(&self.result))
            .finish()
    }
}

/// Reads each `method(…)`. Reports a name that a method of the client already has.
pub(super) fn read(
    genclient: &Keys,
    verbs: &BTreeSet<Verb>,
    has_scale: bool,
    problems: &mut Problems,
) -> Vec<Method> {
    let scale: &[&str] = if has_scale {
        &["get_scale", "update_scale"]
    } else {
        &[]
    };
    let verbs = verbs.iter().map(|verb| verb.as_str());
    let mut taken: Vec<String> = verbs
        .chain(["new", "client"])
        .chain(scale.iter().copied())
        .map(str::to_owned)
        .collect();
    let mut methods = Vec::new();
    for (arguments, _) in genclient.arguments(Key::METHOD) {
        let Some(method) = read_one(arguments, problems) else {
            continue;
        };
        if taken.contains(&method.name.value) {
            let message = format!("the client already has a method `{}`", method.name.value);
            problems.report(method.name.span, message, "choose another name");
        }
        taken.push(method.name.value.clone());
        methods.push(method);
    }
    methods
}

fn read_one(arguments: &Keys, problems: &mut Problems) -> Option<Method> {
    let name = arguments.text(Key::NAME)?;
    check_name(&name, problems);
    let verb = arguments.value(Key::VERB, MethodVerb::from_name)?;
    let subresource = arguments.text(Key::SUBRESOURCE);
    if let Some(empty) = subresource
        .as_ref()
        .filter(|subresource| subresource.value.is_empty())
    {
        problems.report(
            empty.span,
            "`subresource` must not be empty",
            "remove it to address the object itself",
        );
    }
    if let Some(input) = arguments
        .get(Key::INPUT)
        .filter(|_| !verb.value.has_input())
    {
        let message = format!(
            "`{}` sends no request body, so `input` is not allowed",
            verb.value.as_str()
        );
        problems.report(input.span, message, "remove it");
    }
    Some(Method {
        input: path(arguments, Key::INPUT, problems),
        result: path(arguments, Key::RESULT, problems),
        name,
        verb,
        subresource,
    })
}

fn check_name(name: &Spanned<String>, problems: &mut Problems) {
    let snake = name.value.to_snake_case();
    let is_name = syn::parse_str::<syn::Ident>(&snake).is_ok();
    let starts = |letter: char| letter.is_alphabetic() || letter == '_';
    if snake == name.value && is_name {
        return;
    }
    let (message, help) = if is_name {
        let help = format!("write `name = \"{snake}\"`");
        (
            "the name of a method must be in snake case".to_owned(),
            help,
        )
    } else if snake.starts_with(starts) {
        let message = format!("`{snake}` is a keyword");
        (message, "choose another name".to_owned())
    } else {
        let help = "write a name such as `create_token`".to_owned();
        (
            "the name of a method must start with a letter".to_owned(),
            help,
        )
    };
    problems.report(name.span, message, help);
}

fn path(arguments: &Keys, key: Key, problems: &mut Problems) -> Option<Spanned<syn::Path>> {
    let text = arguments.text(key)?;
    if let Ok(path) = syn::parse_str::<syn::Path>(&text.value) {
        return Some(Spanned::new(path, text.span));
    }
    let help = format!("write `{key} = \"crate::apis::v1::Scale\"`");
    problems.report(
        text.span,
        format!("expected the path of a type for `{key}`"),
        help,
    );
    None
}
