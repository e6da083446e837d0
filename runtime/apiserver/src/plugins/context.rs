//! [`Plugins`]: the admission plug-ins for one write.

use serde_json::Value;

use crate::request::ObjectRequest;
use crate::state::ServerState;

/// Admission plug-ins for one write, with the server and the request that they need.
#[derive(Clone, Copy)]
pub(crate) struct Plugins<'a> {
    pub(crate) state: &'a ServerState,
    pub(crate) request: &'a ObjectRequest,
}

/// Returns the value at a JSON pointer. Returns null if there is no object or no such value.
pub(super) fn value_at<'a>(object: Option<&'a Value>, pointer: &str) -> &'a Value {
    const NULL: &Value = &Value::Null;
    object.and_then(|it| it.pointer(pointer)).unwrap_or(NULL)
}
