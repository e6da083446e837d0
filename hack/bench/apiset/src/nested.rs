//! Fields whose types are trees of structs and enums.

use crate::fields::LABEL;
use crate::model::Literal::{Bool, Int, Text, Variant};
use crate::model::{Field, Shape, Type};
use crate::random::Random;

/// Function that returns a field, and the types below it.
type Tree = fn(&str, &mut Random) -> (Field, Vec<Type>);

/// Returns three trees for a kind: their fields, and their types.
pub(crate) fn draw(kind: &str, random: &mut Random) -> (Vec<Field>, Vec<Type>) {
    let trees: Vec<Tree> = vec![endpoint, storage, window, throttle, rules];
    let mut fields = Vec::new();
    let mut types = Vec::new();
    for tree in random.some(trees, 3) {
        let (field, more) = tree(kind, random);
        fields.push(field);
        types.extend(more);
    }
    (fields, types)
}

/// Returns one of four enums, as a field with a default.
pub(crate) fn choice(kind: &str, random: &mut Random) -> (Field, Type) {
    const CHOICES: [(&str, &str, &[&str]); 4] = [
        (
            "updateMode",
            "UpdateMode",
            &["Rolling", "Replace", "Manual"],
        ),
        ("reclaim", "Reclaim", &["Keep", "Remove", "Archive"]),
        ("service", "Service", &["Basic", "Better", "Best", "Spare"]),
        ("startup", "Startup", &["Now", "Later", "Never"]),
    ];
    let (name, suffix, variants) = CHOICES[random.below(CHOICES.len())];
    let type_name = format!("{kind}{suffix}");
    let field = Field::new(
        name,
        Shape::Own(type_name.clone()),
        "One of a few ways to go about it.",
    )
    .default(Variant(variants[0]));
    let doc = format!("A choice for `{kind}`.");
    (field, Type::enumeration(type_name, &doc, variants))
}

fn own(kind: &str, suffix: &str) -> Shape {
    Shape::Own(format!("{kind}{suffix}"))
}

fn endpoint(kind: &str, random: &mut Random) -> (Field, Vec<Type>) {
    let port = Type::structure(
        format!("{kind}Port"),
        "One open port.",
        vec![
            Field::new("name", Shape::Text, "Unique among the ports.")
                .pattern(LABEL)
                .length(0, 15),
            Field::new("number", Shape::Int32, "The port inside.").between(1, 65535),
            Field::new(
                "target",
                Shape::IntOrString,
                "The port behind it, by number or name.",
            )
            .optional(),
            Field::new("transport", own(kind, "Transport"), "What it speaks.")
                .default(Variant("Tcp")),
        ],
    );
    let ports = own(kind, "Port").list();
    let endpoint = Type::structure(
        format!("{kind}Endpoint"),
        "How it can be reached.",
        vec![
            Field::new("open", Shape::Bool, "Reachable from everywhere.").default(Bool(false)),
            Field::new("ports", ports, "The ports that are open.")
                .items(random.within(4, 30))
                .by_key("name"),
            Field::new("rate", Shape::Quantity, "Bytes in a second.").optional(),
        ],
    );
    let transport = Type::enumeration(
        format!("{kind}Transport"),
        "What a port speaks.",
        &["Tcp", "Udp", "Quic"],
    );
    let field = Field::new("endpoint", own(kind, "Endpoint"), "How it can be reached.");
    (field, vec![endpoint, port, transport])
}

fn storage(kind: &str, random: &mut Random) -> (Field, Vec<Type>) {
    let mount = Type::structure(
        format!("{kind}Mount"),
        "One folder that is mounted.",
        vec![
            Field::new("name", Shape::Text, "Unique among the mounts.")
                .pattern(LABEL)
                .length(0, 63),
            Field::new("path", Shape::Text, "Where it appears.")
                .pattern("^/.*$")
                .length(1, 400),
            Field::new("from", own(kind, "Origin"), "Where the data comes from."),
        ],
    );
    let origin = Type::structure(
        format!("{kind}Origin"),
        "Where the data of a mount comes from.",
        vec![
            Field::new(
                "claim",
                Shape::Text,
                "A volume claim of the same namespace.",
            )
            .optional(),
            Field::new("scratch", Shape::Quantity, "An empty folder of that size.").optional(),
            Field::new("options", Shape::Text.map(), "Handed to the driver.").optional(),
        ],
    );
    let field = Field::new(
        "mounts",
        own(kind, "Mount").list(),
        "Folders that are mounted.",
    )
    .optional()
    .items(random.within(4, 20))
    .by_key("name");
    (field, vec![mount, origin])
}

