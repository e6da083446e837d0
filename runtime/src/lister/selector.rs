//! [`IntoSelector`]: conversion of text or labels into a label selector. The text has the syntax of
//! apimachinery's `labels.Parse`, without numeric comparisons.

use genclient_apimachinery::labels::{self, Requirement, Test};
use kube::core::{Expression, Selector};

/// Error of [`IntoSelector`]: the text is not a label selector.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid label selector `{selector}`: {what}")]
pub struct SelectorError {
    selector: String,
    what: String,
}

/// Conversion into a label selector: from text in the syntax of kubectl's `-l`, or from labels that
/// must all match.
///
/// ```
/// use genclient::lister::IntoSelector;
///
/// let by_text = "app=train,tier in (web, cache),!legacy".into_selector()?;
/// assert_eq!(by_text.to_string(), "app=train,tier in (cache,web),!legacy");
/// assert_eq!([("app", "train")].into_selector()?, "app=train".into_selector()?);
/// # Ok::<(), genclient::lister::SelectorError>(())
/// ```
pub trait IntoSelector {
    /// Converts to a selector.
    ///
    /// # Errors
    ///
    /// If the text is not a label selector, or has a numeric comparison (`cores>4`), which is not
    /// supported.
    fn into_selector(self) -> Result<Selector, SelectorError>;
}

impl IntoSelector for Selector {
    fn into_selector(self) -> Result<Selector, SelectorError> {
        Ok(self)
    }
}

impl IntoSelector for Expression {
    fn into_selector(self) -> Result<Selector, SelectorError> {
        Ok(self.into())
    }
}

impl<const N: usize> IntoSelector for [(&str, &str); N] {
    fn into_selector(self) -> Result<Selector, SelectorError> {
        let labels = self.map(|(key, value)| Expression::Equal(key.into(), value.into()));
        Ok(labels.into_iter().collect())
    }
}

impl IntoSelector for String {
    fn into_selector(self) -> Result<Selector, SelectorError> {
        self.as_str().into_selector()
    }
}

impl IntoSelector for &String {
    fn into_selector(self) -> Result<Selector, SelectorError> {
        self.as_str().into_selector()
    }
}

impl IntoSelector for &str {
    fn into_selector(self) -> Result<Selector, SelectorError> {
        let requirements = labels::Selector::parse(self).and_then(|selector| {
            let requirements = selector.0.into_iter();
            requirements.map(expression).collect()
        });
        requirements.map_err(|what| SelectorError {
            selector: self.to_owned(),
            what,
        })
    }
}

fn expression(requirement: Requirement) -> Result<Expression, String> {
    let Requirement { key, test } = requirement;
    Ok(match test {
        Test::Exists => Expression::Exists(key),
        Test::DoesNotExist => Expression::DoesNotExist(key),
        Test::Equals(value) => Expression::Equal(key, value),
        Test::NotEquals(value) => Expression::NotEqual(key, value),
        Test::In(values) => Expression::In(key, values.into_iter().collect()),
        Test::NotIn(values) => Expression::NotIn(key, values.into_iter().collect()),
        Test::GreaterThan(_) | Test::LessThan(_) => {
            return Err("numeric comparisons are not supported".to_owned());
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Label key with a domain part of more than 63 characters. It is valid, since
    /// `IsDNS1123Subdomain` limits only the length of the whole domain.
    const LONG_DOMAIN: &str =
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.io/x";

    /// Cases of apimachinery's `TestSelectorParse` and `TestParserParse`. Numeric comparisons are
    /// rejected.
    #[test]
    fn selectors_are_parsed_as_by_kubectl() {
        for (text, expected) in [
            ("", Some("")),
            (" ", Some("")),
            ("x=a,y=b,z=c", Some("x=a,y=b,z=c")),
            ("x!=a,y=b", Some("x!=a,y=b")),
            ("x==a", Some("x=a")),
            ("x=", Some("x=")),
            ("x= ", Some("x=")),
            ("x=,z= ", Some("x=,z=")),
            (" x = a , y != b ", Some("x=a,y!=b")),
            ("x", Some("x")),
            ("!x", Some("!x")),
            ("! x , y", Some("!x,y")),
            ("x in ()", Some("x in ()")),
            ("x in (a)", Some("x in (a)")),
            ("x in (b,a , c),y", Some("x in (a,b,c),y")),
            ("x notin (a,b),y=c", Some("x notin (a,b),y=c")),
            ("x in(a)", Some("x in (a)")),
            ("a.io/x-y_z.w=V-a_l.1", Some("a.io/x-y_z.w=V-a_l.1")),
            ("x=a||y=b", None),
            ("x==a==b", None),
            ("!x=a", None),
            ("x<a", None),
            ("x>1", None),
            (",", None),
            ("x,,y", None),
            ("x=a,", None),
            ("x in", None),
            ("x in (a", None),
            ("x in a)", None),
            ("x of (a)", None),
            ("(a)", None),
            ("=a", None),
            ("x=-a", None),
            (LONG_DOMAIN, Some(LONG_DOMAIN)),
            ("A.io/x=a", None),
            ("a.io/x/y=a", None),
            ("x y=a", None),
        ] {
            let found = text.into_selector();
            let found = found.as_ref().map(ToString::to_string);
            assert_eq!(found.as_deref().ok(), expected, "{text}: {found:?}");
        }
        let error = "x=a,y>1"
            .into_selector()
            .err()
            .map(|error| error.to_string());
        let expected = "invalid label selector `x=a,y>1`: numeric comparisons are not supported";
        assert_eq!(error.as_deref(), Some(expected));
    }
}
