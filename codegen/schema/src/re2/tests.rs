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
    ("(?x)a", "(?x)"),
    (r"(a)\1", r"\1"),
    ("a**", "*"),
    ("a{2}{3}", "{3}"),
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
