//! Names derived from kinds, groups and versions, shared by the macros and the command line.

use heck::ToSnakeCase;
use proc_macro2::{Ident, Span};

/// Returns a kind in snake case, for file names and fields: `GPUTask` becomes `gpu_task`.
pub fn snake_case(kind: &str) -> String {
    kind.to_snake_case()
}

/// Returns the accessor of a kind, snake case with the last word in plural: `GPUTask` becomes
/// `gpu_tasks`, `VM` becomes `vms`.
pub fn accessor(kind: &str) -> String {
    pluralize(&snake_case(kind))
}

/// Returns the name of the client type of a kind, its plural: `GPUTask` becomes `GPUTasks`.
///
/// A kind of one letter equals its plural and gets the suffix `Client`: `I` becomes `IClient`.
pub fn client_type(kind: &str) -> String {
    let plural = pluralize(kind);
    if plural == kind {
        format!("{kind}Client")
    } else {
        plural
    }
}

/// Returns the module name of a group, its first DNS label in snake case:
/// `hyphen-group.example.com` becomes `hyphen_group`, the core group `core`.
///
/// A label that starts with a digit gets an underscore in front.
pub fn group_module(group: &str) -> String {
    let label = group.split('.').next().unwrap_or_default().to_snake_case();
    match label.chars().next() {
        None => "core".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("_{label}"),
        Some(_) => label,
    }
}

/// Returns the module name of a version: `v1beta2` stays, `v1-rc` becomes `v1_rc`.
pub fn version_module(version: &str) -> String {
    version.replace('-', "_")
}

/// Returns `name` as an identifier. A keyword becomes raw (`r#type`), or gets a trailing underscore
/// if it cannot be raw (`self_`).
///
/// Panics if `name` is neither a keyword nor a valid identifier. The functions here that make names
/// from valid kinds, groups and versions return only keywords and identifiers.
pub fn ident(name: &str) -> Ident {
    match name {
        "self" | "Self" | "super" | "crate" | "_" => {
            Ident::new(&format!("{name}_"), Span::call_site())
        }
        _ if is_keyword(name) => Ident::new_raw(name, Span::call_site()),
        _ => Ident::new(name, Span::call_site()),
    }
}

/// Keywords of all editions, strict and reserved. syn parses `gen`, a keyword since 2024, as an
/// identifier.
const KEYWORDS: [&str; 52] = [
    "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue",
    "crate", "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if",
    "impl", "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub",
    "ref", "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

fn is_keyword(name: &str) -> bool {
    KEYWORDS.binary_search(&name).is_ok()
}

/// Crates that generated modules refer to. No generated module may have one of these names: beside
/// a `mod std`, the path `std::fmt` would lead into that module.
const REFERENCED_CRATES: [&str; 2] = ["genclient", "std"];

/// Returns a valid name for a module and its file: appends an underscore to a keyword (`type_`) and
/// to the name of a crate that generated modules refer to (`std_`).
pub fn module(name: &str) -> String {
    if is_keyword(name) || REFERENCED_CRATES.contains(&name) {
        format!("{name}_")
    } else {
        name.to_owned()
    }
}

/// Returns whether the name is a valid kind: up to 63 letters and digits, the first a capital.
pub fn is_kind(name: &str) -> bool {
    name.len() <= 63
        && name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric())
}

/// Returns the plural of `word`, by the rules of gengo's plural namer.
///
/// Only the ending of the word matters, so `endpoints` becomes `endpointses`. A plural that differs
/// from these rules is stated with `#[crd(plural = "..")]`. A word of one letter stays unchanged.
///
/// ```
/// use genclient_syntax::names::pluralize;
///
/// assert_eq!(pluralize("gputask"), "gputasks");
/// assert_eq!(pluralize("policy"), "policies");
/// ```
pub fn pluralize(word: &str) -> String {
    let letters: Vec<char> = word.chars().collect();
    let (stem, last, before) = match letters.as_slice() {
        [.., before, last] => (&word[..word.len() - last.len_utf8()], *last, *before),
        _ => return word.to_owned(),
    };
    match (before, last) {
        (_, 's' | 'x' | 'z') => format!("{word}es"),
        (before, 'y') if is_consonant(before) => format!("{stem}ies"),
        ('c' | 's', 'h') => format!("{word}es"),
        ('f', 'e') => format!("{}ves", &stem[..stem.len() - 1]),
        (_, 'f') => format!("{stem}ves"),
        _ => format!("{word}s"),
    }
}

fn is_consonant(letter: char) -> bool {
    !matches!(letter, 'a' | 'e' | 'i' | 'o' | 'u')
}

