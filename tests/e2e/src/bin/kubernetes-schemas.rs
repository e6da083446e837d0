//! Writes the schemas of Kubernetes' own types, as published by the API server, to [`FILE`]; see
//! `hack/kubernetes-schemas.sh`.

use std::error::Error;
use std::fs;
use std::path::Path;

use e2e::ControlPlane;
use e2e::published::{self, FILE};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let plane = ControlPlane::start()
        .await
        .map_err(|error| error.explain())?;
    let text = published::read(&plane).await?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::write(root.join(FILE), &text)?;
    println!("{FILE}: {} definitions", text.lines().count() - 1);
    Ok(())
}
