//! Doc comments: descriptions in CRDs, and warnings about Go markers, which are plain comments in
//! Rust.

use std::ops::Range;
use std::sync::Arc;

use genclient_syntax::table::{self, Form, TABLE, Value, Within};
use proc_macro2::{TokenStream, TokenTree};
use syn::{Attribute, Expr, ExprLit, Lit, LitStr, Meta};

use crate::diagnostic::{Diagnostic, Location, Sink, SourceText};
use crate::doc_comment::{END, is_note};
use crate::sources::Sources;

/// Text of a doc comment, with a line feed after each line.
fn doc_text(attrs: &[Attribute]) -> String {
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
fn doc_lines(text: &str) -> impl Iterator<Item = &str> {
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
    let written = doc_text(attrs);
    let mut kept = String::with_capacity(written.len());
    let mut in_code = false;
    for line in doc_lines(&written) {
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

/// Returns the first paragraph of a doc comment, one line each, for generated code. Notes for
/// maintainers and links are left out: generated code is in another module, where paths differ.
pub(super) fn summary(attrs: &[Attribute]) -> Vec<String> {
    let text = doc_text(attrs);
    let lines = doc_lines(&text).map(str::trim);
    let is_kept = |line: &&str| !is_note(line);
    let is_before =
        |line: &&str| *line != END && !line.starts_with("```") && !line.starts_with("~~~");
    let mut paragraph = lines
        .take_while(is_before)
        .filter(is_kept)
        .skip_while(|line| line.is_empty())
        .take_while(|line| !line.is_empty())
        .peekable();
    if paragraph.peek().is_some_and(|line| line.starts_with('#')) {
        return Vec::new();
    }
    let text = without_links(&paragraph.collect::<Vec<_>>().join("\n"));
    text.lines().map(str::to_owned).collect()
}

/// Replaces links to items by their text. Links to URLs and code are kept.
fn without_links(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['[', '`']) {
        let (before, link) = rest.split_at(at);
        out.push_str(before);
        if link.starts_with('`') {
            let (code, below) = split_code(link);
            out.push_str(code);
            rest = below;
            continue;
        }
        let is_index = out.ends_with(|c: char| c.is_alphanumeric() || "_]".contains(c));
        let Some((label, target, below)) = split_link(link, is_index) else {
            out.push('[');
            rest = &link[1..];
            continue;
        };
        if target.contains("://") {
            out.push_str(&link[..link.len() - below.len()]);
        } else {
            out.push_str(label);
        }
        rest = below;
    }
    out + rest
}

/// Splits text that begins with a code span after the span. Backticks that nothing closes are text.
fn split_code(text: &str) -> (&str, &str) {
    let backticks = |text: &str| text.len() - text.trim_start_matches('`').len();
    let opening = backticks(text);
    let mut end = opening;
    while let Some(at) = text[end..].find('`') {
        let closing = backticks(&text[end + at..]);
        end += at + closing;
        if closing == opening {
            return text.split_at(end);
        }
    }
    text.split_at(opening)
}

/// Splits text that begins with a link: label, target, and what follows. The target is empty if the
/// label is the target. `None` for other text in brackets. `is_index` is true after a word, where
/// only parentheses make a link.
fn split_link(text: &str, is_index: bool) -> Option<(&str, &str, &str)> {
    let (label, below) = text.strip_prefix('[')?.split_once(']')?;
    let targets = [("(", ')'), ("[", ']')];
    for (open, close) in targets.into_iter().take(if is_index { 1 } else { 2 }) {
        if let Some(target) = below.strip_prefix(open)
            && let Some((target, below)) = target.split_once(close)
        {
            return Some((label, target, below));
        }
    }
    if is_index {
        return None;
    }
    let path = label.trim_matches('`');
    let is_path = !path.is_empty()
        && path
            .chars()
            .all(|c| c.is_alphanumeric() || "_:!()@<>".contains(c));
    is_path.then_some((label, "", below))
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

pub(super) fn warn_of_markers(sources: &Sources, sink: &mut Sink) {
    let mut seen: Vec<&Arc<SourceText>> = Vec::new();
    for (_, module) in sources.api_modules() {
        let source = &module.source;
        if !seen.iter().any(|other| Arc::ptr_eq(other, source)) {
            seen.push(source);
            check_file(source, sink);
        }
    }
}

fn check_file(source: &Arc<SourceText>, sink: &mut Sink) {
    let found = find_markers(&source.text);
    if found.is_empty() {
        return;
    }
    let strings = find_string_literals(&source.text);
    for (span, help) in found {
        if !strings.iter().any(|string| string.contains(&span.start)) {
            let place = Location {
                source: Arc::clone(source),
                span,
            };
            sink.push(
                Diagnostic::warning("a Go marker is only a comment in Rust and has no effect")
                    .at(place)
                    .help(help),
            );
        }
    }
}

/// Returns the place of each line that is a marker in a comment, or in a string literal, with the
/// help for it.
fn find_markers(text: &str) -> Vec<(Range<usize>, String)> {
    let mut start = 0;
    let mut found = Vec::new();
    for line in text.split_inclusive('\n') {
        if let Some(marker) = parse_marker(line)
            && let Some(help) = replacement_help(marker)
        {
            let at = start + line.find(marker).unwrap_or_default();
            found.push((at..at + marker.len(), help));
        }
        start += line.len();
    }
    found
}

/// Returns the places of the string literals of a file. Doc comments are literals as well, but do
/// not begin like one.
fn find_string_literals(text: &str) -> Vec<Range<usize>> {
    let mut strings = Vec::new();
    let mut left: Vec<TokenTree> = text.parse::<TokenStream>().into_iter().flatten().collect();
    while let Some(token) = left.pop() {
        match token {
            TokenTree::Group(group) => left.extend(group.stream()),
            TokenTree::Literal(literal) => strings.push(literal.span().byte_range()),
            TokenTree::Ident(_) | TokenTree::Punct(_) => {}
        }
    }
    strings.retain(|span| {
        text.get(span.clone())
            .is_some_and(|it| !it.starts_with('/'))
    });
    strings
}

/// Returns the marker of a comment line with its arguments: `+kubebuilder:printcolumn:name="GPU"`
/// for `/// +kubebuilder:printcolumn:name="GPU"`.
fn parse_marker(line: &str) -> Option<&str> {
    let text = line
        .trim()
        .strip_prefix("//")?
        .trim_start_matches(['/', '!'])
        .trim_start();
    text.starts_with('+').then_some(text)
}

/// Help for a marker: names the attribute to write instead. Help for an unknown marker of
/// kubebuilder suggests its removal. `None` for any other text.
fn replacement_help(marker: &str) -> Option<String> {
    let end = marker.find(['=', '(', ' ']).unwrap_or(marker.len());
    let mut name = &marker[1..end];
    let mut value = marker[end..].strip_prefix('=');
    loop {
        let mut entries = TABLE.iter();
        if let Some(entry) = entries.find(|entry| entry.go_marker == Some(name)) {
            return Some(format!("write `{}`", write_attribute(entry, value)));
        }
        // The last part may be an argument, such as `name` in `kubebuilder:printcolumn:name`.
        match name.rsplit_once(':') {
            Some((above, _)) => (name, value) = (above, None),
            None => break,
        }
    }
    (name == "kubebuilder")
        .then(|| "remove it; docs/controller-gen.md lists the replacements".to_owned())
}

fn write_attribute(entry: &table::Attribute, value: Option<&str>) -> String {
    let carried = value.and_then(|value| match entry.form {
        Form::Value(form) | Form::FlagOr(form) => convert_value(value.trim(), form),
        _ => None,
    });
    let usage = match carried {
        Some(value) => format!("{} = {value}", entry.name),
        None => entry.usage(),
    };
    match (entry.within, entry.form) {
        (Within::Item, Form::Keys) => format!("#[{}]", entry.name),
        (Within::Item, _) => format!("#[{usage}]"),
        (Within::Genclient, _) => format!("#[genclient({usage})]"),
        (Within::Webhook, _) => format!("#[webhook({usage})]"),
        (Within::Rbac, _) => format!("#[rbac({usage})]"),
        (Within::Crd, Form::Refused { .. }) => entry.example.to_owned(),
        (Within::Crd, _) => format!("#[crd({usage})]"),
    }
}

/// Returns the value of a marker in the syntax of attributes, or `None` if it cannot be converted.
fn convert_value(value: &str, form: Value) -> Option<String> {
    let text = value.trim_matches(['"', '`']);
    let is_json = || serde_json::from_str::<serde_json::Value>(value).is_ok();
    let is_number = || text.parse::<f64>().is_ok();
    match form {
        Value::String => Some(format!("{text:?}")),
        Value::OneOf(names) => names.contains(&text).then(|| format!("{text:?}")),
        Value::Integer | Value::Count | Value::Number => is_number().then(|| text.to_owned()),
        Value::Json => is_json().then(|| value.to_owned()),
        Value::Strings | Value::Choice | Value::Several(_) | Value::JsonList => {
            let items: Option<Vec<_>> = value.split(';').map(convert_list_item).collect();
            Some(format!("[{}]", items?.join(", ")))
        }
        Value::JsonObject | Value::Type => None,
    }
}

/// Converts a string, number or boolean in the list of a Go marker, where strings may be unquoted.
fn convert_list_item(value: &str) -> Option<String> {
    let text = value.trim_matches('"');
    let is_name = !text.is_empty() && !text.contains(['{', ',', '=', '"', '`']);
    let bare = matches!(value, "true" | "false") || value.parse::<f64>().is_ok();
    is_name.then(|| {
        if bare {
            value.to_owned()
        } else {
            format!("{text:?}")
        }
    })
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::{find_markers, find_string_literals, parse_marker, replacement_help, summary};

    #[test]
    fn a_summary_is_the_first_paragraph_without_links() {
        for (doc, expected) in [
            (" First.\n Second line.\n\n Later.", "First.\nSecond line."),
            ("\n After a blank line.", "After a blank line."),
            // `NOTE` begins a line that stays out of descriptions.
            (" TODO: split it.\n Text.", "Text."),
            (" Text.\n ---\n Internal.", "Text."),
            (" Text:\n ```\n code();\n ```", "Text:"),
            ("     indented", "indented"),
            (" # Heading", ""),
            (
                " Of [`Gateway`] and [crate::Task].",
                "Of `Gateway` and crate::Task.",
            ),
            (" See [the type](super::Gateway).", "See the type."),
            (" See [the type][`Gateway`].", "See the type."),
            (
                " See [here](https://example.com/a).",
                "See [here](https://example.com/a).",
            ),
            (" From [0, 1], and an open [", "From [0, 1], and an open ["),
            (" The first of `items[0]`.", "The first of `items[0]`."),
            (" At items[0][1] or a[`b`].", "At items[0][1] or a[`b`]."),
            (" ``a ` [b]`` of [`C`].", "``a ` [b]`` of `C`."),
            (" An open `` and [`C`].", "An open `` and `C`."),
        ] {
            let item: syn::ItemStruct = parse_quote!(#[doc = #doc] struct A;);
            assert_eq!(summary(&item.attrs).join("\n"), expected, "{doc:?}");
        }
    }

    #[test]
    fn string_literals_are_no_comments() {
        let text = "\
/// +optional
fn f() {
    // +optional
    let a = \"ä
// +optional
\";
    let b = [r#\"
// +optional\"#];
}
";
        let strings = find_string_literals(text);
        let found = find_markers(text).into_iter().filter(|(span, _)| {
            let mut strings = strings.iter();
            !strings.any(|string| string.contains(&span.start))
        });
        let lines: Vec<_> = found
            .map(|(span, _)| text[..span.start].lines().count())
            .collect();
        assert_eq!(lines, [1, 3]);
    }

    #[test]
    fn go_markers_are_distinguished_from_comments() {
        for (line, help) in [
            (
                "// +kubebuilder:validation:Maximum=100",
                Some("write `#[crd(maximum = 100)]`"),
            ),
            ("    /// +optional", Some("write `#[crd(optional)]`")),
            ("//+genclient", Some("write `#[genclient]`")),
            (
                "// +genclient:nonNamespaced",
                Some("write `#[genclient(non_namespaced)]`"),
            ),
            (
                "// +groupName=falldio.com",
                Some("write `#[group = \"falldio.com\"]`"),
            ),
            (
                "// +kubebuilder:printcolumn:name=\"GPU\",type=string",
                Some(
                    "write `#[crd(printcolumn(name = \"..\", type = \"boolean\", json_path = \"..\"))]`",
                ),
            ),
            (
                "// +listType=set",
                Some("write `#[crd(list_type = \"set\")]`"),
            ),
            (
                "// +kubebuilder:validation:Pattern=`^\\d$`",
                Some("write `#[crd(pattern = \"^\\\\d$\")]`"),
            ),
            (
                "// +kubebuilder:validation:Enum=Always;\"Never\"",
                Some("write `#[crd(enum = [\"Always\", \"Never\"])]`"),
            ),
            (
                "// +kubebuilder:default={a: 1}",
                Some("write `#[crd(default = <json>)]`"),
            ),
            (
                "// +kubebuilder:object:root=true",
                Some("remove it; docs/controller-gen.md lists the replacements"),
            ),
            ("// +1 to this", None),
            ("// + one", None),
            ("/// Adds a + b.", None),
            ("let a = 1; // +optional", None),
        ] {
            let found = parse_marker(line).and_then(replacement_help);
            assert_eq!(found.as_deref(), help, "{line}");
        }
    }
}
