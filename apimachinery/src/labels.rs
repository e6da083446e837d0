//! Label selectors in text form (k8s.io/apimachinery/pkg/labels), and the `LabelSelector` of
//! objects (`LabelSelectorAsSelector` of k8s.io/apimachinery/pkg/apis/meta/v1, helpers.go).

use std::collections::{BTreeMap, BTreeSet};

use crate::errors::aggregate;
use crate::field;
use crate::go::quoted;
use crate::unstructured::{list_or_empty, str_or_empty};
use crate::validation::{label_key, label_value};
use serde_json::Value;

/// Label selector: all requirements must match.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selector(pub Vec<Requirement>);

/// Requirement on the label `key`.
#[derive(Clone, Debug, PartialEq)]
pub struct Requirement {
    /// The key.
    pub key: String,
    /// The operator with its values.
    pub test: Test,
}

/// Operator of a requirement, with its values.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// `key`
    Exists,
    /// `!key`
    DoesNotExist,
    /// `key=value` and `key==value`
    Equals(String),
    /// `key!=value`. A missing label matches.
    NotEquals(String),
    /// `key in (a,b)`
    In(Vec<String>),
    /// `key notin (a,b)`. A missing label matches.
    NotIn(Vec<String>),
    /// `key>1`
    GreaterThan(i64),
    /// `key<1`
    LessThan(i64),
}

impl Selector {
    /// Parses a selector (`labels.Parse`).
    ///
    /// # Errors
    ///
    /// Returns Go's error message.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut tokens = Tokens(text);
        let mut requirements = Vec::new();
        loop {
            match tokens.peek() {
                Token::End => break,
                Token::Word(_) | Token::Not => {
                    let requirement = tokens.requirement();
                    requirements.push(
                        requirement
                            .map_err(|error| format!("unable to parse requirement: {error}"))?,
                    );
                }
                found => return Err(unexpected(found, "!, identifier, or 'end of string'")),
            }
            match tokens.next() {
                Token::End => break,
                Token::Comma => match tokens.peek() {
                    Token::Word(_) | Token::Not => {}
                    found => return Err(unexpected(found, "identifier after ','")),
                },
                found => return Err(unexpected(found, "',' or 'end of string'")),
            }
        }
        Ok(Self(requirements))
    }

    /// Returns whether the selector matches everything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Converts a `LabelSelector` that is not null.
    ///
    /// # Errors
    ///
    /// Returns Go's error message: the operator is unknown, or a key, a value or the number of
    /// values is invalid.
    pub fn from_label_selector(selector: &Value) -> Result<Self, String> {
        let mut requirements = Vec::new();
        for (key, value) in selector["matchLabels"].as_object().into_iter().flatten() {
            let value = str_or_empty(value).to_owned();
            requirements.push(new_requirement(key, "In", vec![value])?);
        }
        for expression in list_or_empty(&selector["matchExpressions"]) {
            let values = list_or_empty(&expression["values"])
                .iter()
                .map(|value| str_or_empty(value).to_owned());
            let key = str_or_empty(&expression["key"]);
            let operator = str_or_empty(&expression["operator"]);
            requirements.push(new_requirement(key, operator, values.collect())?);
        }
        Ok(Self(requirements))
    }

    /// Returns whether the selector matches the labels of an object.
    #[must_use]
    pub fn matches(&self, labels: &BTreeMap<String, String>) -> bool {
        self.matches_values(|key| labels.get(key).map(String::as_str))
    }

    fn matches_values<'v>(&self, value: impl Fn(&str) -> Option<&'v str>) -> bool {
        self.0.iter().all(|requirement| {
            let value = value(&requirement.key);
            let number = || value.and_then(|value| value.parse::<i64>().ok());
            let is_in = |values: &[String]| values.iter().any(|it| Some(&**it) == value);
            match &requirement.test {
                Test::Exists => value.is_some(),
                Test::DoesNotExist => value.is_none(),
                Test::Equals(wanted) => value == Some(wanted),
                Test::NotEquals(unwanted) => value != Some(unwanted),
                Test::In(values) => is_in(values),
                Test::NotIn(values) => !is_in(values),
                Test::GreaterThan(than) => number().is_some_and(|number| number > *than),
                Test::LessThan(than) => number().is_some_and(|number| number < *than),
            }
        })
    }
}

