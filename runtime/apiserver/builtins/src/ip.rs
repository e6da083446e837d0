//! Warnings about IP addresses and CIDRs that are accepted but not in canonical form.
//!
//! kube-apiserver rejects leading zeros and IPv4-mapped IPv6 addresses in new objects. This server
//! rejects them only in some fields, and warns about them in the others.
//!
//! Source: `GetWarningsForIP` and `GetWarningsForCIDR` of k8s.io/apimachinery/pkg/util/validation.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::types::quoted;
use crate::warnings::Warnings;

/// Warns about an address that is not canonical. Ignores text that is not an address.
pub(crate) fn warn_ip(field: &str, value: &str, out: &mut Warnings) {
    let Some(parsed) = parse_sloppy_ip(value) else {
        return;
    };
    let shown = quoted(value);
    match value.parse::<IpAddr>() {
        Ok(IpAddr::V4(_)) => {}
        Ok(IpAddr::V6(strict)) if strict.to_ipv4_mapped().is_none() => {
            let canonical = strict.to_string();
            if canonical != value {
                let canonical = quoted(&canonical);
                out.push(format!(
                    "{field}: IPv6 address {shown} should be in RFC 5952 canonical format \
                     ({canonical})"
                ));
            }
        }
        _ => {
            let preferred = quoted(&format_ip(parsed));
            out.push(format!(
                "{field}: non-standard IP address {shown} is invalid: use {preferred}"
            ));
        }
    }
}

/// Warns about a CIDR that is not canonical. Ignores text that is not a CIDR.
pub(crate) fn warn_cidr(field: &str, value: &str, out: &mut Warnings) {
    let Some((written, bits)) = value.split_once('/') else {
        return;
    };
    let (Some(ip), Some(length)) = (parse_sloppy_ip(written), parse_prefix_length(bits)) else {
        return;
    };
    let width = if ip.is_ipv4() { 32 } else { 128 };
    if length > width {
        return;
    }
    let network = mask_host_bits(ip, length);
    let text = format_network(network, length);
    let shown = quoted(value);
    let before = out.len();
    if network != ip {
        let single = quoted(&format!("{}/{width}", format_ip(ip)));
        let text = quoted(&text);
        out.push(format!(
            "{field}: CIDR value {shown} is ambiguous in this context (should be {text} or \
             {single}?)"
        ));
    }
    let strict = written
        .parse::<IpAddr>()
        .ok()
        .filter(|_| length.to_string() == bits);
    match strict {
        Some(IpAddr::V4(_)) => {}
        Some(IpAddr::V6(strict)) if strict.to_ipv4_mapped().is_none() => {
            let canonical = format!("{strict}/{length}");
            if out.len() == before && canonical != value {
                let canonical = quoted(&canonical);
                out.push(format!(
                    "{field}: IPv6 CIDR value {shown} should be in RFC 5952 canonical format \
                     ({canonical})"
                ));
            }
        }
        _ => {
            let text = quoted(&text);
            out.push(format!(
                "{field}: non-standard CIDR value {shown} is invalid: use {text}"
            ));
        }
    }
}

/// Parses an address whose parts may have leading zeros (`ParseIPSloppy`).
pub(crate) fn parse_sloppy_ip(text: &str) -> Option<IpAddr> {
    let mut parts = String::with_capacity(text.len());
    for part in text.split_inclusive([':', '.']) {
        let (digits, end) = match part.strip_suffix([':', '.']) {
            Some(digits) => (digits, &part[digits.len()..]),
            None => (part, ""),
        };
        let short = digits.trim_start_matches('0');
        let is_zero = short.is_empty() && !digits.is_empty();
        parts.push_str(if is_zero { "0" } else { short });
        parts.push_str(end);
    }
    parts.parse().ok()
}

/// Parses a prefix length, such as `24` in `10.0.0.0/24`.
pub(crate) fn parse_prefix_length(text: &str) -> Option<u32> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

/// Clears the host bits of an address, that is, all bits after the first `length`.
pub(crate) fn mask_host_bits(ip: IpAddr, length: u32) -> IpAddr {
    match ip {
        IpAddr::V4(ip) => {
            let mask = u32::MAX.checked_shl(32 - length).unwrap_or_default();
            Ipv4Addr::from_bits(ip.to_bits() & mask).into()
        }
        IpAddr::V6(ip) => {
            let mask = u128::MAX.checked_shl(128 - length).unwrap_or_default();
            Ipv6Addr::from_bits(ip.to_bits() & mask).into()
        }
    }
}

/// Formats an address as Go's `net.IP` does, which prints IPv4-mapped IPv6 as IPv4.
fn format_ip(ip: IpAddr) -> String {
    ip.to_canonical().to_string()
}

/// Formats a network as Go's `net.IPNet` does, which prints an IPv4-mapped network as IPv4.
fn format_network(network: IpAddr, length: u32) -> String {
    let is_mapped = network.is_ipv6() && network.to_canonical().is_ipv4();
    let length = if is_mapped {
        length.saturating_sub(96)
    } else {
        length
    };
    format!("{}/{length}", format_ip(network))
}
