//! Address formats: `ipv4`, `cidr`, `mac`, `hostname`, `email` and `uri`.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

use regex::Regex;

/// Returns whether the text is an IPv4 address, or an IPv6 address that ends in an IPv4 address.
pub(super) fn is_ipv4(text: &str) -> bool {
    let plain = without_leading_zeros(text);
    plain.parse::<Ipv4Addr>().is_ok() || plain.contains('.') && plain.parse::<Ipv6Addr>().is_ok()
}

/// Returns whether the text is an IP address with a prefix length.
pub(super) fn is_cidr(text: &str) -> bool {
    let Some((address, bits)) = text.split_once('/') else {
        return false;
    };
    let address = without_leading_zeros(address);
    let most = if address.parse::<Ipv4Addr>().is_ok() {
        32
    } else if address.parse::<Ipv6Addr>().is_ok() {
        128
    } else {
        return false;
    };
    bits.bytes().all(|bit| bit.is_ascii_digit()) && bits.parse::<u32>().is_ok_and(|n| n <= most)
}

/// Removes leading zeros: Kubernetes parses `010.0.0.1` as `10.0.0.1`, as Go did before 1.17.
fn without_leading_zeros(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(letter) = rest.next() {
        let starts = out.is_empty() || out.ends_with(['.', ':']);
        let more = rest.peek().is_some_and(char::is_ascii_hexdigit);
        if !(letter == '0' && starts && more) {
            out.push(letter);
        }
    }
    out
}

/// Returns whether the text is a MAC address of 6, 8 or 20 bytes: pairs of hexadecimal digits
/// separated by `:` or `-`, groups of four separated by dots, or digits without separators.
pub(super) fn is_mac(text: &str) -> bool {
    let separator = match (text.as_bytes().get(2), text.as_bytes().get(4)) {
        (Some(b':'), _) => ':',
        (Some(b'-'), _) => '-',
        (_, Some(b'.')) => '.',
        _ => {
            let digits = text.bytes().all(|digit| digit.is_ascii_hexdigit());
            return digits && matches!(text.len(), 12 | 16 | 40);
        }
    };
    let digits = if separator == '.' { 4 } else { 2 };
    let mut groups = text.split(separator);
    let whole =
        |group: &str| group.len() == digits && group.bytes().all(|digit| digit.is_ascii_hexdigit());
    let count = text.split(separator).count();
    groups.all(whole) && matches!(count * digits / 2, 6 | 8 | 20)
}

/// Returns whether the text is a hostname of labels separated by dots. A single label may have `-`
/// only as its second character. If there are several labels, the last has letters only.
pub(super) fn is_hostname(text: &str) -> bool {
    #[expect(clippy::expect_used, reason = "the expression is a constant")]
    static NAME: LazyLock<Regex> = LazyLock::new(|| {
        let part = r"[a-zA-Z0-9\p{S}\p{L}]";
        let alone = format!("{part}-?{part}{{0,62}}");
        let label = format!(r"{part}([a-zA-Z0-9\-\p{{S}}\p{{L}}]{{0,61}}{part})?");
        let last = r"[a-zA-Z\p{L}]{2,63}";
        Regex::new(&format!(r"^(?:{alone}|(?:{label}\.)+{last})$"))
            .expect("the expression is right")
    });
    NAME.is_match(text) && text.len() <= 255 && text.split('.').all(|label| label.len() <= 63)
}

/// Characters that a plain address `a@b.c` cannot contain, but other forms can: `Name <a@b.c>`. A
/// text with one of these characters is accepted without further checks.
const SPECIALS: &[char] = &['<', '>', '(', ')', '[', ']', ':', ';', ',', '\\', '"'];

/// Returns whether the text is an email address. May accept too much.
pub(super) fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else {
        return false;
    };
    if text.contains(SPECIALS) {
        return true;
    }
    // Spaces are permitted around both parts.
    is_dotted(local.trim_matches([' ', '\t'])) && is_dotted(domain.trim_matches([' ', '\t']))
}

/// Returns whether the text consists of words separated by dots.
fn is_dotted(text: &str) -> bool {
    let in_word = |letter: char| letter > ' ' && letter != '\u{7f}' && letter != '@';
    let is_word = |word: &str| !word.is_empty() && word.chars().all(in_word);
    text.split('.').all(is_word)
}

/// Returns whether the text is `*`, an absolute URI or an absolute path. May accept too much.
pub(super) fn is_request_uri(text: &str) -> bool {
    if text.bytes().any(|byte| byte < b' ' || byte == 0x7f) || text.is_empty() {
        return false;
    }
    let Some((scheme, rest)) = scheme(text) else {
        return false;
    };
    let rest = rest.split('?').next().unwrap_or_default();
    if text == "*" || !rest.starts_with('/') {
        // `*` and an opaque URI such as `mailto:a` are accepted, a relative path is rejected.
        return text == "*" || !scheme.is_empty();
    }
    let Some(after) = rest.strip_prefix("//").filter(|_| !scheme.is_empty()) else {
        return has_complete_escapes(rest);
    };
    let end = after.find('/').unwrap_or(after.len());
    let (authority, path) = after.split_at(end);
    is_authority(authority) && has_complete_escapes(path)
}

/// Splits the text at the first colon into scheme and rest. The scheme is empty if the text does
/// not start with a valid one. Returns `None` if the text starts with a colon.
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
    user.chars().all(of_user) && has_complete_escapes(user) && is_host(host)
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
        && has_complete_escapes(name)
}

/// Returns whether two hexadecimal digits follow every `%`.
fn has_complete_escapes(text: &str) -> bool {
    text.split('%').skip(1).all(|after| {
        let digits = after.as_bytes().get(..2);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    })
}
