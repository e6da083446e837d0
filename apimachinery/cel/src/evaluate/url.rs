//! URL parsing and formatting, as in Go's package `net/url`.

use std::fmt;
use std::net::IpAddr;

use genclient_apimachinery::go::quoted;

use super::address;

#[derive(Debug, Default)]
pub(super) struct Url {
    pub(super) scheme: String,
    opaque: String,
    user: Option<(String, Option<String>)>,
    pub(super) host: String,
    path: String,
    raw_path: String,
    omit_host: bool,
    force_query: bool,
    pub(super) query: String,
    fragment: String,
    raw_fragment: String,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Escaping {
    Path,
    Host,
    Zone,
    User,
    Query,
    Fragment,
}

/// Checks an absolute URI or an absolute path (`url.ParseRequestURI`).
///
/// # Errors
///
/// Returns Go's error message.
pub(super) fn check_request_uri(text: &str) -> Result<(), String> {
    match parse_without_fragment(text, true) {
        Ok(_) => Ok(()),
        Err(error) => Err(format!("parse {}: {error}", quoted(text))),
    }
}

impl Url {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (before, fragment) = text.split_once('#').unwrap_or((text, ""));
        let failed = |text, error| format!("parse {}: {error}", quoted(text));
        let mut url =
            parse_without_fragment(before, false).map_err(|error| failed(before, error))?;
        url.fragment =
            unescape(fragment, Escaping::Fragment).map_err(|error| failed(text, error))?;
        if escape(&url.fragment, Escaping::Fragment) != fragment {
            url.raw_fragment = fragment.to_owned();
        }
        Ok(url)
    }

    pub(super) fn escaped_path(&self) -> String {
        let known = unescape(&self.raw_path, Escaping::Path).is_ok_and(|path| path == self.path);
        if !self.raw_path.is_empty() && is_encoded(&self.raw_path, Escaping::Path) && known {
            return self.raw_path.clone();
        }
        if self.path == "*" {
            return self.path.clone();
        }
        escape(&self.path, Escaping::Path)
    }

    fn escaped_fragment(&self) -> String {
        let raw = &self.raw_fragment;
        if !raw.is_empty()
            && is_encoded(raw, Escaping::Fragment)
            && unescape(raw, Escaping::Fragment).is_ok_and(|text| text == self.fragment)
        {
            return raw.clone();
        }
        escape(&self.fragment, Escaping::Fragment)
    }

    pub(super) fn host_and_port(&self) -> (String, String) {
        let (mut host, mut port) = (self.host.as_str(), "");
        if let Some(colon) = host.rfind(':')
            && is_optional_port(&host[colon..])
        {
            (host, port) = (&host[..colon], &host[colon + 1..]);
        }
        let inner = host
            .strip_prefix('[')
            .and_then(|host| host.strip_suffix(']'));
        (inner.unwrap_or(host).to_owned(), port.to_owned())
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        if !self.scheme.is_empty() {
            out.push_str(&self.scheme);
            out.push(':');
        }
        if self.opaque.is_empty() {
            let anything = !self.scheme.is_empty() || !self.host.is_empty() || self.user.is_some();
            let omitted = self.omit_host && self.host.is_empty() && self.user.is_none();
            if anything && !omitted {
                if !self.host.is_empty() || !self.path.is_empty() || self.user.is_some() {
                    out.push_str("//");
                }
                if let Some((name, password)) = &self.user {
                    out.push_str(&escape(name, Escaping::User));
                    if let Some(password) = password {
                        out.push(':');
                        out.push_str(&escape(password, Escaping::User));
                    }
                    out.push('@');
                }
                out.push_str(&escape(&self.host, Escaping::Host));
            }
            let path = self.escaped_path();
            if !path.is_empty() && !path.starts_with('/') && !self.host.is_empty() {
                out.push('/');
            }
            if out.is_empty()
                && path
                    .split('/')
                    .next()
                    .is_some_and(|first| first.contains(':'))
            {
                out.push_str("./");
            }
            out.push_str(&path);
        } else {
            out.push_str(&self.opaque);
        }
        if self.force_query || !self.query.is_empty() {
            out.push('?');
            out.push_str(&self.query);
        }
        if !self.fragment.is_empty() {
            out.push('#');
            out.push_str(&self.escaped_fragment());
        }
        f.write_str(&out)
    }
}

