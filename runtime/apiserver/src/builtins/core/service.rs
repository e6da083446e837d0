//! Validation of Services, including the checks that the address and port allocators make
//! (pkg/apis/core/validation, pkg/registry/core/service).

use std::net::IpAddr;

use genclient_schema::Cause;
use serde_json::{Value, json};

use crate::builtins::field::ObjectField;
use crate::builtins::findings::{Causes, invalid_struct, items, text};
use crate::builtins::names::{PORT_RANGE, is_port};
use crate::builtins::{addresses, names, selectors};

const OF_BALANCERS: &str = "may only be used when `type` is 'LoadBalancer'";

/// Validates a new Service in kube-apiserver's order: cluster IPs and their families, the range of
/// cluster IPs, node ports, then all fields. The validation ends after the first step with errors.
pub(crate) fn created(object: &Value, out: &mut Causes) {
    let spec = ObjectField::spec(object);
    cluster_ips(&spec, out);
    families_served(&spec, out);
    if out.is_empty() {
        in_range(&spec, out);
    }
    if out.is_empty() {
        node_ports(&spec, out);
    }
    if out.is_empty() {
        service(&spec, out);
    }
}

pub(crate) fn updated(new: &Value, old: &Value, out: &mut Causes) {
    let [new, old] = [new, old].map(ObjectField::spec);
    let before = out.len();
    cluster_ips(&new, out);
    node_ports(&new, out);
    if out.len() > before {
        return;
    }
    let is = |type_: &str| [&new, &old].map(|spec| text(spec.value, "type") == type_);
    let [ips, old_ips] = [&new, &old].map(|spec| spec.at("clusterIPs"));
    if is("ExternalName") == [false; 2] && ips.value[0] != old_ips.value[0] {
        let field = format!("{}[0]", ips.path);
        out.push(Cause::invalid(field, ips.value, "may not change once set"));
    }
    let [class, old_class] = [&new, &old].map(|spec| spec.at("loadBalancerClass"));
    if is("LoadBalancer") == [true; 2] && class.value != old_class.value {
        class.invalid("may not change once set", out);
    }
    balancer_class(&new, out);
    let [port, old_port] = [&new, &old].map(|spec| spec.at("healthCheckNodePort"));
    if [&new, &old].map(needs_health_check) == [true; 2] && port.value != old_port.value {
        port.forbidden("field is immutable", out);
    }
    service(&new, out);
}

fn is_type(spec: &ObjectField<'_>, types: &[&str]) -> bool {
    types.contains(&text(spec.value, "type"))
}

fn is_headless(spec: &ObjectField<'_>) -> bool {
    text(spec.value, "clusterIP") == "None"
}

fn needs_health_check(spec: &ObjectField<'_>) -> bool {
    is_type(spec, &["LoadBalancer"]) && text(spec.value, "externalTrafficPolicy") == "Local"
}

/// Validates `clusterIPs`, `ipFamilies` and `ipFamilyPolicy`
/// (`ValidateServiceClusterIPsRelatedFields`).
fn cluster_ips(spec: &ObjectField<'_>, out: &mut Causes) {
    if is_type(spec, &["ExternalName"]) {
        return;
    }
    let ips = spec.at("clusterIPs");
    let first = text(spec.value, "clusterIP");
    if ips.value[0].as_str().unwrap_or_default() != first {
        let detail = match first {
            "" => "must be empty when `clusterIP` is not specified",
            _ => "first value must match `clusterIP`",
        };
        ips.invalid(detail, out);
    }
    let families = spec.at("ipFamilies").items();
    for (at, family) in families.iter().enumerate() {
        family.supported(&["IPv4", "IPv6"], out);
        if families[..at]
            .iter()
            .any(|before| before.value == family.value)
        {
            family.duplicate(out);
        }
    }
    let policies = ["PreferDualStack", "RequireDualStack", "SingleStack"];
    spec.at("ipFamilyPolicy").supported_if_set(&policies, out);
    for ip in ips.items() {
        if ip.text() != "None" {
            addresses::ip(&ip, out);
        }
    }
    if ips.items().len() > 2 {
        ips.invalid("may only hold up to 2 values", out);
    }
}

/// Rejects IPv6 and `RequireDualStack`, since this server is configured for IPv4 only.
fn families_served(spec: &ObjectField<'_>, out: &mut Causes) {
    if !out.is_empty() || is_type(spec, &["ExternalName"]) || is_headless(spec) {
        return;
    }
    let ips = spec.at("clusterIPs");
    for ip in ips.items() {
        if matches!(ip.text().parse(), Ok(IpAddr::V6(_))) {
            let detail = "IPv6 is not configured on this cluster";
            out.push(Cause::invalid(&ip.path, ips.value, detail));
        }
    }
    if text(spec.value, "ipFamilyPolicy") == "RequireDualStack" {
        let detail = "this cluster is not configured for dual-stack services";
        spec.at("ipFamilyPolicy").invalid(detail, out);
    }
    for family in spec.at("ipFamilies").items() {
        if family.text() == "IPv6" {
            family.invalid("not configured on this cluster", out);
        }
    }
}

