//! API groups of stated rules that neither Kubernetes nor the package has.

use genclient_syntax::{Spanned, closest};

use crate::known;
use crate::resolve::kind::Kind;

/// Message and help for a group that does not exist. A group with a dot may be of another project,
/// unless it differs from a known one by a slip of the keyboard.
pub(super) fn unknown(
    group: &str,
    resources: &[Spanned<String>],
    kinds: &[Kind<'_>],
) -> Option<(String, String)> {
    let own: Vec<_> = kinds.iter().map(|kind| &*kind.attrs.group.value).collect();
    if group == "*" || group.is_empty() || known::is_group(group) || own.contains(&group) {
        return None;
    }
    let all: Vec<_> = own.iter().copied().chain(known::groups()).collect();
    if group.contains('.') {
        let meant = all.iter().find(|other| is_slip(group, other)).copied();
        let meant = meant.or_else(|| with_domain(group, resources))?;
        return Some((
            format!("unknown API group `{group}`"),
            format!("did you mean `{meant}`?"),
        ));
    }
    let labeled = |label: &str| all.iter().find(|other| first_label(other) == label);
    let labels = all.iter().map(|other| first_label(other));
    let labels: Vec<_> = labels.filter(|label| !label.is_empty()).collect();
    let meant = labeled(group)
        .or_else(|| labeled(closest(group, labels.iter().copied())?))
        .copied()
        .filter(|_| group != "extensions")
        .or_else(|| known::groups().find(|known| has_all(known, resources)));
    let help = match meant {
        Some("") => "write `\"\"` for the core group".to_owned(),
        Some(meant) => format!("write `{meant:?}`"),
        None => "write the whole group with its domain, such as `\"apps.example.com\"`".to_owned(),
    };
    let message = if group == "extensions" {
        "Kubernetes 1.22 removed the API group `extensions`".to_owned()
    } else {
        format!("Kubernetes has no API group `{group}`")
    };
    Some((message, help))
}

fn first_label(group: &str) -> &str {
    group.split('.').next().unwrap_or_default()
}

fn has_all(group: &str, resources: &[Spanned<String>]) -> bool {
    resources
        .iter()
        .all(|resource| known::has_resource(group, &resource.value))
}

/// Returns the group without a domain that `apps.k8s.io` means, if it has the resources.
/// `autoscaling.k8s.io` is a group of the vertical Pod autoscaler.
fn with_domain<'a>(group: &str, resources: &[Spanned<String>]) -> Option<&'a str> {
    let label = group.strip_suffix(".k8s.io")?;
    let meant = known::groups().find(|known| *known == label)?;
    has_all(meant, resources).then_some(meant)
}

/// True if one letter is missing, added or swapped with its neighbour. A replaced letter only
/// counts in the domain, since projects name groups alike, such as `team-a` and `team-b`.
fn is_slip(group: &str, other: &str) -> bool {
    let has_digits = |text: &str| text.bytes().any(|byte| byte.is_ascii_digit());
    let (label, of_other) = (first_label(group), first_label(other));
    if !other.contains('.') || label.len() < 4 || of_other.len() < 4 || group == other {
        return false;
    }
    if label == of_other {
        return is_near(&group[label.len()..], &other[label.len()..], true);
    }
    group[label.len()..] == other[of_other.len()..]
        && !has_digits(label)
        && !has_digits(of_other)
        && is_near(label, of_other, false)
}

/// True if two texts differ by one letter that is missing or swapped with its neighbour, or also
/// replaced.
fn is_near(text: &str, other: &str, replaced: bool) -> bool {
    let (short, long) = if text.len() < other.len() {
        (text, other)
    } else {
        (other, text)
    };
    let (short, long) = (short.as_bytes(), long.as_bytes());
    let same = short.iter().zip(long).take_while(|(a, b)| a == b).count();
    let (short, long) = (&short[same..], &long[same..]);
    match (short, long) {
        (short, [_, rest @ ..]) if short == rest => true,
        ([a, b, short @ ..], [c, d, long @ ..]) if short == long && (a, b) == (d, c) => true,
        ([_, short @ ..], [_, long @ ..]) => replaced && short == long,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_slip;

    #[test]
    fn only_slips_of_the_keyboard_are_reported() {
        for (group, other, expected) in [
            ("sale.acme.dev", "sales.acme.dev", true),
            ("slaes.acme.dev", "sales.acme.dev", true),
            ("sales.acne.dev", "sales.acme.dev", true),
            ("sales.acme.de", "sales.acme.dev", true),
            ("tales.acme.dev", "sales.acme.dev", false),
            ("sales.acme.com", "sales.acme.dev", false),
            ("db.acme.dev", "dbs.acme.dev", false),
            ("team1.acme.dev", "team.acme.dev", false),
            ("metrics.k8s.io", "events.k8s.io", false),
            ("gateway.networking.k8s.io", "networking.k8s.io", false),
            ("network.k8s.io", "networking.k8s.io", false),
            ("coordinaton.k8s.io", "coordination.k8s.io", true),
        ] {
            assert_eq!(is_slip(group, other), expected, "{group}");
        }
    }
}
