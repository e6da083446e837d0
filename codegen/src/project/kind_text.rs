//! Text search for kinds, which is cheaper than parsing.

/// Start of the attribute `#[genclient]`, which marks a kind.
pub(crate) const RESOURCE: &str = "#[genclient";

/// The derive of kube that makes a type a kind.
pub(crate) const CUSTOM_RESOURCE: &str = "CustomResource";

/// Returns whether a file may have a kind, by genclient's attribute or kube's derive.
pub(crate) fn states_kind(text: &str) -> bool {
    text.contains(RESOURCE) || derives_kind(text)
}

/// Returns whether a type in a file may derive `CustomResource`. A mere mention may match, too.
pub(crate) fn derives_kind(text: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    text.contains("derive(")
        && text.match_indices(CUSTOM_RESOURCE).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let after = text[at + CUSTOM_RESOURCE.len()..].chars().next();
            // Neither `CustomResourceExt` nor the name in quotes.
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
