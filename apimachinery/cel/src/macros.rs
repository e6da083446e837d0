//! Macro expansion: calls such as `all` or `has` become comprehensions, tests or conditionals.

use super::ast::{Comprehension, Element, Expr, ExprKind, Literal, Select, Span};
use super::error::{SyntaxError, SyntaxErrorKind};
use super::nodes::Nodes;

/// The macros, each with its minimum and maximum number of arguments.
pub const MACROS: [(&str, usize, usize); 13] = [
    ("has", 1, 1),
    ("all", 2, 3),
    ("exists", 2, 3),
    ("exists_one", 2, 3),
    ("existsOne", 3, 3),
    ("map", 2, 3),
    ("filter", 2, 2),
    ("optMap", 2, 2),
    ("optFlatMap", 2, 2),
    ("transformList", 3, 4),
    ("transformMap", 3, 4),
    ("transformMapEntry", 3, 4),
    ("sortBy", 2, 2),
];

/// Name of the accumulator in a comprehension.
const RESULT: &str = "@result";
/// Internal function that inserts an entry, or the entries of another map, into a map.
const INSERT: &str = "cel.@mapInsert";

/// A call before macro expansion.
pub(super) struct Call {
    pub(super) function: String,
    pub(super) name_span: Span,
    pub(super) target: Option<Expr>,
    pub(super) args: Vec<Expr>,
    pub(super) span: Span,
}

/// Expands a call of a macro and returns any other call as it is.
pub(super) fn expand_macro(call: Call, nodes: &mut Nodes) -> Result<Expr, SyntaxError> {
    let Call {
        function,
        name_span,
        target,
        mut args,
        span,
    } = call;
    let mut maker = MacroExpander {
        nodes,
        span: span.clone(),
    };
    let Some(target) = target else {
        if function == "has" && args.len() == 1 {
            return maker.expand_has(args.remove(0));
        }
        return Ok(nodes.call(&function, name_span, None, args, span));
    };
    match (function.as_str(), args.len()) {
        ("all" | "exists" | "exists_one", 2) => {
            let [variable, body] = into_array(args);
            let variables = LoopVariables::one(&variable)?;
            Ok(maker.expand_quantifier(&function, target, variables, body))
        }
        ("all" | "exists" | "exists_one" | "existsOne", 3) => {
            let [first, second, body] = into_array(args);
            let variables = LoopVariables::two(&first, &second)?;
            Ok(maker.expand_quantifier(&function, target, variables, body))
        }
        ("optMap" | "optFlatMap", 2) => {
            let [variable, body] = into_array(args);
            let name = simple_name(&variable)?;
            Ok(maker.expand_optional(target, &name, body, function == "optMap"))
        }
        ("sortBy", 2) => {
            let [variable, key] = into_array(args);
            let variables = LoopVariables::one(&variable)?;
            Ok(maker.expand_sort_by(target, variables, key))
        }
        ("map", 2 | 3)
        | ("filter", 2)
        | ("transformList" | "transformMap" | "transformMapEntry", 3 | 4) => {
            expand_collection(&function, target, args, &mut maker)
        }
        _ => Ok(nodes.call(&function, name_span, Some(target), args, span)),
    }
}

/// Expands a macro that builds a list or a map. The arguments are one or two variables, an optional
/// filter, and a transform; `filter` has no transform.
fn expand_collection(
    function: &str,
    target: Expr,
    mut args: Vec<Expr>,
    maker: &mut MacroExpander<'_>,
) -> Result<Expr, SyntaxError> {
    if function == "filter" {
        let [variable, filter] = into_array(args);
        let variables = LoopVariables::one(&variable)?;
        return Ok(maker.list(target, variables, Some(filter), Some(variable)));
    }
    let transform = args.pop();
    let (variables, count) = if function == "map" {
        (LoopVariables::one(&args[0])?, 1)
    } else {
        (LoopVariables::two(&args[0], &args[1])?, 2)
    };
    let filter = (args.len() > count).then(|| args.pop()).flatten();
    if matches!(function, "map" | "transformList") {
        return Ok(maker.list(target, variables, filter, transform));
    }
    let keyed = function == "transformMap";
    Ok(maker.map(target, variables, filter, transform, keyed))
}

