//! Format `uri`: an absolute URI or an absolute path, as in Go's `url.ParseRequestURI`.

/// Returns false only if the text is certainly neither.
pub(super) fn is_request_uri(text: &str) -> bool {
    if text.bytes().any(|byte| byte < b' ' || byte == 0x7f) || text.is_empty() {
        return false;
    }
    let Some((scheme, rest)) = scheme(text) else {
        return false;
    };
    let rest = rest.split('?').next().unwrap_or_default();
    if text == "*" || !rest.starts_with('/') {
        // An opaque URI such as `mailto:a`.
        return text == "*" || !scheme.is_empty();
    }
    let Some(after) = rest.strip_prefix("//").filter(|_| !scheme.is_empty()) else {
        return has_whole_escapes(rest);
    };
    let end = after.find('/').unwrap_or(after.len());
    let (authority, path) = after.split_at(end);
    is_authority(authority) && has_whole_escapes(path)
}

/// Splits the text at the first colon into scheme and rest. The scheme is empty if there is no
/// valid name; `None` if the text starts with a colon.
fn scheme(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|letter: char| !letter.is_ascii_alphanumeric() && !"+-.".contains(letter));
    match end.map(|end| text.split_at(end)) {
        Some(("", rest)) if rest.starts_with(':') => None,
        Some((name, rest)) if rest.starts_with(':') && name.starts_with(is_letter) => {
            Some((name, &rest[1..]))
        }
        _ => Some(("", text)),
    }
}

fn is_letter(letter: char) -> bool {
    letter.is_ascii_alphabetic()
}

/// Returns whether the text is an authority: `user:password@host:80`.
fn is_authority(text: &str) -> bool {
    let (user, host) = text.rsplit_once('@').unwrap_or(("", text));
    let of_user =
        |letter: char| letter.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(letter);
    user.chars().all(of_user) && has_whole_escapes(user) && is_host(host)
}

fn is_host(text: &str) -> bool {
    let (name, port) = match text.rfind(']') {
        Some(end) if text.starts_with('[') => text.split_at(end + 1),
        _ if text.starts_with('[') => return false,
        _ => text.split_at(text.rfind(':').unwrap_or(text.len())),
    };
    let digits = port.strip_prefix(':').unwrap_or(port);
    let of_host = |letter: char| {
        !letter.is_ascii()
            || letter.is_ascii_alphanumeric()
            || "-_.~!$&'()*+,;=:[]<>\"%".contains(letter)
    };
    digits.bytes().all(|digit| digit.is_ascii_digit())
        && (port.is_empty() || port.starts_with(':'))
        && name.chars().all(of_host)
        && has_whole_escapes(name)
}

/// Returns whether two digits follow every `%`.
fn has_whole_escapes(text: &str) -> bool {
    text.split('%').skip(1).all(|after| {
        let digits = after.as_bytes().get(..2);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    })
}
