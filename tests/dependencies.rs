//! Dependency rules of the workspace, checked with `cargo tree`.

use std::collections::BTreeSet;
use std::io;
use std::process::Command;

/// Packages, each with forbidden normal dependencies.
const RULES: [(&str, &[&str]); 15] = [
    // API types alone depend on neither HTTP nor TLS nor an async runtime.
    (
        "demo-api",
        &["hyper", "rustls", "tokio", "tower", "kube-client"],
    ),
    // The generator compiles in seconds. It knows no command line and no terminal.
    (
        "genclient-codegen",
        &[
            "anstream",
            "clap",
            "clap_complete",
            "genclient",
            "genclient-diff",
            "k8s-openapi",
            "kube",
            "kube-core",
            "prettyplease",
            "rustix",
            "signal-hook",
            "similar",
            "tokio",
        ],
    ),
    (
        "genclient-diff",
        &[
            "clap",
            "genclient-codegen",
            "genclient-syntax",
            "k8s-openapi",
            "kube",
            "kube-core",
            "syn",
            "tokio",
        ],
    ),
    // The program of this workspace, and with it cargo-genclient.
    (
        "codegen",
        &["kube", "kube-core", "k8s-openapi", "tokio", "genclient"],
    ),
    (
        "genclient-apimachinery",
        &["clap", "kube", "kube-core", "k8s-openapi", "syn", "tokio"],
    ),
    (
        "genclient-cel",
        &["clap", "kube", "kube-core", "k8s-openapi", "syn", "tokio"],
    ),
    (
        "genclient-schema",
        &["clap", "kube", "kube-core", "k8s-openapi", "syn", "tokio"],
    ),
    (
        "genclient-merge",
        &["clap", "kube", "kube-core", "k8s-openapi", "syn", "tokio"],
    ),
    (
        "genclient-builtins",
        &["clap", "kube", "kube-core", "k8s-openapi", "syn", "tokio"],
    ),
    // Without features, it has neither TLS nor certificates: `genclient-envtest` brings both.
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
    ("genclient-envtest", &["genclient-codegen"]),
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

/// The test servers bring features of their own, but none of a crate that the program has, too:
/// else `cargo run` after `cargo test`, or `cargo test --features e2e` after both, compiles kube
/// once more. The example depends on the same crates as a scaffolded project. Its test on a real
/// API server needs `genclient-envtest` beside them.
#[test]
fn tests_of_a_project_change_no_features_of_its_program() -> io::Result<()> {
    let packages = |names: &[&str], edges| tree(names, edges, "{p} {f}");
    let program = packages(&["scaling"], "normal,build")?;
    let with_tests = [
        (
            "genclient-apiserver",
            packages(&["scaling"], "normal,build,dev")?,
        ),
        (
            "genclient-envtest",
            packages(&["scaling", "genclient-envtest"], "normal,build")?,
        ),
    ];
    for (server, tests) in with_tests {
        let has_server = |package: &String| package.starts_with(&format!("{server} "));
        assert!(!program.iter().any(has_server) && tests.iter().any(has_server));
        let different: Vec<_> = program.difference(&tests).collect();
        assert!(different.is_empty(), "{server}: {different:#?}");
    }
    Ok(())
}

/// Every program depends on the macros: a feature that only their tests need would compile all
/// derive macros, and what uses them, once more for the tests.
#[test]
fn tests_of_the_macros_change_no_features() -> io::Result<()> {
    for package in ["genclient-macros", "genclient-syntax"] {
        let packages = |edges| tree(&[package], edges, "{p} {f}");
        let (macros, tests) = (packages("normal,build")?, packages("normal,build,dev")?);
        let different: Vec<_> = macros.difference(&tests).collect();
        assert!(different.is_empty(), "{package}: {different:#?}");
    }
    Ok(())
}

/// The names of a package and of everything compiled with it.
fn dependencies(package: &str) -> io::Result<BTreeSet<String>> {
    let packages = tree(&[package], "normal,no-proc-macro", "{p}")?;
    let name = |package: &String| package.split_whitespace().next().map(str::to_owned);
    Ok(packages.iter().filter_map(name).collect())
}

/// The lines of `cargo tree` about packages and their dependencies along `edges`, with the features
/// of a build of all these packages.
fn tree(packages: &[&str], edges: &str, format: &str) -> io::Result<BTreeSet<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--offline", "--no-dedupe"])
        .args(["--prefix", "none", "-e", edges])
        .args(packages.iter().flat_map(|package| ["-p", package]))
        .args(["--format", format])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let tree = String::from_utf8_lossy(&output.stdout);
    Ok(tree.lines().map(str::to_owned).collect())
}
