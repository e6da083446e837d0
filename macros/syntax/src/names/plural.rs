//! English plurals by the rules of Kubernetes' code generators.

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

#[cfg(test)]
mod tests {
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
