//! Pool of fields for random specs, with limits that differ between kinds.

use crate::model::Literal::{Bool, Int, Text};
use crate::model::{Field, Shape};
use crate::random::Random;

/// Pattern of a DNS label.
pub(crate) const LABEL: &str = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";

/// Function that returns the fields of one sort.
type Pool = fn(&mut Random) -> Vec<Field>;

/// Returns about 21 fields of all sorts.
pub(crate) fn draw(random: &mut Random) -> Vec<Field> {
    let pools: [(Pool, usize); 6] = [
        (texts, 5),
        (numbers, 5),
        (switches, 2),
        (foreign, 5),
        (lists, 2),
        (maps, 2),
    ];
    let mut fields = Vec::new();
    for (pool, count) in pools {
        let pool = pool(random);
        fields.extend(random.some(pool, count));
    }
    fields
}

fn texts(random: &mut Random) -> Vec<Field> {
    let text = |name, doc| Field::new(name, Shape::Text, doc);
    vec![
        text("title", "What people see in lists.").length(1, random.within(40, 120)),
        text(
            "image",
            "The container image to run.\nA digest is better than a tag.",
        )
        .pattern("^[a-z0-9./_-]+([:@][A-Za-z0-9:._-]+)?$"),
        text("hostName", "The name under which it can be reached.")
            .pattern(LABEL)
            .length(0, 63),
        text("summary", "A few words for the next person.")
            .optional()
            .length(0, random.within(200, 900)),
        text("cron", "When it runs, as five fields of cron.")
            .optional()
            .length(9, 120),
        text("team", "Who is called at night.").length(2, random.within(20, 60)),
        text("zone", "Where the work is done.")
            .default(Text("north-1"))
            .length(3, 40),
        text("callbackUrl", "Called when the work is done.")
            .optional()
            .pattern("^https://.+$"),
        text(
            "credentials",
            "A secret of the same namespace, with a user and a password.",
        )
        .optional()
        .pattern(LABEL),
        text("track", "Which releases are followed.")
            .default(Text("stable"))
            .length(0, 32),
    ]
}

fn numbers(random: &mut Random) -> Vec<Field> {
    let small = |name, doc| Field::new(name, Shape::Int32, doc);
    let large = |name, doc| Field::new(name, Shape::Int64, doc);
    let mut up_to = |first, last| i64::from(random.within(first, last));
    vec![
        small("replicas", "How many are wanted.")
            .default(Int(up_to(1, 4)))
            .between(0, up_to(8, 500)),
        small("workers", "How many things are done at once.")
            .optional()
            .between(1, up_to(4, 128)),
        small("listenPort", "The port that is listened on.")
            .default(Int(up_to(8000, 8999)))
            .between(1, 65535),
        small("rank", "Higher goes first.")
            .optional()
            .between(-100, 100),
        small("keepDays", "For how long results are kept.")
            .default(Int(up_to(3, 20)))
            .between(1, up_to(60, 400)),
        large("maxBytes", "How much may be stored.").from(0),
        small("historyLength", "How many earlier versions are kept.")
            .optional()
            .between(0, 50),
        small("chunkSize", "How many items make one step.").between(1, up_to(100, 9000)),
        large("sequence", "The first number to hand out.")
            .optional()
            .from(0),
        small("share", "Its part of the whole, in percent.")
            .default(Int(up_to(1, 99)))
            .between(0, 100),
    ]
}

fn switches(_: &mut Random) -> Vec<Field> {
    let switch = |name, doc| Field::new(name, Shape::Bool, doc);
    vec![
        switch("suspended", "Nothing is started while this is set.").optional(),
        switch("immutableData", "Data cannot be changed once written.").default(Bool(false)),
        switch("traced", "Spans are exported.").default(Bool(true)),
        switch("pretend", "Only says what would be done.").optional(),
    ]
}

fn foreign(_: &mut Random) -> Vec<Field> {
    vec![
        Field::new("capacity", Shape::Quantity, "How much is set aside."),
        Field::new("memory", Shape::Quantity, "How much memory it may take.").optional(),
        Field::new(
            "maxDown",
            Shape::IntOrString,
            "How many may be missing: a number, or percent.",
        )
        .optional(),
        Field::new(
            "maxExtra",
            Shape::IntOrString,
            "How many more may be there: a number, or percent.",
        ),
        Field::new(
            "patience",
            Shape::Duration,
            "How long one attempt may take.",
        )
        .optional(),
        Field::new(
            "pause",
            Shape::Duration,
            "How long it rests between two attempts.",
        )
        .optional(),
        Field::new("notBefore", Shape::Time, "Nothing is done before.").optional(),
        Field::new("notAfter", Shape::Time, "Nothing is done after.").optional(),
        Field::new(
            "peers",
            Shape::LabelSelector,
            "The objects that it works with.",
        )
        .optional(),
    ]
}

fn lists(random: &mut Random) -> Vec<Field> {
    let texts = |name, doc| Field::new(name, Shape::Text.list(), doc);
    vec![
        texts("command", "What is run, word by word.")
            .optional()
            .items(random.within(8, 64)),
        texts("regions", "Where it may run, in no order.")
            .items(random.within(3, 20))
            .list("set"),
        texts("sources", "Networks that may connect.")
            .optional()
            .items(random.within(10, 99)),
        Field::new("steps", Shape::Int32.list(), "Percentages to stop at.")
            .items(random.within(3, 9))
            .list("atomic"),
    ]
}

fn maps(_: &mut Random) -> Vec<Field> {
    vec![
        Field::new("settings", Shape::Text.map(), "Handed on as they are.").optional(),
        Field::new(
            "quotas",
            Shape::Quantity.map(),
            "How much of each resource.",
        ),
        Field::new("weights", Shape::Int32.map(), "How much each region gets.").optional(),
        Field::new(
            "nodeLabels",
            Shape::Text.map(),
            "Labels that a node must have.",
        )
        .optional(),
    ]
}
