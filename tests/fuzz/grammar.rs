//! Random modules of structs and enums, with attributes from the table and mostly valid values.

use genclient_syntax::Target;
use genclient_syntax::table::{Attribute, Form, TABLE, Value, Within};

use super::random::Random;

const SERDE_FIELD: &[&str] = &[
    "default",
    "flatten",
    "skip",
    "skip_serializing",
    "skip_deserializing",
    "rename = \"n\"",
    "rename(serialize = \"a\", deserialize = \"b\")",
    "alias = \"o\"",
    "default = \"f\"",
    "default = \"Default::default\"",
    "with = \"m\"",
    "skip_serializing_if = \"Option::is_none\"",
    "borrow",
    "bound = \"T: X\"",
    "getter = \"g\"",
    "nonsense",
];
const SERDE_TYPE: &[&str] = &[
    "rename_all = \"camelCase\"",
    "rename_all = \"no-case\"",
    "rename_all_fields = \"snake_case\"",
    "tag = \"t\"",
    "tag = \"t\", content = \"c\"",
    "untagged",
    "transparent",
    "default",
    "deny_unknown_fields",
    "from = \"String\"",
    "try_from = \"String\", into = \"String\"",
    "remote = \"X\"",
];
const NAMES: &[&str] = &[
    "a",
    "b_c",
    "r#type",
    "spec_x",
    "é",
    "x1",
    "metadata",
    "status",
    "kind",
    "api_version",
    "_u",
];

/// A module with a kind and some types.
pub fn module(random: &mut Random) -> String {
    let mut types = String::new();
    let count = 1 + random.below(4);
    for number in 0..count {
        types += &type_(number, count, random);
    }
    let attributes = attributes(Target::Resource, random, 6);
    let status = if random.once_in(2) {
        "pub status: Option<T0>,"
    } else {
        ""
    };
    format!(
        "pub mod v1 {{\nuse genclient::prelude::*;\nuse std::collections::*;\n/// A kind.\n#[genclient]\n#[group = \"a.example.com\"]\n{attributes}\
         pub struct Kind {{ pub metadata: ObjectMeta, pub spec: T0, {status} }}\n{types}}}\n"
    )
}

fn type_(number: usize, count: usize, random: &mut Random) -> String {
    let mut head = "/// A type.\n///\n/// ---\n/// TODO more\n#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]\n".to_owned();
    if random.once_in(3) {
        head += &format!("#[serde({})]\n", random.pick(SERDE_TYPE));
    }
    head += &attributes(Target::Type, random, 12);
    let members = 1 + random.below(5);
    let body: String = match random.below(6) {
        0 => {
            let variants = (0..members).map(|at| variant(at, number, count, random));
            return format!(
                "{head}pub enum T{number} {{ {} }}\n",
                variants.collect::<String>()
            );
        }
        1 => {
            return format!(
                "{head}pub struct T{number}({});\n",
                shape(number, count, random, 0)
            );
        }
        _ => (0..members)
            .map(|_| field("pub ", number, count, random))
            .collect(),
    };
    format!("{head}pub struct T{number} {{\n{body}}}\n")
}

fn variant(at: usize, number: usize, count: usize, random: &mut Random) -> String {
    match random.below(4) {
        0 => format!("V{at}({}), ", shape(number, count, random, 0)),
        1 => format!("V{at} {{ {} }}, ", field("", number, count, random)),
        2 => format!("/// One.\n #[serde(rename = \"v\")] V{at}, "),
        _ => format!("V{at}, "),
    }
}

fn field(visibility: &str, number: usize, count: usize, random: &mut Random) -> String {
    let mut out = attributes(Target::Field, random, 8);
    if random.once_in(3) {
        out += &format!("#[serde({})]\n", random.pick(SERDE_FIELD));
    }
    if random.once_in(3) {
        out += "/// What `it` is: a \"thing\" # with\n///   - odd characters\t\u{a0}\n";
    }
    out + &format!(
        "{visibility}{}: {},\n",
        random.pick(NAMES),
        shape(number, count, random, 0)
    )
}

fn shape(number: usize, count: usize, random: &mut Random, depth: usize) -> String {
    const PLAIN: &[&str] = &[
        "bool",
        "i8",
        "i32",
        "i64",
        "u16",
        "u32",
        "u64",
        "f64",
        "String",
        "char",
        "IntOrString",
        "Quantity",
        "Time",
        "Duration",
        "ObjectMeta",
        "Condition",
        "serde_json::Value",
        "&'static str",
        "()",
        "Unknown",
        "[u8; 3]",
        "(u8, String)",
    ];
    if depth < 3 && random.once_in(3) {
        let inner = shape(number, count, random, depth + 1);
        return match random.below(7) {
            0 | 1 => format!("Option<{inner}>"),
            2 | 3 => format!("Vec<{inner}>"),
            4 => format!("BTreeMap<String, {inner}>"),
            5 => format!("Box<{inner}>"),
            _ => format!("HashSet<{inner}>"),
        };
    }
    // Mostly later types, so that few are recursive.
    if random.once_in(3) && number + 1 < count {
        return format!("T{}", number + 1 + random.below(count - number - 1));
    }
    if random.once_in(60) {
        return format!("T{}", random.below(count));
    }
    (*random.pick(PLAIN)).to_owned()
}

