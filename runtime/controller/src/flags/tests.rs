//! Tests of the flags, and of errors that name them.

use super::*;

#[derive(clap::Parser)]
struct Program {
    #[command(flatten)]
    manager: ManagerFlags,
}

#[test]
fn flags_are_consistent() {
    <Program as clap::CommandFactory>::command().debug_assert();
}

#[test]
fn kubebuilder_flags_are_accepted() {
    let line = [
        "manager",
        "--leader-elect",
        "--health-probe-bind-address=:8081",
        "--metrics-bind-address=0",
        "--cache-sync-timeout=5m",
    ];
    let program = <Program as clap::Parser>::try_parse_from(line).expect("these flags are known");
    let flags = program.manager;
    assert!(flags.leader_elect);
    assert_eq!(flags.cache_sync_timeout, Duration::from_secs(300));
    assert_eq!(
        flags.health_probe_bind_address,
        parse_address("[::]:8081").ok().flatten()
    );
    assert_eq!(flags.metrics_bind_address, None);
}

/// No namespace can have such a name: a program that watched it would never find an object.
#[test]
fn namespace_flags_require_dns_labels() {
    for flag in ["--namespace", "--leader-elect-resource-namespace"] {
        for (namespace, is_one) in [("default", true), ("Default", false), ("", false)] {
            let line = ["manager".to_owned(), format!("{flag}={namespace}")];
            let program = <Program as clap::Parser>::try_parse_from(line);
            assert_eq!(program.is_ok(), is_one, "{flag}={namespace}");
        }
    }
}

/// Errors say which flags contradict each other.
#[tokio::test]
async fn conflicting_flags_are_named_in_the_error() {
    for (flags, expected) in [
        (
            &["--leader-elect-renew-deadline=15s"][..],
            "`--leader-elect-lease-duration` must be greater than `--leader-elect-renew-deadline`",
        ),
        (
            &["--leader-elect-retry-period=9s"],
            "`--leader-elect-renew-deadline` must be greater than 1.2 times `--leader-elect-retry-period`",
        ),
        (
            &["--leader-elect-retry-period=0"],
            "`--leader-elect-retry-period` must be greater than zero",
        ),
        (
            &["--leader-elect-resource-name=My_Lease"],
            "invalid lease name `My_Lease`: expected lower-case letters, digits, `-` and `.`, with a \
             letter or digit at both ends (`--leader-elect-resource-name`)",
        ),
    ] {
        let always = ["manager", "--leader-elect", "--master=http://127.0.0.1:1"];
        let line = always.iter().chain(flags);
        let program = <Program as clap::Parser>::try_parse_from(line).ok();
        let flags = program.expect("these flags are known").manager;
        let error = crate::Manager::builder("tests")
            .flags(&flags)
            .build()
            .await
            .unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn bind_addresses_are_parsed_as_in_go() {
    let cases = [
        (":8081", Ok(Some("[::]:8081"))),
        ("0.0.0.0:8081", Ok(Some("0.0.0.0:8081"))),
        ("127.0.0.1:0", Ok(Some("127.0.0.1:0"))),
        ("[::1]:8443", Ok(Some("[::1]:8443"))),
        ("0", Ok(None)),
        ("localhost:8080", Ok(Some("127.0.0.1:8080"))),
        (":http", Err(())),
        ("localhost", Err(())),
        ("::1:8443", Err(())),
        ("host.invalid:80", Err(())),
        ("", Err(())),
    ];
    for (text, expected) in cases {
        let found = parse_address(text)
            .map_err(drop)
            .map(|address| address.map(|address| address.to_string()));
        let expected = expected.map(|address| address.map(str::to_owned));
        assert_eq!(found, expected, "{text}");
    }
}