/// Converts the arguments into an array. The caller has checked that there are `N`.
#[expect(clippy::panic, reason = "the number of arguments was matched")]
fn into_array<const N: usize>(args: Vec<Expr>) -> [Expr; N] {
    let Ok(taken) = args.try_into() else {
        panic!("the number of arguments was not checked");
    };
    taken
}

/// Variables that a comprehension declares.
struct LoopVariables {
    first: String,
    second: Option<String>,
}

impl LoopVariables {
    fn one(first: &Expr) -> Result<Self, SyntaxError> {
        Ok(Self {
            first: simple_name(first)?,
            second: None,
        })
    }

    /// Returns the names of both variables, which must differ.
    fn two(first: &Expr, second: &Expr) -> Result<Self, SyntaxError> {
        let (first, name) = (simple_name(first)?, simple_name(second)?);
        if first == name {
            return Err(SyntaxError::new(
                second.span.clone(),
                SyntaxErrorKind::DuplicateVariable(name),
            ));
        }
        Ok(Self {
            first,
            second: Some(name),
        })
    }
}

fn simple_name(variable: &Expr) -> Result<String, SyntaxError> {
    match &variable.kind {
        ExprKind::Ident(name) if name != "__result__" => Ok(name.clone()),
        _ => Err(SyntaxError::new(
            variable.span.clone(),
            SyntaxErrorKind::VariableNotName,
        )),
    }
}

struct MacroExpander<'n> {
    nodes: &'n mut Nodes,
    span: Span,
}

