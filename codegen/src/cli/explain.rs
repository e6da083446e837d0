//! `genclient explain`: the table of attributes, for people.

use std::fmt::Write;

use genclient_syntax::Site;
use genclient_syntax::table::{Applies, Attribute, TABLE, Within, find};

use crate::{Diagnostic, Diagnostics};

/// What `attribute` does, or the list of all.
pub(super) fn explain(attribute: Option<&str>) -> Result<String, Diagnostics> {
    let Some(name) = attribute else {
        return Ok(list());
    };
    let entries: Vec<_> = find(name).collect();
    if entries.is_empty() {
        let close = genclient_syntax::table::suggest(name);
        let help = match close {
            Some(close) => format!("did you mean `{close}`? `genclient explain` lists all"),
            None => "`genclient explain` lists all".to_owned(),
        };
        return Err(Diagnostic::error(format!("no attribute `{name}`"))
            .help(help)
            .into());
    }
    let texts: Vec<_> = entries.into_iter().map(entry).collect();
    Ok(texts.join("\n"))
}

fn list() -> String {
    let width = TABLE
        .iter()
        .map(|entry| entry.name.len())
        .max()
        .unwrap_or(0);
    let mut text = String::new();
    for within in [Within::Item, Within::Genclient, Within::Crd] {
        let _ = writeln!(text, "{}", heading(within));
        for entry in TABLE.iter().filter(|entry| entry.within == within) {
            let _ = writeln!(text, "  {:width$}  {}", entry.name, entry.summary);
        }
        text.push('\n');
    }
    text.push_str("`genclient explain NAME` tells more of one.\n");
    text
}

fn heading(within: Within) -> &'static str {
    match within {
        Within::Item => "By themselves, above a struct:",
        Within::Genclient => "In #[genclient(…)]:",
        Within::Crd => "In #[crd(…)]:",
    }
}

fn site_name(site: Site) -> &'static str {
    match site {
        Site::Resource => "a served type",
        Site::Type => "a struct or enum",
        Site::Field => "a field",
        Site::Variant => "a variant",
        Site::Items => "items(…)",
        Site::Values => "values(…)",
        Site::Keys => "keys(…)",
    }
}

fn entry(entry: &Attribute) -> String {
    let mut text = format!("{}: {}\n", entry.name, entry.summary);
    if !entry.details.is_empty() {
        let _ = writeln!(text, "\n{}", entry.details);
    }
    let _ = writeln!(text, "\n  {}\n", entry.example);
    let sites: Vec<_> = entry.sites.iter().map(|site| site_name(*site)).collect();
    let sites = sites.join(", ");
    let _ = match entry.applies {
        Applies::All => writeln!(text, "Where:   {sites}"),
        applies => writeln!(text, "Where:   {sites}; {applies}"),
    };
    let repeats = if entry.repeats {
        "may be repeated"
    } else {
        "once"
    };
    let _ = writeln!(text, "Repeats: {repeats}");
    if let Some(marker) = entry.go_marker {
        let _ = writeln!(text, "In Go:   {marker}");
    }
    text
}
