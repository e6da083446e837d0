//! Replay tests with recorded results of cel-go and the API server: see `hack/oracle/cel`.

use genclient_apimachinery::go::quoted;
use genclient_cel::evaluate::{CALL_LIMIT, Output, Program, Variables};
use genclient_cel::{Environment, Functions, Type};
use serde::Deserialize;
use serde_json::Value as Json;

use super::shape::shape;
use super::{Checked, Rules, declare};
use crate::Schema;

const SUBJECT: &str = include_str!("../../../../hack/oracle/cel/subject.json");
const EXPRESSIONS: &str = include_str!("tests/expressions.jsonl");
const SCHEMAS: &str = include_str!("tests/schemas.jsonl");

#[derive(Deserialize)]
struct Subject {
    schema: Schema,
    object: Json,
}

/// Recorded result of an expression.
#[derive(Deserialize, PartialEq)]
struct Answer {
    expression: String,
    #[serde(default)]
    value: String,
    #[serde(default)]
    error: String,
    cost: u64,
}

/// Reads the cases from a file named by an environment variable, or the checked-in ones.
fn cases(variable: &str, otherwise: &str) -> String {
    match std::env::var(variable) {
        Ok(path) => std::fs::read_to_string(path).expect("the file of cases can be read"),
        Err(_) => otherwise.to_owned(),
    }
}

#[test]
fn expressions_match_cel_go_in_value_error_and_cost() {
    let subject: Subject = serde_json::from_str(SUBJECT).expect("the subject is well-formed");
    let (declared, objects) = declare(&subject.schema, true).expect("the subject has a type");
    let scope = Environment {
        self_: &declared.type_,
        old_self: Type::optional(declared.type_.clone()),
        objects: &objects,
        functions: Functions::all(),
    };
    let shape = shape(&subject.schema, true);
    let mut differences = Vec::new();
    let (mut count, mut refused) = (0, 0);
    for line in cases("CEL_EXPRESSIONS", EXPRESSIONS).lines() {
        let case: Answer = serde_json::from_str(line).expect("a case is well-formed");
        count += 1;
        let found = match Program::compile(&case.expression, &scope, &Type::Dyn) {
            Err(error) => {
                refused += 1;
                differences.push(format!("{}\n  refused: {error}", case.expression));
                continue;
            }
            Ok(program) => {
                let object = &subject.object;
                let variables = Variables::new(&shape, object, Some(object));
                let evaluation = program.run(variables.with_optional_old_self(), CALL_LIMIT);
                let (value, error) = match evaluation.result {
                    Ok(Output::Bool(value)) => (value.to_string(), String::new()),
                    Ok(Output::Text(text)) => (quoted(&text), String::new()),
                    Ok(Output::Other(value)) => (value, String::new()),
                    Err(error) => (String::new(), error),
                };
                Answer {
                    expression: case.expression.clone(),
                    value,
                    error,
                    cost: evaluation.cost,
                }
            }
        };
        if found != case {
            differences.push(format!(
                "{}\n  cel-go: {} {} {}\n  found:  {} {} {}",
                case.expression,
                case.value,
                case.error,
                case.cost,
                found.value,
                found.error,
                found.cost
            ));
        }
    }
    report(&differences, count, refused);
}

fn report(differences: &[String], count: usize, refused: usize) {
    let most = std::env::var("CEL_SHOWN")
        .ok()
        .and_then(|most| most.parse().ok())
        .unwrap_or(40);
    let shown: Vec<_> = differences.iter().take(most).cloned().collect();
    let total = differences.len();
    assert!(
        differences.is_empty(),
        "{total} of {count} differ ({refused} refused):\n{}",
        shown.join("\n")
    );
}

/// Recorded result of a schema's rules for an object.
#[derive(Deserialize)]
struct Case {
    schema: Schema,
    object: Json,
    old: Option<Json>,
    #[serde(default)]
    ratcheting: bool,
    budget: i64,
    causes: Vec<String>,
    #[serde(default)]
    warnings: Vec<String>,
    remaining: i64,
}

#[test]
fn rule_causes_match_the_api_server() {
    let mut differences = Vec::new();
    let mut count = 0;
    for line in cases("CEL_SCHEMAS", SCHEMAS).lines() {
        let case: Case = serde_json::from_str(line).expect("a case is well-formed");
        count += 1;
        let rules = Rules::compile(&case.schema);
        let Checked {
            causes,
            warnings,
            budget,
        } = rules.check(
            &case.object,
            case.old.as_ref(),
            "",
            case.budget,
            case.ratcheting,
        );
        let mut causes: Vec<_> = causes
            .iter()
            .map(|cause| format!("{} {}: {}", cause.reason, cause.field, cause.message))
            .collect();
        let mut warnings: Vec<_> = warnings.iter().map(ToString::to_string).collect();
        causes.sort();
        warnings.sort();
        if (&causes, &warnings, budget) != (&case.causes, &case.warnings, case.remaining) {
            differences.push(format!(
                "case {count}\n  server: {:#?} {:#?} {}\n  found:  {causes:#?} {warnings:#?} {budget}",
                case.causes, case.warnings, case.remaining
            ));
        }
    }
    report(&differences, count, 0);
}
