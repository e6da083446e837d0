use super::Pattern;

/// Patterns that Go's `regexp.Compile` accepts, with a text that matches and one that does not.
const TAKEN: &[(&str, &str, &str)] = &[
    ("^[a-z]([-a-z0-9]*[a-z0-9])?$", "a-b", "a-"),
    (r"^\d{3}$", "123", "١٢٣"),
    (r"^\w+$", "a_1", "ä"),
    (r"^\Qa.b\E$", "a.b", "axb"),
    (r"^a{,2}$", "a{,2}", "aa"),
    ("^a{b$", "a{b", "ab"),
    (r"^[^\s]+$", "ab", "a b"),
    ("^[]a]+$", "]a", "b"),
    ("^[a-]+$", "a-", "b"),
    ("^[&&--~~]+$", "&", "a"),
    ("^[[:alpha:][:^word:]]+$", "a-", "1"),
    (r"^\pL\p{Greek}\P{L}$", "aα1", "aa1"),
    (r"^\p{^L}$", "1", "a"),
    (r"^\p{greek}\p{lower case letter}\p{Letter}$", "αaA", "aAa"),
    (r"^\p{any}\p{LC}\p{digit}$", "-a1", "-11"),
    (r"^[\p{ASCII}\p{Assigned}]$", "a", "\u{378}"),
    (r"^a\p{Cs}?$", "a", "ab"),
    (r"^[^\P{Cs}]?$", "", "a"),
    (r"^(?i)abc$", "ABC", "ABD"),
    (r"^(?P<x>a)(?<y>b)$", "ab", "ba"),
    (r"^\x41\x{42}\101$", "ABA", "ABB"),
    (r"^\/\-\_\<$", "/-_<", "a"),
    (r"^a*?b+?c??$", "b", "a"),
    ("^(?:a{10}){100}$", "", "b"),
    ("^(?P<a>b)(?P<a>c)$", "bc", "cb"),
    ("a||b", "", ""),
    ("()", "", ""),
    ("^*", "", ""),
    (
        r"^$|^((https):\/\/?)[^\s()<>]+(?:\([\w\d]+\)|([^[:punct:]\s]|\/?))$",
        "https://a.b",
        "http://a.b",
    ),
];

/// Patterns that Go rejects, with the part in error.
const REFUSED: &[(&str, &str)] = &[
    ("a(?=b)", "(?="),
    ("(?!b)a", "(?!"),
    ("(?<=b)a", "(?<="),
    ("(?<!b)a", "(?<!"),
    ("(?>a)", "(?>"),
    ("(?x)a", "(?x"),
    (r"(a)\1", r"\1"),
    ("a**", "**"),
    ("a{2}{3}", "{2}{3}"),
    ("*a", "*"),
    ("a|*", "*"),
    ("a{1001}", "{1001}"),
    ("a{3,2}", "{3,2}"),
    ("(?:a{100}){100}", "(?:a{100}){100}"),
    ("(a", "("),
    ("a)", ")"),
    ("[a", "["),
    ("[]", "["),
    ("[z-a]", "z-a"),
    ("[[:alhpa:]]", "[:alhpa:]"),
    (r"\Z", r"\Z"),
    (r"\u0041", r"\u"),
    (r"\p{Klingon}", r"\p{Klingon}"),
    (r"\p{Script=Greek}", r"\p{Script=Greek}"),
    (r"\p{IsGreek}", r"\p{IsGreek}"),
    (r"\p{Grek}", r"\p{Grek}"),
    (r"\p{gc=L}", r"\p{gc=L}"),
    (r"\p{Old_Italic}", r"\p{Old_Italic}"),
    (r"\p{}", r"\p{}"),
    ("a\\", "\\"),
    ("(?P<a-b>c)", "(?P<a-b"),
];

