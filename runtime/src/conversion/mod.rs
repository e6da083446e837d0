//! Conversion of objects between the versions of a kind, through the storage version.
//!
//! The storage version is the hub. Every other version is a [`Spoke`], which converts to the hub
//! and back. [`Versions`] converts between any two versions, as the conversion webhook of a
//! CustomResourceDefinition has to. Generated clients have one `Versions` for each kind with
//! `#[crd(conversion(webhook(..)))]`, in their module `conversion`.
//!
//! ```
//! use genclient::conversion::{Inconvertible, Spoke, Versions};
//! use serde_json::value::RawValue;
//!
//! mod v1 {
//!     use genclient::prelude::*;
//!
//!     #[genclient]
//!     #[group = "example.com"]
//!     pub struct Backup {
//!         pub metadata: ObjectMeta,
//!         pub spec: BackupSpec,
//!     }
//!
//!     #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
//!     pub struct BackupSpec {
//!         pub keep_days: u32,
//!     }
//! }
//!
//! mod v1alpha1 {
//!     use genclient::prelude::*;
//!
//!     #[genclient]
//!     #[group = "example.com"]
//!     pub struct Backup {
//!         pub metadata: ObjectMeta,
//!         pub spec: BackupSpec,
//!     }
//!
//!     #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
//!     pub struct BackupSpec {
//!         pub keep: String,
//!     }
//! }
//!
//! impl Spoke for v1alpha1::Backup {
//!     type Hub = v1::Backup;
//!
//!     fn to_hub(self) -> Result<v1::Backup, Inconvertible> {
//!         let days = self.spec.keep.strip_suffix('d').ok_or("spec.keep has no unit `d`")?;
//!         let spec = v1::BackupSpec { keep_days: days.parse()? };
//!         Ok(v1::Backup { metadata: self.metadata, spec })
//!     }
//!
//!     fn from_hub(hub: v1::Backup) -> Result<Self, Inconvertible> {
//!         let spec = v1alpha1::BackupSpec { keep: format!("{}d", hub.spec.keep_days) };
//!         Ok(Self { metadata: hub.metadata, spec })
//!     }
//! }
//!
//! let versions = Versions::<v1::Backup>::hub().spoke::<v1alpha1::Backup>();
//! let object = r#"{
//!     "apiVersion": "example.com/v1alpha1", "kind": "Backup",
//!     "metadata": {"name": "nightly"}, "spec": {"keep": "7d"}
//! }"#;
//! let object = RawValue::from_string(object.to_owned())?;
//! let converted = versions.convert(&object, "example.com/v1").map_err(|error| error.to_string())?;
//! let converted: v1::Backup = serde_json::from_str(converted.get())?;
//! assert_eq!(converted.spec.keep_days, 7);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod decode_flaw;
mod difference;
mod field_paths;
mod generator;
mod hub_annotation;
mod mismatch;
mod object;
mod partial;
mod placeholders;
mod round_trip;
mod version;
mod versions;

use std::error::Error;
use std::fmt;

pub use hub_annotation::{keep, kept};
pub use round_trip::{RoundTrip, RoundTripError, round_trip};
pub use versions::Versions;

/// Type of a version that is not stored. It converts to the storage version, the hub, and back.
///
/// Conversions must be lossless, since the API server converts at every read and write: if an
/// object is read in this version and written back unchanged, the stored object must not change.
/// [`keep`] preserves data that a version cannot express; [`round_trip`] tests both directions.
///
/// Of the metadata, a conversion can only change labels and annotations, as the API server
/// requires. [`Versions::convert`] restores other metadata.
///
/// # Partial objects
///
/// For server-side apply, kube-apiserver also converts objects that have only the fields of some
/// managers (`prune` in `merge/update.go` of sigs.k8s.io/structured-merge-diff). If such an object
/// lacks a field that its type requires, the conversion gets a placeholder: the first value that
/// the type accepts, of null, 0, the empty string, `false`, an empty object or list, the first
/// variant of an enum, and texts such as times and addresses. In Go, it would get the zero value.
/// An optional field stays absent.
///
/// A partial object is converted several times with different placeholders, and converted back.
/// What depends on placeholders is left out of the result, unless the object's own data are in it
/// as well. A conversion should accept zero values. If it returns an error for all placeholders,
/// the request fails with the first error. Complete objects are converted once.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no conversion to the storage version of its kind",
    label = "missing `impl Spoke for {Self}`",
    note = "write `impl genclient::conversion::Spoke for {Self}`, with `type Hub` being the \
            storage version, `to_hub` and `from_hub`"
)]
pub trait Spoke: Sized {
    /// Type of the storage version.
    type Hub;

    /// Converts to the storage version.
    ///
    /// # Errors
    ///
    /// If the storage version cannot express the object. The API server then rejects the request,
    /// unless the object is partial and another placeholder is accepted.
    fn to_hub(self) -> Result<Self::Hub, Inconvertible>;

    /// Converts from the storage version.
    ///
    /// # Errors
    ///
    /// If this version cannot express the object. The API server then rejects the request. Until
    /// the object is changed, every read of it in this version fails, and so does every list that
    /// contains it.
    fn from_hub(hub: Self::Hub) -> Result<Self, Inconvertible>;
}

/// Error of converting an object to another version of its kind.
///
/// `?` converts any error to an `Inconvertible`, including strings and `anyhow::Error`. For this
/// reason, the type does not implement [`Error`] itself. The API server returns the text of the
/// error to the user.
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
