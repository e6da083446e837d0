//! Pages of the book as a sequence of commands and edits.
//!
//! A fenced block has one of three meanings. `console` contains commands after `$ ` with their
//! output. `diff` changes the files named by its `@@ FILE @@` lines. Any other language is a whole
//! file, with its path in a comment on the first line. A line `Continues [..](PAGE)` names the
//! preceding page.

use std::fs;

use super::session::Session;

/// The page that this one continues.
pub fn continues(page: &str) -> Option<&str> {
    let mut lines = page.lines();
    let line = lines.find_map(|line| line.strip_prefix("Continues ["))?;
    line.split_once("](")?.1.split(')').next()
}

/// Follows a page. Returns the page with the current output of its commands.
pub fn follow(page: &str, session: &mut Session) -> String {
    let mut text = String::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        text.push_str(&format!("{line}\n"));
        let Some(language) = line.strip_prefix("```") else {
            continue;
        };
        let block: Vec<_> = lines.by_ref().take_while(|line| *line != "```").collect();
        match language {
            "console" => text.push_str(&typed(&block, session)),
            "diff" => {
                change(&block, session);
                text.push_str(&joined(&block));
            }
            _ => {
                write(&block, session);
                text.push_str(&joined(&block));
            }
        }
        text.push_str("```\n");
    }
    text
}

/// The block with the current output of its commands.
fn typed(block: &[&str], session: &mut Session) -> String {
    let commands = block.iter().filter_map(|line| line.strip_prefix("$ "));
    let typed = commands.map(|command| format!("$ {command}\n{}", session.printed(command)));
    typed.collect()
}

/// Applies hunks to files. The text of a hunk without its `+` lines must occur exactly once; the
/// text without its `-` lines replaces it.
fn change(block: &[&str], session: &Session) {
    let is_head = |line: &&str| line.starts_with("@@ ");
    assert!(
        block.first().is_some_and(is_head),
        "{block:#?} names no file"
    );
    let mut rest = block;
    while let Some((head, after)) = rest.split_first() {
        let end = after.iter().position(is_head).unwrap_or(after.len());
        let (hunk, next) = after.split_at(end);
        rest = next;
        let name = head.trim_matches(['@', ' ']);
        let file = session.folder().join(name);
        assert!(file.is_file(), "there is no {name}");
        let before = fs::read_to_string(&file).unwrap();
        let side = |left_out: char| -> String {
            let lines = hunk.iter().filter(|line| !line.starts_with(left_out));
            lines
                .map(|line| format!("{}\n", line.get(1..).unwrap_or_default()))
                .collect()
        };
        let (old, new) = (format!("\n{}", side('+')), format!("\n{}", side('-')));
        let before = format!("\n{before}");
        let count = before.matches(&old).count();
        assert_eq!(count, 1, "{name} has this {count} times:{old}\n{before}");
        fs::write(file, &before.replacen(&old, &new, 1)[1..]).unwrap();
    }
}

/// Writes the file in a block.
fn write(block: &[&str], session: &Session) {
    let named = block
        .first()
        .and_then(|line| line.split_once(' '))
        .filter(|(comment, _)| ["//", "#", "--"].contains(comment));
    assert!(named.is_some(), "{block:#?} names no file");
    let (_, name) = named.unwrap();
    let file = session.folder().join(name);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, joined(&block[1..])).unwrap();
}

fn joined(lines: &[&str]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}
