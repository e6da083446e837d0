//! English plurals by the rules of kube-derive, which differ from those of Go's code generators.

/// Returns the plural that kube-derive builds from a singular name in lower case. There are no
/// irregular plurals: `gateway` becomes `gateways`, `fish` becomes `fishes`.
pub(super) fn pluralize(word: &str) -> String {
    if ["s", "x", "z", "ch", "sh"]
        .iter()
        .any(|ending| word.ends_with(ending))
    {
        return format!("{word}es");
    }
    let vowel = |c: char| matches!(c, 'a' | 'e' | 'i' | 'o' | 'u');
    match word.strip_suffix('y') {
        Some(stem) if stem.chars().next_back().is_some_and(|c| !vowel(c)) => format!("{stem}ies"),
        _ => format!("{word}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::pluralize;

    #[test]
    fn plurals_are_those_of_kube_derive() {
        for (singular, plural) in [
            ("foo", "foos"),
            ("bus", "buses"),
            ("box", "boxes"),
            ("batch", "batches"),
            ("policy", "policies"),
            ("gateway", "gateways"),
            ("fish", "fishes"),
            ("index", "indexes"),
            ("y", "ys"),
        ] {
            assert_eq!(pluralize(singular), plural);
        }
    }
}
