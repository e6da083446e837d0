//! Names of the keys in `#[kube(…)]`, and lookup by name.

use syn::Meta;
use syn::spanned::Spanned as _;

use crate::foreign::{self, name};
use crate::vocabulary::vocabulary;
use crate::{Problems, Spanned};

vocabulary! {
    /// Name of a key of kube-derive 5.
    struct KubeKey;

    /// Every name, for lookup and suggestions.
    const ALL;

    const ANNOTATION = "annotation";
    const ATTR = "attr";
    const CATEGORY = "category";
    const CEL = "cel";
    const CRATES = "crates";
    const DEPRECATED = "deprecated";
    const DERIVE = "derive";
    const DOC = "doc";
    const GROUP = "group";
    const KIND = "kind";
    const LABEL = "label";
    const NAMESPACED = "namespaced";
    const NO_SPEC = "no_spec";
    const PLURAL = "plural";
    const PRINTCOLUMN = "printcolumn";
    const ROOT = "root";
    const SCALE = "scale";
    const SCHEMA = "schema";
    const SELECTABLE = "selectable";
    const SERVED = "served";
    const SHORTNAME = "shortname";
    const SINGULAR = "singular";
    const STATUS = "status";
    const STORAGE = "storage";
    const VALIDATION = "validation";
    const VERSION = "version";
}

impl KubeKey {
    pub(super) fn repeats(self) -> bool {
        matches!(
            self,
            Self::ANNOTATION
                | Self::ATTR
                | Self::CATEGORY
                | Self::DERIVE
                | Self::LABEL
                | Self::PRINTCOLUMN
                | Self::SELECTABLE
                | Self::SHORTNAME
                | Self::VALIDATION
        )
    }
}

pub(super) fn all(metas: &[Meta], key: KubeKey) -> impl Iterator<Item = &Meta> {
    metas.iter().filter(move |meta| meta.path().is_ident(&key))
}

/// Reads the string of `key = ".."`.
pub(super) fn text(meta: &Meta, problems: &mut Problems) -> Option<Spanned<String>> {
    let text = foreign::text(meta);
    if text.is_none() {
        let name = name(meta);
        problems.report(
            meta.span(),
            format!("expected a string for `{name}`"),
            format!("write `{name} = \"..\"`"),
        );
    }
    text
}
