//! Writes the Rust blocks of README.md and `docs/` as modules, which `lib.rs` compiles.
//!
//! Every block with the language `rust` is of one of three forms:
//! - An excerpt begins with the path of a file of this repository, in a comment, and occurs there.
//! - Attributes are followed by a line `- Where: `, as in `docs/attributes.md`. They are compiled
//!   above an item of that form.
//! - Any other block replaces the line `// block: HEADING` of the page's context, which has the
//!   imports, values and functions that the block uses: `docs/NAME.rs` for `docs/NAME.md`. HEADING
//!   is the heading above the block, with a number if it is not the first block below it.
//!
//! Docs of the macros are doctests here: as doctests of `genclient-macros`, they would compile its
//! dependent `genclient` for the host once more.
//!
//! The book is left out: its blocks are files of a project, which the test `projects` compiles.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

const ROOT: &str = "../..";

fn main() -> io::Result<()> {
    let output = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let mut modules = String::new();
    for page in pages()? {
        println!("cargo::rerun-if-changed={ROOT}/{page}");
        let text = fs::read_to_string(Path::new(ROOT).join(&page))?;
        let blocks = blocks(&page, &text);
        let context = page.replace(".md", ".rs");
        if blocks.is_empty() && !Path::new(&context).exists() {
            continue;
        }
        println!("cargo::rerun-if-changed={context}");
        let name = page.trim_end_matches(".md").to_lowercase();
        let name = name.replace(['/', '-'], "_");
        let file = output.join(format!("{name}.rs"));
        fs::write(&file, module(&context, &blocks)?)?;
        let _ = writeln!(modules, "#[path = {file:?}]\nmod {name};");
    }
    fs::write(output.join("pages.rs"), modules)?;
    fs::write(output.join("macros.rs"), macros()?)
}

/// The docs of each macro, on a struct.
fn macros() -> io::Result<String> {
    let file = format!("{ROOT}/macros/src/lib.rs");
    println!("cargo::rerun-if-changed={file}");
    let mut structs = String::new();
    for line in fs::read_to_string(file)?.lines() {
        if line.starts_with("///") {
            let _ = writeln!(structs, "{line}");
        } else if let Some(signature) = line.strip_prefix("pub fn ") {
            let name = signature.split('(').next().unwrap_or_default();
            let _ = writeln!(structs, "struct {name};");
        }
    }
    Ok(structs)
}

/// The README and the pages below `docs/`, without the book.
fn pages() -> io::Result<Vec<String>> {
    let mut pages = vec!["README.md".to_owned()];
    let mut folders = vec!["docs".to_owned()];
    while let Some(folder) = folders.pop() {
        println!("cargo::rerun-if-changed={ROOT}/{folder}");
        for entry in fs::read_dir(Path::new(ROOT).join(&folder))? {
            let entry = entry?;
            let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if path.ends_with(".md") {
                pages.push(path);
            } else if entry.file_type()?.is_dir() && path != "docs/book" {
                folders.push(path);
            }
        }
    }
    pages.sort();
    Ok(pages)
}

/// A Rust block of a page.
struct Block<'a> {
    /// Page and line, such as `docs/testing.md:43`.
    place: String,
    /// The heading above it, with a number if it is not the first block there.
    key: String,
    code: String,
    /// The end of the line `- Where: ` in the text between the block and the next heading.
    site: Option<&'a str>,
}

/// The Rust blocks of a page. Reports blocks whose language is another name of Rust.
fn blocks<'a>(page: &str, text: &'a str) -> Vec<Block<'a>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let (mut heading, mut count) = ("", 0);
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        if let Some((hashes, title)) = line.split_once("# ")
            && hashes.chars().all(|letter| letter == '#')
        {
            (heading, count) = (title, 0);
        }
        let Some((indent, language)) = line.split_once("```") else {
            if let (Some(site), Some(last)) = (line.strip_prefix("- Where: "), blocks.last_mut()) {
                last.site = Some(site);
            }
            continue;
        };
        let block = lines.by_ref().map(|(_, line)| line);
        let block = block.take_while(|line| line.trim() != "```");
        let unindented = block.map(|line| line.strip_prefix(indent).unwrap_or(line));
        let code: String = unindented.map(|line| format!("{line}\n")).collect();
        let place = format!("{page}:{}", number + 1);
        if language == "rust" {
            count += 1;
            let key = match count {
                1 => heading.to_owned(),
                _ => format!("{heading} {count}"),
            };
            blocks.push(Block {
                place,
                key,
                code,
                site: None,
            });
        } else if language.starts_with("rs") || language.starts_with("rust") {
            error(&format!("{place}: `{language}`: write `rust`"));
        }
    }
    blocks
}