/// Returns whether `name` has the form of a Kubernetes version: `v1`, `v1beta2`, `v2alpha1`.
///
/// A module with such a name determines the version of the kinds in it.
pub fn is_version(name: &str) -> bool {
    let rest = || {
        let rest = skip_number(name.strip_prefix('v')?)?;
        if rest.is_empty() {
            return Some(rest);
        }
        let minor = rest.strip_prefix("alpha").or(rest.strip_prefix("beta"))?;
        skip_number(minor)
    };
    rest() == Some("")
}

/// Returns what follows the leading digits; `None` without digits, or if the number exceeds `u64`.
fn skip_number(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = &text[..text.len() - rest.len()];
    digits.parse::<u64>().ok().map(|_| rest)
}

#[cfg(test)]
mod case_tests {
    use super::{
        KEYWORDS, accessor, client_type, group_module, ident, is_kind, module, snake_case,
        version_module,
    };

    #[test]
    fn kinds_become_modules_accessors_and_clients() {
        let kinds = [
            ("GPUTask", "gpu_task", "gpu_tasks", "GPUTasks"),
            ("VM", "vm", "vms", "VMs"),
            (
                "NetworkPolicy",
                "network_policy",
                "network_policies",
                "NetworkPolicies",
            ),
            ("HTTPRoute", "http_route", "http_routes", "HTTPRoutes"),
            ("Box", "box", "boxes", "Boxes"),
            ("Type", "type", "types", "Types"),
            ("I", "i", "i", "IClient"),
        ];
        for (kind, module, plural, client) in kinds {
            assert_eq!(snake_case(kind), module);
            assert_eq!(accessor(kind), plural);
            assert_eq!(client_type(kind), client);
        }
    }

    #[test]
    fn groups_become_modules_by_their_first_label() {
        let groups = [
            ("falldio.com", "falldio"),
            ("", "core"),
            ("apps", "apps"),
            ("hyphen-group.example.com", "hyphen_group"),
            ("3scale.net", "_3scale"),
        ];
        for (group, module) in groups {
            assert_eq!(group_module(group), module);
        }
    }

    #[test]
    fn versions_become_modules() {
        assert_eq!(version_module("v1beta2"), "v1beta2");
        assert_eq!(version_module("v1-rc"), "v1_rc");
    }

    #[test]
    fn keywords_make_modules_with_an_underscore() {
        for (name, expected) in [
            ("type", "type_"),
            ("mod", "mod_"),
            ("gen", "gen_"),
            ("std", "std_"),
            ("pod", "pod"),
        ] {
            assert_eq!(module(name), expected);
        }
    }

    #[test]
    fn kinds_are_letters_and_digits_after_a_capital() {
        for (name, expected) in [
            ("GPUTask", true),
            ("A1", true),
            ("Self", true),
            ("gateway", false),
            ("My-Kind", false),
            ("3D", false),
            ("", false),
        ] {
            assert_eq!(is_kind(name), expected, "{name}");
        }
    }

    #[test]
    fn syn_refuses_the_keywords_of_the_editions_before_2024() {
        for name in KEYWORDS {
            let is_refused = syn::parse_str::<syn::Ident>(name).is_err();
            assert_eq!(is_refused, name != "gen", "{name}");
        }
        assert!(KEYWORDS.is_sorted());
    }

    #[test]
    fn keywords_become_identifiers() {
        for (name, expected) in [
            ("type", "r#type"),
            ("gen", "r#gen"),
            ("match", "r#match"),
            ("self", "self_"),
            ("gpu", "gpu"),
        ] {
            assert_eq!(ident(name).to_string(), expected);
        }
    }
}

#[cfg(test)]
mod plural_tests {
    use super::pluralize;

    #[test]
    fn words_are_pluralized_as_gengo_does() {
        let words = [
            ("", ""),
            ("I", "I"),
            ("Pod", "Pods"),
            ("Entry", "Entries"),
            ("Endpoints", "Endpointses"),
            ("Bus", "Buses"),
            ("Fizz", "Fizzes"),
            ("Box", "Boxes"),
            ("Search", "Searches"),
            ("Autograph", "Autographs"),
            ("Dispatch", "Dispatches"),
            ("Dish", "Dishes"),
            ("Earth", "Earths"),
            ("City", "Cities"),
            ("Ray", "Rays"),
            ("Fountain", "Fountains"),
            ("Life", "Lives"),
            ("Leaf", "Leaves"),
            ("Metadata", "Metadatas"),
            ("GPUTask", "GPUTasks"),
        ];
        for (word, expected) in words {
            assert_eq!(pluralize(word), expected, "plural of {word}");
        }
    }
}

#[cfg(test)]
mod version_tests {
    use super::is_version;

    #[test]
    fn modules_named_like_versions_are_recognized() {
        for name in ["v1", "v10", "v1beta2", "v2alpha1"] {
            assert!(is_version(name), "{name}");
        }
        for name in [
            "", "v", "V1", "v1beta", "v1gamma1", "v1beta2x", "version1", "types", "vi",
        ] {
            assert!(!is_version(name), "{name}");
        }
    }
}
