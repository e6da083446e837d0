//! [`MatchCondition`]: a boolean expression over an admission request, for webhooks.
//!
//! Follows k8s.io/apiserver/pkg/admission/plugin/cel.

use serde_json::Value as Json;

use super::authorization::{AccessCheck, Authorization, Authorizer, Stage};
use super::compiled::{parse_complete, plan_expression};
use super::condition_types::{REQUEST_RESOURCE, declare_variables};
use super::cost::CALL_LIMIT;
use super::program::Node;
use super::run::{Completion, RuleVariables, evaluate_plan};
use super::value::{MapValue, Native, Value};
use crate::ast::{Expr, ExprKind, Select};
use crate::declare::Object;
use crate::{Environment, Functions, Type};

/// A boolean expression over `object`, `oldObject`, `request`, `authorizer` and `namespaceObject`.
/// For webhooks, `namespaceObject` is always null.
#[derive(Debug)]
pub struct MatchCondition {
    text: String,
    plan: Node,
}

/// Values of a condition's variables.
pub struct ConditionVariables<'a> {
    /// An object with a member for each variable except `authorizer`.
    pub values: &'a Json,
    /// `authorizer`
    pub authorizer: &'a dyn Authorizer,
    /// `authorizer.requestResource`
    pub request_resource: AccessCheck,
}

impl MatchCondition {
    /// Compiles an expression.
    ///
    /// # Errors
    ///
    /// Returns an error if the expression does not parse, has a type error such as an undeclared
    /// reference, or is not boolean.
    pub fn compile(text: &str) -> Result<Self, String> {
        let mut parsed = parse_complete(text)?;
        let (self_, objects) = declare_variables();
        let mut binder = Binder {
            variables: &objects[0],
            bound: Vec::new(),
            count: parsed.count,
            undeclared: None,
        };
        binder.bind(&mut parsed.expression);
        if let Some(name) = binder.undeclared {
            return Err(format!(
                "compilation failed: undeclared reference to '{name}'"
            ));
        }
        parsed.count = binder.count;
        let scope = Environment {
            self_: &self_,
            old_self: Type::Dyn,
            objects: &objects,
            functions: Functions::of_conditions(),
        };
        let (plan, _) = plan_expression(&parsed, &scope, &Type::Bool)?;
        Ok(Self {
            text: text.to_owned(),
            plan,
        })
    }

    /// Evaluates the condition. Returns whether the request satisfies it, and the cost.
    ///
    /// An evaluation error has the API server's wording.
    pub fn holds(&self, variables: &ConditionVariables<'_>) -> (Result<bool, String>, u64) {
        let variables = RuleVariables {
            self_: variables.as_map(),
            old_self: None,
        };
        let Completion { result, cost } = evaluate_plan(&self.plan, variables, CALL_LIMIT);
        let holds = match result {
            Ok(Value::Bool(holds)) => Ok(holds),
            Ok(_) => Ok(false),
            Err(error) => Err(format!(
                "expression '{}' resulted in error: {error}",
                self.text
            )),
        };
        (holds, cost)
    }
}

impl ConditionVariables<'_> {
    /// Returns an object with a member for each variable.
    fn as_map(&self) -> Value<'_> {
        let members = self
            .values
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, value)| (name.as_str(), Native::from(value).value()));
        let authorizer = [
            ("authorizer", AccessCheck::default(), Stage::Authorizer),
            (
                REQUEST_RESOURCE,
                self.request_resource.clone(),
                Stage::ResourceCheck,
            ),
        ];
        let authorizer = authorizer.map(|(name, check, stage)| {
            let authorization = Authorization {
                authorizer: self.authorizer,
                check,
                stage,
            };
            (name, authorization.into())
        });
        let members = members.chain(authorizer);
        Value::Map(MapValue::from_entries(
            members.map(|(name, value)| (Value::text(name), value)),
        ))
    }
}

/// Replaces each variable with a member of `self`: `request` becomes `self.request`.
struct Binder<'v> {
    variables: &'v Object,
    /// The variables of enclosing loops.
    bound: Vec<String>,
    count: usize,
    /// `self` or `oldSelf` if the expression uses it. Only schema rules have these variables.
    undeclared: Option<String>,
}

