//! Environment variables that configure a control plane, under the names of controller-runtime's
//! envtest (pkg/envtest/server.go, pkg/internal/testing/process/bin_path_finder.go).

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use genclient_apimachinery::go;

use crate::error::StartError;

const ASSETS: &str = "KUBEBUILDER_ASSETS";
const START_TIMEOUT: &str = "KUBEBUILDER_CONTROLPLANE_START_TIMEOUT";
const STOP_TIMEOUT: &str = "KUBEBUILDER_CONTROLPLANE_STOP_TIMEOUT";
const ATTACH_OUTPUT: &str = "KUBEBUILDER_ATTACH_CONTROL_PLANE_OUTPUT";
const USE_EXISTING_CLUSTER: &str = "USE_EXISTING_CLUSTER";

/// Default folder of etcd and kube-apiserver.
const DEFAULT_FOLDER: &str = "/usr/local/kubebuilder/bin";

/// Environment variables, looked up by a function. A unit test passes its own function.
pub(crate) struct EnvVars<F>(pub(crate) F);

/// Paths of etcd and kube-apiserver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Programs {
    pub(crate) etcd: PathBuf,
    pub(crate) api_server: PathBuf,
}

impl<F: Fn(&str) -> Option<OsString>> EnvVars<F> {
    /// Returns the paths of etcd and kube-apiserver, without checking that they exist. If no
    /// `TEST_ASSET_…` variable has the path of a program, the program is in the folder that
    /// `KUBEBUILDER_ASSETS` names, or else in `folder`, or else in the default folder.
    pub(crate) fn programs(&self, folder: Option<&Path>) -> Programs {
        let assets = self.value(ASSETS).map(PathBuf::from);
        let folder = assets
            .as_deref()
            .or(folder)
            .unwrap_or(Path::new(DEFAULT_FOLDER));
        let path = |variable: &str, name: &str| match self.value(variable) {
            Some(path) => PathBuf::from(path),
            None => folder.join(name),
        };
        Programs {
            etcd: path("TEST_ASSET_ETCD", "etcd"),
            api_server: path("TEST_ASSET_KUBE_APISERVER", "kube-apiserver"),
        }
    }

    pub(crate) fn start_timeout(&self) -> Result<Option<Duration>, StartError> {
        self.duration(START_TIMEOUT)
    }

    pub(crate) fn stop_timeout(&self) -> Result<Option<Duration>, StartError> {
        self.duration(STOP_TIMEOUT)
    }

    pub(crate) fn attaches_output(&self) -> bool {
        self.value(ATTACH_OUTPUT)
            .is_some_and(|value| value == "true")
    }

    pub(crate) fn uses_existing_cluster(&self) -> bool {
        let value = self.value(USE_EXISTING_CLUSTER);
        value.is_some_and(|value| value.eq_ignore_ascii_case("true"))
    }

    /// Returns the value of a variable. An empty value counts as unset.
    fn value(&self, variable: &str) -> Option<OsString> {
        (self.0)(variable).filter(|value| !value.is_empty())
    }

    fn duration(&self, variable: &'static str) -> Result<Option<Duration>, StartError> {
        let Some(value) = self.value(variable) else {
            return Ok(None);
        };
        let value = value.to_string_lossy().into_owned();
        match parse_duration(&value) {
            Some(duration) => Ok(Some(duration)),
            None => Err(StartError::Duration { variable, value }),
        }
    }
}

/// Parses a non-negative duration in Go's syntax, such as `1m30s` or `1.5s`.
fn parse_duration(text: &str) -> Option<Duration> {
    let nanoseconds = go::duration(text).ok()?;
    u64::try_from(nanoseconds).ok().map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment<'a>(
        variables: &'a [(&'a str, &'a str)],
    ) -> EnvVars<impl Fn(&str) -> Option<OsString> + 'a> {
        EnvVars(|wanted: &str| {
            let found = variables.iter().find(|(name, _)| *name == wanted);
            found.map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn binaries_are_located_in_envtest_order() {
        let one = ("TEST_ASSET_ETCD", "/one/etcd");
        let assets = ("KUBEBUILDER_ASSETS", "/assets");
        let folder = Path::new("/folder");
        let none: &[(&str, &str)] = &[];
        let default = "/usr/local/kubebuilder/bin/etcd";
        let cases = [
            (
                &[one, assets][..],
                Some(folder),
                "/one/etcd",
                "/assets/kube-apiserver",
            ),
            (
                &[assets],
                Some(folder),
                "/assets/etcd",
                "/assets/kube-apiserver",
            ),
            (none, Some(folder), "/folder/etcd", "/folder/kube-apiserver"),
            (
                &[("TEST_ASSET_KUBE_APISERVER", "/two")],
                None,
                default,
                "/two",
            ),
            (
                &[("KUBEBUILDER_ASSETS", "")],
                None,
                default,
                "/usr/local/kubebuilder/bin/kube-apiserver",
            ),
        ];
        for (variables, folder, etcd, api_server) in cases {
            let programs = environment(variables).programs(folder);
            assert_eq!(programs.etcd, Path::new(etcd), "{variables:?}");
            assert_eq!(programs.api_server, Path::new(api_server), "{variables:?}");
        }
    }

    #[test]
    fn durations_parse_as_in_go() {
        let cases = [
            ("20s", Some(20_000)),
            ("1m30s", Some(90_000)),
            ("1.5s", Some(1_500)),
            (".5s", Some(500)),
            ("+250ms", Some(250)),
            ("1h", Some(3_600_000)),
            ("0", Some(0)),
            ("2000us", Some(2)),
            ("", None),
            ("+", None),
            ("20", None),
            ("s", None),
            ("-1s", None),
            ("1d", None),
            ("1..5s", None),
            ("20 s", None),
        ];
        for (text, milliseconds) in cases {
            let expected = milliseconds.map(Duration::from_millis);
            assert_eq!(parse_duration(text), expected, "{text:?}");
        }
    }

    #[test]
    fn invalid_timeout_durations_are_errors() {
        let variables = [("KUBEBUILDER_CONTROLPLANE_STOP_TIMEOUT", "20")];
        let environment = environment(&variables);
        let error = environment.stop_timeout().unwrap_err();
        assert_eq!(
            error.to_string(),
            "KUBEBUILDER_CONTROLPLANE_STOP_TIMEOUT: `20` is not a duration; type for instance \
             `export KUBEBUILDER_CONTROLPLANE_STOP_TIMEOUT=20s`"
        );
        assert_eq!(environment.start_timeout().unwrap(), None);
    }

    #[test]
    fn boolean_variables_are_parsed_as_in_envtest() {
        let switches = |value: &str| {
            let variables = [
                ("USE_EXISTING_CLUSTER", value),
                ("KUBEBUILDER_ATTACH_CONTROL_PLANE_OUTPUT", value),
            ];
            let environment = environment(&variables);
            (
                environment.uses_existing_cluster(),
                environment.attaches_output(),
            )
        };
        assert_eq!(switches("true"), (true, true));
        assert_eq!(switches("TRUE"), (true, false));
        assert_eq!(switches("1"), (false, false));
        assert_eq!(switches(""), (false, false));
    }
}