/// Invalid patterns with the error of Go's `regexp.Compile`, without its first words.
const GO_ERRORS: &[(&str, &str)] = &[
    ("*", "missing argument to repetition operator: `*`"),
    ("a|*", "missing argument to repetition operator: `*`"),
    ("a**", "invalid nested repetition operator: `**`"),
    ("a+?*", "invalid nested repetition operator: `+?*`"),
    ("a*??", "invalid nested repetition operator: `*??`"),
    ("a{2}{3}", "invalid nested repetition operator: `{2}{3}`"),
    ("a{1001}", "invalid repeat count: `{1001}`"),
    ("a{3,2}", "invalid repeat count: `{3,2}`"),
    ("(a{100}){11}", "invalid repeat count: `{11}`"),
    ("[a", "missing closing ]: `[a`"),
    ("[a-", "missing closing ]: `[a-`"),
    ("[b-a]", "invalid character class range: `b-a`"),
    ("[[:foo:]]", "invalid character class range: `[:foo:]`"),
    ("(a", "missing closing ): `(a`"),
    ("a)", "unexpected ): `a)`"),
    ("(", "missing closing ): `(`"),
    (r"\", "trailing backslash at end of expression: ``"),
    (r"[\", "trailing backslash at end of expression: ``"),
    ("(?P<n", "invalid named capture: `(?P<n`"),
    ("(?P<n>a", "missing closing ): `(?P<n>a`"),
    ("(?P<1-2>a)", "invalid named capture: `(?P<1-2>`"),
    ("(?=a)", "invalid or unsupported Perl syntax: `(?=`"),
    ("(?!a)", "invalid or unsupported Perl syntax: `(?!`"),
    ("(?<=a)", "invalid named capture: `(?<=a)`"),
    ("(?<!a)", "invalid named capture: `(?<!a)`"),
    ("(?<n!>a)", "invalid named capture: `(?<n!>`"),
    ("(?#a)", "invalid or unsupported Perl syntax: `(?#`"),
    ("(?>a)", "invalid or unsupported Perl syntax: `(?>`"),
    ("(?i-", "invalid or unsupported Perl syntax: `(?i-`"),
    (r"\p{Greek", r"invalid character class range: `\p{Greek`"),
    (r"\p{Foo}", r"invalid character class range: `\p{Foo}`"),
    (r"\pX", r"invalid character class range: `\pX`"),
    (r"\8", r"invalid escape sequence: `\8`"),
    (r"\x{110000}", r"invalid escape sequence: `\x{110000`"),
    (r"\x{", r"invalid escape sequence: `\x{`"),
    (r"\c", r"invalid escape sequence: `\c`"),
    (r"\Z", r"invalid escape sequence: `\Z`"),
    (r"\k<a>", r"invalid escape sequence: `\k`"),
    ("x{2,1}?", "invalid repeat count: `{2,1}`"),
    ("+?", "missing argument to repetition operator: `+?`"),
    ("**", "missing argument to repetition operator: `*`"),
    ("a|+", "missing argument to repetition operator: `+`"),
    ("(?i)*", "missing argument to repetition operator: `*`"),
    ("((a)", "missing closing ): `((a)`"),
    ("[^", "missing closing ]: `[^`"),
    ("[]", "missing closing ]: `[]`"),
    ("[]a", "missing closing ]: `[]a`"),
    ("(?:a{500}){3}", "invalid repeat count: `{3}`"),
    ("{2}", "missing argument to repetition operator: `{2}`"),
    (
        "a|{2,}?",
        "missing argument to repetition operator: `{2,}?`",
    ),
    ("({3,2})", "invalid repeat count: `{3,2}`"),
    ("a{2}?*", "invalid nested repetition operator: `{2}?*`"),
    (r"\xg1", r"invalid escape sequence: `\xg1`"),
    ("(?P<", "invalid or unsupported Perl syntax: `(?P`"),
    ("(?<", "invalid or unsupported Perl syntax: `(?<`"),
];

#[test]
fn patterns_valid_in_go_are_accepted() {
    for (pattern, matching, other) in TAKEN {
        let read =
            Pattern::parse(pattern).unwrap_or_else(|mistake| panic!("{pattern}: {mistake:?}"));
        assert!(read.regex().is_some(), "{pattern} does not compile here");
        if !matching.is_empty() {
            assert!(read.matches(matching), "{pattern} should match {matching}");
        }
        if !other.is_empty() && !pattern.starts_with("^*") {
            assert!(!read.matches(other), "{pattern} should not match {other}");
        }
    }
}

#[test]
fn patterns_invalid_in_go_are_rejected() {
    for (pattern, place) in REFUSED {
        let mistake = Pattern::parse(pattern).expect_err(pattern);
        assert_eq!(
            &pattern[mistake.range.clone()],
            *place,
            "{pattern}: {mistake:?}"
        );
    }
}

#[test]
fn errors_are_formatted_as_in_go() {
    for (pattern, expected) in GO_ERRORS {
        let error = Pattern::parse(pattern).expect_err(pattern);
        let expected = format!("error parsing regexp: {expected}");
        assert_eq!(error.in_go(pattern), expected, "{pattern}");
    }
}

#[test]
fn a_thousand_nested_captures_are_refused_as_in_go() {
    let nested = |depth| "(".repeat(depth) + &")".repeat(depth);
    assert!(Pattern::parse(&nested(999)).is_ok());
    let deep = nested(1000);
    let error = Pattern::parse(&deep).expect_err("too deep");
    let expected = format!("error parsing regexp: expression nests too deeply: `{deep}`");
    assert_eq!(error.in_go(&deep), expected);
}