impl Binder<'_> {
    /// Binds the variables in an expression. Names that a loop declares hide them.
    fn bind(&mut self, node: &mut Expr) {
        match &mut node.kind {
            ExprKind::Literal(_) => {}
            ExprKind::Ident(name) => {
                if self.bound.contains(name) {
                    return;
                }
                if self.variables.fields.contains_key(name) {
                    let name = std::mem::take(name);
                    self.select(node, name);
                } else if matches!(&**name, "self" | "oldSelf") {
                    self.undeclared = Some(name.clone());
                }
            }
            ExprKind::Select(select) => {
                let is_resource = select.field == "requestResource" && !select.test;
                if is_resource && self.is_free(&select.operand, "authorizer") {
                    self.select(node, REQUEST_RESOURCE.to_owned());
                } else {
                    self.bind(&mut select.operand);
                }
            }
            ExprKind::Call { target, args, .. } => {
                if let Some(target) = target {
                    self.bind(target);
                }
                args.iter_mut().for_each(|argument| self.bind(argument));
            }
            ExprKind::List(elements) => {
                elements.iter_mut().for_each(|it| self.bind(&mut it.value));
            }
            ExprKind::Map(entries) => {
                for entry in entries {
                    self.bind(&mut entry.key);
                    self.bind(&mut entry.value);
                }
            }
            ExprKind::Struct { fields, .. } => {
                fields.iter_mut().for_each(|(_, value)| self.bind(value));
            }
            ExprKind::Comprehension(fold) => {
                self.bind(&mut fold.range);
                self.bind(&mut fold.start);
                let outer = self.bound.len();
                self.bound.push(fold.accumulator.clone());
                self.bound.push(fold.variable.clone());
                self.bound.extend(fold.second_variable.clone());
                self.bind(&mut fold.condition);
                self.bind(&mut fold.step);
                self.bind(&mut fold.result);
                self.bound.truncate(outer);
            }
        }
    }

    fn is_free(&self, node: &Expr, name: &str) -> bool {
        let is_named = matches!(&node.kind, ExprKind::Ident(found) if found == name);
        is_named && !self.bound.iter().any(|it| it == name)
    }

    /// Replaces a node with the selection of `name` from `self`.
    fn select(&mut self, node: &mut Expr, name: String) {
        let operand = Expr {
            id: self.count,
            span: node.span.clone(),
            kind: ExprKind::Ident("self".to_owned()),
            height: 1,
        };
        self.count += 1;
        node.height += 1;
        node.kind = ExprKind::Select(Select {
            operand: Box::new(operand),
            field: name,
            field_span: node.span.clone(),
            test: false,
        });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::evaluate::AccessDecision;

    #[derive(Debug)]
    struct Rights;

    impl Authorizer for Rights {
        fn decide(&self, check: &AccessCheck) -> AccessDecision {
            let asked = format!("{check:?}");
            AccessDecision {
                is_allowed: check.verb == "get" && check.service_account.is_none(),
                reason: asked,
            }
        }
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let values = json!({
            "object": {"metadata": {"name": "a", "labels": {"x": "y"}}, "spec": {"n": [1, 2]}},
            "oldObject": null,
            "request": {"operation": "CREATE", "namespace": "default", "dryRun": true},
            "namespaceObject": null,
        });
        let variables = ConditionVariables {
            values: &values,
            authorizer: &Rights,
            request_resource: AccessCheck {
                resource: "pods".to_owned(),
                ..AccessCheck::default()
            },
        };
        let found = MatchCondition::compile(text)
            .and_then(|it| it.holds(&variables).0)
            .map_or_else(|error| error, |holds| holds.to_string());
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn match_conditions_accept_objects_of_any_type() {
        check("object.metadata.name == 'a'", "true");
        check("request.namespace.startsWith('kube-')", "false");
        check("oldObject == null && request.operation == 'CREATE'", "true");
        check("request.dryRun", "true");
        check("!request.dryRun || object == null", "false");
        check("has(object.spec.n) && !has(object.spec.m)", "true");
        check("object.spec.n.all(n, n < 3)", "true");
        check("object.spec.n.exists(object, object == 2)", "true");
        check("'x' in object.metadata.labels", "true");
        check(
            "[1].all(self, self == 1) && namespaceObject == null",
            "true",
        );
        check("has(request.subResource)", "false");
    }

    #[test]
    fn authorizer_calls_reach_the_authorizer() {
        let get = "authorizer.group('apps').resource('deployments').check('get')";
        check(&format!("{get}.allowed() && !{get}.errored()"), "true");
        check(
            "authorizer.path('/healthz').check('post').allowed()",
            "false",
        );
        check(
            "authorizer.requestResource.check('get').reason().contains('resource: \"pods\"')",
            "true",
        );
        let account = "authorizer.serviceAccount('default', 'a')";
        check(
            &format!("{account}.path('/x').check('get').allowed()"),
            "false",
        );
        let error = "expression 'authorizer.path(' ').check('get').allowed()' resulted in error: \
                     path must not be empty";
        check("authorizer.path(' ').check('get').allowed()", error);
        let twice = format!("{get}.allowed() && {get}.allowed()");
        check(&twice, "true");
        let thrice = format!("{twice} && {get}.allowed()");
        let error = "operation cancelled: actual cost limit exceeded";
        check(
            &thrice,
            &format!("expression '{thrice}' resulted in error: {error}"),
        );
    }

    #[test]
    fn evaluation_errors_name_the_expression() {
        check(
            "object.spec.m == 1",
            "expression 'object.spec.m == 1' resulted in error: no such key: m",
        );
        for text in [
            "params.x",
            "self == null",
            "oldSelf == null",
            "request.other == 1",
            "request.name == 1",
            "has(authorizer.requestResource)",
            "authorizer.group('').check('get').allowed()",
        ] {
            let error = MatchCondition::compile(text).unwrap_err();
            assert!(error.starts_with("compilation failed: "), "{text}: {error}");
        }
        let type_ = MatchCondition::compile("'a'").unwrap_err();
        assert_eq!(type_, "cel expression must evaluate to a bool");
    }
}
