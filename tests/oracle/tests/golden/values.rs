//! Tests of golden types: they read what their schema admits and write it without loss, and the
//! schema rejects what serde rejects.

use e2e::suite::{Outcome, Suite};
use jsonschema::Validator;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_json::Value;

use super::kinds::{self, Kind};
use super::{exceptions, losses};
use crate::defaults::filled;
use crate::{from_schema, json_schema, mutants};

/// Number of values that are tried for each kind.
const CASES: u32 = 12;

pub fn tests(suite: &mut Suite) {
    let definitions = kinds::definitions();
    let kinds = definitions.iter().flat_map(kinds::Definition::kinds);
    for kind in kinds.filter(exceptions::has_values) {
        suite.plain(&format!("golden_values::{}", kind.name()), move || {
            check(&kind)
        });
    }
}

fn check(kind: &Kind) -> Outcome {
    let validator = json_schema::validator(&kind.schema);
    let config = Config {
        cases: CASES,
        failure_persistence: None,
        ..Config::default()
    };
    let values = from_schema::of(&exceptions::schema(kind));
    TestRunner::new(config)
        .run(&values, |object| try_value(kind, &object, &validator))
        .map_err(|error| error.to_string().into())
}

fn try_value(kind: &Kind, sent: &Value, validator: &Validator) -> Result<(), TestCaseError> {
    let fail = |text: String| Err(TestCaseError::fail(text));
    let object = filled(&kind.schema, sent.clone());
    let written = match (kind.rewrite)(&object) {
        Ok(written) => exceptions::pruned(kind, written),
        Err(error) => return fail(format!("{object} is admitted and not read: {error}")),
    };
    let stored = filled(&kind.schema, written.clone());
    if let Some(error) = validator.iter_errors(&stored).next() {
        return fail(format!("{written} is written and not admitted: {error}"));
    }
    if let Some(loss) = losses::between(kind, &object, &written) {
        return fail(format!("{object} loses {loss}"));
    }
    for mutant in mutants::of(&written) {
        let stored = filled(&kind.schema, mutant.clone());
        if validator.is_valid(&stored)
            && let Err(error) = (kind.rewrite)(&stored)
            && !exceptions::may_not_be_read(kind, &written, &mutant, &error)
        {
            return fail(format!("{mutant} is admitted and not read: {error}"));
        }
    }
    Ok(())
}
