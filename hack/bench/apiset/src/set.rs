//! The set: names of groups and kinds, and the types of each kind.

use crate::model::{Field, Group, Kind, Shape, Type};
use crate::random::Random;
use crate::{fields, nested};

const GROUPS: [&str; 10] = [
    "build", "data", "edge", "fleet", "ingest", "ledger", "media", "probe", "robot", "vault",
];
const NOUNS: [(&str, &str); 10] = [
    ("Agent", "agents"),
    ("Gateway", "gateways"),
    ("Index", "indexes"),
    ("Policy", "policies"),
    ("Queue", "queues"),
    ("Registry", "registries"),
    ("Schedule", "schedules"),
    ("Store", "stores"),
    ("Task", "tasks"),
    ("Worker", "workers"),
];

/// Returns the first `kinds` kinds, ten in each group.
pub fn groups(kinds: usize) -> Vec<Group> {
    let numbers: Vec<usize> = (0..kinds).collect();
    numbers
        .chunks(NOUNS.len())
        .enumerate()
        .map(|(number, kinds)| {
            let package = package(number);
            Group {
                name: format!("{package}.bench.example.com"),
                kinds: kinds
                    .iter()
                    .map(|kind| self::kind(&package, *kind))
                    .collect(),
                package,
            }
        })
        .collect()
}

/// Returns `edge`, and `edge2` in the second round.
fn package(number: usize) -> String {
    let word = GROUPS[number % GROUPS.len()];
    match number / GROUPS.len() {
        0 => word.to_owned(),
        round => format!("{word}{}", round + 1),
    }
}

fn kind(package: &str, number: usize) -> Kind {
    let mut random = Random::of(number);
    let (noun, nouns) = NOUNS[number % NOUNS.len()];
    let name = capital(package) + noun;
    let mut fields = fields::draw(&mut random);
    let (choice, choices) = nested::choice(&name, &mut random);
    let (trees, more) = nested::draw(&name, &mut random);
    fields.push(choice);
    fields.extend(trees);
    if number.is_multiple_of(NOUNS.len()) {
        let doc = "The pods that do the work.";
        fields.push(Field::new("template", Shape::PodTemplate, doc));
    }
    let spec = Type::structure(
        format!("{name}Spec"),
        &format!("What is wanted of a `{name}`."),
        fields,
    );
    let mut types = vec![spec, status(&name), phase(&name), choices];
    types.extend(more);
    Kind {
        plural: format!("{package}{nouns}"),
        short_name: format!("{}{number}", &package[..1]),
        cluster: number % 5 == 4,
        doc: format!("Kind number {number} of a synthetic set."),
        types,
        name,
    }
}

fn status(kind: &str) -> Type {
    let conditions = Shape::Condition.list();
    Type::structure(
        format!("{kind}Status"),
        &format!("What was last seen of a `{kind}`."),
        vec![
            Field::new(
                "phase",
                Shape::Own(format!("{kind}Phase")),
                "The state in a word.",
            )
            .optional(),
            Field::new(
                "observedGeneration",
                Shape::Int64,
                "The spec that this is about.",
            )
            .optional()
            .from(0),
            Field::new("ready", Shape::Int32, "How many work.")
                .optional()
                .from(0),
            Field::new("checked", Shape::Time, "When this was found out.").optional(),
            Field::new("conditions", conditions, "The state in detail.")
                .optional()
                .items(16)
                .by_key("type"),
        ],
    )
}

fn phase(kind: &str) -> Type {
    Type::enumeration(
        format!("{kind}Phase"),
        &format!("The state of a `{kind}`."),
        &["Waiting", "Working", "Done", "Broken"],
    )
}

/// Returns `Edge` for `edge`.
pub(crate) fn capital(name: &str) -> String {
    name[..1].to_ascii_uppercase() + &name[1..]
}

/// Returns `retention_days` for `retentionDays`.
pub(crate) fn snake(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// Name, type and JSON path of the printed columns.
pub(crate) const COLUMNS: [(&str, &str, &str); 3] = [
    ("Phase", "string", ".status.phase"),
    ("Ready", "integer", ".status.ready"),
    ("Age", "date", ".metadata.creationTimestamp"),
];
