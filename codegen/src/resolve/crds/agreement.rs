//! Consistency checks between the versions of one kind.

use genclient_syntax::Spanned;

use super::conversions::stated as stated_conversion;
use crate::diagnostic::{Diagnostic, Sink};
use crate::resolve::kind::Kind;
use crate::sources::Sources;

/// Checks that all versions have the same plural and scope.
pub(super) fn check(versions: &[&Kind<'_>], sources: &Sources, sink: &mut Sink) {
    for kind in versions {
        let (first, other) = (&versions[0].attrs, &kind.attrs);
        let (what, help) = if first.plural.value != other.plural.value {
            ("plural", "write the same `plural` on all versions")
        } else if first.scope != other.scope {
            (
                "scope",
                "write `non_namespaced` on all versions, or on none",
            )
        } else {
            continue;
        };
        sink.push(
            Diagnostic::error(format!(
                "the versions {} and {version} of `{}` differ in their {what}",
                versions[0].version.value,
                first.kind.value,
                version = kind.version.value
            ))
            .at(kind.place(sources))
            .label(versions[0].place(sources), "the other version")
            .help(help),
        );
    }
}

/// Checks properties that a CRD has once for all versions, such as short names. The CRD takes them
/// from the storage version, `main`. Other versions may leave them out, but must not state other
/// values.
pub(super) fn check_once(
    versions: &[&Kind<'_>],
    main: &Kind<'_>,
    sources: &Sources,
    sink: &mut Sink,
) {
    let texts = |values: &[Spanned<String>]| -> Vec<String> {
        values.iter().map(|value| value.value.clone()).collect()
    };
    let stated = |kind: &Kind<'_>| {
        let attrs = &kind.attrs;
        let pairs = |pairs: &[(Spanned<String>, Spanned<String>)]| -> Vec<String> {
            let pairs = pairs.iter();
            pairs
                .map(|(key, value)| format!("{}={}", key.value, value.value))
                .collect()
        };
        let conversion = attrs
            .conversion
            .as_ref()
            .map(|c| format!("{:?}", stated_conversion(c, None)));
        [
            ("singular", vec![attrs.singular.value.clone()]),
            ("short_names", texts(&attrs.short_names)),
            ("categories", texts(&attrs.categories)),
            ("annotation", pairs(&attrs.annotations)),
            ("label", pairs(&attrs.labels)),
            ("conversion", conversion.into_iter().collect()),
        ]
    };
    for kind in versions {
        for ((what, other), (_, main_has)) in stated(kind).into_iter().zip(stated(main)) {
            if other.is_empty() || other == main_has {
                continue;
            }
            let (stored, version) = (&main.version.value, &kind.version.value);
            sink.push(
                Diagnostic::error(format!(
                    "`{what}` of {version} differs from that of the storage version {stored}"
                ))
                .at(kind.place(sources))
                .label(main.place(sources), "the storage version")
                .help(format!(
                    "it applies to the whole CRD: write it only on {stored}"
                )),
            );
        }
    }
}

/// Checks that at least one version is served.
pub(super) fn check_served(versions: &[&Kind<'_>], sources: &Sources, sink: &mut Sink) {
    if let [first, ..] = versions
        && versions.iter().all(|kind| kind.attrs.unserved.is_set())
    {
        sink.push(
            Diagnostic::error(format!(
                "no version of `{}` is served",
                first.attrs.kind.value
            ))
            .at(first.place(sources))
            .help("remove `unserved` from one of them, or add `skip_crd` to `#[genclient]`"),
        );
    }
}
