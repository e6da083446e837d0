//! Diagnostics for misspelt attributes: names one edit away from `crd`, `rbac`, `webhook`,
//! `genclient`, `group`, `version` or `kind`.
//!
//! An attribute with such a name may belong to another macro. So a misspelt `crd`, `rbac` or
//! `webhook` is reported only if it contains one of its keys, `genclient` also beside `#[group]`,
//! and `group`, `version` and `kind` only with a string: `#[verson = "v1"]`.

use syn::{Attribute, Expr, ExprLit, Lit, Meta};

use super::attribute_name;
use crate::table::{self, Key, Within};
use crate::{Help, Problem, Problems, arguments};

/// Reports attributes that likely misspell the one that `within` stands for: those that list one of
/// its keys.
pub(crate) fn report_misspelt<'a>(
    attrs: impl IntoIterator<Item = &'a Attribute>,
    within: Within,
    problems: &mut Problems,
) {
    let known = attribute_name(within);
    for attr in attrs.into_iter().filter(|attr| is_slip(attr, known)) {
        let Meta::List(list) = &attr.meta else {
            continue;
        };
        let keys = arguments::parse_arguments(list.tokens.clone(), &mut Problems::new());
        if keys
            .iter()
            .any(|key| table::entry(within, &key.name).is_some())
        {
            problems.extend(misspelt_attribute_problem(attr, known));
        }
    }
}

/// Reports an attribute that likely misspells `#[genclient]`: it stands beside `#[group]`,
/// `#[version]` or `#[kind]`, or lists one of its keys.
pub fn report_misspelt_genclient(attrs: &[Attribute], problems: &mut Problems) {
    let known = Key::GENCLIENT.as_str();
    let is_gvk = |attr: &Attribute| Key::GVK.iter().any(|key| attr.path().is_ident(key));
    if attrs.iter().any(is_gvk) {
        let slips = attrs.iter().filter(|attr| is_slip(attr, known));
        problems.extend(slips.filter_map(|attr| misspelt_attribute_problem(attr, known)));
    } else {
        report_misspelt(attrs, Within::Genclient, problems);
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
    Some(problem.with_help(Help::did_you_mean(name, meant)))
}
