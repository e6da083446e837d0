//! Quantities as CEL values.

use genclient_apimachinery::resource::Quantity;

/// Quantity with the Go type of its CEL value.
#[derive(Clone, Debug)]
pub(super) struct QuantityValue {
    pub(super) quantity: Quantity,
    /// True for a result of `add` or `sub`. The API server does not accept such a quantity on the
    /// right of `==`.
    pub(super) computed: bool,
}
