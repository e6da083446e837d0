//! Help of an error: what to type instead, as text and as an edit.

use std::fmt;
use std::ops::Deref;

/// Help text. If it says to replace the text at the primary span, tools can do so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Help {
    text: String,
    /// The replacement that the text describes. In a box, because findings are errors of
    /// `Result`s, which are moved often.
    pub replacement: Option<Box<Replacement>>,
}

/// A text in the place of another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// The text that is replaced.
    pub old: Replaced,
    /// The text in its place. Empty if the old text is to be removed.
    pub new: String,
}

/// A text that is replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replaced {
    /// The text at the primary span. It is this one, or a string literal with this value.
    Text(String),
    /// The key with its value, or the item of a list, that the primary span belongs to. Inside of a
    /// string literal, the text at the primary span.
    Element,
}

impl Help {
    /// The help for `old`, which likely misspells `new`.
    pub fn did_you_mean(old: impl fmt::Display, new: impl fmt::Display) -> Self {
        Self {
            text: format!("did you mean `{new}`?"),
            replacement: Some(Box::new(Replacement {
                old: Replaced::Text(old.to_string()),
                new: new.to_string(),
            })),
        }
    }

    /// The help to write `new` instead of `old`.
    pub fn write(old: impl fmt::Display, new: impl fmt::Display) -> Self {
        Self {
            text: format!("write `{new}`"),
            ..Self::did_you_mean(old, new)
        }
    }

    /// The help to write `key` with its value instead of the key with an error. The user replaces
    /// a placeholder `..` or `…`, if it has one.
    pub fn write_key(key: impl fmt::Display) -> Self {
        let new = key.to_string();
        Self {
            text: format!("write `{new}`"),
            replacement: (!new.contains("..") && !new.contains('…')).then(|| {
                Box::new(Replacement {
                    old: Replaced::Element,
                    new,
                })
            }),
        }
    }

    /// The help `text`, which says to remove the key or the item of a list.
    pub fn remove(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            replacement: Some(Box::new(Replacement {
                old: Replaced::Element,
                new: String::new(),
            })),
        }
    }

    /// Changes the text. The replacement stays.
    pub fn map_text(self, change: impl FnOnce(&str) -> String) -> Self {
        Self {
            text: change(&self.text),
            ..self
        }
    }
}

impl Deref for Help {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Help {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl From<String> for Help {
    fn from(text: String) -> Self {
        Self {
            text,
            replacement: None,
        }
    }
}

impl From<&str> for Help {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}
