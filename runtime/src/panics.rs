//! Messages of caught panics, for logs and errors.

use std::any::Any;

/// Returns the message of a panic.
pub fn panic_message(panic: &(dyn Any + Send)) -> String {
    let message = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    message
        .unwrap_or("panic payload is not a string")
        .to_owned()
}
