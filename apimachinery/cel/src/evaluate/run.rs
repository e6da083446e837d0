//! Evaluation of a plan with cost tracking (cel-go's `interpreter`: interpretable.go,
//! attributes.go).

use std::rc::Rc;

use super::apply::call_function;
use super::cost;
use super::equality::equal_values;
use super::library::Binding;
use super::program::{Attribute, Node, PlannedCall, PlannedFold, Root};
use super::value::{Key, List, MapEntries, MapValue, Value};
use crate::cost::{LIST_COST, MAP_COST};

/// Values of the variables of a rule.
#[derive(Clone, Debug)]
pub(super) struct RuleVariables<'a> {
    pub(super) self_: Value<'a>,
    pub(super) old_self: Option<Value<'a>>,
}

/// Result and cost of an evaluation.
#[derive(Debug)]
pub(super) struct Completion<'a> {
    /// The value, or the error message.
    pub(super) result: Result<Value<'a>, Rc<str>>,
    pub(super) cost: u64,
}

/// Evaluates a plan and cancels the evaluation if the cost exceeds `limit`.
pub(super) fn evaluate_plan<'a>(
    plan: &'a Node,
    variables: RuleVariables<'a>,
    limit: u64,
) -> Completion<'a> {
    let mut runner = Runner {
        variables,
        frames: Vec::new(),
        stack: Vec::new(),
        cost: 0,
        limit,
    };
    let result = match runner.node(plan, None) {
        Ok(Value::Error(error)) => Err(error),
        Ok(value) => Ok(value),
        Err(Cancelled(reason)) => Err(reason),
    };
    Completion {
        result,
        cost: runner.cost,
    }
}

/// Cancellation of an evaluation, with the reason.
pub(super) struct Cancelled(pub(super) Rc<str>);

/// cel-go's error for bytes as a map key or as the left operand of `in` with a constant list.
const UNHASHABLE: &str = "internal error: runtime error: hash of unhashable type types.Bytes";

/// Value of a node. Errors of the expression are values, which `||` and `&&` may ignore.
pub(super) type Evaluated<'a> = Result<Value<'a>, Cancelled>;

/// A running comprehension.
pub(super) struct Frame<'a> {
    pub(super) fold: &'a PlannedFold,
    /// Index of the enclosing comprehension.
    pub(super) parent: Option<usize>,
    /// Value of the accumulator; `None` until its first use (`start_accumulator`).
    pub(super) accumulated: Option<Value<'a>>,
    /// True if the accumulator is mutated in place. Set by `start_accumulator`.
    pub(super) growing: bool,
    /// Values of the loop variables.
    pub(super) first: Value<'a>,
    pub(super) second: Value<'a>,
    /// True after the last iteration, when the loop variables are out of scope.
    pub(super) loop_finished: bool,
}

/// Evaluation in progress. `scope`, a parameter of its methods, is the index of the innermost
/// comprehension in `frames`.
pub(super) struct Runner<'a> {
    pub(super) variables: RuleVariables<'a>,
    pub(super) frames: Vec<Frame<'a>>,
    /// Results of evaluated nodes with their node ids. The cost of a call is computed from the
    /// results of its arguments.
    pub(super) stack: Vec<(usize, Value<'a>)>,
    pub(super) cost: u64,
    pub(super) limit: u64,
}

impl<'a> Runner<'a> {
    /// Records the result of a node, and cancels the evaluation if it has become too expensive.
    pub(super) fn push(&mut self, id: usize, value: &Value<'a>) -> Result<(), Cancelled> {
        self.stack.push((id, value.clone()));
        if self.cost > self.limit {
            return Err(Cancelled(
                "operation cancelled: actual cost limit exceeded".into(),
            ));
        }
        Ok(())
    }

    /// Removes the last result of node `id` and all results after it.
    pub(super) fn drop_result(&mut self, id: usize) {
        if let Some(place) = self.stack.iter().rposition(|(known, _)| *known == id) {
            self.stack.truncate(place);
        }
    }

