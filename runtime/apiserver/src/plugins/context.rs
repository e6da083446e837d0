//! [`Plugins`]: context of the admission plug-ins for a write.

use serde_json::Value;

use crate::request::ObjectRequest;
use crate::state::State;

/// Context of admission plug-ins: the server, and the request that writes.
#[derive(Clone, Copy)]
pub(crate) struct Plugins<'a> {
    pub(crate) state: &'a State,
    pub(crate) request: &'a ObjectRequest,
}

/// Returns the value at a pointer, or null.
pub(super) fn at<'a>(object: Option<&'a Value>, pointer: &str) -> &'a Value {
    const NULL: &Value = &Value::Null;
    object.and_then(|it| it.pointer(pointer)).unwrap_or(NULL)
}
