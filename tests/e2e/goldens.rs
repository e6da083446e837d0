//! Test that the API server accepts every CRD of the golden tests without a warning.

use std::fs;

use e2e::ControlPlane;

use crate::suite::{Outcome, Suite};

pub(crate) fn tests(suite: &mut Suite) {
    suite.both("goldens::are_accepted_without_warning", accepted);
}

async fn accepted(plane: &ControlPlane) -> Outcome {
    let files = tests::golden_files("config/crd");
    assert!(files.len() > 50, "{} files", files.len());
    let mut complaints = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file)?;
        match plane.dry_run_crd(&text).await {
            Ok(applied) if applied.warnings.is_empty() => {}
            Ok(applied) => complaints.push(format!("{}: {:?}", file.display(), applied.warnings)),
            Err(error) => complaints.push(format!("{}: {error}", file.display())),
        }
    }
    if complaints.is_empty() {
        Ok(())
    } else {
        Err(complaints.join("\n").into())
    }
}
