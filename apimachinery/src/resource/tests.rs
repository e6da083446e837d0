use super::*;

#[test]
fn canonical_quantities_match_kube_apiserver() {
    for (text, canonical) in [
        ("0", "0"),
        ("1", "1"),
        ("1000", "1k"),
        ("1500", "1500"),
        ("100000", "100k"),
        ("1500m", "1500m"),
        ("2000m", "2"),
        ("0.5", "500m"),
        (".5", "500m"),
        ("1.", "1."),
        ("100Mi", "100Mi"),
        ("1024Mi", "1Gi"),
        ("0.5Gi", "512Mi"),
        ("1.5Ki", "1536"),
        ("0.1Ki", "102400m"),
        ("1e3", "1e3"),
        ("1e2", "100"),
        ("1E", "1E"),
        ("-5", "-5"),
        ("-1024Ki", "-1Mi"),
        ("0.0000000001", "1n"),
        ("010", "010"),
        ("512", "512"),
        ("8Ki", "8Ki"),
        ("0Gi", "0"),
        ("1e70", "10e69"),
        ("1000E", "1"),
        (
            "1234567890123456789012345678901234567890",
            "1234567890123456789012345678901234567890",
        ),
        ("0.12345678901234567890", "123456790n"),
    ] {
        let quantity = Quantity::parse(text).unwrap();
        assert_eq!(quantity.canonical(), canonical, "{text}");
    }
    assert_eq!(
        Quantity::parse("x").unwrap_err(),
        QuantityError::QuantityFormat
    );
    assert_eq!(
        Quantity::parse("1Kx").unwrap_err(),
        QuantityError::QuantityFormat
    );
    // The slow path of Go requires digits.
    assert_eq!(Quantity::parse("Ti").unwrap().canonical(), "0");
    for text in ["Pi", ".e-12", "-Ei"] {
        assert_eq!(Quantity::parse(text).unwrap_err(), QuantityError::Numeric);
    }
    assert_eq!(Quantity::parse("1KM").unwrap_err(), QuantityError::Suffix);
}

#[test]
fn numbers_beyond_128_bits_are_compared_exactly() {
    let long = format!("0.{}1", "0".repeat(40));
    let texts = [
        "-1e90", "-1e70", "-1", "-1e-70", "0e99", "1e-70", "1", "1e70", "1e90",
    ];
    let quantities = texts.map(|text| Quantity::parse(text).unwrap());
    for pair in quantities.windows(2) {
        assert_eq!(pair[0].compare(&pair[1]), Ordering::Less, "{pair:?}");
    }
    let signs: Vec<_> = quantities.iter().map(Quantity::sign).collect();
    assert_eq!(signs[..4], [Ordering::Less; 4]);
    assert_eq!(signs[4], Ordering::Equal);
    assert_eq!(signs[5..], [Ordering::Greater; 4]);
    let tiny = [&long, "1e-70"].map(|text| Quantity::parse(text).unwrap());
    let nano = Quantity::parse("1n").unwrap();
    assert!(
        tiny.iter()
            .all(|tiny| tiny.compare(&nano) == Ordering::Equal)
    );
}

#[test]
fn long_numbers_keep_their_unit_and_are_rounded_up() {
    let zeros = "0".repeat(40);
    for (text, equal) in [
        (format!("0.5{zeros}Gi"), "512Mi"),
        (format!("0.5{zeros}"), "500m"),
        ("0.500000000000000000000Ei".to_owned(), "512Pi"),
        (
            "0.500000000000000000001Ei".to_owned(),
            "576460752303423488001152922n",
        ),
        (format!("1.{zeros}1"), "1000000001n"),
        (format!("1{zeros}Ki"), "9223372036854775807"),
        ("1e-2147483648".to_owned(), "1n"),
    ] {
        let quantity = Quantity::parse(&text).unwrap();
        let expected = Quantity::parse(equal).unwrap();
        assert_eq!(quantity.compare(&expected), Ordering::Equal, "{text}");
        assert_eq!(quantity.is_whole(), expected.is_whole(), "{text}");
    }
    for text in ["1e50", "1e70", "0e50"] {
        assert!(Quantity::parse(text).unwrap().is_whole(), "{text}");
    }
}
