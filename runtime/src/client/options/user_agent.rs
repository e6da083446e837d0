//! User agent of a program, and the field manager that the API server derives from it.

use std::env::consts::{ARCH, OS};

/// Maximum length of a field manager, in characters.
const MAX_FIELD_MANAGER: usize = 128;

/// Returns the `User-Agent` of this program in the form of client-go's
/// `DefaultKubernetesUserAgent`: `program/version (os/arch) kubernetes/commit`. OS and architecture
/// have Go's names, for example `darwin/arm64`.
///
/// The version is that of this crate, since the version of the program is not known here. In place
/// of a commit, the header has `genclient-<version>`.
#[must_use]
pub fn default_kubernetes_user_agent() -> String {
    let program = std::env::current_exe().ok();
    let program = program
        .as_deref()
        .and_then(|path| path.file_stem())
        .and_then(|name| name.to_str())
        .unwrap_or("unknown");
    let version = env!("CARGO_PKG_VERSION");
    let (os, arch) = (go_os(OS), go_arch(ARCH));
    format!("{program}/v{version} ({os}/{arch}) kubernetes/genclient-{version}")
}

/// Returns the field manager that the API server derives from a user agent
/// (`prefixFromUserAgent` in its `endpoints/handlers/create.go`): the part before the first `/`,
/// without control characters and truncated to 128 characters. Returns `None` if it is empty.
pub(super) fn field_manager_of(user_agent: &str) -> Option<String> {
    let name = user_agent.split('/').next().unwrap_or_default();
    let printable = name.chars().filter(|character| !character.is_control());
    let name: String = printable.take(MAX_FIELD_MANAGER).collect();
    (!name.is_empty()).then_some(name)
}

fn go_os(os: &str) -> &str {
    match os {
        "macos" => "darwin",
        other => other,
    }
}

fn go_arch(arch: &str) -> &str {
    match arch {
        "x86_64" => "amd64",
        "x86" => "386",
        "aarch64" => "arm64",
        "powerpc64" => "ppc64",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `TestDefaultKubernetesUserAgent`: the form of the user agent.
    #[test]
    fn user_agent_matches_client_go() {
        let agent = default_kubernetes_user_agent();
        let (program, rest) = agent.split_once('/').unwrap();
        assert!(program.starts_with("genclient"), "{agent}");
        let system = format!("({}/{})", go_os(OS), go_arch(ARCH));
        let words: Vec<_> = rest.split(' ').collect();
        let version = env!("CARGO_PKG_VERSION");
        let commit = format!("kubernetes/genclient-{version}");
        assert_eq!(words, [&*format!("v{version}"), &*system, &*commit]);
    }

    #[test]
    fn default_field_manager_is_derived_from_the_user_agent() {
        let long = "x".repeat(200);
        for (agent, expected) in [
            ("gputask/v1 (linux/amd64)", Some("gputask")),
            ("curl", Some("curl")),
            ("my program/1/2", Some("my program")),
            (&long, Some(&long[..128])),
            ("/v1", None),
            ("", None),
        ] {
            assert_eq!(field_manager_of(agent).as_deref(), expected);
        }
    }

    #[test]
    fn os_and_arch_are_named_as_in_go() {
        assert_eq!((go_os("macos"), go_os("linux")), ("darwin", "linux"));
        let processors = ["x86_64", "aarch64", "x86", "s390x"].map(go_arch);
        assert_eq!(processors, ["amd64", "arm64", "386", "s390x"]);
    }
}