/// Checks that cluster IPs are in the service range, 10.96.0.0/12.
fn in_range(spec: &ObjectField<'_>, out: &mut Causes) {
    if is_type(spec, &["ExternalName"]) {
        return;
    }
    let ips = spec.at("clusterIPs");
    for ip in ips.items() {
        if let Ok(IpAddr::V4(address)) = ip.text().parse()
            && address.to_bits() >> 20 != 0x0a6
        {
            let detail = format!(
                "failed to allocate IP {address}: the provided network does not match the current \
                 range"
            );
            ips.invalid(&detail, out);
        }
    }
}

/// Checks that node ports are in their range, and that ports share a node port only if they have
/// the same `port`. As in kube-apiserver, only the first error is reported.
fn node_ports(spec: &ObjectField<'_>, out: &mut Causes) {
    if !is_type(spec, &["NodePort", "LoadBalancer"]) {
        return;
    }
    let ports = spec.at("ports").items();
    for (at, port) in ports.iter().enumerate() {
        let number = port.at("nodePort");
        let same = |before: &ObjectField<'_>| before.value["nodePort"] == *number.value;
        let shared = ports[..at].iter().find(|before| same(before));
        if !number.is_filled() {
            continue;
        }
        if !(30_000..=32_767).contains(&number.number()) {
            let detail = "provided port is not in the valid range. The range of valid ports is \
                 30000-32767";
            return number.invalid(detail, out);
        }
        if shared.is_some_and(|before| before.value["port"] != port.value["port"]) {
            return number.invalid("provided port is already allocated", out);
        }
    }
}

fn service(spec: &ObjectField<'_>, out: &mut Causes) {
    let ports = items(spec.value, "ports");
    if ports.is_empty() && !is_headless(spec) && !is_type(spec, &["ExternalName"]) {
        spec.at("ports").required("", out);
    }
    of_type(spec, out);
    for (at, port) in ports.iter().enumerate() {
        service_port(port, ports, at, &format!("spec.ports[{at}]"), out);
    }
    selectors::labels(&spec.value["selector"], "spec.selector", out);
    affinity(spec, out);
    cluster_ips(spec, out);
    for ip in spec.at("externalIPs").items() {
        addresses::endpoint(&ip, out);
    }
    let types = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
    spec.at("type").supported(&types, out);
    repeated_ports(spec, out);
    balancer(spec, out);
    traffic(spec, out);
}

/// Rejects headless Services of type `LoadBalancer` or `NodePort`, and validates the fields of type
/// `ExternalName`.
fn of_type(spec: &ObjectField<'_>, out: &mut Causes) {
    let type_ = text(spec.value, "type");
    match type_ {
        "LoadBalancer" | "NodePort" if is_headless(spec) => {
            let detail = format!("may not be set to 'None' for {type_} services");
            out.push(Cause::invalid(
                "spec.clusterIPs[0]",
                &"None".into(),
                &detail,
            ));
        }
        "ExternalName" => {
            let detail = "may not be set for ExternalName services";
            if !text(spec.value, "clusterIP").is_empty() || !spec.at("clusterIPs").has_none() {
                spec.at("clusterIPs").forbidden(detail, out);
            }
            for field in [spec.at("ipFamilies"), spec.at("ipFamilyPolicy")] {
                if field.is_set() {
                    field.forbidden(detail, out);
                }
            }
            let field = spec.at("externalName");
            let name = Value::from(field.text().strip_suffix('.').unwrap_or(field.text()));
            ObjectField::of(&name, field.path).required_named(names::subdomain, out);
        }
        _ => {}
    }
}

fn affinity(spec: &ObjectField<'_>, out: &mut Causes) {
    let affinity = spec.at("sessionAffinity");
    affinity.supported(&["ClientIP", "None"], out);
    let config = spec.at("sessionAffinityConfig");
    match affinity.text() {
        "None" if config.is_set() => {
            config.forbidden("must not be set when session affinity is None", out);
        }
        "ClientIP" => {
            let seconds = config.at("clientIP").at("timeoutSeconds");
            seconds.within(1, 86_400, "must be greater than 0 and less than 86400", out);
        }
        _ => {}
    }
}

