//! [`Versions`]: the versions of a kind, and conversion of an object from any version to any other.

use std::fmt;

use kube::Resource;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::decode_flaw::find_flaw;
use super::object::{Converted, Head, decode_as, parse_object};
use super::partial::Conversion;
use super::version::Version;
use super::{Inconvertible, Spoke};
use crate::nesting;

/// All versions of a kind, and conversion between any two of them. `H` is the hub, the type of the
/// storage version.
///
/// See the [module](crate::conversion) for an example.
pub struct Versions<H> {
    /// The first version is the hub.
    versions: Vec<Version<H>>,
}

impl<H> Versions<H>
where
    H: Resource<DynamicType = ()> + Serialize + DeserializeOwned + 'static,
{
    /// Returns `Versions` that contain only the storage version.
    #[must_use]
    pub fn hub() -> Self {
        let hub = Version {
            api_version: H::api_version(&()).into_owned(),
            to_hub: decode_as,
            from_hub: |hub| Converted::new(&hub),
            find_flaw: find_flaw::<H>,
        };
        Self {
            versions: vec![hub],
        }
    }

    /// Adds a version that is not stored.
    ///
    /// # Panics
    ///
    /// If `S` has another group or kind than the hub, or its version was added before.
    #[must_use]
    pub fn spoke<S>(mut self) -> Self
    where
        S: Spoke<Hub = H> + Resource<DynamicType = ()> + Serialize + DeserializeOwned + 'static,
    {
        let (spoke, hub) = ((S::group(&()), S::kind(&())), (H::group(&()), H::kind(&())));
        assert!(spoke == hub, "{spoke:?} is not a version of {hub:?}");
        let api_version = S::api_version(&()).into_owned();
        let known = self.api_versions().any(|known| known == api_version);
        assert!(!known, "duplicate version `{api_version}`");
        self.versions.push(Version {
            api_version,
            to_hub: |object| decode_as::<S>(object)?.to_hub(),
            from_hub: |hub| Converted::new(&S::from_hub(hub)?),
            find_flaw: find_flaw::<S>,
        });
        self
    }

    /// Returns the name of the CustomResourceDefinition, such as `backups.example.com`.
    #[must_use]
    pub fn definition(&self) -> String {
        format!("{}.{}", H::plural(&()), H::group(&()))
    }

    /// Returns the `apiVersion` of every version: first the hub, then the others in the order in
    /// which they were added.
    pub fn api_versions(&self) -> impl Iterator<Item = &str> {
        self.versions.iter().map(|version| &*version.api_version)
    }

    /// Converts an object to another version, through the hub. An object that already has the
    /// desired version is returned unchanged.
    ///
    /// The result has the labels and annotations that the conversion returned. Other metadata is
    /// that of `object`, because a conversion must not change it.
    ///
    /// The object may be partial, that is, lack fields that its type requires, as kube-apiserver's
    /// server-side apply sends them. See [`Spoke`] for what the conversion gets then.
    ///
    /// # Errors
    ///
    /// If the object is of another kind, is nested deeper than 250 levels or does not match the
    /// type of its version; if one of the versions is unknown; if the [`Spoke`] returns an error;
    /// or if no thread can be started for a deeply nested object.
    pub fn convert(
        &self,
        object: &RawValue,
        desired_api_version: &str,
    ) -> Result<Box<RawValue>, Inconvertible> {
        let convert = || self.convert_on_this_stack(object, desired_api_version);
        let depth = nesting::depth(object.get().as_bytes());
        if depth <= nesting::MAX_DEPTH_ON_ANY_STACK {
            return convert();
        }
        if depth <= nesting::MAX_DEPTH {
            let converted = nesting::on_large_stack(convert);
            return converted.ok_or("cannot start a thread to convert a deeply nested object")?;
        }
        let most = nesting::MAX_DEPTH;
        Err(
            format!("the object is nested {depth} levels deep, but at most {most} are allowed")
                .into(),
        )
    }

    fn convert_on_this_stack(
        &self,
        object: &RawValue,
        desired_api_version: &str,
    ) -> Result<Box<RawValue>, Inconvertible> {
        let head: Head<'_> = parse_object(object.get())?;
        let kind = H::kind(&());
        if head.kind != kind {
            return Err(format!("expected kind `{kind}`, found `{}`", head.kind).into());
        }
        let from = self.version(&head.api_version)?;
        let to = self.version(desired_api_version)?;
        if head.api_version == desired_api_version {
            return Ok(object.to_owned());
        }
        let conversion = Conversion { from, to };
        conversion.convert(object, &head).or_else(|error| {
            let partial = conversion.convert_partial(object);
            partial.unwrap_or(Err(error))
        })
    }

    fn version(&self, api_version: &str) -> Result<&Version<H>, Inconvertible> {
        let mut versions = self.versions.iter();
        let version = versions.find(|version| version.api_version == api_version);
        Ok(version.ok_or_else(|| {
            let versions: Vec<_> = self
                .api_versions()
                .map(|known| format!("`{known}`"))
                .collect();
            let (definition, versions) = (self.definition(), versions.join(", "));
            format!("unknown version `{api_version}` of `{definition}`: expected one of {versions}")
        })?)
    }
}

impl<H> Clone for Versions<H> {
    fn clone(&self) -> Self {
        Self {
            versions: self.versions.clone(),
        }
    }
}

impl<H> fmt::Debug for Versions<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let versions = self.versions.iter().map(|version| &version.api_version);
        f.debug_list().entries(versions).finish()
    }
}
