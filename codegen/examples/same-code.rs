//! Comparison of Rust files with their code in a git revision, ignoring comments and string
//! literals.
//!
//! `same-code REVISION` reads the Rust files that differ from the revision, and prints the first
//! token of each file that differs. Commas before a closing bracket are ignored as well: rustfmt
//! adds and removes them when a changed text moves line breaks.

use std::error::Error;
use std::fs;
use std::process::{Command, ExitCode};

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<ExitCode> {
    let revision = std::env::args().nth(1).ok_or("usage: same-code REVISION")?;
    let names = run_git(&[
        "diff",
        "--name-only",
        "--diff-filter=M",
        &revision,
        "--",
        "*.rs",
    ])?;
    let mut different = 0;
    for name in names.lines() {
        let old = run_git(&["show", &format!("{revision}:{name}")])?;
        let (old, new) = (file_tokens(&old)?, file_tokens(&fs::read_to_string(name)?)?);
        let at = old
            .iter()
            .zip(&new)
            .position(|(old, new)| old != new)
            .or((old.len() != new.len()).then_some(old.len().min(new.len())));
        if let Some(at) = at {
            different += 1;
            let (old, new) = (format_excerpt(&old, at), format_excerpt(&new, at));
            println!("{name}: the code differs\n  before: {old}\n  after:  {new}");
        }
    }
    println!(
        "{} files compared, {different} differ in code",
        names.lines().count()
    );
    Ok(ExitCode::from(u8::from(different > 0)))
}

fn run_git(arguments: &[&str]) -> Result<String> {
    let output = Command::new("git").args(arguments).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// The tokens of a file as strings.
fn file_tokens(text: &str) -> Result<Vec<String>> {
    let mut found = Vec::new();
    flatten_tokens(text.parse()?, &mut found);
    Ok(found)
}

fn flatten_tokens(stream: TokenStream, found: &mut Vec<String>) {
    let mut trees = stream.into_iter().peekable();
    while let Some(tree) = trees.next() {
        match tree {
            TokenTree::Punct(mark) if mark.as_char() == '#' => {
                let bang = trees.next_if(
                    |next| matches!(next, TokenTree::Punct(mark) if mark.as_char() == '!'),
                );
                match trees.next_if(is_doc) {
                    Some(_) => {}
                    None => found.extend(
                        bang.map(|_| "!".to_owned())
                            .into_iter()
                            .chain(["#".to_owned()]),
                    ),
                }
            }
            TokenTree::Punct(mark) if mark.as_char() == ',' && trees.peek().is_none() => {}
            TokenTree::Punct(mark) => {
                let joint = if mark.spacing() == Spacing::Joint {
                    "+"
                } else {
                    ""
                };
                found.push(format!("{}{joint}", mark.as_char()));
            }
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                found.push(open.to_owned());
                flatten_tokens(group.stream(), found);
                found.push(close.to_owned());
            }
            TokenTree::Literal(literal) => {
                let text = literal.to_string();
                let is_text =
                    text.ends_with('"') || text.ends_with("\"#") || text.ends_with("\"##");
                found.push(if is_text { "\"\"".to_owned() } else { text });
            }
            TokenTree::Ident(name) => found.push(name.to_string()),
        }
    }
}

/// True for the brackets of `#[doc = ".."]`, to which the parser converts doc comments.
fn is_doc(tree: &TokenTree) -> bool {
    let TokenTree::Group(group) = tree else {
        return false;
    };
    let mut inner = group.stream().into_iter();
    let is_name = matches!(inner.next(), Some(TokenTree::Ident(name)) if name == "doc");
    is_name && matches!(inner.next(), Some(TokenTree::Punct(mark)) if mark.as_char() == '=')
}

fn format_excerpt(tokens: &[String], at: usize) -> String {
    let end = tokens.len().min(at + 12);
    tokens[at.saturating_sub(6).min(end)..end].join(" ")
}
