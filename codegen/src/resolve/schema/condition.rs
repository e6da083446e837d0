//! `metav1.Condition`, with the constraints of its Go markers.

use serde_json::json;

use crate::model::Schema;

pub(super) fn schema() -> Schema {
    let properties = [
        ("lastTransitionTime", last_transition_time()),
        ("message", message()),
        ("observedGeneration", observed_generation()),
        ("reason", reason()),
        ("status", status()),
        ("type", type_()),
    ];
    Schema {
        description: Some("One aspect of an object's current state.".to_owned()),
        properties: properties
            .into_iter()
            .map(|(name, schema)| (name.to_owned(), schema))
            .collect(),
        required: ["lastTransitionTime", "message", "reason", "status", "type"]
            .map(str::to_owned)
            .into(),
        ..Schema::typed("object")
    }
}

fn described(text: &str, schema: Schema) -> Schema {
    Schema {
        description: Some(text.to_owned()),
        ..schema
    }
}

fn last_transition_time() -> Schema {
    let time = Schema::formatted("string", "date-time");
    described("When the status last changed.", time)
}

fn message() -> Schema {
    let text = Schema {
        max_length: Some(32_768),
        ..Schema::typed("string")
    };
    described("Details for people; may be empty.", text)
}

fn observed_generation() -> Schema {
    let generation = Schema {
        minimum: Some(0.into()),
        ..Schema::formatted("integer", "int64")
    };
    described(
        "The `metadata.generation` that this was found for.",
        generation,
    )
}

fn reason() -> Schema {
    let word = Schema {
        min_length: Some(1),
        max_length: Some(1024),
        pattern: Some("^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$".to_owned()),
        ..Schema::typed("string")
    };
    described(
        "Why the status last changed, as one word in CamelCase.",
        word,
    )
}

fn status() -> Schema {
    let answer = Schema {
        enum_: vec![json!("True"), json!("False"), json!("Unknown")],
        ..Schema::typed("string")
    };
    described("Whether the condition holds.", answer)
}

fn type_() -> Schema {
    let label = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
    let domain = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
    let name = Schema {
        max_length: Some(316),
        pattern: Some(format!("^({domain}/)?({label})$")),
        ..Schema::typed("string")
    };
    described(
        "Which condition, in CamelCase or as `example.com/CamelCase`.",
        name,
    )
}
