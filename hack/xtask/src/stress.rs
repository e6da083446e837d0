//! Tests with more or larger cases than a usual run has.

use std::num::NonZeroU64;

use clap::Subcommand;
use xshell::{Cmd, Shell, cmd};

use crate::tools;

/// Arguments of `stress`.
#[derive(clap::Args)]
pub(crate) struct Stress {
    #[command(subcommand)]
    test: StressTest,
}

#[derive(Subcommand)]
enum StressTest {
    /// The generator, with random sources
    Sources(Seeds),
    /// The API server in the process, with random requests and bodies of up to 3 MB
    Requests(Seeds),
    /// Random histories of an informer, compared with a model
    Informer(Seeds),
    /// Random faults of replicas that share objects, in a simulated cluster
    Sharding(Count),
    /// Random server-side applies, compared with Kubernetes' own library; needs Go
    Apply(Count),
    /// Random bodies in protobuf, compared with client-go's; needs Go
    Protobuf(Count),
    /// An informer and a manager with many objects, on kube-apiserver
    Objects(Count),
    /// An informer on an API server that fails, for some time
    Faults {
        /// Duration
        #[arg(long, default_value = "600")]
        seconds: NonZeroU64,
    },
    /// Memory of an informer over rounds of 5 minutes of its own time, which takes less of ours
    Memory {
        /// Number of rounds
        #[arg(long, default_value = "10000")]
        rounds: NonZeroU64,
    },
    /// The projects of docs/book, compiled and tested
    Book,
    /// Unit tests of the runtime under Miri, on nightly
    Miri,
}

/// Cases that are derived from consecutive numbers.
#[derive(clap::Args)]
struct Seeds {
    /// The first seed
    #[arg(long, default_value = "1000")]
    first: u64,
    /// Number of seeds
    #[arg(long, default_value = "20000")]
    count: NonZeroU64,
}

#[derive(clap::Args)]
struct Count {
    /// Number of cases or objects
    #[arg(long, default_value = "50000")]
    count: NonZeroU64,
}

/// Tests of the library that Miri can run in acceptable time: no sockets, loom, thousands of cases
/// or sleeping threads.
const MIRI_TESTS: [&str; 8] = [
    "cache::tests",
    "informer::processor_tests",
    "informer::store",
    "reflector::backoff",
    "reflector::decode",
    "reflector::watch",
    "workqueue::tests::delaying",
    "workqueue::tests::priority::scripts",
];

/// Runs one test.
pub(crate) fn run_stress_test(sh: &Shell, Stress { test }: Stress) -> anyhow::Result<()> {
    match test {
        StressTest::Sources(seeds) => {
            let test = cmd!(sh, "cargo test -p tests --test repository fuzz::");
            seeds.set_for(test, "FUZZ").run()?;
        }
        StressTest::Requests(seeds) => {
            let test = cmd!(
                sh,
                "cargo test -p genclient-apiserver --test integration fuzz::"
            );
            seeds
                .set_for(test, "FUZZ")
                .env("FUZZ_BYTES", "3000000")
                .run()?;
        }
        StressTest::Informer(seeds) => {
            let test = cmd!(
                sh,
                "cargo test -p genclient --test integration informer::model"
            );
            seeds.set_for(test, "MODEL").run()?;
        }
        StressTest::Sharding(Count { count }) => {
            let tests = "sharding::tests::faults";
            let test = cmd!(sh, "cargo test --release -p genclient --lib {tests}");
            test.env("SHARDING_CASES", count.to_string()).run()?;
        }
        StressTest::Apply(Count { count }) => {
            let program = sh.push_dir("hack/oracle/apply");
            let count = count.to_string();
            let cases = cmd!(sh, "go run . -cases {count}").read()?;
            let extracted = cmd!(sh, "go run . -cases {count} -extract").read()?;
            drop(program);
            run_with_cases(sh, "genclient-merge --test apply", "APPLY_CASES", &cases)?;
            let tests = "genclient --test integration applyconfiguration::random";
            run_with_cases(sh, tests, "EXTRACT_CASES", &extracted)?;
        }
        StressTest::Protobuf(Count { count }) => {
            let kinds = sh.read_file("runtime/apiserver/builtins/data/kinds.tsv")?;
            let program = sh.push_dir("hack/oracle/protobuf");
            let count = count.to_string();
            let cases = cmd!(sh, "go run . -count {count}").stdin(kinds).read()?;
            drop(program);
            let tests = "genclient-apiserver --test integration protobuf::";
            run_with_cases(sh, tests, "PROTOBUF_CASES", &cases)?;
        }
        StressTest::Objects(Count { count }) => {
            let test = cmd!(sh, "cargo test -p e2e --test e2e -- ::many")
                .env("INFORMER_OBJECTS", count.to_string())
                .env("CONTROLLER_OBJECTS", count.to_string());
            let programs = tools::control_plane(sh)?;
            test.env("KUBEBUILDER_ASSETS", programs).run()?;
        }
        StressTest::Faults { seconds } => {
            let test = cmd!(sh, "cargo test -p e2e --test e2e informer::memory");
            test.env("SOAK_SECONDS", seconds.to_string()).run()?;
        }
        StressTest::Memory { rounds } => {
            let test = cmd!(sh, "cargo test --release -p genclient --test soak");
            test.env("SOAK_ROUNDS", rounds.to_string()).run()?;
        }
        StressTest::Book => {
            let test = cmd!(sh, "cargo test -p e2e --test programs book");
            test.env("BOOK_CARGO", "1").run()?;
        }
        StressTest::Miri => run_under_miri(sh)?,
    }
    Ok(())
}

impl Seeds {
    /// Sets the variables with these names, which select seeds of a test.
    fn set_for<'sh>(&self, test: Cmd<'sh>, names: &str) -> Cmd<'sh> {
        let test = test.env(format!("{names}_FIRST"), self.first.to_string());
        test.env(format!("{names}_COUNT"), self.count.to_string())
    }
}

/// Runs tests with these cases, one per line. `tests` is their package, with options that select
/// them.
fn run_with_cases(sh: &Shell, tests: &str, variable: &str, cases: &str) -> anyhow::Result<()> {
    let folder = sh.create_temp_dir()?;
    let file = folder.path().join("cases.jsonl");
    sh.write_file(&file, cases)?;
    let words = tests.split(' ');
    let test = cmd!(sh, "cargo test -p {words...}");
    Ok(test.env(variable, file).run()?)
}

/// Looks for undefined behaviour in dependencies as the runtime, which forbids unsafe code, uses
/// them.
fn run_under_miri(sh: &Shell) -> anyhow::Result<()> {
    let components = "miri,rust-src";
    cmd!(
        sh,
        "rustup toolchain install nightly --profile minimal --component {components} --no-self-update"
    )
    .run()?;
    // Without TLS: Miri cannot run its C and assembly.
    let test = cmd!(
        sh,
        "cargo +nightly miri test -p genclient --lib --locked --target-dir target/miri
         --no-default-features --features client,leader-election --"
    );
    // Tests read the clock and the environment.
    let test = test.env("MIRIFLAGS", "-Zmiri-disable-isolation");
    Ok(test.args(MIRI_TESTS).run()?)
}
