//! Text search for kinds, which is cheaper than parsing.

/// The attribute of kinds.
pub(crate) const RESOURCE: &str = "#[genclient";

/// The derive by which kube makes kinds.
pub(crate) const CUSTOM_RESOURCE: &str = "CustomResource";

/// Whether a file may have a kind, of this project or of kube.
pub(crate) fn states_kind(text: &str) -> bool {
    text.contains(RESOURCE) || derives_kind(text)
}

/// Whether a type in a file may derive `CustomResource`. A text that only mentions it may pass.
pub(crate) fn derives_kind(text: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    text.contains("derive(")
        && text.match_indices(CUSTOM_RESOURCE).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let after = text[at + CUSTOM_RESOURCE.len()..].chars().next();
            // Not `CustomResourceExt`, nor the name in quotes.
            !after.is_some_and(is_name) && !before.is_some_and(|c| is_name(c) || "\"`".contains(c))
        })
}

#[cfg(test)]
mod tests {
    use super::derives_kind;

    #[test]
    fn a_derive_is_told_from_other_names() {
        for (text, expected) in [
            ("#[derive(CustomResource)]", true),
            (
                "use kube::CustomResource;\n#[derive(Clone, CustomResource)]",
                true,
            ),
            ("#[derive(Clone, kube::CustomResource)]", true),
            (
                "#[cfg_attr(feature = \"crd\", derive(kube::CustomResource))]",
                true,
            ),
            ("use kube::CustomResourceExt;\n#[derive(Clone)]", false),
            ("//! `CustomResource`\n#[derive(Clone)]", false),
            ("use kube::CustomResource;", false),
        ] {
            assert_eq!(derives_kind(text), expected, "{text}");
        }
    }
}
