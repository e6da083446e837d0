//! `ipv4`, `cidr`, `mac` and `hostname`.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

use regex::Regex;

/// An address with a dot: also of IPv6, if it ends in one of IPv4.
pub(super) fn is_ipv4(text: &str) -> bool {
    let plain = without_leading_zeros(text);
    plain.parse::<Ipv4Addr>().is_ok() || plain.contains('.') && plain.parse::<Ipv6Addr>().is_ok()
}

/// An address and how many bits of it are the network's.
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

/// Kubernetes reads `010.0.0.1` as it was read before Go 1.17: as `10.0.0.1`.
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

/// 6, 8 or 20 bytes: in pairs of digits between `:` or `-`, in fours between dots, or all digits together.
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

/// One label with no `-` but maybe in the second place, or several labels of which the last has letters only.
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
