//! Sets of tests, by what they need, and their expected files.

use anyhow::ensure;
use clap::ValueEnum;
use xshell::{Cmd, Shell, cmd};

use crate::tools;

/// Arguments of `test`.
#[derive(clap::Args)]
pub(crate) struct Test {
    /// Which tests to run
    #[arg(value_enum, default_value = "fast")]
    suite: Suite,
    /// Arguments of `cargo test`, such as `-- NAME`
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Suite {
    /// Without servers: the same as `cargo test`
    Fast,
    /// With programs, scaffolded projects and the API server in the process
    E2e,
    /// The same, and on kube-apiserver and etcd, which are built once
    Real,
    /// Everything, also on kube-apiserver and etcd, with more random cases
    All,
}

/// Sizes of the random tests in a complete run, in the variables that the tests read. Their own
/// sizes are smaller, so that `cargo test` is quick.
const COMPLETE_SIZES: [(&str, &str); 3] = [
    ("FUZZ_BYTES", "300000"),
    ("FUZZ_COUNT", "600"),
    ("MODEL_COUNT", "3000"),
];

/// Runs tests.
pub(crate) fn run_tests(sh: &Shell, Test { suite, arguments }: &Test) -> anyhow::Result<()> {
    match suite {
        Suite::Fast => cmd!(sh, "cargo test {arguments...}").run()?,
        Suite::E2e => {
            sh.set_var("KUBEBUILDER_ASSETS", "");
            run_server_tests(sh, arguments)?;
        }
        Suite::Real => {
            sh.set_var("KUBEBUILDER_ASSETS", tools::control_plane(sh)?);
            run_server_tests(sh, arguments)?;
        }
        Suite::All => all_tests(sh, arguments)?.run()?,
    }
    Ok(())
}

/// Returns the command that runs all tests, also on kube-apiserver.
pub(crate) fn all_tests<'sh>(sh: &'sh Shell, arguments: &[String]) -> anyhow::Result<Cmd<'sh>> {
    let tests = cmd!(sh, "cargo test --workspace {arguments...}");
    tools::install_rust_analyzer(sh)?;
    let programs = tools::control_plane(sh)?;
    Ok(tests
        .env("KUBEBUILDER_ASSETS", programs)
        .envs(COMPLETE_SIZES))
}

/// Runs the tests that use programs or an API server.
fn run_server_tests(sh: &Shell, arguments: &[String]) -> anyhow::Result<()> {
    tools::install_rust_analyzer(sh)?;
    cmd!(sh, "cargo test -p e2e --no-fail-fast {arguments...}").run()?;
    cmd!(sh, "cargo test -p oracle {arguments...}").run()?;
    Ok(())
}

/// Rewrites expected files, and prints those that changed.
pub(crate) fn rewrite_expected_files(sh: &Shell) -> anyhow::Result<()> {
    tools::install_rust_analyzer(sh)?;
    let _updates = [
        sh.push_env("UPDATE_EXPECT", "1"),
        sh.push_env("TRYBUILD", "overwrite"),
        sh.push_env("TRYCMD", "overwrite"),
    ];
    let results = [
        cmd!(sh, "cargo test -p ui").run(),
        cmd!(sh, "cargo test -p tests --test golden").run(),
        cmd!(sh, "cargo test -p tests --test repository -- attributes::").run(),
        cmd!(sh, "cargo test -p xtask --test pages").run(),
        cmd!(
            sh,
            "cargo test -p e2e --test programs -- cli:: projects::editor"
        )
        .run(),
    ];
    cmd!(sh, "git status --short -- tests macros docs").run()?;
    cmd!(sh, "git diff --stat -- tests macros docs").run()?;
    ensure!(
        results.iter().all(Result::is_ok),
        "some tests fail although their expected files are rewritten; see above"
    );
    Ok(())
}
