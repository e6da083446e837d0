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
use super::field_paths::{collect_differing, collect_empty, remove_field};
use super::object::{self, Head};
use super::placeholders::FilledObject;
use super::version::Version;
use super::{Inconvertible, hub_annotation};

/// Maximum number of sets of placeholders that are tried. The more differ, the more is known to
/// depend on them: a conversion may map several placeholders to one value.
const MAX_PLACEHOLDER_SETS: usize = 8;
/// Maximum number of fields that are left out one by one, if they cannot all be left out.
const MAX_SINGLE_REMOVALS: usize = 64;

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
        let object: Value = object::parse_object(object.get()).ok()?;
        let filled = FilledObject::new(object.clone(), self.from.find_flaw)?;
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
    fn convert_filled(&self, filled: &mut FilledObject) -> Result<Value, Inconvertible> {
        let first_error = match self.convert_value(&filled.object) {
            Ok(converted) => return Ok(converted),
            Err(error) => format!("{error} (the object is partial; filled in: {filled})"),
        };
        for _ in 1..MAX_PLACEHOLDER_SETS {
            if !filled.advance() {
                break;
            }
            if let Ok(converted) = self.convert_value(&filled.object) {
                return Ok(converted);
            }
        }
        Err(first_error.into())
    }

    fn convert_value(&self, object: &Value) -> Result<Value, Inconvertible> {
        let object = to_raw_value(object)?;
        let converted = self.convert(&object, &object::parse_object(object.get())?)?;
        Ok(object::parse_object(converted.get())?)
    }
}

impl<H: Resource<DynamicType = ()>> Partial<'_, H> {
    fn convert(&self, mut filled: FilledObject) -> Result<Value, Inconvertible> {
        let has_container = filled.has_container();
        let converted = self.conversion.convert_filled(&mut filled)?;
        let mut dependent = Vec::new();
        for _ in 1..MAX_PLACEHOLDER_SETS {
            if !filled.advance() {
                break;
            }
            if let Ok(other) = self.conversion.convert_value(&filled.object) {
                collect_differing(&converted, &other, &mut dependent);
            }
        }
        if has_container {
            collect_empty(&converted, &self.object, &mut dependent);
        }
        Ok(self.remove_dependent(converted, &dependent))
    }

    /// Removes fields from a converted object, except those that are needed to convert the object
    /// back, such as a text that joins a field of the object with a placeholder.
    fn remove_dependent(&self, converted: Value, fields: &[Vec<PathStep>]) -> Value {
        if fields.is_empty() {
            return converted;
        }
        // If the reverse conversion fails, placeholders stay in the result.
        let Some(expected) = self.convert_back(&converted) else {
            return converted;
        };
        let is_complete = |reduced: &Value| self.convert_back(reduced).as_ref() == Some(&expected);
        let mut reduced = converted.clone();
        for field in fields {
            remove_field(&mut reduced, field, &self.object);
        }
        if is_complete(&reduced) {
            return reduced;
        }
        let mut reduced = converted;
        for field in fields.iter().take(MAX_SINGLE_REMOVALS) {
            let mut smaller = reduced.clone();
            remove_field(&mut smaller, field, &self.object);
            if is_complete(&smaller) {
                reduced = smaller;
            }
        }
        reduced
    }

    /// Converts a converted object back. Of the result, it removes what the original object lacks.
    fn convert_back(&self, converted: &Value) -> Option<Value> {
        let back = Conversion {
            from: self.conversion.to,
            to: self.conversion.from,
        };
        let mut filled = FilledObject::new(converted.clone(), back.from.find_flaw)?;
        let mut object = back.convert_filled(&mut filled).ok()?;
        for field in &self.absent {
            remove_field(&mut object, field, &Value::Null);
        }
        let annotations = object["metadata"]["annotations"].as_object_mut();
        if let Some(annotations) = annotations {
            annotations.remove(&hub_annotation::annotation_name::<H>());
        }
        Some(object)
    }
}
