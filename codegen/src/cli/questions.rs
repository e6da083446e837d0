//! Interactive questions for arguments that are missing on the command line.

use std::io::{BufRead as _, IsTerminal as _, Write as _, stderr, stdin};

use crate::{Diagnostic, Diagnostics};

/// Yes/no question.
pub(super) struct Question(pub(super) &'static str);

impl Question {
    /// Returns the answer: the flag if it was set, else the user's input on a terminal, else the
    /// default.
    pub(super) fn answer(&self, typed: Option<bool>, default: bool) -> Result<bool, Diagnostics> {
        if let Some(typed) = typed {
            return Ok(typed);
        }
        if !is_terminal() {
            return Ok(default);
        }
        let choice = if default { "[Y/n]" } else { "[y/N]" };
        loop {
            match line(&format!("{} {choice} ", self.0))?
                .to_lowercase()
                .as_str()
            {
                "" => return Ok(default),
                "y" | "yes" => return Ok(true),
                "n" | "no" => return Ok(false),
                _ => {}
            }
        }
    }
}

/// Returns the values of flags. Missing ones are asked for on a terminal.
///
/// # Errors
///
/// A flag is missing and there is no terminal: the error names all missing flags.
pub(super) fn missing<const N: usize>(
    flags: [(&str, &Option<String>); N],
    command: &str,
) -> Result<[String; N], Diagnostics> {
    let absent: Vec<_> = flags.iter().filter(|(_, value)| value.is_none()).collect();
    if !absent.is_empty() && !is_terminal() {
        let names: Vec<_> = absent
            .iter()
            .map(|(name, _)| format!("`--{name}`"))
            .collect();
        let example = "--group webapp --version v1 --kind Guestbook";
        return Err(Diagnostic::error(format!("{} missing", names.join(", ")))
            .help(format!("type `genclient create {command} {example}`"))
            .into());
    }
    let mut values = [const { String::new() }; N];
    for ((name, value), to) in flags.into_iter().zip(&mut values) {
        *to = match value {
            Some(value) => value.clone(),
            None => line(&format!("{name}: "))?,
        };
    }
    Ok(values)
}

fn is_terminal() -> bool {
    stdin().is_terminal() && stderr().is_terminal()
}

/// Reads a line from the terminal.
fn line(prompt: &str) -> Result<String, Diagnostics> {
    let unread = |error: std::io::Error| {
        Diagnostics::from(
            Diagnostic::error(format!("cannot read the answer: {error}"))
                .help("type it as a flag; `--help` lists them"),
        )
    };
    let _ = write!(stderr(), "{prompt}");
    let mut answer = String::new();
    if stdin().lock().read_line(&mut answer).map_err(unread)? == 0 {
        let ended = Diagnostic::error("there was no answer");
        return Err(ended.help("type it as a flag; `--help` lists them").into());
    }
    Ok(answer.trim().to_owned())
}
