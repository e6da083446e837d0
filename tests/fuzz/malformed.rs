//! Texts that are barely Rust.

use super::mutation;

/// A kind whose spec has these fields.
pub fn kind(fields: &str) -> String {
    format!(
        "pub mod v1 {{\nuse genclient::prelude::*;\n#[genclient]\n#[group = \"a.example.com\"]\npub struct Kind {{ pub metadata: ObjectMeta, pub spec: Spec }}\n\
         #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]\npub struct Spec {{\n{fields}\n}}\n}}\n"
    )
}

pub fn texts() -> Vec<Vec<u8>> {
    let plain = kind("pub a: String");
    let digits = "9".repeat(5_000);
    let long = "a".repeat(200_000);
    let mut texts: Vec<Vec<u8>> = [
        String::new(),
        " \n\t\r\n".into(),
        "\u{feff}".into(),
        format!("\u{feff}{plain}"),
        format!("#!/usr/bin/env run\n{plain}"),
        format!("\u{feff}#!/usr/bin/env run\n{plain}"),
        plain.replace('\n', "\r\n"),
        plain.replace('\n', "\r"),
        plain.replace('\n', "\u{2028}"),
        plain.replace(' ', "\u{a0}"),
        plain.replace("Kind", "Ķind"),
        plain.replace("Kind", "\u{202e}Kind"),
        plain.replace("Spec", "规格"),
        plain.replace("a: ", "é\u{301}: "),
        format!("{plain}\0"),
        format!("{plain}\""),
        format!("{plain}/*"),
        format!("{plain}r#\""),
        format!("{plain}'"),
        kind(&format!("#[crd(minimum = {digits})] pub a: i32")),
        kind(&format!("#[crd(maximum = 0.{digits})] pub a: f64")),
        kind(&format!("#[crd(default = 1e{digits})] pub a: f64")),
        kind(&format!("#[crd(min_length = {digits})] pub a: String")),
        kind(&format!("pub a: [u8; {digits}]")),
        kind(&format!("#[crd(pattern = {long:?})] pub a: String")),
        kind(&format!("#[crd(pattern = \"{}\")] pub a: String", "(a|".repeat(2_000))),
        kind(&format!("#[crd(default = {long:?})] pub a: String")),
        kind(&format!("/// {long}\npub a: String")),
        kind(&format!("{}pub a: String", "/// line\n".repeat(20_000))),
        kind(&format!("pub {long}: String")),
        kind(&format!("pub a: {long}")),
        kind(&format!("#[serde(rename = {long:?})] pub a: String")),
        kind(&"pub a: String,\n".repeat(2_000)),
        kind("#[crd(minimum = 1u8, maximum = 0b11, multiple_of = 0o7)] pub a: i32"),
        kind("#[crd(default = '\\u{0}', enum = [b'a', c\"x\", 1_000])] pub a: String"),
        kind("/// \0 \u{7} \u{1b}[31m \u{feff} \u{2029}\npub a: String"),
        kind("pub a: A }\npub type A = B;\npub type B = A;\npub struct C {"),
        kind("pub a: W<String> }\npub struct W<T> { pub x: Option<Box<W<Vec<T>>>>, pub t: T"),
        kind("pub a: super::v1::super::v1::Spec"),
        format!("{plain} pub use v1::*; pub mod v1 {{ pub use super::*; }}"),
        "pub mod a; pub mod apis; #[path = \"../..\"] pub mod b; #[path = \"/dev/null\"] pub mod c;".into(),
    ]
    .into_iter()
    .map(String::into_bytes)
    .collect();
    texts.push(b"pub mod v1 { \xff\xfe }".to_vec());
    texts.push(plain.encode_utf16().flat_map(u16::to_le_bytes).collect());
    let others = mutation::sources().into_iter().step_by(5);
    texts.extend(others.map(|source| source.replace('\n', "\r\n").into_bytes()));
    texts
}
