//! Diagnostics for misspelt attributes: names one edit away from `crd`, `group`, `version` or
//! `kind`.
//!
//! An attribute with such a name may belong to another derive. A misspelt `crd` is reported only if
//! it contains a key of `#[crd(…)]`, the other names only with a string: `#[verson = "v1"]`.

use syn::{Attribute, Expr, ExprLit, Lit, Meta};

use super::CRD_ATTRIBUTE;
use crate::table::{self, Key, Within};
use crate::{Problem, Problems, arguments};

/// Reports attributes that likely misspell `#[crd(…)]`: those that list one of its keys.
pub(super) fn report_crd(attrs: &[Attribute], problems: &mut Problems) {
    for attr in attrs.iter().filter(|attr| is_slip(attr, CRD_ATTRIBUTE)) {
        let Meta::List(list) = &attr.meta else {
            continue;
        };
        let keys = arguments::parse_arguments(list.tokens.clone(), &mut Problems::new());
        let is_key = |name: &str| table::entry(Within::Crd, name).is_some();
        if keys.iter().any(|key| is_key(&key.name)) {
            problems.extend(misspelt_attribute_problem(attr, CRD_ATTRIBUTE));
        }
    }
}

/// Returns the key that an attribute such as `#[verson = "v1"]` likely misspells, with the error.
pub(crate) fn misspelt_kind_attribute(attr: &Attribute) -> Option<(Key, Problem)> {
    let Meta::NameValue(pair) = &attr.meta else {
        return None;
    };
    let is_text = matches!(
        &pair.value,
        Expr::Lit(ExprLit {
            lit: Lit::Str(_),
            ..
        })
    );
    let meant = |key: &Key| is_text && is_slip(attr, key.as_str());
    let key = Key::GVK.into_iter().find(meant)?;
    Some((key, misspelt_attribute_problem(attr, key.as_str())?))
}

fn is_slip(attr: &Attribute, known: &str) -> bool {
    let name = attr.path().get_ident();
    name.is_some_and(|name| strsim::osa_distance(&name.to_string(), known) == 1)
}

fn misspelt_attribute_problem(attr: &Attribute, meant: &str) -> Option<Problem> {
    let name = attr.path().get_ident()?;
    let problem = Problem::new(name.span(), format!("unknown attribute `{name}`"));
    Some(problem.with_help(format!("did you mean `{meant}`?")))
}
