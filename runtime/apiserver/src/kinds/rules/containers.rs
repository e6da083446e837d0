//! Rules of containers (pkg/apis/core/validation).

use genclient_schema::Cause;
use serde_json::Value;

use super::findings::{Causes, items, not_negative, supported, text};
use super::names::{PORT_RANGE, is_port};
use super::{names, resources, services};

pub(super) fn containers(spec: &Value, path: &str, out: &mut Causes) {
    if items(spec, "containers").is_empty() {
        out.push(Cause::required(format!("{path}.containers"), ""));
    }
    let mut seen = Vec::new();
    for list in ["containers", "initContainers"] {
        for (at, one) in items(spec, list).iter().enumerate() {
            let field = format!("{path}.{list}[{at}]");
            container(one, spec, &field, &mut seen, out);
        }
    }
}

fn container<'a>(
    container: &'a Value,
    spec: &Value,
    path: &str,
    seen: &mut Vec<&'a str>,
    out: &mut Causes,
) {
    let name = text(container, "name");
    let field = format!("{path}.name");
    if name.is_empty() {
        out.push(Cause::required(field, ""));
    } else if seen.contains(&name) {
        out.push(Cause::duplicate(field, &name.into()));
    } else {
        names::report(&field, name, names::label(name), out);
        seen.push(name);
    }
    let image = text(container, "image");
    // A template may leave the image to what fills it in; a Pod may not.
    if image.is_empty() {
        out.push(Cause::required(format!("{path}.image"), ""));
    } else if image.trim() != image {
        let detail = "must not have leading or trailing whitespace";
        out.push(Cause::invalid(
            format!("{path}.image"),
            &image.into(),
            detail,
        ));
    }
    let policies = ["Always", "IfNotPresent", "Never"];
    let field = format!("{path}.imagePullPolicy");
    supported(field, &container["imagePullPolicy"], &policies, out);
    ports(container, path, out);
    environment(container, path, out);
    mounts(container, spec, path, out);
    let field = format!("{path}.resources");
    resources::requirements(&container["resources"], &field, out);
    for name in ["livenessProbe", "readinessProbe", "startupProbe"] {
        if !container[name].is_null() {
            probe(&container[name], &format!("{path}.{name}"), out);
        }
    }
}

fn ports(container: &Value, path: &str, out: &mut Causes) {
    let ports = items(container, "ports");
    for (at, port) in ports.iter().enumerate() {
        let path = format!("{path}.ports[{at}]");
        let name = text(port, "name");
        let wrong = names::port_name(name);
        if !name.is_empty() && !wrong.is_empty() {
            names::report(&format!("{path}.name"), name, wrong, out);
        } else if !name.is_empty() && ports[..at].iter().any(|one| text(one, "name") == name) {
            out.push(Cause::duplicate(format!("{path}.name"), &name.into()));
        }
        let number = port["containerPort"].as_i64().unwrap_or_default();
        if number == 0 {
            out.push(Cause::required(format!("{path}.containerPort"), ""));
        }
        for name in ["containerPort", "hostPort"] {
            let number = port[name].as_i64().unwrap_or_default();
            if number != 0 && !is_port(number) {
                out.push(Cause::invalid(
                    format!("{path}.{name}"),
                    &port[name],
                    PORT_RANGE,
                ));
            }
        }
        let protocols = ["SCTP", "TCP", "UDP"];
        supported(
            format!("{path}.protocol"),
            &port["protocol"],
            &protocols,
            out,
        );
    }
}

fn environment(container: &Value, path: &str, out: &mut Causes) {
    for (at, variable) in items(container, "env").iter().enumerate() {
        let (name, field) = (text(variable, "name"), format!("{path}.env[{at}].name"));
        if name.is_empty() {
            out.push(Cause::required(field, ""));
        } else if !name
            .bytes()
            .all(|byte| (b' '..=b'~').contains(&byte) && byte != b'=')
        {
            let detail = "a valid environment variable name must consist only of printable ASCII \
                 characters other than '='";
            out.push(Cause::invalid(field, &name.into(), detail));
        }
    }
}

fn mounts(container: &Value, spec: &Value, path: &str, out: &mut Causes) {
    let mounts = items(container, "volumeMounts");
    for (at, mount) in mounts.iter().enumerate() {
        let path = format!("{path}.volumeMounts[{at}]");
        let (name, place) = (text(mount, "name"), text(mount, "mountPath"));
        let known = items(spec, "volumes")
            .iter()
            .any(|volume| text(volume, "name") == name);
        if name.is_empty() {
            out.push(Cause::required(format!("{path}.name"), ""));
        }
        if !known {
            out.push(Cause::not_found(format!("{path}.name"), &name.into()));
        }
        if place.is_empty() {
            out.push(Cause::required(format!("{path}.mountPath"), ""));
        } else if mounts[..at]
            .iter()
            .any(|before| text(before, "mountPath") == place)
        {
            let field = format!("{path}.mountPath");
            out.push(Cause::invalid(field, &place.into(), "must be unique"));
        }
    }
}

/// The actions of a probe, in the order in which they are looked at.
const ACTIONS: [&str; 4] = ["exec", "httpGet", "tcpSocket", "grpc"];

fn probe(probe: &Value, path: &str, out: &mut Causes) {
    let actions: Vec<_> = ACTIONS
        .into_iter()
        .filter(|name| !probe[*name].is_null())
        .collect();
    if actions.is_empty() {
        out.push(Cause::required(path, "must specify a handler type"));
    }
    for extra in actions.iter().skip(1) {
        let detail = "may not specify more than 1 handler type";
        out.push(Cause::forbidden(format!("{path}.{extra}"), detail));
    }
    if let Some(first) = actions.first() {
        let field = format!("{path}.{first}");
        match *first {
            "exec" if items(&probe["exec"], "command").is_empty() => {
                out.push(Cause::required(format!("{field}.command"), ""));
            }
            "httpGet" | "tcpSocket" | "grpc" => {
                services::target(&probe[*first]["port"], &format!("{field}.port"), out);
            }
            _ => {}
        }
    }
    let counts = [
        "initialDelaySeconds",
        "timeoutSeconds",
        "periodSeconds",
        "successThreshold",
        "failureThreshold",
    ];
    not_negative(probe, &counts, path, out);
    if path.ends_with("livenessProbe") || path.ends_with("startupProbe") {
        let threshold = &probe["successThreshold"];
        if threshold.as_i64() != Some(1) {
            out.push(Cause::invalid(
                format!("{path}.successThreshold"),
                threshold,
                "must be 1",
            ));
        }
    }
}
