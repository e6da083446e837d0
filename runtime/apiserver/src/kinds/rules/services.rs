//! Rules of Services (pkg/apis/core/validation).

use genclient_schema::Cause;
use serde_json::Value;

use super::findings::{Causes, IMMUTABLE, invalid_struct, items, supported, text};
use super::names::{PORT_RANGE, is_port};
use super::{names, selectors};

pub(super) fn service(object: &Value, out: &mut Causes) {
    let spec = &object["spec"];
    let type_ = text(spec, "type");
    let headless = text(spec, "clusterIP") == "None";
    let address = text(spec, "clusterIP");
    if !matches!(address, "" | "None") && type_ != "ExternalName" && !is_address(address) {
        // Addresses are looked at before everything else.
        let detail = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
        out.push(Cause::invalid(
            "spec.clusterIPs[0]",
            &address.into(),
            detail,
        ));
        return;
    }
    let ports = items(spec, "ports");
    if ports.is_empty() && !headless && type_ != "ExternalName" {
        out.push(Cause::required("spec.ports", ""));
    }
    if type_ == "ExternalName" {
        let name = text(spec, "externalName").trim_end_matches('.');
        if name.is_empty() {
            out.push(Cause::required("spec.externalName", ""));
        } else {
            names::report("spec.externalName", name, names::subdomain(name), out);
        }
    }
    for (at, port) in ports.iter().enumerate() {
        let path = format!("spec.ports[{at}]");
        service_port(port, ports, at, &path, out);
    }
    selectors::labels(&spec["selector"], "spec.selector", out);
    let affinities = ["ClientIP", "None"];
    supported(
        "spec.sessionAffinity".to_owned(),
        &spec["sessionAffinity"],
        &affinities,
        out,
    );
    let types = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
    supported("spec.type".to_owned(), &spec["type"], &types, out);
}

fn is_address(text: &str) -> bool {
    text.parse::<std::net::IpAddr>().is_ok()
}

fn service_port(port: &Value, ports: &[Value], at: usize, path: &str, out: &mut Causes) {
    let name = text(port, "name");
    if name.is_empty() && ports.len() > 1 {
        out.push(Cause::required(format!("{path}.name"), ""));
    } else if !name.is_empty() {
        let field = format!("{path}.name");
        names::report(&field, name, names::label(name), out);
        if ports[..at]
            .iter()
            .any(|before| text(before, "name") == name)
        {
            out.push(Cause::duplicate(field, &name.into()));
        }
    }
    if !port["port"].as_i64().is_some_and(is_port) {
        out.push(Cause::invalid(
            format!("{path}.port"),
            &port["port"],
            PORT_RANGE,
        ));
    }
    let protocols = ["SCTP", "TCP", "UDP"];
    supported(
        format!("{path}.protocol"),
        &port["protocol"],
        &protocols,
        out,
    );
    target(&port["targetPort"], &format!("{path}.targetPort"), out);
    let same =
        |before: &Value| before["port"] == port["port"] && before["protocol"] == port["protocol"];
    if ports[..at].iter().any(same) {
        let printed = format!(
            "{{\"Name\":\"\",\"Protocol\":{},\"AppProtocol\":null,\"Port\":{},\
             \"TargetPort\":0,\"NodePort\":0}}",
            port["protocol"], port["port"]
        );
        let mut cause = invalid_struct(path, &printed, "");
        cause.reason = "FieldValueDuplicate";
        cause.message = format!("Duplicate value: {printed}");
        out.push(cause);
    }
}

/// `ValidatePortNumOrName`
pub(super) fn target(target: &Value, field: &str, out: &mut Causes) {
    match target {
        Value::Number(number) if !number.as_i64().is_some_and(is_port) => {
            out.push(Cause::invalid(field, target, PORT_RANGE));
        }
        Value::String(name) => names::report(field, name, names::port_name(name), out),
        _ => {}
    }
}

pub(super) fn updated(new: &Value, old: &Value, out: &mut Causes) {
    let [new, old] = [new, old].map(|object| &object["spec"]);
    let keeps = |spec: &Value| text(spec, "type") != "ExternalName";
    if keeps(new) && keeps(old) && new["clusterIP"] != old["clusterIP"] {
        let detail = "may not change once set";
        if !text(old, "clusterIP").is_empty() {
            let field = "spec.clusterIPs[0]";
            out.push(Cause::invalid(field, &new["clusterIPs"], detail));
        }
    }
    let balanced = |spec: &Value| text(spec, "type") == "LoadBalancer";
    let class = "loadBalancerClass";
    if balanced(new) && balanced(old) && new[class] != old[class] {
        out.push(Cause::invalid(
            "spec.loadBalancerClass",
            &new[class],
            IMMUTABLE,
        ));
    }
}
