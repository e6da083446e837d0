//! Conversion of partial objects, which lack fields that their type requires.
//!
//! For server-side apply, kube-apiserver converts objects that have only the fields of some
//! managers (`prune` in `merge/update.go` of sigs.k8s.io/structured-merge-diff). Go decodes an
//! absent field as its zero value. A partial object is therefore filled with placeholders and
//! converted several times, with different ones. What depends on them is left out of the
//! result: kube-apiserver would count it among the fields that the managers have set.

use kube::Resource;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use super::decode_flaw::PathStep;
use super::field_paths::{add_differing, add_empty, remove};
use super::object::{self, Head};
use super::placeholders::Filled;
use super::version::Version;
use super::{Inconvertible, hub_annotation};

/// Maximum number of sets of placeholders that are tried. The more differ, the more is known to
/// depend on them: a conversion may map several placeholders to one value.
const TRIES: usize = 8;
/// Maximum number of fields that are left out one by one, if they cannot all be left out.
const MAX_FIELDS: usize = 64;

/// The two versions of a conversion.
pub(super) struct Conversion<'v, H> {
    pub(super) from: &'v Version<H>,
    pub(super) to: &'v Version<H>,
}

/// A partial object in conversion.
struct Partial<'v, H> {
    conversion: Conversion<'v, H>,
    object: Value,
    /// Paths of the fields that the object lacks.
    absent: Vec<Vec<PathStep>>,
}

impl<H: Resource<DynamicType = ()>> Conversion<'_, H> {
    pub(super) fn convert(
        &self,
        object: &RawValue,
        head: &Head<'_>,
    ) -> Result<Box<RawValue>, Inconvertible> {
        let converted = (self.to.from_hub)((self.from.to_hub)(object.get())?)?;
        converted.restore(head, &self.to.api_version)
    }

    /// Converts a partial object. Returns `None` if the object lacks nothing, or its type cannot
    /// decode it for another reason.
    ///
    /// # Errors
    ///
    /// If the conversion refuses all placeholders.
    pub(super) fn convert_partial(
        self,
        object: &RawValue,
    ) -> Option<Result<Box<RawValue>, Inconvertible>> {
        let object: Value = object::read(object.get()).ok()?;
        let filled = Filled::new(object.clone(), self.from.find_flaw)?;
        let absent: Vec<_> = filled.paths().map(<[_]>::to_vec).collect();
        if absent.is_empty() {
            return None;
        }
        let partial = Partial {
            conversion: self,
            object,
            absent,
        };
        let converted = partial.convert(filled);
        Some(converted.and_then(|converted| Ok(to_raw_value(&converted)?)))
    }

    /// Converts an object with the first placeholders that the conversion accepts.
    fn convert_filled(&self, filled: &mut Filled) -> Result<Value, Inconvertible> {
        let refusal = match self.convert_value(&filled.object) {
            Ok(converted) => return Ok(converted),
            Err(error) => format!("{error} (the object is partial; filled in: {filled})"),
        };
        for _ in 1..TRIES {
            if !filled.advance() {
                break;
            }
            if let Ok(converted) = self.convert_value(&filled.object) {
                return Ok(converted);
            }
        }
        Err(refusal.into())
    }

    fn convert_value(&self, object: &Value) -> Result<Value, Inconvertible> {
        let object = to_raw_value(object)?;
        let converted = self.convert(&object, &object::read(object.get())?)?;
        Ok(object::read(converted.get())?)
    }
}

impl<H: Resource<DynamicType = ()>> Partial<'_, H> {
    fn convert(&self, mut filled: Filled) -> Result<Value, Inconvertible> {
        let has_container = filled.has_container();
        let converted = self.conversion.convert_filled(&mut filled)?;
        let mut added = Vec::new();
        for _ in 1..TRIES {
            if !filled.advance() {
                break;
            }
            if let Ok(other) = self.conversion.convert_value(&filled.object) {
                add_differing(&converted, &other, &mut added);
            }
        }
        if has_container {
            add_empty(&converted, &self.object, &mut added);
        }
        Ok(self.without(converted, &added))
    }

    /// Removes fields from a converted object, except those that are needed to convert the object
    /// back, such as a text that joins a field of the object with a placeholder.
    fn without(&self, converted: Value, fields: &[Vec<PathStep>]) -> Value {
        if fields.is_empty() {
            return converted;
        }
        // If the reverse conversion fails, placeholders stay in the result.
        let Some(expected) = self.convert_back(&converted) else {
            return converted;
        };
        let is_complete = |lean: &Value| self.convert_back(lean).as_ref() == Some(&expected);
        let mut lean = converted.clone();
        for field in fields {
            remove(&mut lean, field, &self.object);
        }
        if is_complete(&lean) {
            return lean;
        }
        let mut lean = converted;
        for field in fields.iter().take(MAX_FIELDS) {
            let mut leaner = lean.clone();
            remove(&mut leaner, field, &self.object);
            if is_complete(&leaner) {
                lean = leaner;
            }
        }
        lean
    }

    /// Converts a converted object back. Of the result, it removes what the original object lacks.
    fn convert_back(&self, converted: &Value) -> Option<Value> {
        let back = Conversion {
            from: self.conversion.to,
            to: self.conversion.from,
        };
        let mut filled = Filled::new(converted.clone(), back.from.find_flaw)?;
        let mut object = back.convert_filled(&mut filled).ok()?;
        for field in &self.absent {
            remove(&mut object, field, &Value::Null);
        }
        let annotations = object["metadata"]["annotations"].as_object_mut();
        if let Some(annotations) = annotations {
            annotations.remove(&hub_annotation::annotation::<H>());
        }
        Some(object)
    }
}
