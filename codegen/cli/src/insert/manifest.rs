//! Edits of the user's Cargo.toml.

/// The header of the table with the settings of a package.
const HEADER: &str = "[package.metadata.genclient]";

/// Turns on a setting in `[package.metadata.genclient]`, which is added if it is missing. Returns
/// the old text if the setting is on, and `None` if it cannot be turned on by adding a line.
pub(crate) fn turn_on(text: &str, setting: &str) -> Option<String> {
    if is_on(text, setting) {
        return Some(text.to_owned());
    }
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let line = format!("{setting} = true{end}");
    let lines: Vec<_> = text.split_inclusive('\n').collect();
    let header = lines.iter().position(|line| line.trim() == HEADER);
    let changed = match header {
        Some(header) => {
            let (before, after) = lines.split_at(header + 1);
            format!("{}{line}{}", before.concat(), after.concat())
        }
        None => format!("{}{end}{end}{HEADER}{end}{line}", text.trim_end()),
    };
    is_on(&changed, setting).then_some(changed)
}

fn is_on(text: &str, setting: &str) -> bool {
    let value = |manifest: &toml::Table| {
        let metadata = manifest.get("package")?.get("metadata")?;
        metadata.get("genclient")?.get(setting)?.as_bool()
    };
    toml::from_str(text).is_ok_and(|manifest| value(&manifest) == Some(true))
}

#[cfg(test)]
mod tests {
    use super::turn_on;

    #[test]
    fn a_setting_is_added_to_the_table_of_settings() {
        for (before, after) in [
            (
                "[package]\nname = \"a\"\n",
                Some("[package]\nname = \"a\"\n\n[package.metadata.genclient]\nx = true\n"),
            ),
            (
                "[package.metadata.genclient]\ndomain = \"a\"\n\n[dependencies]\n",
                Some("[package.metadata.genclient]\nx = true\ndomain = \"a\"\n\n[dependencies]\n"),
            ),
            (
                "[package.metadata.genclient]\r\ndomain = \"a\"\r\n",
                Some("[package.metadata.genclient]\r\nx = true\r\ndomain = \"a\"\r\n"),
            ),
            (
                "[package.metadata.genclient]\nx = true\n",
                Some("[package.metadata.genclient]\nx = true\n"),
            ),
            ("[package.metadata.genclient]\nx = false\n", None),
            ("[package]\nmetadata.genclient = { domain = \"a\" }\n", None),
        ] {
            assert_eq!(turn_on(before, "x").as_deref(), after, "{before}");
        }
    }
}