/// Returns whether a `LabelSelector` matches `metadata.labels`. A null selector matches nothing, an
/// empty one everything.
///
/// # Errors
///
/// As for [`Selector::from_label_selector`].
pub fn label_selector_matches(selector: &Value, labels: &Value) -> Result<bool, String> {
    if selector.is_null() {
        return Ok(false);
    }
    let selector = Selector::from_label_selector(selector)?;
    Ok(selector.matches_values(|key| labels.get(key)?.as_str()))
}

/// Formats a `LabelSelector` in the syntax of queries, such as `app=web,tier in (a,b)`, sorted by
/// key (`FormatLabelSelector`). Empty if the selector is null or has no requirement.
pub fn format_label_selector(selector: &Value) -> String {
    let mut requirements = Vec::new();
    for (key, value) in selector["matchLabels"].as_object().into_iter().flatten() {
        requirements.push((key.as_str(), format!("{key}={}", str_or_empty(value))));
    }
    for expression in list_or_empty(&selector["matchExpressions"]) {
        let key = str_or_empty(&expression["key"]);
        let mut values: Vec<_> = list_or_empty(&expression["values"])
            .iter()
            .map(str_or_empty)
            .collect();
        values.sort_unstable();
        let requirement = match str_or_empty(&expression["operator"]) {
            "In" => format!("{key} in ({})", values.join(",")),
            "NotIn" => format!("{key} notin ({})", values.join(",")),
            "DoesNotExist" => format!("!{key}"),
            _ => key.to_owned(),
        };
        requirements.push((key, requirement));
    }
    // The sort is stable: for the same key, labels come before expressions.
    requirements.sort_by_key(|(key, _)| *key);
    let texts: Vec<_> = requirements.into_iter().map(|(_, text)| text).collect();
    texts.join(",")
}

/// Returns whether a `LabelSelector` is null or has no requirement.
#[must_use]
pub fn is_empty_label_selector(selector: &Value) -> bool {
    let labels = selector["matchLabels"].as_object();
    let expressions = selector["matchExpressions"].as_array();
    labels.is_none_or(serde_json::Map::is_empty) && expressions.is_none_or(Vec::is_empty)
}

/// Creates a requirement of a `LabelSelector` (`NewRequirement`).
fn new_requirement(key: &str, operator: &str, values: Vec<String>) -> Result<Requirement, String> {
    let mut causes: Vec<_> = label_key(key)
        .iter()
        .map(|wrong| field::Error::invalid("key", &key.into(), wrong))
        .collect();
    match operator {
        "In" | "NotIn" if values.is_empty() => {
            let detail = "for 'in', 'notin' operators, values set can't be empty";
            causes.push(field::Error::invalid(
                "values",
                &Value::Array(Vec::new()),
                detail,
            ));
        }
        "Exists" | "DoesNotExist" if !values.is_empty() => {
            let detail = "values set must be empty for exists and does not exist";
            causes.push(field::Error::invalid(
                "values",
                &values.clone().into(),
                detail,
            ));
        }
        "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
        unknown => {
            let unknown = quoted(unknown);
            return Err(format!("{unknown} is not a valid label selector operator"));
        }
    }
    causes.extend(wrong_values(key, &values));
    if let Some(error) = aggregate(causes) {
        return Err(error);
    }
    let test = match operator {
        "In" => Test::In(values),
        "NotIn" => Test::NotIn(values),
        "Exists" => Test::Exists,
        _ => Test::DoesNotExist,
    };
    let key = key.to_owned();
    Ok(Requirement { key, test })
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Token<'a> {
    Word(&'a str),
    Not,
    Equals,
    DoubleEquals,
    NotEquals,
    Greater,
    Less,
    Open,
    Close,
    Comma,
    End,
}

impl Token<'_> {
    fn text(&self) -> &str {
        match self {
            Token::Word(word) => word,
            Token::Not => "!",
            Token::Equals => "=",
            Token::DoubleEquals => "==",
            Token::NotEquals => "!=",
            Token::Greater => ">",
            Token::Less => "<",
            Token::Open => "(",
            Token::Close => ")",
            Token::Comma => ",",
            Token::End => "",
        }
    }
}

