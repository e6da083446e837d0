//! Functions for IP addresses and CIDRs (Go's package `net/netip`).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::binding::Binding;
use crate::evaluate::address::{parse_cidr, parse_ip};
use crate::evaluate::value::Value;

pub(super) fn binding(function: &str) -> Option<Binding> {
    Some(match function {
        "ip" => Binding::Guarded(|args| match args {
            [Value::Cidr(address, _)] => Value::Ip(*address),
            _ => ip(args),
        }),
        "isIP" => {
            Binding::Guarded(|args| apply_to_text(args, |text| Value::Bool(parse_ip(text).is_ok())))
        }
        "ip.isCanonical" => Binding::Guarded(is_canonical),
        "family" => Binding::Guarded(|args| {
            apply_to_address(args, |address| {
                Value::Int(if address.is_ipv4() { 4 } else { 6 })
            })
        }),
        "isUnspecified" => Binding::Guarded(|args| {
            apply_to_address(args, |address| Value::Bool(address.is_unspecified()))
        }),
        "isLoopback" => Binding::Guarded(|args| {
            apply_to_address(args, |address| Value::Bool(address.is_loopback()))
        }),
        "isLinkLocalMulticast" => Binding::Guarded(|args| {
            apply_to_address(args, |address| {
                Value::Bool(is_link_local_multicast(address))
            })
        }),
        "isLinkLocalUnicast" => Binding::Guarded(|args| {
            apply_to_address(args, |address| Value::Bool(is_link_local_unicast(address)))
        }),
        "isGlobalUnicast" => Binding::Guarded(|args| {
            apply_to_address(args, |address| Value::Bool(is_global_unicast(address)))
        }),
        "cidr" => Binding::Guarded(cidr),
        "isCIDR" => Binding::Guarded(|args| {
            apply_to_text(args, |text| Value::Bool(parse_cidr(text).is_ok()))
        }),
        "prefixLength" => Binding::Guarded(|args| match args {
            [Value::Cidr(_, bits)] => Value::Int(i64::from(*bits)),
            _ => Value::no_such_overload(),
        }),
        "masked" => Binding::Guarded(|args| match args {
            [Value::Cidr(address, bits)] => Value::Cidr(mask_address(*address, *bits), *bits),
            _ => Value::no_such_overload(),
        }),
        "containsIP" => Binding::Guarded(contains_ip),
        "containsCIDR" => Binding::Guarded(contains_cidr),
        _ => return None,
    })
}

fn apply_to_text<'a>(args: &[Value<'a>], answer: fn(&str) -> Value<'static>) -> Value<'a> {
    match args {
        [Value::Text(text)] => Value::Bool(matches!(answer(text), Value::Bool(true))),
        _ => Value::no_such_overload(),
    }
}

fn apply_to_address<'a>(args: &[Value<'a>], answer: fn(IpAddr) -> Value<'static>) -> Value<'a> {
    match args {
        [Value::Ip(address)] => match answer(*address) {
            Value::Int(value) => Value::Int(value),
            other => Value::Bool(matches!(other, Value::Bool(true))),
        },
        _ => Value::no_such_overload(),
    }
}

fn ip<'a>(args: &[Value<'a>]) -> Value<'a> {
    match args {
        [Value::Text(text)] => match parse_ip(text) {
            Ok(address) => Value::Ip(address),
            Err(error) => Value::error(error),
        },
        _ => Value::no_such_overload(),
    }
}

fn is_canonical<'a>(args: &[Value<'a>]) -> Value<'a> {
    match args {
        [Value::Text(text)] => match parse_ip(text) {
            Ok(address) => Value::Bool(address.to_string() == **text),
            Err(error) => Value::error(error),
        },
        _ => Value::no_such_overload(),
    }
}

fn cidr<'a>(args: &[Value<'a>]) -> Value<'a> {
    match args {
        [Value::Text(text)] => match parse_cidr(text) {
            Ok((address, bits)) => Value::Cidr(address, bits),
            Err(error) => Value::error(format!(
                "network address parse error during conversion from string: {error}"
            )),
        },
        _ => Value::no_such_overload(),
    }
}

/// Returns whether a CIDR contains an address, given as a value or a string.
fn contains_ip<'a>(args: &[Value<'a>]) -> Value<'a> {
    match args {
        [Value::Cidr(network, bits), Value::Ip(address)] => {
            let inside = network.is_ipv4() == address.is_ipv4()
                && mask_address(*address, *bits) == mask_address(*network, *bits);
            Value::Bool(inside)
        }
        [network, text @ Value::Text(_)] => match ip(std::slice::from_ref(text)) {
            address @ Value::Ip(_) => contains_ip(&[network.clone(), address]),
            _ => Value::no_such_overload(),
        },
        _ => Value::no_such_overload(),
    }
}

/// Returns whether a CIDR contains another one, given as a value or a string.
fn contains_cidr<'a>(args: &[Value<'a>]) -> Value<'a> {
    match args {
        [Value::Cidr(network, bits), Value::Cidr(inner, inner_bits)] => {
            let fewest = *bits.min(inner_bits);
            let overlaps = network.is_ipv4() == inner.is_ipv4()
                && mask_address(*network, fewest) == mask_address(*inner, fewest);
            Value::Bool(overlaps && bits <= inner_bits)
        }
        [network, text @ Value::Text(_)] => match cidr(std::slice::from_ref(text)) {
            inner @ Value::Cidr(..) => contains_cidr(&[network.clone(), inner]),
            error => error,
        },
        _ => Value::no_such_overload(),
    }
}

/// Clears all bits after the first `bits`.
fn mask_address(address: IpAddr, bits: u8) -> IpAddr {
    let bits = u32::from(bits);
    match address {
        IpAddr::V4(address) => {
            let mask = u32::MAX
                .checked_shl(32_u32.saturating_sub(bits))
                .unwrap_or(0);
            IpAddr::V4(Ipv4Addr::from(u32::from(address) & mask))
        }
        IpAddr::V6(address) => {
            let mask = u128::MAX
                .checked_shl(128_u32.saturating_sub(bits))
                .unwrap_or(0);
            IpAddr::V6(Ipv6Addr::from(u128::from(address) & mask))
        }
    }
}

fn is_link_local_multicast(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.octets().starts_with(&[224, 0, 0]),
        IpAddr::V6(address) => address.segments()[0] & 0xff0f == 0xff02,
    }
}

fn is_link_local_unicast(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_link_local(),
        IpAddr::V6(address) => address.segments()[0] & 0xffc0 == 0xfe80,
    }
}

fn is_global_unicast(address: IpAddr) -> bool {
    !(address == IpAddr::V4(Ipv4Addr::BROADCAST)
        || address.is_unspecified()
        || address.is_loopback()
        || address.is_multicast()
        || is_link_local_unicast(address))
}
