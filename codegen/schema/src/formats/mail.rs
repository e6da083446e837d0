//! Format `email`: an address in the syntax of message headers, `a@example.com` or
//! `Ann <a@example.com>`.

/// Characters of the long form, which is not checked further.
const SPECIALS: &[char] = &['<', '>', '(', ')', '[', ']', ':', ';', ',', '\\', '"'];

/// Returns false only if the text is certainly not an address.
pub(super) fn is_address(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else {
        return false;
    };
    if text.contains(SPECIALS) {
        return true;
    }
    // Spaces are permitted around either part.
    is_dotted(local.trim_matches([' ', '\t'])) && is_dotted(domain.trim_matches([' ', '\t']))
}

/// Returns whether the text consists of words separated by dots.
fn is_dotted(text: &str) -> bool {
    let in_word = |letter: char| letter > ' ' && letter != '\u{7f}' && letter != '@';
    let is_word = |word: &str| !word.is_empty() && word.chars().all(in_word);
    text.split('.').all(is_word)
}