    /// Pops the results of the nodes `ids` and returns them in the order of `ids`, or `None` if a
    /// result is missing.
    fn take(&mut self, ids: &[usize]) -> Option<Vec<Value<'a>>> {
        let mut values = Vec::with_capacity(ids.len());
        for id in ids.iter().rev() {
            let place = self.stack.iter().rposition(|(known, _)| known == id)?;
            values.push(self.stack[place].1.clone());
            self.stack.truncate(place);
        }
        values.reverse();
        Some(values)
    }

    /// Evaluates a node, and records its result and cost.
    pub(super) fn node(&mut self, node: &'a Node, scope: Option<usize>) -> Evaluated<'a> {
        let id = node.id();
        let value = match node {
            Node::Constant(_, constant) => constant.value(),
            Node::Attribute(attribute) => {
                let value = self.attribute(attribute, scope)?;
                self.charge_attribute(attribute);
                value
            }
            Node::And(_, terms) => {
                let value = self.logic(terms, false, scope)?;
                terms.iter().for_each(|term| self.drop_result(term.id()));
                value
            }
            Node::Or(_, terms) => {
                let value = self.logic(terms, true, scope)?;
                terms.iter().for_each(|term| self.drop_result(term.id()));
                value
            }
            Node::Equal(_, sides) => self.equality(sides, false, scope)?,
            Node::NotEqual(_, sides) => self.equality(sides, true, scope)?,
            Node::Call(call) => self.call(call, scope)?,
            Node::Member(_, item, set) => {
                let item = self.node(item, scope)?;
                match &item {
                    Value::Error(_) => item,
                    Value::Bytes(_) => {
                        return Err(Cancelled(UNHASHABLE.into()));
                    }
                    _ => Value::Bool(Key::from_value(&item).is_some_and(|key| set.contains(&key))),
                }
            }
            Node::List(_, items) => {
                let value = self.list(items, scope)?;
                let ids: Vec<_> = items.iter().map(|(item, _)| item.id()).collect();
                self.take(&ids);
                self.cost += LIST_COST;
                value
            }
            Node::Map(_, entries) => {
                let value = self.map(entries, scope)?;
                let ids = entries
                    .iter()
                    .flat_map(|(key, value, _)| [key.id(), value.id()]);
                self.take(&ids.collect::<Vec<_>>());
                self.cost += MAP_COST;
                value
            }
            Node::Fold(fold) => {
                let value = self.fold(fold, scope)?;
                self.drop_result(fold.range.id());
                value
            }
            Node::OptionalOr(_, [left, right], unwraps) => match self.node(left, scope)? {
                Value::Optional(None) => self.node(right, scope)?,
                Value::Optional(Some(value)) if *unwraps => (*value).clone(),
                other => other,
            },
        };
        self.push(id, &value)?;
        Ok(value)
    }

    /// Charges an attribute, and drops the results that its cost depends on (cel-go's
    /// runtimecost.go). `has` gives back the unit that its last qualifier has cost.
    pub(super) fn charge_attribute(&mut self, attribute: &Attribute) {
        match &*attribute.root {
            Root::Conditional {
                condition,
                branches: [then, otherwise],
                ..
            } => {
                self.drop_result(otherwise.id());
                self.drop_result(then.id());
                self.drop_result(condition.id());
            }
            _ => {
                self.drop_result(attribute.id());
                self.cost += 1;
            }
        }
        if attribute.test {
            self.cost = self.cost.wrapping_sub(1);
        }
    }

    /// Evaluates `&&` or `||`. If one operand alone decides the result, an error in the other is
    /// ignored.
    fn logic(
        &mut self,
        terms: &'a [Box<Node>; 2],
        decisive: bool,
        scope: Option<usize>,
    ) -> Evaluated<'a> {
        let mut error = None;
        for term in terms {
            match self.node(term, scope)? {
                Value::Bool(value) if value == decisive => return Ok(Value::Bool(decisive)),
                Value::Bool(_) => {}
                other => drop(error.get_or_insert_with(|| other.error_or_no_such_overload())),
            }
        }
        Ok(error.unwrap_or(Value::Bool(!decisive)))
    }

    /// Evaluates `==` or, if `negated`, `!=`.
    fn equality(
        &mut self,
        sides: &'a [Box<Node>; 2],
        negated: bool,
        scope: Option<usize>,
    ) -> Evaluated<'a> {
        let left = self.node(&sides[0], scope)?;
        let right = self.node(&sides[1], scope)?;
        let value = match (&left, &right) {
            (Value::Error(_), _) => left,
            (_, Value::Error(_)) => right,
            _ => match equal_values(&left, &right) {
                Value::Bool(same) => Value::Bool(same != negated),
                _ if negated => Value::Bool(true),
                error => error,
            },
        };
        if let Some(args) = self.take(&[sides[0].id(), sides[1].id()]) {
            self.cost = self.cost.wrapping_add(cost::equality_cost(&args, negated));
        }
        Ok(value)
    }

    /// Evaluates a call, with its cost.
    fn call(&mut self, call: &'a PlannedCall, scope: Option<usize>) -> Evaluated<'a> {
        let mut args = Vec::with_capacity(call.args.len());
        let mut failed = None;
        for arg in &call.args {
            let value = self.node(arg, scope)?;
            if value.is_error() && failed.is_none() {
                failed = Some(value.clone());
                if call.stops_early() {
                    break;
                }
            }
            args.push(value);
        }
        let value = match (&*call.function, failed) {
            // An error does not stop a quantifier: a later item may decide the result.
            ("@not_strictly_false", _) => match args.first() {
                Some(Value::Bool(value)) => Value::Bool(*value),
                _ => Value::Bool(true),
            },
            (_, Some(error)) => error,
            _ => match call_function(call, &args) {
                // Go panics here, which ends the evaluation (`Program.Eval` recovers).
                Value::Error(error) if error.starts_with("internal error: ") => {
                    return Err(Cancelled(error));
                }
                value => value,
            },
        };
        let ids: Vec<_> = call.args.iter().map(Node::id).collect();
        if let Some(args) = self.take(&ids) {
            let cost = call
                .charge
                .cost(&args, &value)
                .map_err(|reason| Cancelled(reason.into()))?;
            self.cost = self.cost.wrapping_add(cost);
        }
        Ok(value)
    }

    /// Evaluates a list literal.
    fn list(&mut self, items: &'a [(Node, bool)], scope: Option<usize>) -> Evaluated<'a> {
        let mut values = Vec::with_capacity(items.len());
        for (item, optional) in items {
            let value = self.node(item, scope)?;
            match value {
                Value::Error(_) => return Ok(value),
                Value::Optional(inner) if *optional => values.extend(inner.map(|v| (*v).clone())),
                other if *optional => {
                    let shown = other.printed();
                    return Ok(Value::error(format!(
                        "cannot initialize optional list element from non-optional value {shown}"
                    )));
                }
                value => values.push(value),
            }
        }
        Ok(Value::list(values))
    }

    /// Evaluates a map literal.
    fn map(&mut self, entries: &'a [(Node, Node, bool)], scope: Option<usize>) -> Evaluated<'a> {
        let mut all = MapEntries::default();
        for (key, value, optional) in entries {
            let key = self.node(key, scope)?;
            if key.is_error() {
                return Ok(key);
            }
            let value = self.node(value, scope)?;
            if matches!((&key, &value), (Value::Bytes(_), value) if !value.is_error()) {
                return Err(Cancelled(UNHASHABLE.into()));
            }
            match value {
                Value::Error(_) => return Ok(value),
                Value::Optional(Some(inner)) if *optional => all.insert(key, (*inner).clone()),
                Value::Optional(None) if *optional => all.remove(&key),
                other if *optional => {
                    let (key, shown) = (key.printed(), other.printed());
                    return Ok(Value::error(format!(
                        "cannot initialize optional entry '{key}' from non-optional value {shown}"
                    )));
                }
                value => all.insert(key, value),
            }
        }
        Ok(Value::Map(MapValue::Values(Rc::new(all))))
    }

    /// Runs a comprehension.
    fn fold(&mut self, fold: &'a PlannedFold, scope: Option<usize>) -> Evaluated<'a> {
        let range = self.node(&fold.range, scope)?;
        let two = fold.second_variable.is_some();
        // The values of the two variables in each iteration.
        let rounds: Vec<(Value<'a>, Value<'a>)> = match &range {
            Value::Error(_) => return Ok(range),
            Value::List(list) if two => {
                let places = (0_i64..).map(Value::Int);
                places.zip(list.iter()).collect()
            }
            Value::Map(map) if two => map.entries(),
            Value::List(list) => list.iter().map(|item| (item, Value::Null)).collect(),
            Value::Map(map) => map
                .keys()
                .into_iter()
                .map(|key| (key, Value::Null))
                .collect(),
            other => {
                let found = other.go_type();
                return Ok(Value::error(if two {
                    format!("unsupported comprehension range type: {found}")
                } else {
                    format!("got '{found}', expected iterable type")
                }));
            }
        };
        let place = self.frames.len();
        self.frames.push(Frame {
            fold,
            parent: scope,
            accumulated: None,
            growing: false,
            first: Value::Null,
            second: Value::Null,
            loop_finished: false,
        });
        for (first, second) in rounds {
            self.frames[place].first = first;
            self.frames[place].second = second;
            if let Value::Bool(false) = self.node(&fold.condition, Some(place))? {
                break;
            }
            let step = self.node(&fold.step, Some(place))?;
            self.frames[place].accumulated = Some(step);
        }
        self.frames[place].loop_finished = true;
        let value = self.node(&fold.result, Some(place))?;
        let growing = self.frames[place].growing;
        self.frames.truncate(place);
        Ok(match value {
            Value::List(List::Growing(items)) if growing => Value::list(items.borrow().clone()),
            Value::Map(MapValue::Growing(entries)) if growing => {
                Value::Map(MapValue::Values(Rc::new(entries.borrow().clone())))
            }
            value => value,
        })
    }
}

impl PlannedCall {
    /// Returns whether an error in an argument prevents the evaluation of later arguments.
    fn stops_early(&self) -> bool {
        let dispatched = self.overload.is_none()
            && self.candidates.len() > 1
            && !matches!(self.binding, Binding::Singleton(..));
        self.args.len() > 2 || self.compiled.is_some() || self.function == "format" || dispatched
    }
}
