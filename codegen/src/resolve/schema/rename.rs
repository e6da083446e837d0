//! Rename rules of serde's `rename_all`.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Rename {
    #[default]
    None,
    Lower,
    Upper,
    Pascal,
    Camel,
    Snake,
    ScreamingSnake,
    Kebab,
    ScreamingKebab,
}

/// The rules by their names (`serde_derive::internals::case::RENAME_RULES`).
pub(super) const RULES: &[(&str, Rename)] = &[
    ("lowercase", Rename::Lower),
    ("UPPERCASE", Rename::Upper),
    ("PascalCase", Rename::Pascal),
    ("camelCase", Rename::Camel),
    ("snake_case", Rename::Snake),
    ("SCREAMING_SNAKE_CASE", Rename::ScreamingSnake),
    ("kebab-case", Rename::Kebab),
    ("SCREAMING-KEBAB-CASE", Rename::ScreamingKebab),
];

impl Rename {
    pub(super) fn parse(rule: &str) -> Option<Self> {
        let (_, rename) = RULES.iter().find(|(name, _)| *name == rule)?;
        Some(*rename)
    }

    /// Renames a field. `name` is in snake case.
    pub(super) fn field(self, name: &str) -> String {
        match self {
            Self::None | Self::Lower | Self::Snake => name.to_owned(),
            Self::Upper | Self::ScreamingSnake => name.to_ascii_uppercase(),
            Self::Pascal => pascal(name),
            Self::Camel => lower_first(&pascal(name)),
            Self::Kebab => name.replace('_', "-"),
            Self::ScreamingKebab => name.to_ascii_uppercase().replace('_', "-"),
        }
    }

    /// Renames a variant. `name` is in Pascal case.
    pub(super) fn variant(self, name: &str) -> String {
        match self {
            Self::None | Self::Pascal => name.to_owned(),
            Self::Lower => name.to_ascii_lowercase(),
            Self::Upper => name.to_ascii_uppercase(),
            Self::Camel => lower_first(name),
            Self::Snake => snake(name),
            Self::ScreamingSnake => snake(name).to_ascii_uppercase(),
            Self::Kebab => snake(name).replace('_', "-"),
            Self::ScreamingKebab => snake(name).to_ascii_uppercase().replace('_', "-"),
        }
    }
}

fn pascal(name: &str) -> String {
    let mut out = String::new();
    let mut upper = true;
    for c in name.chars() {
        if c == '_' {
            upper = true;
        } else if upper {
            out.push(c.to_ascii_uppercase());
            upper = false;
        } else {
            out.push(c);
        }
    }
    out
}

fn lower_first(name: &str) -> String {
    let mut chars = name.chars();
    match chars.next() {
        Some(first) => first.to_ascii_lowercase().to_string() + chars.as_str(),
        None => String::new(),
    }
}

fn snake(name: &str) -> String {
    let mut out = String::new();
    for (at, c) in name.char_indices() {
        if at > 0 && c.is_uppercase() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use serde::Serialize;

    use super::Rename;

    /// Returns the rule `$rule`, and the names that serde gives to fields and variants by it.
    macro_rules! renamed {
        ($rule:literal) => {{
            #[derive(Serialize)]
            #[serde(rename_all = $rule)]
            #[expect(
                non_snake_case,
                reason = "serde renames fields that are not in snake case, too"
            )]
            struct Fields {
                plain: u8,
                gpu_amount: u8,
                r#type: u8,
                v1_beta2: u8,
                __private__name_: u8,
                x9: u8,
                camelCased: u8,
                straße: u8,
            }
            #[derive(Serialize)]
            #[serde(rename_all = $rule)]
            enum Variants {
                Plain,
                GpuAmount,
                HTTPServer,
                V1Beta2,
                r#Yield,
                Straße,
                Id9,
                A1b2C3,
            }
            let fields = Fields {
                plain: 0,
                gpu_amount: 0,
                r#type: 0,
                v1_beta2: 0,
                __private__name_: 0,
                x9: 0,
                camelCased: 0,
                straße: 0,
            };
            let variants = [
                Variants::Plain,
                Variants::GpuAmount,
                Variants::HTTPServer,
                Variants::V1Beta2,
                Variants::r#Yield,
                Variants::Straße,
                Variants::Id9,
                Variants::A1b2C3,
            ];
            let fields = serde_json::to_value(fields).unwrap();
            (
                $rule,
                fields.as_object().unwrap().keys().cloned().collect(),
                variants
                    .map(|variant| serde_json::to_value(variant).unwrap())
                    .map(|name| name.as_str().unwrap().to_owned())
                    .to_vec(),
            )
        }};
    }

    #[test]
    fn fields_and_variants_are_renamed_as_serde_does() {
        let fields = [
            "plain",
            "gpu_amount",
            "type",
            "v1_beta2",
            "__private__name_",
            "x9",
            "camelCased",
            "straße",
        ];
        let variants = [
            "Plain",
            "GpuAmount",
            "HTTPServer",
            "V1Beta2",
            "Yield",
            "Straße",
            "Id9",
            "A1b2C3",
        ];
        let rules: [(&str, Vec<String>, Vec<String>); 8] = [
            renamed!("lowercase"),
            renamed!("UPPERCASE"),
            renamed!("PascalCase"),
            renamed!("camelCase"),
            renamed!("snake_case"),
            renamed!("SCREAMING_SNAKE_CASE"),
            renamed!("kebab-case"),
            renamed!("SCREAMING-KEBAB-CASE"),
        ];
        for (name, by_serde, variants_by_serde) in rules {
            let rule = Rename::parse(name).unwrap();
            let mut ours = fields.map(|field| rule.field(field)).to_vec();
            // serde_json sorts the members of an object.
            ours.sort();
            assert_eq!(ours, by_serde, "{name}");
            assert_eq!(
                variants.map(|variant| rule.variant(variant)).to_vec(),
                variants_by_serde,
                "{name}"
            );
        }
    }
}
