//! Tests of causes: the messages with which the API server rejects each value of `causes.txt`.
//!
//! A unit test compares the messages of `genclient-schema` with the same table, without a server.

use e2e::ControlPlane;
use futures::stream::{self, StreamExt as _};
use kube::api::{Api, DynamicObject, PostParams};
use kube::core::{ApiResource, GroupVersionKind};
use kube::{Client, Error};
use serde_json::{Map, Value, json};

use crate::suite::{Outcome, Suite};
use crate::values;

const TABLE: &str = include_str!("causes.txt");
const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/causes.txt");

pub(crate) fn tests(suite: &mut Suite) {
    suite.both(
        "causes::messages_match_the_recorded_causes",
        messages_match_the_recorded_causes,
    );
}

async fn messages_match_the_recorded_causes(plane: &ControlPlane) -> Outcome {
    let definition = values::definition("causes.example.com", &schemas()?);
    let applied = plane.apply_crd(&definition.to_string()).await?;
    assert_eq!(applied.warnings, [""; 0]);
    let blocks = TABLE
        .split("\n\n")
        .map(|block| asked(plane.client(), block));
    let blocks: Vec<_> = stream::iter(blocks).buffered(8).collect().await;
    let blocks: Vec<String> = blocks.into_iter().collect::<Result<_, _>>()?;
    let said = blocks.join("\n\n") + "\n";
    e2e::suite::compare_with_recording(PATH, TABLE, &said)
}

/// Returns the schemas by the names of their properties.
fn schemas() -> Result<Map<String, Value>, serde_json::Error> {
    let rows = TABLE
        .lines()
        .filter_map(|line| line.strip_prefix("schema "));
    rows.filter_map(|row| row.split_once(' '))
        .map(|(name, schema)| Ok((name.to_owned(), serde_json::from_str(schema)?)))
        .collect()
}

/// Returns a block of the table with the API server's answers to its values.
async fn asked(client: Client, block: &str) -> Result<String, Box<dyn std::error::Error>> {
    let mut lines = Vec::new();
    let mut property = "";
    for line in block.lines().filter(|line| !line.starts_with("  ")) {
        lines.push(line.to_owned());
        if let Some(row) = line.strip_prefix("schema ") {
            property = row.split_once(' ').map_or(row, |(name, _)| name);
        }
        if let Some(value) = line.strip_prefix("value ") {
            let value = serde_json::from_str(value)?;
            lines.extend(causes(&client, property, value).await?);
        }
    }
    Ok(lines.join("\n"))
}

/// Returns the API server's causes against an object with the value, sorted. Nothing is stored.
async fn causes(client: &Client, property: &str, value: Value) -> kube::Result<Vec<String>> {
    let kind = GroupVersionKind::gvk("causes.example.com", "v1", "Sample");
    let resource = ApiResource::from_gvk_with_plural(&kind, "samples");
    let api: Api<DynamicObject> = Api::all_with(client.clone(), &resource);
    let object =
        DynamicObject::new("sample", &resource).data(json!({ "spec": { property: value } }));
    let dry_run = PostParams {
        dry_run: true,
        ..PostParams::default()
    };
    let status = match api.create(&dry_run, &object).await {
        Ok(_) => return Ok(vec!["  accepted".to_owned()]),
        Err(Error::Api(status)) if status.code == 422 => status,
        Err(error) => return Err(error),
    };
    let causes = status.details.map(|details| details.causes);
    let line = |cause: kube::core::response::StatusCause| {
        format!("  {} | {} | {}", cause.field, cause.reason, cause.message)
    };
    let mut lines: Vec<_> = causes.into_iter().flatten().map(line).collect();
    lines.sort();
    Ok(lines)
}
