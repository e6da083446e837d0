//! Fields under validation: [`ObjectField`], with checks that add findings to a list.

use genclient_apimachinery::field;
use genclient_apimachinery::validation;
use serde_json::Value;

use crate::{findings, names};

/// Function that returns the errors of a name.
pub(crate) type NameForm = fn(&str) -> Vec<String>;

/// Value of a field, with the path of the field in the object.
#[derive(Clone)]
pub(crate) struct ObjectField<'a> {
    pub(crate) value: &'a Value,
    pub(crate) path: String,
}

impl<'a> ObjectField<'a> {
    pub(crate) fn of(value: &'a Value, path: impl Into<String>) -> Self {
        let path = path.into();
        Self { value, path }
    }

    pub(crate) fn spec(object: &'a Value) -> Self {
        Self::of(&object["spec"], "spec")
    }

    /// Returns a member. If it is absent, its value is null.
    pub(crate) fn at(&self, name: &str) -> Self {
        Self::of(&self.value[name], format!("{}.{name}", self.path))
    }

    pub(crate) fn items(&self) -> Vec<Self> {
        let items = self.value.as_array().into_iter().flatten().enumerate();
        let item = |(at, item)| Self::of(item, format!("{}[{at}]", self.path));
        items.map(item).collect()
    }

    /// Returns the members of a map with their keys. The path of a member is `path[key]`.
    pub(crate) fn entries(&self) -> Vec<(&'a str, Self)> {
        let entries = self.value.as_object().into_iter().flatten();
        let entry = |(key, value): (&'a String, _)| {
            (&**key, Self::of(value, format!("{}[{key}]", self.path)))
        };
        entries.map(entry).collect()
    }

    pub(crate) fn is_set(&self) -> bool {
        !self.value.is_null()
    }

    /// Returns whether the value is an empty list, an empty map or null.
    pub(crate) fn has_none(&self) -> bool {
        match self.value {
            Value::Array(items) => items.is_empty(),
            Value::Object(members) => members.is_empty(),
            value => value.is_null(),
        }
    }

    pub(crate) fn text(&self) -> &'a str {
        self.value.as_str().unwrap_or_default()
    }

    pub(crate) fn number(&self) -> i64 {
        self.value.as_i64().unwrap_or_default()
    }

    /// Returns whether the value is a string that is not empty, or a number other than zero.
    pub(crate) fn is_filled(&self) -> bool {
        !self.text().is_empty() || self.number() != 0
    }

    pub(crate) fn is_true(&self) -> bool {
        self.value == true
    }

    pub(crate) fn required(&self, detail: &str, out: &mut field::ErrorList) {
        out.push(field::Error::required(&self.path, detail));
    }

    /// Returns the value as messages print it: null as an empty string.
    fn printed(&self) -> Value {
        match self.value {
            Value::Null => Value::from(""),
            value => value.clone(),
        }
    }

    pub(crate) fn invalid(&self, detail: &str, out: &mut field::ErrorList) {
        out.push(field::Error::invalid(&self.path, &self.printed(), detail));
    }

    pub(crate) fn forbidden(&self, detail: &str, out: &mut field::ErrorList) {
        out.push(field::Error::forbidden(&self.path, detail));
    }

    pub(crate) fn duplicate(&self, out: &mut field::ErrorList) {
        out.push(field::Error::duplicate(&self.path, &self.printed()));
    }

    /// Reports an error with the value `""`, as Go's validation does for some fields.
    pub(crate) fn invalid_blank(&self, detail: &str, out: &mut field::ErrorList) {
        out.push(field::Error::invalid(&self.path, &"".into(), detail));
    }

    pub(crate) fn none_negative(&self, names: &[&str], out: &mut field::ErrorList) {
        for name in names {
            self.at(name).not_negative(out);
        }
    }

    /// Checks that a string is one of the known values.
    pub(crate) fn supported(&self, known: &[&str], out: &mut field::ErrorList) {
        findings::supported(self.path.clone(), self.value, known, out);
    }

    /// Checks that a string is one of the known values. Null is accepted.
    pub(crate) fn supported_if_set(&self, known: &[&str], out: &mut field::ErrorList) {
        if self.is_set() {
            self.supported(known, out);
        }
    }

    /// Checks that a string is one of the known values. An empty or absent string is reported as
    /// missing, with `detail`.
    pub(crate) fn required_one_of(&self, known: &[&str], detail: &str, out: &mut field::ErrorList) {
        if self.text().is_empty() {
            self.required(detail, out);
        } else {
            self.supported(known, out);
        }
    }

    pub(crate) fn named(&self, form: NameForm, out: &mut field::ErrorList) {
        names::report_name_errors(&self.path, self.text(), form(self.text()), out);
    }

    /// Checks that a name is not empty, and then checks it with `form`.
    pub(crate) fn required_named(&self, form: NameForm, out: &mut field::ErrorList) {
        if self.text().is_empty() {
            self.required("", out);
        } else {
            self.named(form, out);
        }
    }

    /// Checks a name with `form`, unless it is absent or empty.
    pub(crate) fn named_if_filled(&self, form: NameForm, out: &mut field::ErrorList) {
        if self.is_filled() {
            self.named(form, out);
        }
    }

    /// Checks that a number is not negative. Null is accepted.
    pub(crate) fn not_negative(&self, out: &mut field::ErrorList) {
        if self.number() < 0 {
            self.invalid(findings::NOT_NEGATIVE, out);
        }
    }

    /// Checks that a number is in a range, ends included. Null is accepted.
    pub(crate) fn within(&self, least: i64, most: i64, detail: &str, out: &mut field::ErrorList) {
        if self.is_set() && !(least..=most).contains(&self.number()) {
            self.invalid(detail, out);
        }
    }

    pub(crate) fn port(&self, out: &mut field::ErrorList) {
        if !validation::is_port(self.number()) {
            let number = self.number().into();
            out.push(field::Error::invalid(
                &self.path,
                &number,
                validation::PORT_RANGE,
            ));
        }
    }

    /// Checks that an immutable field has its old value.
    pub(crate) fn unchanged(&self, old: &Value, out: &mut field::ErrorList) {
        if self.value != old {
            out.push(field::Error::invalid(
                &self.path,
                self.value,
                findings::IMMUTABLE,
            ));
        }
    }

    /// Checks that a string has the form `domain/path` (`IsDomainPrefixedPath`).
    pub(crate) fn domain_path(&self, out: &mut field::ErrorList) {
        let text = self.text();
        if text.is_empty() {
            return self.required("", out);
        }
        let parts = text.split_once('/');
        let Some((host, path)) = parts.filter(|(host, path)| !host.is_empty() && !path.is_empty())
        else {
            let detail = "must be a domain-prefixed path (such as \"acme.io/foo\")";
            return self.invalid(detail, out);
        };
        names::report_name_errors(&self.path, host, validation::subdomain(host), out);
        if !validation::is_http_path(path) {
            out.push(field::Error::invalid(
                &self.path,
                &path.into(),
                validation::HTTP_PATH,
            ));
        }
    }
}