fn window(kind: &str, random: &mut Random) -> (Field, Vec<Type>) {
    let slot = Type::structure(
        format!("{kind}Slot"),
        "A part of a week.",
        vec![
            Field::new("days", own(kind, "Day").list(), "Days of the week.")
                .items(7)
                .list("set"),
            Field::new("hour", Shape::Int32, "The hour it opens.")
                .default(Int(2))
                .between(0, 23),
            Field::new("open", Shape::Duration, "How long it stays open.").optional(),
        ],
    );
    let window = Type::structure(
        format!("{kind}Window"),
        "When it may be disturbed.",
        vec![
            Field::new("timeZone", Shape::Text, "A name of the time zone database.")
                .default(Text("UTC"))
                .length(3, 60),
            Field::new("slots", own(kind, "Slot").list(), "Any of these.")
                .items(random.within(2, 14))
                .list("atomic"),
        ],
    );
    let day = Type::enumeration(
        format!("{kind}Day"),
        "A day of the week.",
        &["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"],
    );
    let field = Field::new("window", own(kind, "Window"), "When it may be disturbed.").optional();
    (field, vec![window, slot, day])
}

fn throttle(kind: &str, random: &mut Random) -> (Field, Vec<Type>) {
    let backoff = Type::structure(
        format!("{kind}Backoff"),
        "A growing delay.",
        vec![
            Field::new("first", Shape::Duration, "The first delay.").optional(),
            Field::new("longest", Shape::Duration, "It does not grow beyond.").optional(),
            Field::new("factor", Shape::Int32, "By how much it grows.")
                .default(Int(2))
                .between(1, 10),
        ],
    );
    let throttle = Type::structure(
        format!("{kind}Throttle"),
        "How hard it tries.",
        vec![
            Field::new("attempts", Shape::Int32, "How often.")
                .default(Int(3))
                .between(0, random.within(10, 60).into()),
            Field::new(
                "backoff",
                own(kind, "Backoff"),
                "How long it waits in between.",
            ),
        ],
    );
    let field = Field::new("throttle", own(kind, "Throttle"), "How hard it tries.").optional();
    (field, vec![throttle, backoff])
}

fn rules(kind: &str, random: &mut Random) -> (Field, Vec<Type>) {
    let rule = Type::structure(
        format!("{kind}Rule"),
        "What is done with what matches.",
        vec![
            Field::new("when", own(kind, "Match").list(), "All of these hold.")
                .items(random.within(4, 16))
                .list("atomic"),
            Field::new("then", own(kind, "Action"), "What is done.").default(Variant("Admit")),
        ],
    );
    let matching = Type::structure(
        format!("{kind}Match"),
        "A condition on a label.",
        vec![
            Field::new("key", Shape::Text, "The label.").length(1, 316),
            Field::new(
                "relation",
                own(kind, "Relation"),
                "How label and values relate.",
            ),
            Field::new("values", Shape::Text.list(), "What it is compared with.")
                .optional()
                .items(32),
        ],
    );
    let action = Type::enumeration(
        format!("{kind}Action"),
        "What is done.",
        &["Admit", "Refuse", "Report"],
    );
    let relation = Type::enumeration(
        format!("{kind}Relation"),
        "How a label and values relate.",
        &["OneOf", "NoneOf", "Present", "Absent"],
    );
    let field = Field::new(
        "rules",
        own(kind, "Rule").list(),
        "The first that matches decides.",
    )
    .optional()
    .items(random.within(5, 50));
    (field, vec![rule, matching, action, relation])
}
