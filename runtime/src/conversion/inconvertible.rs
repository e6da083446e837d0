//! Conversion error: [`Inconvertible`].

use std::error::Error;
use std::fmt;

/// Error of a conversion of an object to another version of its kind.
///
/// `?` converts any error to it, including strings and `anyhow::Error`. For that it does not
/// implement [`Error`] itself. The API server returns its text to the client that made the request.
///
/// ```
/// use genclient::conversion::Inconvertible;
///
/// fn days(text: &str) -> Result<u32, Inconvertible> {
///     let days = text.strip_suffix('d').ok_or("no unit `d`")?;
///     Ok(days.parse()?)
/// }
/// assert_eq!(days("7").unwrap_err().to_string(), "no unit `d`");
/// ```
pub struct Inconvertible(Box<dyn Error + Send + Sync>);

impl Inconvertible {
    /// Returns the underlying error.
    #[must_use]
    pub fn error(&self) -> &(dyn Error + Send + Sync + 'static) {
        &*self.0
    }
}

impl<E: Into<Box<dyn Error + Send + Sync>>> From<E> for Inconvertible {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl fmt::Debug for Inconvertible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Inconvertible").field(&self.0).finish()
    }
}

impl fmt::Display for Inconvertible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}