/// Parses a URL without a fragment. With `request`, it must be absolute (`parse` in net/url).
fn parse_without_fragment(text: &str, request: bool) -> Result<Url, String> {
    if text.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
        return Err("net/url: invalid control character in URL".to_owned());
    }
    if text.is_empty() && request {
        return Err("empty url".to_owned());
    }
    let mut url = Url::default();
    if text == "*" {
        url.path = text.to_owned();
        return Ok(url);
    }
    let (scheme, mut rest) = split_scheme(text)?;
    url.scheme = scheme.to_ascii_lowercase();
    if rest.ends_with('?') && rest.matches('?').count() == 1 {
        url.force_query = true;
        rest = &rest[..rest.len() - 1];
    } else if let Some((before, query)) = rest.split_once('?') {
        url.query = query.to_owned();
        rest = before;
    }
    if !rest.starts_with('/') {
        if !url.scheme.is_empty() {
            url.opaque = rest.to_owned();
            return Ok(url);
        }
        if request {
            return Err("invalid URI for request".to_owned());
        }
        if rest
            .split('/')
            .next()
            .is_some_and(|first| first.contains(':'))
        {
            return Err("first path segment in URL cannot contain colon".to_owned());
        }
    }
    let may_have_host = !url.scheme.is_empty() || !request && !rest.starts_with("///");
    if let Some(after) = rest.strip_prefix("//").filter(|_| may_have_host) {
        let end = after.find('/').unwrap_or(after.len());
        (url.user, url.host) = parse_authority(&url.scheme, &after[..end])?;
        rest = &after[end..];
    } else if !url.scheme.is_empty() && rest.starts_with('/') {
        url.omit_host = true;
    }
    url.path = unescape(rest, Escaping::Path)?;
    if escape(&url.path, Escaping::Path) != rest {
        url.raw_path = rest.to_owned();
    }
    Ok(url)
}

fn split_scheme(text: &str) -> Result<(&str, &str), String> {
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if at > 0 => {}
            b':' if at == 0 => return Err("missing protocol scheme".to_owned()),
            b':' => return Ok((&text[..at], &text[at + 1..])),
            _ => return Ok(("", text)),
        }
    }
    Ok(("", text))
}

type User = Option<(String, Option<String>)>;

/// Parses user and host (`parseAuthority`).
fn parse_authority(scheme: &str, text: &str) -> Result<(User, String), String> {
    let (user, host) = match text.rsplit_once('@') {
        Some((user, host)) => (Some(user), host),
        None => (None, text),
    };
    let host = parse_host(scheme, host)?;
    let Some(user) = user else {
        return Ok((None, host));
    };
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(c);
    if !user.chars().all(allowed) {
        return Err("net/url: invalid userinfo".to_owned());
    }
    let user = match user.split_once(':') {
        None => (unescape(user, Escaping::User)?, None),
        Some((name, password)) => {
            let name = unescape(name, Escaping::User)?;
            (name, Some(unescape(password, Escaping::User)?))
        }
    };
    Ok((Some(user), host))
}

