//! The checks of CI, in order.

use std::io::{BufRead, BufReader, pipe};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, ensure};
use clap::builder::PossibleValuesParser;
use xshell::{Shell, cmd};

use crate::{checks, suites, tools};

/// Arguments of `ci`.
#[derive(clap::Args)]
pub(crate) struct Ci {
    /// Run only these steps
    #[arg(value_parser = PossibleValuesParser::new(CI_STEPS.map(|(name, _)| name)))]
    steps: Vec<String>,
}

/// The work of one step.
type Step = fn(&Shell) -> anyhow::Result<()>;

/// The steps by name, in order.
const CI_STEPS: [(&str, Step); 12] = [
    ("fetch", fetch_dependencies),
    ("format", check_format),
    ("clippy", run_clippy),
    ("docs", build_docs),
    ("libraries", check_libraries),
    ("packages", package_crates),
    ("oldest-rust", check_oldest_rust),
    ("kubernetes-versions", check_kubernetes_versions),
    ("public-api", check_public_api),
    ("verify", verify_examples),
    ("tests", run_all_tests),
    ("licenses", check_licenses),
];

/// The crates that are published.
pub(crate) const PUBLISHED_CRATES: [&str; 14] = [
    "genclient-syntax",
    "genclient-macros",
    "genclient-apimachinery",
    "genclient-cel",
    "genclient-schema",
    "genclient-merge",
    "genclient-builtins",
    "genclient",
    "genclient-controller",
    "genclient-apiserver",
    "genclient-envtest",
    "genclient-diff",
    "genclient-codegen",
    "cargo-genclient",
];

/// Runs the chosen steps, or all of them. Stops at the first one that fails.
pub(crate) fn run_steps(sh: &Shell, Ci { steps }: &Ci) -> anyhow::Result<()> {
    sh.set_var("CARGO_INCREMENTAL", "0");
    sh.set_var("CARGO_TERM_COLOR", "never");
    sh.set_var("RUST_BACKTRACE", "1");
    for (name, step) in CI_STEPS {
        if steps.is_empty() || steps.iter().any(|wanted| wanted == name) {
            eprintln!("== {name}");
            let start = Instant::now();
            step(sh).with_context(|| format!("{name} failed after {:.0?}", start.elapsed()))?;
            eprintln!("== {name}: {:.0?}", start.elapsed());
        }
    }
    Ok(())
}

fn fetch_dependencies(sh: &Shell) -> anyhow::Result<()> {
    Ok(cmd!(sh, "cargo fetch --locked").run()?)
}

fn check_format(sh: &Shell) -> anyhow::Result<()> {
    Ok(cmd!(sh, "cargo fmt --all --check").run()?)
}

fn run_clippy(sh: &Shell) -> anyhow::Result<()> {
    Ok(cmd!(
        sh,
        "cargo clippy --workspace --all-targets --locked -- -D warnings"
    )
    .run()?)
}

fn build_docs(sh: &Shell) -> anyhow::Result<()> {
    Ok(cmd!(sh, "cargo doc --workspace --no-deps --locked")
        .env("RUSTDOCFLAGS", "-D warnings")
        .run()?)
}

/// Checks each library alone, as its users build it: a build of the whole workspace would unify the
/// features of all members.
fn check_libraries(sh: &Shell) -> anyhow::Result<()> {
    let selections: [(&str, &[&str]); 26] = [
        ("genclient-syntax", &[]),
        ("genclient-macros", &[]),
        ("genclient-apimachinery", &[]),
        ("genclient-cel", &[]),
        ("genclient-cel", &["--features", "evaluate"]),
        ("genclient-schema", &[]),
        ("genclient-schema", &["--features", "evaluate"]),
        ("genclient-merge", &[]),
        ("genclient-builtins", &[]),
        ("genclient-diff", &[]),
        ("genclient-codegen", &[]),
        ("cargo-genclient", &[]),
        ("genclient", &["--no-default-features"]),
        ("genclient", &["--no-default-features", "--tests"]),
        ("genclient", &[]),
        ("genclient", &["--features", "prometheus"]),
        ("genclient-controller", &[]),
        ("genclient-controller", &["--no-default-features"]),
        ("genclient-controller", &["--features", "tls"]),
        ("genclient-controller", &["--features", "webhook"]),
        ("genclient-apiserver", &[]),
        ("genclient-apiserver", &["--features", "serve"]),
        ("genclient-apiserver", &["--features", "cli"]),
        ("genclient-envtest", &[]),
        ("gputask", &["--features", "in-process"]),
        // Without the kinds behind a feature.
        ("compiled", &["--no-default-features"]),
    ];
    for (package, features) in selections {
        cmd!(sh, "cargo check --locked -p {package} {features...}").run()?;
    }
    Ok(())
}

/// Checks that each crate can be packaged and depends on published crates only.
fn package_crates(sh: &Shell) -> anyhow::Result<()> {
    let packages = packages_to_publish();
    Ok(cmd!(
        sh,
        "cargo package --locked --no-verify --quiet {packages...}"
    )
    .run()?)
}

/// Returns the flags that select the published crates.
pub(crate) fn packages_to_publish() -> impl Iterator<Item = &'static str> {
    PUBLISHED_CRATES
        .into_iter()
        .flat_map(|package| ["-p", package])
}

/// Checks the published crates with the `rust-version` of Cargo.toml.
fn check_oldest_rust(sh: &Shell) -> anyhow::Result<()> {
    let manifest = sh.read_file("Cargo.toml")?;
    let version = manifest
        .lines()
        .find_map(|line| {
            let value = line.strip_prefix("rust-version = \"")?;
            value.strip_suffix('"')
        })
        .context("Cargo.toml has no rust-version")?;
    cmd!(
        sh,
        "rustup toolchain install {version} --profile minimal --no-self-update"
    )
    .run()?;
    let packages = packages_to_publish();
    let features = "k8s-openapi/v1_36,genclient-controller/webhook";
    Ok(cmd!(
        sh,
        "cargo check --locked --quiet {packages...} --features {features}"
    )
    .env("RUSTUP_TOOLCHAIN", version)
    .env("CARGO_TARGET_DIR", "target/versions")
    .run()?)
}

