//! Formats that the API server recognizes beside a type.

use genclient_apimachinery::strfmt::{KNOWN, is_numeric};

use crate::JsonType;

/// Returns whether the API server recognizes a format beside a type. It ignores any other format.
///
/// Source: `StripUnsupportedFormatsPostProcessorForVersion` of `formats.go` in
/// `k8s.io/apiextensions-apiserver/pkg/apiserver/validation`.
pub fn is_supported(format: &str, type_: Option<JsonType>) -> bool {
    match type_ {
        None | Some(JsonType::String) => !is_numeric(format) && KNOWN.contains(&format),
        Some(JsonType::Integer) => matches!(format, "int32" | "int64"),
        Some(JsonType::Number) => matches!(format, "float" | "double"),
        Some(JsonType::Boolean | JsonType::Array | JsonType::Object) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::verdicts::ROWS;

    /// `ROWS` contains recorded verdicts on texts. A test in `values` compares them with the
    /// validation.
    #[test]
    fn every_string_format_has_verdicts() {
        for format in KNOWN.iter().filter(|format| !is_numeric(format)) {
            let named = format!("\"format\": \"{format}\"");
            assert!(ROWS.contains(&named), "no text of {format}");
        }
    }
}
