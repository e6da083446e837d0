//! Validation of quantities, as the API server parses them.

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

/// Suffixes of Go's `resource.Quantity`, which also accepts exponents.
const SUFFIXES: [&str; 16] = [
    "", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei",
];

/// Error of a task's field that is not a quantity.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("spec.{field}: {text:?} is not a quantity, such as `2`, `500m`, `4Gi`")]
pub(crate) struct InvalidQuantity {
    field: &'static str,
    text: String,
}

/// Parses the quantity in `field`.
///
/// The API server answers 400 to a Pod with an invalid quantity, without naming the field.
pub(super) fn parse(field: &'static str, text: &str) -> Result<Quantity, InvalidQuantity> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let end = unsigned
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(unsigned.len());
    let (number, suffix) = unsigned.split_at(end);
    if is_number(number) && (SUFFIXES.contains(&suffix) || is_exponent(suffix)) {
        return Ok(Quantity(text.to_owned()));
    }
    let text = text.to_owned();
    Err(InvalidQuantity { field, text })
}

fn is_number(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_digit()) && text.matches('.').count() <= 1
}

fn is_exponent(suffix: &str) -> bool {
    let exponent = suffix.strip_prefix(['e', 'E']);
    exponent.is_some_and(|exponent| exponent.parse::<i64>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_parse_as_in_go() {
        for text in [
            "0", "2", "500m", "4Gi", "0.5", ".5", "5.", "+1", "-1", "1e3", "1E-3", "1E", "100n",
            "12Ei",
        ] {
            assert_eq!(parse("cpu", text), Ok(Quantity(text.to_owned())));
        }
        for text in [
            "", " 1", "1 ", "4Gx", "4GI", "4K", "four", "1.2.3", ".", "m", "1e", "1e3m", "--1",
            "1e1.5",
        ] {
            let error = parse("cpu", text).unwrap_err();
            assert!(error.to_string().contains("spec.cpu"), "{error}");
        }
    }
}
