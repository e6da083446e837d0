//! Differential tests of schemas: the generator against serde, schemars and the API server.
//!
//! The tests against the API server need `KUBEBUILDER_ASSETS`. Without it, they are reported as
//! ignored.

#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a test may fail anywhere"
)]

mod api_server;
mod defaults;
mod derived;
mod differences;
mod from_schema;
mod generated;
mod golden;
mod json_schema;
mod mutants;
mod nulls;
mod stored;
mod values;

use std::process::ExitCode;

use e2e::suite::Suite;

fn main() -> ExitCode {
    let mut suite = Suite::new().expect("a runtime");
    derived::tests(&mut suite);
    nulls::tests(&mut suite);
    values::tests(&mut suite);
    api_server::tests(&mut suite);
    golden::tests(&mut suite);
    suite.run()
}
