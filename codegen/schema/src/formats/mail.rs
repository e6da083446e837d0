//! `email`: an address as it stands in a message, `a@example.com` or `Ann <a@example.com>`.

/// What stands around and inside a plain address in the long form.
const SPECIALS: &[char] = &['<', '>', '(', ')', '[', ']', ':', ';', ',', '\\', '"'];

/// False if a text is certainly no address.
pub(super) fn is_address(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else {
        return false;
    };
    if text.contains(SPECIALS) {
        return true;
    }
    // Spaces may stand around either part.
    is_dotted(local.trim_matches([' ', '\t'])) && is_dotted(domain.trim_matches([' ', '\t']))
}

/// Words with dots between them.
fn is_dotted(text: &str) -> bool {
    let in_word = |letter: char| letter > ' ' && letter != '\u{7f}' && letter != '@';
    let is_word = |word: &str| !word.is_empty() && word.chars().all(in_word);
    text.split('.').all(is_word)
}
