//! Sources of other tests with some tokens changed.

use std::fs;
use std::path::{Path, PathBuf};

use genclient_syntax::table::TABLE;

use super::random::Random;

/// Tokens to insert: common ones, and ones at the edges of the grammar.
const WORDS: &[&str] = &[
    "pub",
    "struct",
    "enum",
    "type",
    "mod",
    "use",
    "const",
    "crate",
    "super",
    "self",
    "r#type",
    "where",
    "dyn",
    "impl",
    "u8",
    "i32",
    "u64",
    "i128",
    "f64",
    "bool",
    "char",
    "String",
    "&'static str",
    "()",
    "!",
    "_",
    "Option",
    "Option<Option<",
    "Vec",
    "Vec<",
    "BTreeMap<String,",
    "HashSet<",
    "Box<",
    "[u8; 4]",
    "[u8; N]",
    "fn(u8) -> u8",
    "Time",
    "Quantity",
    "IntOrString",
    "Duration",
    "ObjectMeta",
    "PodTemplateSpec",
    "serde_json::Value",
    "k8s_openapi::api::core::v1::Pod",
    "metadata",
    "spec",
    "status",
    "v1",
    "v1beta1",
    "\"\"",
    "\"a\"",
    "\"é\u{1f600}\"",
    "\"\\u{0}\"",
    "\"*\"",
    "\"^(a+)+$\"",
    "\"[\"",
    "\".spec.x\"",
    "\"Cluster\"",
    "\"map\"",
    "\"self.a == b\"",
    "r#\"raw\"#",
    "b\"bytes\"",
    "'c'",
    "0",
    "-1",
    "1.5",
    "1e999",
    "0x_ff",
    "18446744073709551616",
    "1u8",
    "true",
    "null",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    ",",
    ";",
    ":",
    "::",
    "=",
    "#",
    "..",
    "=>",
    "->",
    "&",
    "|",
    "-",
    "?",
    "$",
    "/// doc\n",
    "//! inner\n",
    "/* block */",
    "#[serde(flatten)]",
    "#[serde(rename = \"x\")]",
    "#[serde(rename_all = \"kebab-case\")]",
    "#[serde(tag = \"t\", content = \"c\")]",
    "#[serde(untagged)]",
    "#[serde(default)]",
    "#[serde(default = \"f\")]",
    "#[serde(skip)]",
    "#[serde(transparent)]",
    "#[serde(with = \"m\")]",
    "#[cfg(test)]",
    "#[cfg(feature = \"x\")]",
    "#[genclient]",
    "#[derive(CrdSchema)]",
    "#[crd()]",
    "#[default]",
    "#[deprecated]",
    "#[path = \"apis.rs\"]",
];

/// The API modules of the golden, error and ui cases, of the examples and of the fixture, one file
/// each.
pub fn sources() -> Vec<String> {
    let mut files = Vec::new();
    for folder in ["golden", "ui", "../examples", "e2e/fixture/pkg"] {
        collect(Path::new(folder), &mut files);
    }
    files.sort();
    let texts = files
        .iter()
        .filter_map(|file| fs::read_to_string(file).ok());
    texts
        .filter(|text| text.contains("#[genclient") && text.len() < 20_000)
        .collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        // Other folders named `client` are generated.
        let is_client = path.ends_with("client") && path != Path::new("golden/client");
        let generated = path.ends_with("expected") || is_client;
        if path.is_dir() && !generated {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// One of the sources with one to five mutations.
pub fn mutant(sources: &[String], random: &mut Random) -> String {
    let source = random.pick(sources);
    let mut tokens: Vec<&str> = tokens(source);
    for _ in 0..=random.below(5) {
        let at = random.below(tokens.len().max(1));
        if at >= tokens.len() {
            continue;
        }
        match random.below(6) {
            0 => drop(tokens.remove(at)),
            1 => tokens.insert(at, tokens[at]),
            2 => {
                let other = random.below(tokens.len());
                tokens.swap(at, other);
            }
            3 => tokens[at] = word(random),
            4 => tokens.insert(at, word(random)),
            _ => tokens[at] = tokens[random.below(tokens.len())],
        }
    }
    let text = tokens.join(" ");
    // A kind needs the module of a version. It is often the file, so most sources lack it.
    if source.contains("mod v1") || random.once_in(4) {
        text
    } else {
        format!("pub mod v1 {{ {text} }}")
    }
}

fn word(random: &mut Random) -> &'static str {
    match random.below(3) {
        0 => TABLE[random.below(TABLE.len())].name,
        1 => TABLE[random.below(TABLE.len())].example,
        _ => WORDS[random.below(WORDS.len())],
    }
}

/// Splits a source into words, literals, comment lines, and single characters.
fn tokens(source: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '/' if rest.starts_with("//") => rest.find('\n').map_or(rest.len(), |at| at + 1),
            '"' => rest[1..].find('"').map_or(rest.len(), |at| at + 2),
            c if c.is_alphanumeric() || c == '_' => rest
                .find(|c: char| !c.is_alphanumeric() && c != '_')
                .unwrap_or(rest.len()),
            _ if ["::", "->", "=>"].iter().any(|two| rest.starts_with(two)) => 2,
            c => c.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        if !token.trim().is_empty() {
            tokens.push(token);
        }
        rest = after;
    }
    tokens
}
