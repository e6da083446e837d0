//! Parsing of IP addresses and CIDRs, as in Go's package `net/netip`.

use std::net::IpAddr;

use genclient_apimachinery::go::quoted;

/// Parses an address for the `ip` library, which admits neither zones nor IPv4-mapped addresses
/// (`parseIPAddr` in k8s.io/apiserver/pkg/cel/library, ip.go).
pub(super) fn parse_ip(text: &str) -> Result<IpAddr, String> {
    let (address, zone) = parse_address(text).map_err(|error| {
        let text = quoted(text);
        format!("IP Address {text} parse error during conversion from string: {error}")
    })?;
    let shown = quoted(text);
    if zone {
        return Err(format!("IP address {shown} with zone value is not allowed"));
    }
    if is_mapped(address) {
        return Err(format!("IPv4-mapped IPv6 address {shown} is not allowed"));
    }
    Ok(address)
}

fn is_mapped(address: IpAddr) -> bool {
    matches!(address, IpAddr::V6(address) if address.to_ipv4_mapped().is_some())
}

/// Parses a CIDR for the `cidr` library (`parseCIDR` in k8s.io/apiserver/pkg/cel/library, cidr.go).
pub(super) fn parse_cidr(text: &str) -> Result<(IpAddr, u8), String> {
    let (address, bits) = parse_prefix(text).map_err(|error| {
        let text = quoted(text);
        format!(
            "network address parse error during conversion from string: \
             netip.ParsePrefix({text}): {error}"
        )
    })?;
    if is_mapped(address) {
        let text = quoted(text);
        return Err(format!("IPv4-mapped IPv6 address {text} is not allowed"));
    }
    Ok((address, bits))
}

/// Parses address and prefix length (`netip.ParsePrefix`).
fn parse_prefix(text: &str) -> Result<(IpAddr, u8), String> {
    let (address, bits) = text.rsplit_once('/').ok_or("no '/'")?;
    let (address, zone) = parse_address(address)?;
    if zone {
        return Err("IPv6 zones cannot be present in a prefix".to_owned());
    }
    let bad = || format!("bad bits after slash: {}", quoted(bits));
    if bits.len() > 1 && !bits.starts_with(|c: char| ('1'..='9').contains(&c)) {
        return Err(bad());
    }
    let number: i64 = bits.parse().map_err(|_| bad())?;
    let most = if address.is_ipv4() { 32 } else { 128 };
    let number = u8::try_from(number)
        .ok()
        .filter(|number| *number <= most)
        .ok_or("prefix length out of range")?;
    Ok((address, number))
}

/// Parses an address as `netip.ParseAddr` does. Returns the address and whether it has a zone.
///
/// # Errors
///
/// Returns Go's error message.
pub(super) fn parse_address(text: &str) -> Result<(IpAddr, bool), String> {
    let error = |message: &str, at: &str| {
        let at = match at {
            "" => String::new(),
            at => format!(" (at {})", quoted(at)),
        };
        Err(format!("ParseAddr({}): {message}{at}", quoted(text)))
    };
    match text.find(['.', ':', '%']).map(|at| text.as_bytes()[at]) {
        None => error("unable to parse IP", ""),
        Some(b'.') => match parse_ipv4(text) {
            Ok(octets) => Ok((IpAddr::V4(octets.into()), false)),
            Err((message, at)) => error(message, at),
        },
        Some(b':') => match parse_ipv6(text) {
            Ok((octets, zone)) => Ok((IpAddr::V6(octets.into()), zone)),
            Err((message, at)) => error(message, at),
        },
        Some(_) => error("missing IPv6 address", ""),
    }
}

type Fault<'t> = (&'static str, &'t str);

