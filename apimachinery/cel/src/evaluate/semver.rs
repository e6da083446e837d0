//! Semantic versions: parsing and comparison (github.com/blang/semver).

use std::cmp::Ordering;
use std::fmt;

use genclient_apimachinery::go::{self, quoted};

#[derive(Debug)]
pub(super) struct SemVer {
    pub(super) numbers: [u64; 3],
    prerelease: Vec<Prerelease>,
    build: Vec<String>,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Prerelease {
    Number(u64),
    Text(String),
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_alphanumeric(text: &str) -> bool {
    text.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

impl SemVer {
    /// Parses a version, with the errors of blang/semver (`Parse`).
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("Version string empty".to_owned());
        }
        let parts: Vec<_> = text.splitn(3, '.').collect();
        let [major, minor, rest] = parts[..] else {
            return Err("No Major.Minor.Patch elements found".to_owned());
        };
        let number = |text: &str, name: &str| {
            if !is_number(text) {
                let text = quoted(text);
                return Err(format!(
                    "Invalid character(s) found in {name} number {text}"
                ));
            }
            if text.len() > 1 && text.starts_with('0') {
                let (first, rest) = name.split_at(1);
                let (first, text) = (first.to_uppercase(), quoted(text));
                return Err(format!(
                    "{first}{rest} number must not contain leading zeroes {text}"
                ));
            }
            go::parse_uint(text)
        };
        let (major, minor) = (number(major, "major")?, number(minor, "minor")?);
        let (rest, build) = match rest.split_once('+') {
            Some((rest, build)) => (rest, Some(build)),
            None => (rest, None),
        };
        let (patch, prerelease) = match rest.split_once('-') {
            Some((patch, prerelease)) => (patch, Some(prerelease)),
            None => (rest, None),
        };
        Ok(Self {
            numbers: [major, minor, number(patch, "patch")?],
            prerelease: prerelease
                .into_iter()
                .flat_map(|text| text.split('.'))
                .map(parse_prerelease)
                .collect::<Result<_, _>>()?,
            build: build
                .into_iter()
                .flat_map(|text| text.split('.'))
                .map(validate_build)
                .collect::<Result<_, _>>()?,
        })
    }

    /// Compares two versions and ignores build metadata.
    pub(super) fn compare(&self, other: &Self) -> Ordering {
        let numbers = self.numbers.cmp(&other.numbers);
        numbers.then_with(|| match (&*self.prerelease, &*other.prerelease) {
            ([], []) => Ordering::Equal,
            ([], _) => Ordering::Greater,
            (_, []) => Ordering::Less,
            (left, right) => left.cmp(right),
        })
    }
}

/// Parses one identifier of a prerelease (`NewPRVersion`).
fn parse_prerelease(text: &str) -> Result<Prerelease, String> {
    if text.is_empty() {
        return Err("Prerelease is empty".to_owned());
    }
    if is_number(text) {
        if text.len() > 1 && text.starts_with('0') {
            let text = quoted(text);
            return Err(format!(
                "Numeric PreRelease version must not contain leading zeroes {text}"
            ));
        }
        return go::parse_uint(text).map(Prerelease::Number);
    }
    if !is_alphanumeric(text) {
        return Err(format!(
            "Invalid character(s) found in prerelease {}",
            quoted(text)
        ));
    }
    Ok(Prerelease::Text(text.to_owned()))
}

fn validate_build(text: &str) -> Result<String, String> {
    if text.is_empty() {
        return Err("Build meta data is empty".to_owned());
    }
    if !is_alphanumeric(text) {
        let text = quoted(text);
        return Err(format!(
            "Invalid character(s) found in build meta data {text}"
        ));
    }
    Ok(text.to_owned())
}

/// Removes a prefix `v` and leading zeros, and completes a short version to three numbers.
pub(super) fn normalize_version(text: &str) -> Result<String, String> {
    let text = text.strip_prefix('v').unwrap_or(text);
    let mut parts: Vec<String> = text
        .splitn(3, '.')
        .map(|part| {
            if part.len() <= 1 {
                return part.to_owned();
            }
            let rest = part.trim_start_matches('0');
            if rest.starts_with(|c: char| c.is_ascii_digit()) {
                rest.to_owned()
            } else {
                format!("0{rest}")
            }
        })
        .collect();
    if parts.len() < 3 {
        if parts.last().is_some_and(|last| last.contains(['+', '-'])) {
            return Err("short version cannot contain PreRelease/Build meta data".to_owned());
        }
        parts.resize(3, "0".to_owned());
    }
    Ok(parts.join("."))
}

impl fmt::Display for SemVer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.numbers;
        write!(f, "{major}.{minor}.{patch}")?;
        for (at, part) in self.prerelease.iter().enumerate() {
            f.write_str(if at == 0 { "-" } else { "." })?;
            match part {
                Prerelease::Number(number) => write!(f, "{number}")?,
                Prerelease::Text(text) => f.write_str(text)?,
            }
        }
        for (at, part) in self.build.iter().enumerate() {
            f.write_str(if at == 0 { "+" } else { "." })?;
            f.write_str(part)?;
        }
        Ok(())
    }
}