/// Tokenizer over the rest of a selector's text.
struct Tokens<'a>(&'a str);

impl<'a> Tokens<'a> {
    fn peek(&self) -> Token<'a> {
        Tokens(self.0).next()
    }

    fn next(&mut self) -> Token<'a> {
        let text = self.0.trim_start_matches([' ', '\t', '\r', '\n']);
        let symbols = [
            ("==", Token::DoubleEquals),
            ("!=", Token::NotEquals),
            ("=", Token::Equals),
            ("!", Token::Not),
            (">", Token::Greater),
            ("<", Token::Less),
            ("(", Token::Open),
            (")", Token::Close),
            (",", Token::Comma),
        ];
        for (symbol, token) in symbols {
            if let Some(rest) = text.strip_prefix(symbol) {
                self.0 = rest;
                return token;
            }
        }
        let end = text
            .find([' ', '\t', '\r', '\n', '=', '!', '>', '<', '(', ')', ','])
            .unwrap_or(text.len());
        self.0 = &text[end..];
        match end {
            0 => Token::End,
            end => Token::Word(&text[..end]),
        }
    }

    fn requirement(&mut self) -> Result<Requirement, String> {
        let is_negated = self.peek() == Token::Not;
        if is_negated {
            self.next();
        }
        let key = match self.next() {
            Token::Word(key) => key.to_owned(),
            found => return Err(unexpected(found, "identifier")),
        };
        let wrong = label_key(&key).join("; ");
        if !wrong.is_empty() {
            return Err(field::Error::invalid("<nil>", &key.into(), &wrong).to_string());
        }
        if is_negated {
            let test = Test::DoesNotExist;
            return Ok(Requirement { key, test });
        }
        let test = match self.peek() {
            Token::End | Token::Comma => Test::Exists,
            Token::Word("in") => Test::In(self.values(&key)?),
            Token::Word("notin") => Test::NotIn(self.values(&key)?),
            Token::Equals | Token::DoubleEquals => Test::Equals(self.value(&key)?),
            Token::NotEquals => Test::NotEquals(self.value(&key)?),
            Token::Greater => Test::GreaterThan(self.number(&key)?),
            Token::Less => Test::LessThan(self.number(&key)?),
            found => return Err(unexpected(found, "in, notin, =, ==, !=, gt, lt")),
        };
        Ok(Requirement { key, test })
    }

    /// Parses an operator and values in parentheses, such as `in (a,b)`. Returns the sorted values.
    fn values(&mut self, key: &str) -> Result<Vec<String>, String> {
        self.next();
        match self.next() {
            Token::Open => {}
            found => return Err(format!("found '{}' expected: '('", found.text())),
        }
        match self.peek() {
            Token::Word(_) | Token::Comma | Token::Close => {}
            found => return Err(unexpected(found, "',', ')' or identifier")),
        }
        let mut values = BTreeSet::new();
        let mut is_open = true;
        loop {
            match self.next() {
                Token::Word(value) if is_open => {
                    values.insert(value.to_owned());
                    is_open = false;
                }
                Token::Comma => {
                    if is_open {
                        values.insert(String::new());
                    }
                    is_open = true;
                }
                Token::Close => {
                    if is_open {
                        values.insert(String::new());
                    }
                    let values: Vec<_> = values.into_iter().collect();
                    check_values(key, &values)?;
                    return Ok(values);
                }
                found if is_open => return Err(unexpected(found, "',', or identifier")),
                found => return Err(unexpected(found, "',' or ')'")),
            }
        }
    }

    fn value(&mut self, key: &str) -> Result<String, String> {
        let value = self.text()?;
        check_values(key, std::slice::from_ref(&value))?;
        Ok(value)
    }

    fn number(&mut self, key: &str) -> Result<i64, String> {
        let value = self.text()?;
        value.parse().map_err(|_| {
            let what = "for 'Gt', 'Lt' operators, the value must be an integer";
            let number = field::Error::invalid("values[0]", &value.as_str().into(), what);
            let mut causes = vec![number];
            causes.extend(wrong_values(key, std::slice::from_ref(&value)));
            aggregate(causes).unwrap_or_default()
        })
    }

    /// Parses an operator and its value, such as `=a`. Returns the value.
    fn text(&mut self) -> Result<String, String> {
        self.next();
        match self.peek() {
            Token::Word(value) => {
                self.next();
                Ok(value.to_owned())
            }
            Token::End | Token::Comma => Ok(String::new()),
            found => Err(unexpected(found, "identifier")),
        }
    }
}

