//! `genclient explain` for Go markers.

use std::fs;
use std::process::Command;

#[test]
fn every_marker_of_the_go_tools_is_explained() {
    let mut unknown = Vec::new();
    let mut markers = fs::read_to_string("../cli/go_markers.txt").unwrap();
    // The markers in a table of the migration guide are included.
    let guide = fs::read_to_string("../../docs/controller-gen.md").unwrap();
    for cell in guide.lines().filter_map(|line| line.strip_prefix("| `+")) {
        markers.push_str(&format!("+{}\n", cell.split('`').next().unwrap()));
    }
    let markers = markers.lines().filter(|line| line.starts_with('+'));
    for marker in markers {
        let output = Command::new(env!("CARGO_BIN_EXE_genclient-under-test"))
            .args(["explain", marker])
            .output()
            .unwrap();
        if !output.status.success() || output.stdout.is_empty() {
            unknown.push(marker.to_owned());
        }
    }
    assert!(unknown.is_empty(), "not explained:\n{}", unknown.join("\n"));
}