fn service_port(port: &Value, ports: &[Value], at: usize, path: &str, out: &mut Causes) {
    let port = ObjectField::of(port, path);
    let name = port.at("name");
    if !name.is_filled() && ports.len() > 1 {
        name.required("", out);
    } else if name.is_filled() {
        name.named(names::label, out);
        if ports[..at]
            .iter()
            .any(|before| before["name"] == *name.value)
        {
            name.duplicate(out);
        }
    }
    port.at("port").port(out);
    port.at("protocol").supported(&["SCTP", "TCP", "UDP"], out);
    target(
        &port.value["targetPort"],
        &format!("{path}.targetPort"),
        out,
    );
    if port.at("appProtocol").is_set() {
        port.at("appProtocol").named(names::qualified, out);
    }
}

/// Checks that ports and node ports are unique for each protocol, and that a Service of type
/// `ClusterIP` has no node ports.
fn repeated_ports(spec: &ObjectField<'_>, out: &mut Causes) {
    let ports = spec.at("ports").items();
    let node_ports = ports.iter().map(|port| port.at("nodePort"));
    if is_type(spec, &["ClusterIP"]) {
        for port in node_ports.filter(ObjectField::is_filled) {
            port.forbidden("may not be used when `type` is 'ClusterIP'", out);
        }
    }
    let repeats = |at: usize, name: &str| {
        let port = ports[at].value;
        let same = |before: &ObjectField<'_>| {
            before.value[name] == port[name] && before.value["protocol"] == port["protocol"]
        };
        ports[..at].iter().any(same)
    };
    for (at, port) in ports.iter().enumerate() {
        let number = port.at("nodePort");
        if number.is_filled() && repeats(at, "nodePort") {
            number.duplicate(out);
        }
    }
    for (at, port) in ports.iter().enumerate() {
        if repeats(at, "port") {
            out.push(repeated_port(port));
        }
    }
}

fn repeated_port(port: &ObjectField<'_>) -> Cause {
    let [protocol, number] = ["protocol", "port"].map(|name| &port.value[name]);
    let printed = format!(
        "{{\"Name\":\"\",\"Protocol\":{protocol},\"AppProtocol\":null,\"Port\":{number},\
         \"TargetPort\":0,\"NodePort\":0}}"
    );
    let mut cause = invalid_struct(&port.path, &printed, "");
    cause.reason = "FieldValueDuplicate";
    cause.message = format!("Duplicate value: {printed}");
    cause
}

/// Checks the fields that only Services of type `LoadBalancer` may set.
fn balancer(spec: &ObjectField<'_>, out: &mut Causes) {
    let is_balancer = is_type(spec, &["LoadBalancer"]);
    let ranges = ObjectField::of(
        &spec.value["loadBalancerSourceRanges"],
        "spec.LoadBalancerSourceRanges",
    );
    if !ranges.has_none() && !is_balancer {
        ranges.forbidden(OF_BALANCERS, out);
    }
    for range in ranges.items() {
        let trimmed = json!(range.text().trim());
        addresses::cidr(&ObjectField::of(&trimmed, range.path), out);
    }
    let allocates = spec.at("allocateLoadBalancerNodePorts");
    if allocates.is_set() && !is_balancer {
        allocates.forbidden(OF_BALANCERS, out);
    }
    balancer_class(spec, out);
}

fn balancer_class(spec: &ObjectField<'_>, out: &mut Causes) {
    let class = spec.at("loadBalancerClass");
    match is_type(spec, &["LoadBalancer"]) {
        _ if !class.is_set() => {}
        true => class.named(names::qualified, out),
        false => class.forbidden(OF_BALANCERS, out),
    }
}

fn traffic(spec: &ObjectField<'_>, out: &mut Causes) {
    let external = spec.at("externalTrafficPolicy");
    let is_reachable = is_type(spec, &["LoadBalancer", "NodePort"])
        || (is_type(spec, &["ClusterIP"]) && !spec.at("externalIPs").has_none());
    if is_reachable {
        external.required_one_of(&["Cluster", "Local"], "", out);
    } else if external.is_filled() {
        external.invalid("may only be set for externally-accessible services", out);
    }
    let health = spec.at("healthCheckNodePort");
    if !needs_health_check(spec) && health.is_filled() {
        let detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is \
             'Local'";
        health.invalid(detail, out);
    }
    spec.at("internalTrafficPolicy")
        .supported_if_set(&["Cluster", "Local"], out);
    let known = ["PreferClose", "PreferSameZone", "PreferSameNode"];
    spec.at("trafficDistribution").supported_if_set(&known, out);
}

/// Validates the number or the name of a port (`ValidatePortNumOrName`).
pub(crate) fn target(target: &Value, field: &str, out: &mut Causes) {
    match target {
        Value::Number(number) if !number.as_i64().is_some_and(is_port) => {
            out.push(Cause::invalid(field, target, PORT_RANGE));
        }
        Value::String(name) => names::report(field, name, names::port_name(name), out),
        _ => {}
    }
}