impl MacroExpander<'_> {
    fn accumulator(&mut self) -> Expr {
        self.ident(RESULT)
    }

    fn ident(&mut self, name: &str) -> Expr {
        self.nodes.ident(name, self.span.clone())
    }

    fn literal(&mut self, literal: Literal) -> Expr {
        self.nodes.literal(literal, self.span.clone())
    }

    fn call(&mut self, function: &str, args: Vec<Expr>) -> Expr {
        self.nodes.operator(function, args, self.span.clone())
    }

    fn call_method(&mut self, target: Expr, function: &str, args: Vec<Expr>) -> Expr {
        self.nodes.call(
            function,
            self.span.clone(),
            Some(target),
            args,
            self.span.clone(),
        )
    }

    /// Expands `has(a.b)` into a presence test.
    fn expand_has(&mut self, argument: Expr) -> Result<Expr, SyntaxError> {
        let span = self.span.clone();
        match argument.kind {
            ExprKind::Select(select) if !select.test => {
                let kind = ExprKind::Select(Select {
                    test: true,
                    ..select
                });
                Ok(self.nodes.node(kind, span, argument.height))
            }
            _ => Err(SyntaxError::new(argument.span, SyntaxErrorKind::HasNoField)),
        }
    }

    /// Expands `all`, `exists` and `exists_one`, which stop as soon as the result is certain.
    fn expand_quantifier(
        &mut self,
        function: &str,
        range: Expr,
        variables: LoopVariables,
        body: Expr,
    ) -> Expr {
        let (start, condition, step, result);
        match function {
            "all" => {
                start = self.literal(Literal::Bool(true));
                let so_far = self.accumulator();
                condition = self.call("@not_strictly_false", vec![so_far]);
                let so_far = self.accumulator();
                step = self.call("_&&_", vec![so_far, body]);
                result = self.accumulator();
            }
            "exists" => {
                start = self.literal(Literal::Bool(false));
                let so_far = self.accumulator();
                let not_yet = self.call("!_", vec![so_far]);
                condition = self.call("@not_strictly_false", vec![not_yet]);
                let so_far = self.accumulator();
                step = self.call("_||_", vec![so_far, body]);
                result = self.accumulator();
            }
            _ => {
                start = self.literal(Literal::Int(0));
                condition = self.literal(Literal::Bool(true));
                let (one, so_far) = (self.literal(Literal::Int(1)), self.accumulator());
                let more = self.call("_+_", vec![so_far, one]);
                let so_far = self.accumulator();
                step = self.call("_?_:_", vec![body, more, so_far]);
                let (one, so_far) = (self.literal(Literal::Int(1)), self.accumulator());
                result = self.call("_==_", vec![so_far, one]);
            }
        }
        self.fold(range, variables, [start, condition, step, result])
    }

    /// Makes a comprehension that appends to a list in each iteration that `filter` admits.
    fn list(
        &mut self,
        range: Expr,
        variables: LoopVariables,
        filter: Option<Expr>,
        transform: Option<Expr>,
    ) -> Expr {
        let added = transform.into_iter().map(|value| Element {
            value,
            optional: false,
        });
        let added = self.nodes.list(added.collect(), self.span.clone());
        let so_far = self.accumulator();
        let step = self.call("_+_", vec![so_far, added]);
        let start = self.nodes.list(Vec::new(), self.span.clone());
        self.fold_filtered(range, variables, filter, start, step)
    }

    /// Makes a comprehension that inserts into a map in each iteration that `filter` admits. With
    /// `keyed`, `transform` yields the value for the current key, otherwise a map of new entries.
    fn map(
        &mut self,
        range: Expr,
        variables: LoopVariables,
        filter: Option<Expr>,
        transform: Option<Expr>,
        keyed: bool,
    ) -> Expr {
        let mut args = vec![self.accumulator()];
        if keyed {
            args.push(self.ident(&variables.first));
        }
        args.extend(transform);
        let step = self.call(INSERT, args);
        let start = self.nodes.map(Vec::new(), self.span.clone());
        self.fold_filtered(range, variables, filter, start, step)
    }

    /// Makes a comprehension that keeps its accumulator in iterations that `filter` does not admit.
    fn fold_filtered(
        &mut self,
        range: Expr,
        variables: LoopVariables,
        filter: Option<Expr>,
        start: Expr,
        mut step: Expr,
    ) -> Expr {
        if let Some(filter) = filter {
            let so_far = self.accumulator();
            step = self.call("_?_:_", vec![filter, step, so_far]);
        }
        let condition = self.literal(Literal::Bool(true));
        let result = self.accumulator();
        self.fold(range, variables, [start, condition, step, result])
    }

    /// Makes a comprehension. Its parts are as in [`Comprehension`].
    fn fold(
        &mut self,
        range: Expr,
        variables: LoopVariables,
        [start, condition, step, result]: [Expr; 4],
    ) -> Expr {
        let fold = Comprehension {
            range,
            variable: variables.first,
            second_variable: variables.second,
            accumulator: RESULT.to_owned(),
            start,
            condition,
            step,
            result,
        };
        self.nodes.comprehension(fold, self.span.clone())
    }

    /// Binds `name` to `value` in `result`, by a comprehension without iterations.
    fn bind(&mut self, name: &str, value: Expr, result: Expr) -> Expr {
        let fold = Comprehension {
            range: self.nodes.list(Vec::new(), self.span.clone()),
            variable: "#unused".to_owned(),
            second_variable: None,
            accumulator: name.to_owned(),
            start: value,
            condition: self.literal(Literal::Bool(false)),
            step: self.ident(name),
            result,
        };
        self.nodes.comprehension(fold, self.span.clone())
    }

    /// Expands `optMap` and `optFlatMap`: `t.hasValue() ? … : optional.none()`.
    fn expand_optional(&mut self, target: Expr, name: &str, body: Expr, wrap: bool) -> Expr {
        let copy = self.nodes.copy(&target);
        let value = self.call_method(copy, "value", Vec::new());
        let bound = self.bind(name, value, body);
        let then = if wrap {
            self.call("optional.of", vec![bound])
        } else {
            bound
        };
        let condition = self.call_method(target, "hasValue", Vec::new());
        let none = self.call("optional.none", Vec::new());
        self.call("_?_:_", vec![condition, then, none])
    }

    /// Expands `sortBy` into a call with the list of keys (cel-go, ext/lists.go).
    fn expand_sort_by(&mut self, target: Expr, variables: LoopVariables, key: Expr) -> Expr {
        const INPUT: &str = "@__sortBy_input__";
        let range = self.ident(INPUT);
        let keys = self.list(range, variables, None, Some(key));
        let input = self.ident(INPUT);
        let sorted = self.call_method(input, "@sortByAssociatedKeys", vec![keys]);
        self.bind(INPUT, target, sorted)
    }
}
