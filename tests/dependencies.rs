//! Dependency rules of the workspace, checked with `cargo tree`.

use std::collections::BTreeSet;
use std::io;
use std::process::Command;

/// Packages, each with forbidden normal dependencies.
const RULES: [(&str, &[&str]); 8] = [
    // API types alone depend on neither HTTP nor TLS nor an async runtime.
    (
        "demo-api",
        &["hyper", "rustls", "tokio", "tower", "kube-client"],
    ),
    // The generator compiles in seconds.
    (
        "codegen",
        &["kube", "kube-core", "k8s-openapi", "tokio", "genclient"],
    ),
    (
        "genclient-schema",
        &["clap", "kube", "kube-core", "k8s-openapi", "syn", "tokio"],
    ),
    // Only the feature `control-plane` brings TLS and certificates.
    (
        "genclient-apiserver",
        &[
            "genclient-codegen",
            "hyper-rustls",
            "rcgen",
            "rustls",
            "tempfile",
        ],
    ),
    ("genclient", &["genclient-codegen"]),
    ("genclient-controller", &["genclient-codegen"]),
    (
        "genclient-macros",
        &["genclient-codegen", "kube", "k8s-openapi"],
    ),
    ("genclient-syntax", &["clap", "kube", "k8s-openapi"]),
];

#[test]
fn packages_avoid_forbidden_dependencies() -> io::Result<()> {
    for (package, unwanted) in RULES {
        let found = dependencies(package)?;
        assert!(found.contains(package), "{found:?}");
        for name in unwanted {
            assert!(!found.contains(*name), "{package} depends on {name}");
        }
    }
    Ok(())
}

/// The names of a package and of everything compiled with it.
fn dependencies(package: &str) -> io::Result<BTreeSet<String>> {
    let output = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--locked",
            "--offline",
            "-e",
            "normal,no-proc-macro",
            "--prefix",
            "none",
        ])
        .args(["--format", "{p}", "-p", package])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let tree = String::from_utf8_lossy(&output.stdout);
    let packages = tree
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    Ok(packages.map(str::to_owned).collect())
}
