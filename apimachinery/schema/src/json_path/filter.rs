//! Conditions of filters: `@.type=="Ready"`.

use super::step::{FilterFault, FilterLiteral, JsonPathFilter, JsonPathStep};
use super::template::{self, TemplateNode};

impl JsonPathFilter {
    /// Parses a condition as client-go does (`parseFilter`), and checks its operator and fields as
    /// `evalFilter` does.
    pub(super) fn parse(condition: &str) -> Self {
        Self::try_parse(condition).unwrap_or_else(|fault| Self {
            fault: Some(fault),
            ..Self::default()
        })
    }

    fn try_parse(condition: &str) -> Result<Self, FilterFault> {
        let plain = without_quoted(condition);
        check_syntax(condition, &plain)?;
        let parsed = template::parse(&format!("{{[?({condition})]}}")).ok();
        let filter = parsed.and_then(only_filter).ok_or_else(invalid)?;
        let (left, right) = match &filter.compared {
            None if plain.ends_with(['=', '!', '<', '>']) => return Err(invalid()),
            None => (&filter.left[..], &[][..]),
            // `'Ready'==@.type`
            Some((_, right)) if literal(&filter.left).is_some() && literal(right).is_none() => {
                (&right[..], &filter.left[..])
            }
            Some((_, right)) => (&filter.left[..], &right[..]),
        };
        let operator = filter.compared.as_ref().map(|(operator, _)| operator);
        if let Some(operator) = operator {
            check_operator(operator)?;
        }
        if let [TemplateNode::Identifier(name), ..] = left {
            let message = "a field in a filter begins with `@.`";
            return Err(FilterFault::new(message, format!("write `@.{name}`")));
        }
        Ok(Self {
            steps: steps(left).unwrap_or_default(),
            operator: operator.cloned(),
            literal: literal(right),
            fault: None,
        })
    }
}

impl FilterFault {
    fn new(message: &'static str, help: impl Into<String>) -> Self {
        Self {
            message,
            help: help.into(),
        }
    }
}

fn invalid() -> FilterFault {
    FilterFault::new(
        "invalid condition in a filter",
        "write a condition such as `@.type=='Ready'`",
    )
}

/// Reports syntax of other languages. `plain` is the condition without quoted text.
fn check_syntax(condition: &str, plain: &str) -> Result<(), FilterFault> {
    if let Some(operator) = ["&&", "||"].into_iter().find(|it| plain.contains(it)) {
        return Err(FilterFault::new(
            "a filter has only one condition",
            format!("keep one of the conditions, without `{operator}`"),
        ));
    }
    if plain.contains('~') {
        return Err(FilterFault::new(
            "a filter cannot match a regular expression",
            "write `==` and the whole text",
        ));
    }
    match condition.split('`').collect::<Vec<_>>()[..] {
        [_, text, _] => Err(FilterFault::new(
            "text in a filter needs quotes",
            format!("write `{}`", quoted(text)),
        )),
        _ => Ok(()),
    }
}

fn check_operator(operator: &str) -> Result<(), FilterFault> {
    if OPERATORS.contains(&operator) {
        return Ok(());
    }
    let help = match operator {
        "=" | "===" => "write `==`",
        "!==" | "<>" => "write `!=`",
        "=>" => "write `>=`",
        "=<" => "write `<=`",
        _ => "write `==`, `!=`, `<`, `<=`, `>` or `>=`",
    };
    Err(FilterFault::new("unknown operator in a filter", help))
}

const OPERATORS: [&str; 6] = ["==", "!=", "<", "<=", ">", ">="];

/// Writes text with the quotes that a filter accepts.
pub fn quoted(text: &str) -> String {
    if text.contains('\'') {
        format!("\\\"{text}\\\"")
    } else {
        format!("'{text}'")
    }
}

/// Returns the text outside of quotes.
fn without_quoted(condition: &str) -> String {
    let mut quote = None;
    let mut plain = String::new();
    for letter in condition.chars() {
        match (quote, letter) {
            (Some(open), _) if open == letter => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"' | '`') => quote = Some(letter),
            _ => plain.push(letter),
        }
    }
    plain
}

fn only_filter(nodes: Vec<TemplateNode>) -> Option<template::Filter> {
    let TemplateNode::List(nodes) = nodes.into_iter().next()? else {
        return None;
    };
    match <[TemplateNode; 1]>::try_from(nodes).ok()? {
        [TemplateNode::Filter(filter)] => Some(*filter),
        _ => None,
    }
}

fn literal(nodes: &[TemplateNode]) -> Option<FilterLiteral> {
    Some(match nodes {
        [TemplateNode::Text(text)] => FilterLiteral::String(text.clone()),
        [TemplateNode::Integer(number)] => FilterLiteral::Number(number.to_string()),
        [TemplateNode::Float(number)] => FilterLiteral::Number(number.to_string()),
        [TemplateNode::Bool(bool)] => FilterLiteral::Boolean(bool.to_string()),
        [TemplateNode::Identifier(word)] => FilterLiteral::Word(word.clone()),
        _ => return None,
    })
}

/// Returns the steps of one side of a condition, or `None` if it is not only a path.
fn steps(nodes: &[TemplateNode]) -> Option<Vec<JsonPathStep>> {
    let step = |node: &TemplateNode| {
        Some(match node {
            TemplateNode::Field(name) => JsonPathStep::Name(name.clone()),
            TemplateNode::Wildcard | TemplateNode::Slice(_) | TemplateNode::Union(_) => {
                JsonPathStep::Each
            }
            TemplateNode::Recursive => JsonPathStep::Deep,
            _ => return None,
        })
    };
    nodes.iter().map(step).collect()
}
