//! Descriptions in CRDs, from doc comments and `#[deprecated]`.

use syn::{Attribute, Expr, ExprLit, Lit, LitStr, Meta};

use crate::doc_comment::{END, is_note};

/// Text of a doc comment, with a line feed after each line.
fn text(attrs: &[Attribute]) -> String {
    let mut all = String::new();
    for attr in attrs {
        if let Meta::NameValue(meta) = &attr.meta
            && meta.path.is_ident("doc")
            && let Expr::Lit(ExprLit {
                lit: Lit::Str(text),
                ..
            }) = &meta.value
        {
            all.push_str(&text.value());
            all.push('\n');
        }
    }
    all
}

/// Lines of a doc comment's text, without the space after `///` and without trailing whitespace.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.split_terminator('\n');
    lines.map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end())
}

/// Returns the description of a type or field in a CRD: the doc comment up to a `---` line, without
/// notes for maintainers ([`is_note`]).
///
/// controller-gen leaves out notes and the text below `---` as well. In a code block, notes and
/// `---` are kept. `#[deprecated]` adds a paragraph `Deprecated: …`, as in Go's doc comments,
/// unless the doc comment has one.
///
/// `#[schemars(description = "..")]` replaces the whole description.
pub(super) fn description(attrs: &[Attribute]) -> Option<String> {
    if let Some(stated) = genclient_syntax::description(attrs) {
        return Some(stated);
    }
    let written = text(attrs);
    let mut kept = String::with_capacity(written.len());
    let mut in_code = false;
    for line in lines(&written) {
        let trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            in_code = !in_code;
        }
        match trimmed {
            END if !in_code => break,
            _ if !in_code && is_note(trimmed) => {}
            _ => {
                kept.push_str(line);
                kept.push('\n');
            }
        }
    }
    let mut text = kept.trim().to_owned();
    if let Some(note) = deprecation(attrs)
        && !text.lines().any(|line| line.starts_with("Deprecated:"))
    {
        let note = note.unwrap_or_else(|| "not to be used any more.".to_owned());
        let gap = if text.is_empty() { "" } else { "\n\n" };
        text = format!("{text}{gap}Deprecated: {note}");
    }
    (!text.is_empty()).then_some(text)
}

/// Returns the note of `#[deprecated]`; `None` without the attribute, `Some(None)` without a note.
pub(super) fn deprecation(attrs: &[Attribute]) -> Option<Option<String>> {
    let attr = attrs
        .iter()
        .find(|attr| attr.path().is_ident("deprecated"))?;
    let mut note = None;
    match &attr.meta {
        Meta::Path(_) => {}
        Meta::NameValue(meta) => {
            if let Expr::Lit(ExprLit {
                lit: Lit::Str(text),
                ..
            }) = &meta.value
            {
                note = Some(text.value());
            }
        }
        // rustc reports errors in the attribute.
        Meta::List(list) => drop(list.parse_nested_meta(|meta| {
            let text = meta.value()?.parse::<LitStr>()?.value();
            if meta.path.is_ident("note") {
                note = Some(text);
            }
            Ok(())
        })),
    }
    Some(note)
}
