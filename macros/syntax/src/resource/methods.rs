//! Verbs of a client, and its extension methods.

use std::collections::BTreeSet;
use std::fmt;

use heck::ToSnakeCase;
use quote::ToTokens;

use crate::keys::Keys;
use crate::table::Key;
use crate::{Help, MethodVerb, Problems, Spanned, Verb};

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
pub(super) fn read_methods(
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
        let Some(method) = read_method(arguments, problems) else {
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

fn read_method(arguments: &Keys, problems: &mut Problems) -> Option<Method> {
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
            Help::remove("remove it to address the object itself"),
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
        problems.report(input.span, message, Help::remove("remove it"));
    }
    Some(Method {
        input: read_type_path(arguments, Key::INPUT, problems),
        result: read_type_path(arguments, Key::RESULT, problems),
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
        let help = Help::write_key(format!("name = \"{snake}\""));
        (
            "the name of a method must be in snake case".to_owned(),
            help,
        )
    } else if snake.starts_with(starts) {
        let message = format!("`{snake}` is a keyword");
        (message, "choose another name".into())
    } else {
        let help = "write a name such as `create_token`".into();
        (
            "the name of a method must start with a letter".to_owned(),
            help,
        )
    };
    problems.report(name.span, message, help);
}

fn read_type_path(
    arguments: &Keys,
    key: Key,
    problems: &mut Problems,
) -> Option<Spanned<syn::Path>> {
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

/// Returns the selected verbs. Conflicts are reported here; misspelt verbs have been reported
/// before.
pub(super) fn read_verbs(
    genclient: &Keys,
    has_status: bool,
    problems: &mut Problems,
) -> BTreeSet<Verb> {
    genclient.check_exclusive(EXCLUSIVE_KEYS, problems);
    check_only(genclient, has_status, problems);
    if genclient.flag(Key::NO_VERBS).is_set() {
        return BTreeSet::new();
    }
    let mut verbs: BTreeSet<Verb> = match included_verbs(genclient) {
        Some(included) => included,
        None => Verb::ALL.iter().copied().collect(),
    };
    let has_status = has_status && !genclient.flag(Key::NO_STATUS).is_set();
    verbs.retain(|verb| has_status || !verb.is_status());
    for skipped in listed_verbs(genclient, Key::SKIP_VERBS) {
        verbs.remove(&skipped.value);
    }
    verbs
}

/// Returns the union of `only_verbs` and `readonly`, or `None` if neither is written.
fn included_verbs(genclient: &Keys) -> Option<BTreeSet<Verb>> {
    let readonly = genclient.flag(Key::READONLY).is_set();
    let all = Verb::ALL.iter().copied();
    let reads = all.filter(|verb| readonly && verb.is_read());
    let only = listed_verbs(genclient, Key::ONLY_VERBS)
        .into_iter()
        .map(|verb| verb.value);
    (readonly || genclient.get(Key::ONLY_VERBS).is_some()).then(|| reads.chain(only).collect())
}

fn listed_verbs(genclient: &Keys, key: Key) -> Vec<Spanned<Verb>> {
    let names = genclient.texts(key).into_iter();
    names
        .filter_map(|name| Some(Spanned::new(Verb::from_name(&name.value)?, name.span)))
        .collect()
}

const EXCLUSIVE_KEYS: &[(Key, Key)] = &[
    (Key::NO_VERBS, Key::ONLY_VERBS),
    (Key::NO_VERBS, Key::SKIP_VERBS),
    (Key::NO_VERBS, Key::READONLY),
    (Key::ONLY_VERBS, Key::SKIP_VERBS),
];

fn check_only(genclient: &Keys, has_status: bool, problems: &mut Problems) {
    if let Some(key) = genclient
        .get(Key::ONLY_VERBS)
        .filter(|key| key.is_empty_list())
    {
        problems.report(
            key.span,
            "`only_verbs` must not be empty",
            Help::write_key("no_verbs"),
        );
    }
    for verb in listed_verbs(genclient, Key::ONLY_VERBS)
        .into_iter()
        .filter(|verb| verb.value.is_status())
    {
        let name = verb.value.as_str();
        if genclient.flag(Key::NO_STATUS).is_set() {
            problems.report(
                verb.span,
                format!("`{name}` cannot be combined with `no_status`"),
                "keep one of them",
            );
        } else if !has_status {
            problems.report(
                verb.span,
                format!("`{name}` needs a field `status`"),
                "add the field, or remove the verb",
            );
        }
    }
}
