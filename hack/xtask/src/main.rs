//! Development tasks of this repository: tests, expected files, benchmarks, pages and releases.
//! `cargo xtask --help` lists them.

mod checks;
mod ci;
mod pages;
mod release;
mod stress;
mod suites;
mod tools;

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use clap::{Parser, Subcommand};
use xshell::{Shell, cmd};

/// Tests, checks and releases this repository.
///
/// Each task prints the commands that it runs. `cargo test` needs no task.
#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Run tests: by default those that need no server
    Test(suites::Test),
    /// Run one test with more or larger cases than `test` does
    Stress(stress::Stress),
    /// Rewrite expected files with current results; then read the diff
    ///
    /// These are the files of the tests `golden`, `ui`, `cli`, `editor` and `attributes`, and the
    /// reference pages in docs/ that come from tables of the program. Clients of the examples are
    /// rewritten by `cargo run -p codegen -- update`.
    Bless,
    /// Run everything that CI runs, and print the time of each step
    Ci(ci::Ci),
    /// Measure genclient and its peers in one run, and print Markdown tables
    ///
    /// Without arguments, measures everything, which takes hours. Needs Go and Python 3; peers are
    /// installed in ~/.cache/genclient. Nothing else should run on the machine meanwhile.
    #[command(disable_help_flag = true)]
    Bench {
        /// Parts and options; `cargo xtask bench --help` lists them
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Draw the pictures of the docs, and build the book
    Pages(pages::Pages),
    /// Compare the public API with a git revision; fail if it needs a higher version
    Semver {
        /// Default: the newest tag, which is the last release
        revision: Option<String>,
    },
    /// Compare dependencies with the RustSec advisory database, which is downloaded
    Advisories,
    /// Check that only comments, docs and strings have changed since a git revision
    SameCode {
        /// The revision
        #[arg(default_value = "HEAD")]
        revision: String,
    },
    /// Make a release: version, changelog, checks, packages, commit and tag
    Release(release::Release),
}

fn main() -> ExitCode {
    let start = Instant::now();
    let result = run_task(Arguments::parse().task);
    eprintln!("took {:.0?}", start.elapsed());
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run_task(task: Task) -> anyhow::Result<()> {
    let sh = Shell::new()?;
    sh.change_dir(repository_root());
    match task {
        Task::Test(test) => suites::run_tests(&sh, &test),
        Task::Stress(stress) => stress::run_stress_test(&sh, stress),
        Task::Bless => suites::rewrite_expected_files(&sh),
        Task::Ci(ci) => ci::run_steps(&sh, &ci),
        Task::Bench { arguments } => {
            sh.set_var("PYTHONDONTWRITEBYTECODE", "1");
            Ok(cmd!(sh, "python3 hack/bench/main.py {arguments...}").run()?)
        }
        Task::Pages(pages) => pages::make_pages(&sh, &pages),
        Task::Semver { revision } => checks::check_public_api(&sh, revision),
        Task::Advisories => tools::CARGO_DENY.run(&sh, &["deny", "check", "advisories"]),
        Task::SameCode { revision } => checks::check_same_code(&sh, &revision),
        Task::Release(release) => release::make_release(&sh, &release),
    }
}

/// Returns the root of the repository.
fn repository_root() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().nth(2).unwrap_or(package)
}