fn unexpected(found: Token<'_>, expected: &str) -> String {
    format!("found '{}', expected: {expected}", found.text())
}

fn check_values(key: &str, values: &[String]) -> Result<(), String> {
    aggregate(wrong_values(key, values)).map_or(Ok(()), Err)
}

/// Returns an error for each text that is not a valid label value.
fn wrong_values<'a>(key: &'a str, values: &'a [String]) -> impl Iterator<Item = field::Error> + 'a {
    values.iter().enumerate().filter_map(move |(index, value)| {
        let wrong = label_value(value).join("; ");
        let cause = || {
            let path = format!("values[{index}][{key}]");
            field::Error::invalid(path, &value.as_str().into(), &wrong)
        };
        (!wrong.is_empty()).then(cause)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn label_selectors_match_as_in_kubectl() {
        let labels = [("app", "web"), ("tier", "a"), ("cores", "8")]
            .map(|(key, value)| (key.to_owned(), value.to_owned()));
        let labels = BTreeMap::from(labels);
        for (text, expected) in [
            ("", true),
            ("app=web", true),
            ("app==web,tier!=b", true),
            ("app in (web, db)", true),
            ("app in (db)", false),
            ("app notin (db),none notin (x)", true),
            ("app", true),
            ("!app", false),
            ("!none", true),
            ("cores>4,cores<9", true),
            ("app>4", false),
            ("app=", false),
            ("none=", false),
            ("app in (,web)", true),
        ] {
            let found = Selector::parse(text).map(|selector| selector.matches(&labels));
            assert_eq!(found, Ok(expected), "{text}");
        }
        for text in [
            "=a",
            "app in web",
            "app=a b",
            "app,",
            "a>x",
            "a in (b",
            "((",
            "!",
        ] {
            assert!(Selector::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn label_selectors_of_objects_match_as_in_go() {
        let labels = json!({"app": "web", "tier": ""});
        let check = |selector: Value, expected: bool| {
            let found = label_selector_matches(&selector, &labels);
            assert_eq!(found, Ok(expected), "{selector}");
        };
        let expression = |key: &str, operator: &str, values: &[&str]| {
            let expression = json!({"key": key, "operator": operator, "values": values});
            json!({ "matchExpressions": [expression] })
        };
        check(Value::Null, false);
        check(json!({}), true);
        check(json!({"matchLabels": {"app": "web"}}), true);
        check(json!({"matchLabels": {"app": "web", "x": "y"}}), false);
        check(json!({"matchLabels": {"x": ""}}), false);
        check(expression("app", "In", &["db", "web"]), true);
        check(expression("x", "In", &["y"]), false);
        check(expression("x", "NotIn", &["y"]), true);
        check(expression("tier", "NotIn", &[""]), false);
        check(expression("tier", "Exists", &[]), true);
        check(expression("x", "DoesNotExist", &[]), true);
        for (selector, error) in [
            (
                expression("app", "exists", &[]),
                "\"exists\" is not a valid label selector operator",
            ),
            (
                expression("app", "In", &[]),
                "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty",
            ),
            (
                expression("app", "Exists", &["web"]),
                "values: Invalid value: [\"web\"]: values set must be empty for exists and does not \
                 exist",
            ),
        ] {
            let found = label_selector_matches(&selector, &labels);
            assert_eq!(found, Err(error.to_owned()));
        }
        let wrong = json!({"matchLabels": {"a b": "c"}});
        assert!(label_selector_matches(&wrong, &labels).is_err());
    }
}
