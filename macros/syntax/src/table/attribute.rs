//! Table entry of an attribute or key: targets, value form, applicable types and documentation.

use std::fmt;

use super::form::Form;
use super::key::Key;
use crate::{Shape, Target};

/// An attribute, or a key inside of one.
#[derive(Clone, Copy, Debug)]
pub struct Attribute {
    /// Name as it is written.
    pub name: &'static str,
    /// The enclosing attribute.
    pub within: Within,
    /// Form of the value after the name.
    pub form: Form,
    /// The targets at which it is valid.
    pub targets: &'static [Target],
    /// The types to which it applies.
    pub applies: Applies,
    /// Whether it may be written more than once.
    pub repeats: bool,
    /// Description of the effect in one sentence.
    pub summary: &'static str,
    /// Further details, or empty.
    pub details: &'static str,
    /// The equivalent comment marker of Go's tools, without its `+`.
    pub go_marker: Option<&'static str>,
    /// Example to copy.
    pub example: &'static str,
}

impl Attribute {
    /// Returns the shortest syntax of the attribute, with a placeholder for a required value:
    /// `min_length = 1`, `items(..)`.
    pub fn usage(&self) -> String {
        self.form.usage(self.name)
    }

    pub(crate) fn key(&self) -> Key {
        Key::new(self.name)
    }

    pub(super) const fn new(
        within: Within,
        key: Key,
        form: Form,
        targets: &'static [Target],
    ) -> Self {
        Self {
            name: key.as_str(),
            within,
            form,
            targets,
            applies: Applies::All,
            repeats: false,
            summary: "",
            details: "",
            go_marker: None,
            example: "",
        }
    }

    pub(super) const fn summary(mut self, summary: &'static str) -> Self {
        self.summary = summary;
        self
    }

    pub(super) const fn details(mut self, details: &'static str) -> Self {
        self.details = details;
        self
    }

    pub(super) const fn applies(mut self, applies: Applies) -> Self {
        self.applies = applies;
        self
    }

    pub(super) const fn repeats(mut self) -> Self {
        self.repeats = true;
        self
    }

    pub(super) const fn go(mut self, marker: &'static str) -> Self {
        self.go_marker = Some(marker);
        self
    }

    pub(super) const fn example(mut self, example: &'static str) -> Self {
        self.example = example;
        self
    }
}

/// Declares entries and the [`Key`] of each. A name that another row declares already is left out.
macro_rules! attributes {
    ($(
        $CONSTANT:ident $(= $name:literal)? => $new:ident($($argument:expr),*)
            $(.$method:ident($($value:expr),* $(,)?))*,
    )+) => {
        pub(super) const ATTRIBUTES: &[Attribute] = &[
            $($new(Key::$CONSTANT, $($argument),*)$(.$method($($value),*))*,)+
        ];

        impl Key {
            $($(pub(crate) const $CONSTANT: Self = Self::new($name);)?)+
        }
    };
}

pub(super) use attributes;

/// The enclosing attribute of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Within {
    /// None: the name is an attribute of its own, such as `#[group = ".."]`.
    Item,
    /// `#[genclient(…)]`
    Genclient,
    /// `#[webhook(…)]`
    Webhook,
    /// `#[rbac(…)]`
    Rbac,
    /// `#[crd(…)]`
    Crd,
}

impl fmt::Display for Within {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Item => "the item",
            Self::Genclient => "#[genclient(..)]",
            Self::Webhook => "#[webhook(..)]",
            Self::Rbac => "#[rbac(..)]",
            Self::Crd => "#[crd(..)]",
        })
    }
}

/// Types that a key applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applies {
    /// Any type.
    All,
    /// Integers and floats.
    Numbers,
    /// Strings.
    Strings,
    /// Lists.
    Lists,
    /// Maps.
    Maps,
    /// Maps and structs.
    Objects,
    /// Structs.
    Structs,
}

impl Applies {
    /// Returns whether the key applies to types of this shape. Every key applies to an unknown
    /// shape. A Rust enum may be a string or an object in JSON, so keys of both apply to it.
    pub fn admits(self, shape: &Shape) -> bool {
        match self {
            _ if *shape == Shape::Unknown => true,
            Self::All => true,
            Self::Numbers => matches!(shape, Shape::Integer | Shape::Number),
            Self::Strings => matches!(shape, Shape::String | Shape::Enum),
            Self::Lists => matches!(shape, Shape::List(_)),
            Self::Maps => matches!(shape, Shape::Map(_)),
            Self::Objects => matches!(shape, Shape::Map(_) | Shape::Struct | Shape::Enum),
            Self::Structs => matches!(shape, Shape::Struct | Shape::Enum),
        }
    }
}

impl fmt::Display for Applies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::All => "all types",
            Self::Numbers => "numbers",
            Self::Strings => "strings",
            Self::Lists => "lists",
            Self::Maps => "maps",
            Self::Objects => "maps and structs",
            Self::Structs => "structs",
        })
    }
}
