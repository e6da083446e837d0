//! Address formats: `ipv4`, `cidr`, `mac` and `hostname`.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

use regex::Regex;

/// Returns whether the text is an address with a dot. That includes an IPv6 address that ends in an
/// IPv4 address.
pub(super) fn is_ipv4(text: &str) -> bool {
    let plain = without_leading_zeros(text);
    plain.parse::<Ipv4Addr>().is_ok() || plain.contains('.') && plain.parse::<Ipv6Addr>().is_ok()
}

/// Returns whether the text is an address with a prefix length.
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

/// Removes leading zeros. Kubernetes parses `010.0.0.1` as Go did before 1.17: as `10.0.0.1`.
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

/// Returns whether the text is a MAC address of 6, 8 or 20 bytes: pairs of digits separated by `:`
/// or `-`, groups of four separated by dots, or digits without separators.
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

/// Returns whether the text is a hostname: one label with no `-` except in second position, or
/// several labels with only letters in the last one.
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