/// Checks the libraries with each Kubernetes version of k8s-openapi except v1_36, which all other
/// steps use.
fn check_kubernetes_versions(sh: &Shell) -> anyhow::Result<()> {
    for version in ["v1_33", "v1_34", "v1_35", "v1_37"] {
        cmd!(
            sh,
            "cargo check --locked --quiet -p genclient-controller -p genclient-apiserver
             --features k8s-openapi/{version}"
        )
        .env("CARGO_TARGET_DIR", "target/versions")
        .run()?;
    }
    Ok(())
}

fn check_public_api(sh: &Shell) -> anyhow::Result<()> {
    checks::check_public_api(sh, None)
}

fn verify_examples(sh: &Shell) -> anyhow::Result<()> {
    Ok(cmd!(sh, "cargo run --locked -p codegen -- verify").run()?)
}

/// Runs all tests, also on kube-apiserver, and checks that none of those was skipped.
fn run_all_tests(sh: &Shell) -> anyhow::Result<()> {
    let (output, stdout) = pipe()?;
    let all = suites::all_tests(sh, &["--locked", "--no-fail-fast"].map(str::to_owned))?;
    eprintln!("$ {all}");
    let mut tests = Command::from(all);
    tests.stderr(stdout.try_clone()?).stdout(stdout);
    let mut child = tests.spawn()?;
    // Closes the ends of the pipe that this process holds. Otherwise, the loop below would never
    // end.
    drop(tests);
    let mut log = Vec::new();
    for line in BufReader::new(output).lines() {
        let line = line?;
        println!("{line}");
        log.push(line);
    }
    ensure!(
        child.wait()?.success(),
        "tests fail\n{}",
        summarize_failures(&log)
    );
    for binary in ON_KUBE_APISERVER {
        let result = find_result(&log, binary).with_context(|| format!("{binary} did not run"))?;
        println!("{binary}: {result}");
        ensure!(is_complete(result), "tests of {binary} were skipped");
    }
    Ok(())
}

/// Number of lines of a failed test in the summary.
const LINES_OF_FAILURE: usize = 12;

/// Returns the lines that name failed tests, and the first lines that each of these has printed.
fn summarize_failures(log: &[String]) -> String {
    let names = log
        .iter()
        .filter(|line| line.starts_with("test ") && line.ends_with(" FAILED"));
    let reports = log
        .iter()
        .enumerate()
        .filter(|(_, line)| line.starts_with("---- "))
        .flat_map(|(at, _)| log[at..].iter().take(LINES_OF_FAILURE));
    let lines: Vec<_> = names.chain(reports).map(String::as_str).collect();
    lines.join("\n")
}

/// Test binaries that skip tests without a control plane, as cargo names them.
const ON_KUBE_APISERVER: [&str; 7] = [
    "main.rs",
    "../programs.rs",
    "../differential/main.rs",
    "../serve/main.rs",
    "../upstream/main.rs",
    "tests/control_plane/main.rs",
    "tests/main.rs",
];

/// Returns the result of a test binary: the first one after the line with its name.
fn find_result<'l>(log: &'l [String], binary: &str) -> Option<&'l str> {
    let running = format!("Running {binary} ");
    log.iter()
        .skip_while(|line| !line.contains(&running))
        .find(|line| line.starts_with("test result:"))
        .map(String::as_str)
}

/// Whether tests have run, and none failed or was left out.
fn is_complete(result: &str) -> bool {
    let all = result.strip_prefix("test result: ok. ");
    all.is_some_and(|all| {
        !all.starts_with("0 ") && all.contains(" 0 failed; 0 ignored; 0 measured; 0 filtered out")
    })
}

fn check_licenses(sh: &Shell) -> anyhow::Result<()> {
    // Offline: the step `fetch` has downloaded every crate, also those of other platforms.
    let options = ["--locked", "--offline", "check", "--hide-inclusion-graph"];
    let arguments = [&options[..], &["licenses", "bans", "sources"]].concat();
    tools::CARGO_DENY.run(sh, &arguments)
}

#[cfg(test)]
mod tests {
    use super::{find_result, is_complete, summarize_failures};

    const LOG: &str = "\
     Running ../serve/main.rs (target/debug/deps/serve-0)
test kubectl ... ok
test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.0s
     Running ../programs.rs (target/debug/deps/programs-0)
test result: ok. 7 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 1.0s
     Running main.rs (target/debug/deps/e2e-0)
test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.0s
";

    #[test]
    fn failed_tests_are_named_at_the_end() {
        let log = "\
test one ... ok
test two ... FAILED

failures:

---- two ----
not done after 600s
";
        let log: Vec<_> = log.lines().map(str::to_owned).collect();
        assert_eq!(
            summarize_failures(&log),
            "test two ... FAILED\n---- two ----\nnot done after 600s"
        );
    }

    #[test]
    fn skipped_tests_are_noticed() {
        let log: Vec<_> = LOG.lines().map(str::to_owned).collect();
        let cases = [
            ("../serve/main.rs", Some(true)),
            ("../programs.rs", Some(false)),
            ("main.rs", Some(false)),
            ("../upstream/main.rs", None),
        ];
        for (binary, expected) in cases {
            assert_eq!(
                find_result(&log, binary).map(is_complete),
                expected,
                "{binary}"
            );
        }
    }
}