fn is_optional_port(text: &str) -> bool {
    text.is_empty()
        || text
            .strip_prefix(':')
            .is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Parses and decodes a host with an optional port (`parseHost`).
fn parse_host(scheme: &str, host: &str) -> Result<String, String> {
    let bad_port = |port: &str| format!("invalid port {} after host", quoted(port));
    match host.rfind('[') {
        Some(0) => {}
        Some(_) => return Err("invalid IP-literal".to_owned()),
        None => {
            if let Some(first) = host.find(':') {
                let last = host.rfind(':').unwrap_or(first);
                let web = matches!(scheme, "http" | "https");
                let port = &host[if web { first } else { last }..];
                if !is_optional_port(port) {
                    return Err(bad_port(port));
                }
            }
            return unescape(host, Escaping::Host);
        }
    }
    let close = host.rfind(']').ok_or("missing ']' in host")?;
    let port = &host[close + 1..];
    if !is_optional_port(port) {
        return Err(bad_port(port));
    }
    let name = &host[1..close];
    let name = match name.find("%25") {
        Some(zone) => {
            let address = unescape(&name[..zone], Escaping::Host)?;
            address + &unescape(&name[zone..], Escaping::Zone)?
        }
        None => unescape(name, Escaping::Host)?,
    };
    match address::parse_address(&name) {
        Err(error) => Err(format!("invalid host: {error}")),
        Ok((IpAddr::V4(_), _)) => Err("invalid IP-literal".to_owned()),
        Ok(_) => Ok(format!("[{name}]{}", unescape(port, Escaping::Host)?)),
    }
}

/// Returns whether a byte needs no escaping.
fn is_plain(byte: u8, mode: Escaping) -> bool {
    if byte.is_ascii_alphanumeric() {
        return true;
    }
    match byte {
        b'-' | b'_' | b'.' | b'~' => true,
        b'!' | b'(' | b')' | b'*' => {
            matches!(mode, Escaping::Host | Escaping::Zone | Escaping::Fragment)
        }
        b'\'' | b'"' | b'<' | b'>' | b'[' | b']' => matches!(mode, Escaping::Host | Escaping::Zone),
        b'$' | b'&' | b'+' | b'=' => mode != Escaping::Query,
        b':' | b'@' | b'/' | b',' | b';' | b'?' => match mode {
            Escaping::Host | Escaping::Zone => matches!(byte, b':' | b',' | b';'),
            Escaping::Path => byte != b'?',
            Escaping::User => matches!(byte, b',' | b';'),
            Escaping::Query => false,
            Escaping::Fragment => true,
        },
        _ => false,
    }
}

fn escape(text: &str, mode: Escaping) -> String {
    let mut out = Vec::with_capacity(text.len());
    for byte in text.bytes() {
        if is_plain(byte, mode) {
            out.push(byte);
        } else if byte == b' ' && mode == Escaping::Query {
            out.push(b'+');
        } else {
            out.extend(format!("%{byte:02X}").bytes());
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn is_encoded(text: &str, mode: Escaping) -> bool {
    text.bytes()
        .all(|byte| b"!$&'()*+,;=:@[]%".contains(&byte) || is_plain(byte, mode))
}

/// Decodes escapes, and rejects characters that `mode` does not admit (`unescape`).
pub(super) fn unescape(text: &str, mode: Escaping) -> Result<String, String> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'%' => {
                let digits = text.get(at + 1..at + 3);
                let value = digits.filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
                let escaped = &bytes[at..(at + 3).min(bytes.len())];
                let error = || {
                    let escaped = String::from_utf8_lossy(escaped);
                    Err(format!("invalid URL escape {}", quoted(&escaped)))
                };
                let Some(value) = value.and_then(|digits| u8::from_str_radix(digits, 16).ok())
                else {
                    return error();
                };
                let percent = escaped == b"%25";
                if mode == Escaping::Host && value < 0x80 && !percent {
                    return error();
                }
                if mode == Escaping::Zone
                    && !percent
                    && value != b' '
                    && !is_plain(value, Escaping::Host)
                {
                    return error();
                }
                out.push(value);
                at += 3;
                continue;
            }
            b'+' if mode == Escaping::Query => out.push(b' '),
            byte => {
                if matches!(mode, Escaping::Host | Escaping::Zone)
                    && byte < 0x80
                    && !is_plain(byte, mode)
                {
                    let shown = quoted(&char::from(byte).to_string());
                    return Err(format!("invalid character {shown} in host name"));
                }
                out.push(byte);
            }
        }
        at += 1;
    }
    Ok(String::from_utf8_lossy(&out).into_owned())
}
