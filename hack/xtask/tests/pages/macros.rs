//! Docs of the macros, which editors show on hover: the lists of keys below the headings
//! `# Keys of …`.

use genclient_syntax::Target;
use genclient_syntax::table::{Attribute, TABLE, Within};

const HEADING: &str = "/// # Keys of ";

/// Columns of a line.
const WIDTH: usize = 100;

/// Returns `source` with the list below each heading up to date. Every key has a heading.
pub(super) fn render_source(source: &str) -> String {
    let headings = || source.lines().filter_map(|line| line.strip_prefix(HEADING));
    for entry in TABLE.iter().filter(|entry| entry.within != Within::Item) {
        let count = headings().filter(|found| *found == heading(entry)).count();
        assert_eq!(count, 1, "headings {HEADING}{}", heading(entry));
    }
    let mut text = String::new();
    let mut lines = source.lines().peekable();
    while let Some(line) = lines.next() {
        text.push_str(line);
        text.push('\n');
        let Some(attribute) = line.strip_prefix(HEADING) else {
            continue;
        };
        text.push_str("///\n");
        for entry in TABLE.iter().filter(|entry| heading(entry) == attribute) {
            push_key(&mut text, entry);
        }
        while lines
            .next_if(|line| line.starts_with("///") && !line.starts_with(HEADING))
            .is_some()
        {}
        if lines.peek().is_some_and(|line| line.starts_with(HEADING)) {
            text.push_str("///\n");
        }
    }
    text
}

/// The heading below which a key is listed.
fn heading(entry: &Attribute) -> &'static str {
    match entry.within {
        Within::Item => "",
        Within::Genclient => "`#[genclient(..)]`",
        Within::Webhook => "`#[webhook(..)]`",
        Within::Rbac => "`#[rbac(..)]`",
        Within::Crd if entry.targets == [Target::Resource] => "`#[crd(..)]` on a kind",
        Within::Crd => "`#[crd(..)]`",
    }
}

fn push_key(text: &mut String, entry: &Attribute) {
    let mut line = format!("/// - `{}`:", entry.name);
    for word in entry.summary.split(' ') {
        if line.len() + 1 + word.len() > WIDTH {
            text.push_str(&line);
            text.push('\n');
            line = "///  ".to_owned();
        }
        line.push(' ');
        line.push_str(word);
    }
    text.push_str(&line);
    text.push('\n');
}
