//! [`ConversionFunctions`]: functions that convert custom resources in place of conversion
//! webhooks.

use std::collections::HashMap;
use std::fmt::{self, Display};
use std::panic::{AssertUnwindSafe, catch_unwind};

use genclient::conversion::Versions;
use genclient::kube::Resource;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::to_raw_value;

/// Function that converts an object to an `apiVersion` such as `example.com/v2`.
type ConversionFunction = dyn Fn(&Value, &str) -> Result<Value, String> + Send + Sync;

/// Conversion functions, keyed by the name of their CustomResourceDefinition.
#[derive(Default)]
pub(crate) struct ConversionFunctions(HashMap<String, Box<ConversionFunction>>);

impl ConversionFunctions {
    /// Adds a conversion function. It replaces the function of the same CustomResourceDefinition.
    pub(crate) fn insert<E: Display>(
        &mut self,
        definition: String,
        function: impl Fn(&Value, &str) -> Result<Value, E> + Send + Sync + 'static,
    ) {
        let function =
            move |object: &Value, to: &str| function(object, to).map_err(|error| error.to_string());
        self.0.insert(definition, Box::new(function));
    }

    /// Adds the conversions between the versions of a kind. Errors have the messages of
    /// genclient-controller's conversion webhook. Only the message after a panic is shorter:
    /// `the conversion panicked`.
    pub(crate) fn insert_versions<H>(&mut self, versions: Versions<H>)
    where
        H: Resource<DynamicType = ()> + Serialize + DeserializeOwned + 'static,
    {
        let definition = versions.definition();
        let convert = move |object: &Value, to: &str| {
            let failed = |error: &dyn Display| {
                format!(
                    "cannot convert {} to {to}: {error}",
                    describe_object(object)
                )
            };
            let object = to_raw_value(object).map_err(|error| failed(&error))?;
            let converted = versions
                .convert(&object, to)
                .map_err(|error| failed(&error))?;
            serde_json::from_str(converted.get()).map_err(|error| failed(&error))
        };
        self.insert::<String>(definition, convert);
    }

    /// Converts an object by the function of a CustomResourceDefinition. Returns `None` if the
    /// definition has no function.
    ///
    /// # Errors
    ///
    /// The error of the function, or a message if the function panics. The request then fails, as
    /// after an error of a webhook.
    pub(crate) fn call(
        &self,
        definition: &str,
        object: &Value,
        to: &str,
    ) -> Option<Result<Value, String>> {
        let function = self.0.get(definition)?;
        let converted = catch_unwind(AssertUnwindSafe(|| function(object, to)));
        Some(converted.unwrap_or_else(|_| Err("the conversion panicked".to_owned())))
    }
}

impl fmt::Debug for ConversionFunctions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// Returns a name for messages: `Backup default/nightly of example.com/v1`.
fn describe_object(object: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (kind, version) = (text(&object["kind"]), text(&object["apiVersion"]));
    let metadata = &object["metadata"];
    let (namespace, name) = (text(&metadata["namespace"]), text(&metadata["name"]));
    let path = match &*namespace {
        "" => name,
        namespace => format!("{namespace}/{name}"),
    };
    format!("{kind} {path} of {version}")
}
