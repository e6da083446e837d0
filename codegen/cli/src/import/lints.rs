//! Lints that the texts of a definition may trigger in an imported file.
//!
//! Descriptions and names come from the author of the CRD, and `update` must reproduce them. So a
//! file allows exactly the lints that its own texts may trigger, and has no `allow` if there are
//! none.

use super::attribute::{self, KeyArgument};

/// A documentation lint, and whether a doc line may trigger it.
type DocLint = (&'static str, fn(&str) -> bool);

const DOC_LINTS: [DocLint; 7] = [
    ("clippy::doc_lazy_continuation", is_block),
    ("clippy::doc_overindented_list_items", is_block),
    ("clippy::tabs_in_doc_comments", |line| line.contains('\t')),
    ("rustdoc::bare_urls", |line| line.contains("://")),
    ("rustdoc::broken_intra_doc_links", |line| line.contains('[')),
    ("rustdoc::invalid_html_tags", |line| line.contains('<')),
    ("rustdoc::invalid_rust_codeblocks", is_code),
];

/// The `allow` attribute of a file with these items; empty if they trigger no lint.
pub(super) fn allowed(items: &[String], enums: &[Vec<String>], is_documented: bool) -> String {
    let lines = items.iter().flat_map(|item| item.lines());
    let docs: Vec<_> = lines
        .filter_map(|line| line.trim_start().strip_prefix("///"))
        .collect();
    let mut found: Vec<&'static str> = Vec::new();
    if enums.iter().any(|variants| share_a_word(variants)) {
        found.push("clippy::enum_variant_names");
    }
    let doc_lints = DOC_LINTS.iter();
    let set_off = doc_lints.filter(|(_, may_set_off)| docs.iter().any(|line| may_set_off(line)));
    found.extend(set_off.map(|(lint, _)| *lint));
    if !is_documented {
        found.push("missing_docs");
    }
    if found.is_empty() {
        return String::new();
    }
    found.sort_unstable();
    let mut arguments: Vec<_> = found.into_iter().map(KeyArgument::Flag).collect();
    arguments.push(KeyArgument::text(
        "reason",
        "descriptions and names are those of the CRD",
    ));
    let allow = attribute::attribute("allow", &arguments, 0);
    format!("{}\n", allow.replacen("#[", "#![", 1))
}

/// True for a line that begins a list item or a quotation.
fn is_block(line: &str) -> bool {
    let line = line.trim_start();
    let after_number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = after_number.len() < line.len() && after_number.starts_with(['.', ')']);
    let is_item = ["- ", "* ", "+ ", ">"]
        .iter()
        .any(|mark| line.starts_with(mark));
    is_numbered || is_item
}

/// True for a line of a code block, or its fence.
fn is_code(line: &str) -> bool {
    let line = line.strip_prefix(' ').unwrap_or(line);
    let text = line.trim_start();
    line.starts_with("    ") || line.starts_with('\t') || text.starts_with("```")
}

/// True if `clippy::enum_variant_names` may report the enum. The lint reports an enum of at least
/// three variants if all begin or end with the same word, or if one begins or ends with the enum's
/// name. `enum_` is the enum's name, followed by the variants.
fn share_a_word(enum_: &[String]) -> bool {
    let Some((name, variants)) = enum_.split_first() else {
        return false;
    };
    let first = |name: &str| {
        let mut letters = name.char_indices().skip(1);
        let end = letters.find(|(_, c)| c.is_uppercase());
        name[..end.map_or(name.len(), |(at, _)| at)].to_owned()
    };
    let last = |name: &str| name[name.rfind(char::is_uppercase).unwrap_or(0)..].to_owned();
    let all_have = |word: &dyn Fn(&str) -> String| {
        let mut words = variants.iter().map(|variant| word(variant));
        words
            .next()
            .is_some_and(|word| words.all(|other| other == word))
    };
    let names_type =
        |variant: &String| variant.starts_with(name.as_str()) || variant.ends_with(name.as_str());
    variants.len() > 2 && (all_have(&first) || all_have(&last) || variants.iter().any(names_type))
}

#[cfg(test)]
mod tests {
    use super::allowed;

    #[test]
    fn only_lints_that_docs_trigger_are_allowed() {
        for (docs, lints) in [
            ("Its name.", ""),
            ("A tab\there.", "clippy::tabs_in_doc_comments"),
            ("See https://example.com.", "rustdoc::bare_urls"),
            ("One of [a, b].", "rustdoc::broken_intra_doc_links"),
            ("As `<name>`.", "rustdoc::invalid_html_tags"),
            (
                "- one",
                "clippy::doc_lazy_continuation clippy::doc_overindented_list_items",
            ),
            (
                "1. one",
                "clippy::doc_lazy_continuation clippy::doc_overindented_list_items",
            ),
            ("    code", "rustdoc::invalid_rust_codeblocks"),
            ("---", ""),
        ] {
            let items = [format!("    /// {docs}\n    pub name: String,\n")];
            let text = allowed(&items, &[], true);
            let words = text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
            let found: Vec<_> = words.filter(|word| word.contains("::")).collect();
            assert_eq!(found.join(" "), lints, "{docs}");
        }
        assert!(allowed(&[], &[], false).contains("missing_docs"));
    }

    #[test]
    fn shared_words_in_variant_names_are_detected() {
        for (names, expected) in [
            ("Policy Always Never IfNotPresent", false),
            ("Policy Always Never PolicyOff", true),
            ("Mode TlsOn TlsOff TlsAuto", true),
            ("Mode EcKey RsaKey DsaKey", true),
            ("Mode TlsOn TlsOff", false),
        ] {
            let names: Vec<_> = names.split(' ').map(str::to_owned).collect();
            assert_eq!(!allowed(&[], &[names], true).is_empty(), expected);
        }
    }
}
