//! Test that the API server accepts every CRD of the golden tests without a warning.

use std::fs;
use std::path::{Path, PathBuf};

use tests::ControlPlane;

use crate::suite::{Outcome, Suite};

pub(crate) fn tests(suite: &mut Suite) {
    suite.both("goldens::are_accepted_without_warning", accepted);
}

async fn accepted(plane: &ControlPlane) -> Outcome {
    let files = definitions()?;
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

/// Returns the paths `golden/<case>/expected/config/crd/*.yaml`.
fn definitions() -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for case in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("golden"))? {
        let folder = case?.path().join("expected/config/crd");
        if folder.is_dir() {
            for file in fs::read_dir(folder)? {
                files.push(file?.path());
            }
        }
    }
    files.sort();
    Ok(files)
}