/// The module of a page: the context in `file`, with the blocks filled in.
fn module(file: &str, blocks: &[Block<'_>]) -> io::Result<String> {
    let context = fs::read_to_string(file).unwrap_or_default();
    let mut wanted = BTreeMap::new();
    let mut items = String::new();
    for (number, block) in blocks.iter().enumerate() {
        let code = format!("// {}\n{}", block.place, block.code);
        if let Some(site) = block.site {
            let item = item(&code, site);
            let _ = writeln!(items, "mod item_{number} {{\nuse super::*;\n{item}\n}}");
        } else if !is_excerpt(block)? {
            wanted.insert(block.key.as_str(), (block, code));
        }
    }
    let mut text = String::new();
    for line in context.lines() {
        match line.trim().strip_prefix("// block: ") {
            None => text.push_str(line),
            Some(key) => match wanted.remove(key) {
                Some((_, code)) => text.push_str(&code),
                None => error(&format!("{file}: the page has no block `{key}`")),
            },
        }
        text.push('\n');
    }
    for (key, (block, _)) in wanted {
        error(&format!(
            "{}: {file} has no line `// block: {key}`",
            block.place
        ));
    }
    Ok(text + &items)
}

/// Returns whether the block names a file of this repository. Reports a block that differs from
/// the file.
fn is_excerpt(block: &Block<'_>) -> io::Result<bool> {
    let first = block
        .code
        .strip_prefix("// ")
        .and_then(|code| code.split_once('\n'));
    let Some((path, code)) = first else {
        return Ok(false);
    };
    let file = Path::new(ROOT).join(path);
    if !file.is_file() {
        return Ok(false);
    }
    println!("cargo::rerun-if-changed={}", file.display());
    if !fs::read_to_string(file)?.contains(code) {
        error(&format!("{}: {path} has no such lines", block.place));
    }
    Ok(true)
}

/// An item with these attributes. `site` lists where they may stand, and the types that they apply
/// to.
fn item(attributes: &str, site: &str) -> String {
    let (sites, types) = site.split_once("; ").unwrap_or((site, ""));
    let field = match types {
        "numbers" => "i64",
        "strings" => "String",
        "lists" => "Vec<String>",
        "maps" => "BTreeMap<String, i64>",
        _ => "Inner",
    };
    if sites.contains("a field") {
        return format!("#[derive(CrdSchema)]\nstruct Item {{\n{attributes}field: {field}\n}}");
    }
    if sites.contains("a struct") {
        return format!("#[derive(CrdSchema)]\n{attributes}{FIELDS}");
    }
    if sites == "a kind" {
        return kind(attributes);
    }
    if sites == "any item" {
        return format!("{attributes}struct Item;");
    }
    format!("struct Item;\n{attributes}{DEFAULTER}")
}

const FIELDS: &str = "struct Item { secret: Option<String>, configMap: Option<String> }";

const DEFAULTER: &str = "\
impl Defaulter for Item {
    type Object = Pod;
    async fn set_defaults(&self, _: &mut Pod, _: &Admission) -> Result<(), Denied> { Ok(()) }
}";

/// A kind with these attributes.
fn kind(attributes: &str) -> String {
    let unless = |part: &str, code: &'static str| {
        if attributes.contains(part) { "" } else { code }
    };
    let genclient = unless("#[genclient", "#[genclient]\n");
    let group = unless("group =", "#[group = \"example.com\"]\n");
    let version = unless("version =", "#[version = \"v1\"]\n");
    let status = unless("crd(status)", "status: Option<Inner>,\n");
    format!(
        "{genclient}{attributes}{group}{version}\
         struct Item {{\nmetadata: ObjectMeta,\nspec: Inner,\n{status}}}"
    )
}

fn error(message: &str) {
    println!("cargo::error={message}");
}
