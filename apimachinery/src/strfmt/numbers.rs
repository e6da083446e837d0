//! Formats of codes and numbers: `byte` (base64), `uuid`, `isbn`, `creditcard`, `ssn` and colors.

/// Returns whether the text is padded base64 of at least one byte.
pub(super) fn is_base64(text: &str) -> bool {
    let digits = text.trim_end_matches('=');
    let of_base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    !digits.is_empty()
        && text.len().is_multiple_of(4)
        && text.len() - digits.len() <= 2
        && digits.bytes().all(of_base64)
}

/// Returns whether the text is a UUID: 32 hexadecimal digits, with optional hyphens between the
/// five parts. `format` determines the version: 4 for `uuid4`, any for `uuid`.
pub(super) fn is_uuid(text: &str, format: &str) -> bool {
    let mut rest = text;
    let mut digits = String::new();
    for length in [8, 4, 4, 4, 12] {
        let Some((part, after)) = rest.split_at_checked(length) else {
            return false;
        };
        digits.push_str(part);
        rest = after.strip_prefix('-').unwrap_or(after);
    }
    let version = format.strip_prefix("uuid").unwrap_or_default();
    let variant = !matches!(version, "4" | "5")
        || digits
            .get(16..17)
            .is_some_and(|digit| "89abAB".contains(digit));
    rest.is_empty()
        && !text.ends_with('-')
        && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
        && digits
            .get(12..)
            .is_some_and(|rest| rest.starts_with(version))
        && variant
}

/// Returns whether the text is nine digits and the right check digit, which may be `X`. Spaces and
/// hyphens are ignored.
pub(super) fn is_isbn10(text: &str) -> bool {
    let text = without_separators(text);
    let value = |(at, digit): (usize, char)| match digit {
        'X' if at == 9 => Some(100),
        digit => Some((at as u32 + 1) * digit.to_digit(10)?),
    };
    let values: Option<Vec<u32>> = text.chars().enumerate().map(value).collect();
    values.is_some_and(|values| values.len() == 10 && values.iter().sum::<u32>() % 11 == 0)
}

/// Returns whether the text is twelve digits and the right check digit. Spaces and hyphens are
/// ignored.
pub(super) fn is_isbn13(text: &str) -> bool {
    let text = without_separators(text);
    let value = |(at, digit): (usize, char)| Some([1, 3][at % 2] * digit.to_digit(10)?);
    let values: Option<Vec<u32>> = text.chars().enumerate().map(value).collect();
    values.is_some_and(|values| values.len() == 13 && values.iter().sum::<u32>() % 10 == 0)
}

fn without_separators(text: &str) -> String {
    text.replace(
        |letter: char| letter.is_ascii_whitespace() || letter == '-',
        "",
    )
}

/// Returns whether the digits are a card number of a known issuer with a valid checksum. Other
/// characters are ignored (`IsCreditCard` of kube-openapi's govalidator).
pub(super) fn is_credit_card(text: &str) -> bool {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let value = |(at, digit): (usize, char)| {
        let digit = digit.to_digit(10).unwrap_or_default();
        match at % 2 {
            0 => digit,
            _ => digit * 2 / 10 + digit * 2 % 10,
        }
    };
    let sum: u32 = digits.chars().rev().enumerate().map(value).sum();
    has_issuer(&digits) && sum.is_multiple_of(10)
}

/// Returns whether the prefix and the length belong to a known issuer.
fn has_issuer(digits: &str) -> bool {
    let begins = |prefixes: &[&str]| prefixes.iter().any(|prefix| digits.starts_with(prefix));
    match digits.len() {
        13 => begins(&["4"]),
        14 => begins(&["300", "301", "302", "303", "304", "305", "36", "38"]),
        15 => begins(&["34", "37", "2131", "1800"]),
        16 => begins(&["4", "51", "52", "53", "54", "55", "6011", "65", "35"]),
        _ => false,
    }
}

/// Returns whether the text has the form `123-45-6789`, with spaces or hyphens.
pub(super) fn is_ssn(text: &str) -> bool {
    let fits = |(byte, wanted): (u8, u8)| match wanted {
        b'-' => matches!(byte, b'-' | b' '),
        _ => byte.is_ascii_digit(),
    };
    text.len() == 11 && text.bytes().zip(*b"000-00-0000").all(fits)
}

/// Returns whether the text is a color such as `#0a0` or `00aa00`.
pub(super) fn is_hex_color(text: &str) -> bool {
    let digits = text.strip_prefix('#').unwrap_or(text);
    matches!(digits.len(), 3 | 6) && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
}

/// Returns whether the text is a color such as `rgb(0, 170, 0)`.
pub(super) fn is_rgb_color(text: &str) -> bool {
    let inside = text
        .strip_prefix("rgb(")
        .and_then(|text| text.strip_suffix(')'));
    let is_part = |part: &str| {
        let part = part.trim_ascii();
        let plain = part == "0" || !part.starts_with('0');
        plain && part.bytes().all(|digit| digit.is_ascii_digit()) && part.parse::<u8>().is_ok()
    };
    inside.is_some_and(|inside| inside.split(',').count() == 3 && inside.split(',').all(is_part))
}
