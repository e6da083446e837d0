//! Validation of IP addresses and CIDRs (k8s.io/apimachinery/pkg/util/validation, ip.go).

use std::net::IpAddr;

use genclient_apimachinery::field;

use crate::field::ObjectField;
use crate::ip;

const INVALID_ADDRESS: &str = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
const INVALID_CIDR: &str = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";

/// Parses an address. If it has leading zeros or is an IPv4-mapped IPv6 address, returns both the
/// address and an error.
fn parse_legacy_ip(text: &str) -> (Option<IpAddr>, Option<&'static str>) {
    let Some(ip) = ip::parse_sloppy_ip(text) else {
        return (None, Some(INVALID_ADDRESS));
    };
    let wrong = match text.parse() {
        Ok(IpAddr::V6(ip)) if ip.to_ipv4_mapped().is_some() => {
            Some("must not be an IPv4-mapped IPv6 address")
        }
        Ok(_) => None,
        Err(_) => Some("must not have leading 0s"),
    };
    (Some(ip.to_canonical()), wrong)
}

/// Checks that a field is an IP address without leading zeros, and not IPv4-mapped IPv6
/// (`IsValidIPForLegacyField`). Returns the address if it is valid.
pub(crate) fn validate_ip(field: &ObjectField<'_>, out: &mut field::ErrorList) -> Option<IpAddr> {
    let (ip, wrong) = parse_legacy_ip(field.text());
    if let Some(detail) = wrong {
        field.invalid(detail, out);
    }
    ip.filter(|_| wrong.is_none())
}

/// Checks that a field is an IP address in canonical form (`IsValidIP`). Returns a valid address
/// even if it is not canonical.
pub(crate) fn validate_canonical_ip(
    field: &ObjectField<'_>,
    out: &mut field::ErrorList,
) -> Option<IpAddr> {
    let ip = validate_ip(field, out)?;
    let canonical = ip.to_string();
    if canonical != field.text() {
        field.invalid(&format!("must be in canonical form ({canonical:?})"), out);
    }
    Some(ip)
}

/// Checks that a field is an address to which traffic can be sent.
pub(crate) fn validate_endpoint_ip(field: &ObjectField<'_>, out: &mut field::ErrorList) {
    if let Some(ip) = validate_ip(field, out) {
        validate_reachable(ip, field, out);
    }
}

/// Checks that traffic can be sent to an address: it is not unspecified, loopback, link-local or
/// link-local multicast (`ValidateEndpointIP`).
pub(crate) fn validate_reachable(ip: IpAddr, field: &ObjectField<'_>, out: &mut field::ErrorList) {
    let [local, local_group] = match ip {
        IpAddr::V4(ip) => [ip.is_link_local(), ip.octets()[..3] == [224, 0, 0]],
        IpAddr::V6(ip) => {
            let [first, second, ..] = ip.octets();
            [
                first == 0xfe && second & 0xc0 == 0x80,
                first == 0xff && second & 0x0f == 2,
            ]
        }
    };
    if ip.is_unspecified() {
        let text = field.text();
        field.invalid(&format!("may not be unspecified ({text})"), out);
    }
    if ip.is_loopback() {
        field.invalid(
            "may not be in the loopback range (127.0.0.0/8, ::1/128)",
            out,
        );
    }
    if local {
        field.invalid(
            "may not be in the link-local range (169.254.0.0/16, fe80::/10)",
            out,
        );
    }
    if local_group {
        let detail = "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)";
        field.invalid(detail, out);
    }
}

/// Checks that a field is a CIDR without leading zeros, without bits set beyond the prefix, and not
/// IPv4-mapped (`IsValidCIDRForLegacyField`). Returns address and prefix length of a valid CIDR.
pub(crate) fn validate_cidr(
    field: &ObjectField<'_>,
    out: &mut field::ErrorList,
) -> Option<(IpAddr, u32)> {
    let parsed = field.text().split_once('/').and_then(|(ip, bits)| {
        let ip = ip::parse_sloppy_ip(ip)?;
        let length = ip::parse_prefix_length(bits)?;
        (length <= address_bits(ip)).then_some((ip, length))
    });
    let Some((ip, length)) = parsed else {
        field.invalid(INVALID_CIDR, out);
        return None;
    };
    let strict = field.text().split_once('/').and_then(|(ip, bits)| {
        let is_short = bits == length.to_string();
        ip.parse::<IpAddr>().ok().filter(|_| is_short)
    });
    let detail = match strict {
        None => "must not have leading 0s in IP or prefix length",
        Some(IpAddr::V6(ip)) if ip.to_ipv4_mapped().is_some() => {
            "must not have an IPv4-mapped IPv6 address"
        }
        Some(ip) if ip::mask_host_bits(ip, length) != ip => {
            "must not have bits set beyond the prefix length"
        }
        Some(_) => return Some((ip, length)),
    };
    field.invalid(detail, out);
    None
}

fn address_bits(ip: IpAddr) -> u32 {
    if ip.is_ipv4() { 32 } else { 128 }
}

/// Returns whether the CIDR `inner` is contained in `outer` and smaller.
pub(crate) fn is_strictly_inside(inner: (IpAddr, u32), outer: (IpAddr, u32)) -> bool {
    inner.0.is_ipv4() == outer.0.is_ipv4()
        && inner.1 > outer.1
        && ip::mask_host_bits(inner.0, outer.1) == outer.0
}