/// Up to three attributes for a target. The greater `rarity`, the fewer.
fn attributes(target: Target, random: &mut Random, rarity: usize) -> String {
    let mut out = String::new();
    for _ in 0..3 {
        if random.below(rarity) > 2 {
            continue;
        }
        let entry = attribute(target, random);
        let key = written(entry.name, &entry.form, random, 0);
        out += &match entry.within {
            Within::Item => format!("#[{key}]\n"),
            Within::Genclient => format!("#[genclient({key})]\n"),
            Within::Webhook => format!("#[webhook({key})]\n"),
            Within::Rbac => format!("#[rbac({key})]\n"),
            Within::Crd => format!("#[crd({key})]\n"),
        };
    }
    out
}

/// Usually an attribute that is allowed at the target, sometimes another.
fn attribute(target: Target, random: &mut Random) -> &'static Attribute {
    loop {
        let entry = random.pick(&TABLE);
        if entry.targets.contains(&target) || random.once_in(60) {
            return entry;
        }
    }
}

fn written(name: &str, form: &Form, random: &mut Random, depth: usize) -> String {
    match form {
        Form::Flag => name.to_owned(),
        Form::Value(value) => format!("{name} = {}", self::value(*value, random)),
        Form::FlagOr(_) if random.once_in(2) => name.to_owned(),
        Form::FlagOr(value) => format!("{name} = {}", self::value(*value, random)),
        Form::Pair => format!("{name}({}, {})", text(random), text(random)),
        Form::Arguments(arguments) => {
            let chosen: Vec<_> = arguments
                .iter()
                .filter(|argument| argument.required || random.once_in(2))
                .collect();
            let written = chosen
                .iter()
                .map(|argument| written(argument.name, &argument.form, random, depth + 1));
            format!("{name}({})", written.collect::<Vec<_>>().join(", "))
        }
        _ if depth > 3 => name.to_owned(),
        Form::Schema | Form::Keys | Form::Refused { .. } => {
            let entry = attribute(Target::Items, random);
            format!(
                "{name}({})",
                written(entry.name, &entry.form, random, depth + 1)
            )
        }
    }
}

fn value(value: Value, random: &mut Random) -> String {
    if random.once_in(20) {
        return json(random, 0);
    }
    match value {
        Value::String => text(random),
        Value::OneOf(names) => format!("{:?}", random.pick(names)),
        Value::Strings | Value::Choice => format!("[{}, {}]", text(random), text(random)),
        Value::Several(names) => format!("[{:?}, {:?}]", random.pick(names), random.pick(names)),
        Value::Integer | Value::Count | Value::Number => number(random),
        Value::Json => json(random, 0),
        Value::JsonList => format!("[{}, {}]", json(random, 1), json(random, 1)),
        Value::JsonObject => format!("{{ {}: {} }}", text(random), json(random, 1)),
        Value::Type => "crate::Pod".to_owned(),
    }
}

fn number(random: &mut Random) -> String {
    const NUMBERS: &[&str] = &[
        "0",
        "1",
        "2",
        "3",
        "10",
        "63",
        "-1",
        "1.5",
        "-0.0",
        "4294967296",
        "9223372036854775807",
        "9223372036854775808",
        "1e3",
        "1e308",
        "0.1",
    ];
    (*random.pick(NUMBERS)).to_owned()
}

fn text(random: &mut Random) -> String {
    const TEXTS: &[&str] = &[
        "",
        "a",
        "b_c",
        "^[a-z]+$",
        "(",
        "\\d{1000}",
        ".spec.a",
        ".status.a",
        ".metadata.name",
        "a.b/c",
        "é\n#: '\"",
        "date-time",
        "string",
        "integer",
        "object",
        "self.a > 0",
        "self == oldSelf",
        "has(self.a",
        "size(self) < 3 || self.all(x, x > 1)",
        "V0",
        "default/hook",
        "yes",
    ];
    format!("{:?}", random.pick(TEXTS))
}

fn json(random: &mut Random, depth: usize) -> String {
    match random.below(if depth < 3 { 7 } else { 5 }) {
        0 => number(random),
        1 | 2 => text(random),
        3 => "true".into(),
        4 => "null".into(),
        5 => format!("[{}]", json(random, depth + 1)),
        _ => format!(
            "{{ {}: {}, \"type\": \"string\" }}",
            text(random),
            json(random, depth + 1)
        ),
    }
}