/// Parses an IPv4 address (`parseIPv4Fields`).
fn parse_ipv4(text: &str) -> Result<[u8; 4], Fault<'_>> {
    let mut octets = [0; 4];
    let (mut value, mut place, mut digits) = (0_u32, 0, 0);
    let bytes = text.as_bytes();
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'0'..=b'9' => {
                if digits == 1 && value == 0 {
                    return Err(("IPv4 field has octet with leading zero", ""));
                }
                value = value * 10 + u32::from(byte - b'0');
                digits += 1;
                if value > 255 {
                    return Err(("IPv4 field has value >255", ""));
                }
            }
            b'.' => {
                if at == 0 || at + 1 == bytes.len() || bytes[at - 1] == b'.' {
                    return Err(("IPv4 field must have at least one digit", &text[at..]));
                }
                if place == 3 {
                    return Err(("IPv4 address too long", ""));
                }
                octets[place] = u8::try_from(value).unwrap_or_default();
                (value, digits, place) = (0, 0, place + 1);
            }
            _ => return Err(("unexpected character", &text[at..])),
        }
    }
    if place < 3 {
        return Err(("IPv4 address too short", ""));
    }
    octets[3] = u8::try_from(value).unwrap_or_default();
    Ok(octets)
}

/// Parses an IPv6 address, and returns whether it has a zone (`parseIPv6`).
#[expect(clippy::too_many_lines, reason = "one pass over the text, as in Go")]
fn parse_ipv6(text: &str) -> Result<([u8; 16], bool), Fault<'_>> {
    let (mut rest, zone) = match text.split_once('%') {
        None => (text, false),
        Some((_, "")) => return Err(("zone must be a non-empty string", "")),
        Some((address, _)) => (address, true),
    };
    let (mut octets, mut count, mut gap): ([u8; 16], usize, Option<usize>) = ([0; 16], 0, None);
    if let Some(after) = rest.strip_prefix("::") {
        (gap, rest) = (Some(0), after);
        if rest.is_empty() {
            return Ok((octets, zone));
        }
    }
    while count < 16 {
        let mut value = 0_u32;
        let mut digits = 0;
        for letter in rest.chars() {
            let Some(digit) = letter.to_digit(16) else {
                break;
            };
            value = (value << 4) + digit;
            if digits > 3 {
                return Err(("each group must have 4 or less digits", rest));
            }
            digits += 1;
        }
        if digits == 0 {
            return Err((
                "each colon-separated field must have at least one digit",
                rest,
            ));
        }
        if rest.as_bytes().get(digits) == Some(&b'.') {
            if gap.is_none() && count != 12 {
                return Err((
                    "embedded IPv4 address must replace the final 2 fields of the address",
                    rest,
                ));
            }
            if count + 4 > 16 {
                return Err((
                    "too many hex fields to fit an embedded IPv4 at the end of the address",
                    rest,
                ));
            }
            octets[count..count + 4].copy_from_slice(&parse_ipv4(rest)?);
            (rest, count) = ("", count + 4);
            break;
        }
        let value = u16::try_from(value).unwrap_or_default();
        octets[count..count + 2].copy_from_slice(&value.to_be_bytes());
        count += 2;
        rest = &rest[digits..];
        if rest.is_empty() {
            break;
        }
        match rest.strip_prefix(':') {
            None => return Err(("unexpected character, want colon", rest)),
            Some("") => return Err(("colon must be followed by more characters", rest)),
            Some(after) => rest = after,
        }
        if let Some(after) = rest.strip_prefix(':') {
            if gap.is_some() {
                return Err(("multiple :: in address", rest));
            }
            (gap, rest) = (Some(count), after);
            if rest.is_empty() {
                break;
            }
        }
    }
    if !rest.is_empty() {
        return Err(("trailing garbage after address", rest));
    }
    match gap {
        None if count < 16 => return Err(("address string too short", "")),
        Some(_) if count == 16 => {
            return Err(("the :: must expand to at least one field of zeros", ""));
        }
        Some(gap) => {
            let moved = count - gap;
            octets.copy_within(gap..count, 16 - moved);
            octets[gap..16 - moved].fill(0);
        }
        None => {}
    }
    Ok((octets, zone))
}
