//! Reader of the file of `--token-auth-file`: CSV with the columns token, user name, uid and,
//! optionally, groups such as `"a,b"`.
//!
//! Sources: pkg/authentication/token/tokenfile in k8s.io/apiserver, and Go's `encoding/csv`.

use std::iter::Peekable;
use std::path::Path;
use std::str::Chars;

use crate::rbac::User;
use crate::text_file;

/// Reads the tokens and users of a file. Lines with an empty token are skipped.
///
/// # Errors
///
/// If the file cannot be read or parsed. The message names the file.
pub(crate) fn read_token_file(path: &Path) -> Result<Vec<(String, User)>, String> {
    let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let text = text_file::read_text_file(path).map_err(|error| failed(&error))?;
    parse_tokens(&text).map_err(|error| failed(&error))
}

fn parse_tokens(text: &str) -> Result<Vec<(String, User)>, String> {
    let mut tokens = Vec::new();
    // Go reads `\r\n` as `\n`, even in quotes, and drops a `\r` at the end of the file.
    let text = text.replace("\r\n", "\n");
    let mut reader = CsvReader::new(text.strip_suffix('\r').unwrap_or(&text));
    while let Some(record) = reader.read_record()? {
        match &record[..] {
            // kube-apiserver logs a warning and ignores the record.
            [token, ..] if record.len() >= 3 && token.is_empty() => {}
            [token, name, uid, more @ ..] => {
                let groups = more.first().into_iter().flat_map(|it| it.split(','));
                let user = User::named(name).with_uid(uid);
                tokens.push((token.clone(), groups.fold(user, User::group)));
            }
            fewer => {
                return Err(format!(
                    "line {}: expected at least 3 columns (token, user name, user uid), found {}",
                    reader.line - 1,
                    fewer.len()
                ));
            }
        }
    }
    Ok(tokens)
}

/// Reader of CSV records (Go's `csv.Reader` with its default settings).
struct CsvReader<'a> {
    rest: Peekable<Chars<'a>>,
    line: usize,
}

impl<'a> CsvReader<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            rest: text.chars().peekable(),
            line: 1,
        }
    }

    fn next(&mut self) -> Option<char> {
        let next = self.rest.next()?;
        self.line += usize::from(next == '\n');
        Some(next)
    }

    /// Skips empty lines and reads the fields of the next record. Returns `None` at the end of the
    /// text.
    fn read_record(&mut self) -> Result<Option<Vec<String>>, String> {
        while self.rest.next_if_eq(&'\n').is_some() {
            self.line += 1;
        }
        if self.rest.peek().is_none() {
            return Ok(None);
        }
        let mut fields = Vec::new();
        loop {
            let (field, end) = match self.rest.next_if_eq(&'"') {
                Some(_) => self.read_quoted_field()?,
                None => self.read_bare_field()?,
            };
            fields.push(field);
            if end != Some(',') {
                return Ok(Some(fields));
            }
        }
    }

    /// Reads a field without quotes. Returns it with the character that ends it.
    fn read_bare_field(&mut self) -> Result<(String, Option<char>), String> {
        let mut field = String::new();
        loop {
            match self.next() {
                Some('"') => return Err(self.syntax_error("bare \" in non-quoted-field")),
                Some(next) if next != ',' && next != '\n' => field.push(next),
                end => return Ok((field, end)),
            }
        }
    }

    /// Reads the rest of a quoted field after its opening quote. Returns it with the character that
    /// ends it.
    fn read_quoted_field(&mut self) -> Result<(String, Option<char>), String> {
        let mut field = String::new();
        let stray = "extraneous or missing \" in quoted-field";
        loop {
            match self.next() {
                Some('"') => match self.next() {
                    Some('"') => field.push('"'),
                    end @ (Some(',' | '\n') | None) => return Ok((field, end)),
                    Some(_) => return Err(self.syntax_error(stray)),
                },
                Some(next) => field.push(next),
                None => return Err(self.syntax_error(stray)),
            }
        }
    }

    fn syntax_error(&self, what: &str) -> String {
        format!("line {}: {what}", self.line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Expected<'a> = Result<Vec<(&'a str, User)>, &'a str>;

    #[test]
    fn token_files_are_parsed_as_by_kube_apiserver() {
        let user = |name: &str, uid: &str, groups: &[&str]| {
            let user = User::named(name).with_uid(uid);
            groups.iter().copied().fold(user, User::group)
        };
        let cases: [(&str, Expected<'_>); 12] = [
            ("", Ok(vec![])),
            ("t,alice,1", Ok(vec![("t", user("alice", "1", &[]))])),
            (
                "\n\r\nt,alice,1,\"a,b\"\r\nu,bob,2,c,ignored\r",
                Ok(vec![
                    ("t", user("alice", "1", &["a", "b"])),
                    ("u", user("bob", "2", &["c"])),
                ]),
            ),
            (
                "\"t\",\"a \"\"b\"\" c\",\"\"",
                Ok(vec![("t", user("a \"b\" c", "", &[]))]),
            ),
            ("\"t\nu\",b,\n", Ok(vec![("t\nu", user("b", "", &[]))])),
            ("t,b,,", Ok(vec![("t", user("b", "", &[""]))])),
            // The name of a service account adds no groups.
            (
                "t,system:serviceaccount:a:b,",
                Ok(vec![("t", user("system:serviceaccount:a:b", "", &[]))]),
            ),
            (",nobody,1\n t,a,", Ok(vec![(" t", user("a", "", &[]))])),
            (
                "t,alice,1\nu,bob\n",
                Err("line 2: expected at least 3 columns (token, user name, user uid), found 2"),
            ),
            ("t,a\"b,1", Err("line 1: bare \" in non-quoted-field")),
            (
                "\"t\"u,a,1",
                Err("line 1: extraneous or missing \" in quoted-field"),
            ),
            (
                "t,\"a,1",
                Err("line 1: extraneous or missing \" in quoted-field"),
            ),
        ];
        for (text, expected) in cases {
            let parsed = parse_tokens(text);
            let owned = |(token, user): (&str, User)| (token.to_owned(), user);
            let expected = expected.map(|all| all.into_iter().map(owned).collect());
            assert_eq!(parsed, expected.map_err(str::to_owned), "{text:?}");
        }
    }
}
