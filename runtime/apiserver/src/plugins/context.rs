//! [`Plugins`]: what admission plug-ins know of a write.

use serde_json::Value;

use crate::request::ObjectRequest;
use crate::state::State;

/// What plug-ins know: the server, and the request whose write they look at.
#[derive(Clone, Copy)]
pub(crate) struct Plugins<'a> {
    pub(crate) state: &'a State,
    pub(crate) request: &'a ObjectRequest,
}

/// A member of an object; none is null.
pub(super) fn at<'a>(object: Option<&'a Value>, pointer: &str) -> &'a Value {
    const NULL: &Value = &Value::Null;
    object.and_then(|it| it.pointer(pointer)).unwrap_or(NULL)
}
