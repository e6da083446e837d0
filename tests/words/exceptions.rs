//! Texts that no expectation shows.

/// The beginning of a text, and why it is not shown.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("cannot write the model: {", "a model is always JSON"),
    (
        "cannot install signal handlers: {",
        "files cannot be read either with so few open files",
    ),
    (
        "raise the limit of open files",
        "files cannot be read either with so few open files",
    ),
    (
        "interrupted: no file has changed",
        "the signal comes at a time of its own",
    ),
    (
        "run the command again",
        "the signal comes at a time of its own",
    ),
    (
        "add `#[crd(storage, {conversion})]` to {}",
        "the source of the kind was found before",
    ),
    (
        "move `storage` and `conversion` from",
        "the source of the kind was found before",
    ),
    (
        "cannot read the revision `{",
        "git finds a revision whose objects are gone",
    ),
    (
        "see the error of git: git show --stat {",
        "git finds a revision whose objects are gone",
    ),
    (
        "the current types",
        "types without a CRD have an error of their own",
    ),
    ("name a readable file or folder", "root may read every file"),
    ("make the file readable", "root may read every file"),
    (" because --frozen", "cargo's words, which are cut off"),
    (
        "the loop step must have type {start}, found {step}",
        "of each loop that can be written the parts are checked before",
    ),
    (
        "return the same type in every iteration",
        "of each loop that can be written the parts are checked before",
    ),
    (
        "the rule has more than 100000 characters",
        "a case would have as many",
    ),
    (
        "{} (in the rule `{}`)",
        "a rule that nobody wrote is one of Kubernetes' own types, and those are right",
    ),
    (
        "no free port on 127.0.0.1: {",
        "a case would have to listen on all of them",
    ),
    (
        "stop a program that listens there",
        "a case would have to listen on all of them",
    ),
    ("1 file is", "a case has a client, and so more files"),
    (
        "on a variant",
        "of keys on a variant the first mistake is that they are there",
    ),
    ("no value or {}", "no key has this form and may be mistaken"),
    ("all types", "what fits all types is never misplaced"),
    (
        "must not have `{name}`",
        "a definition whose schema forbids a member is refused before its values are looked at",
    ),
    (
        "Write the type of the kind?",
        "a question that is asked on a terminal",
    ),
    (
        "Write a controller?",
        "a question that is asked on a terminal",
    ),
    (
        "cannot read the answer: {",
        "an answer that is typed on a terminal",
    ),
    (
        "no answer: the input ended",
        "an answer that is typed on a terminal",
    ),
    (
        "pass it as a flag; `--help`",
        "an answer that is typed on a terminal",
    ),
    (".webhook_service(", "rustfmt breaks the call into lines"),
    (
        "make its folder one that you may write to",
        "root may write to every folder",
    ),
    (
        "add the webhook",
        "a file that is no Rust is reported before",
    ),
    (
        "the $kind to be ready",
        "a template, whose kind is filled in",
    ),
];

pub fn has(text: &str) -> bool {
    let mut rows = EXCEPTIONS.iter();
    rows.any(|(beginning, _)| text.starts_with(beginning))
}
