//! Services (pkg/registry/core/service, pkg/apis/core/validation).

use std::collections::BTreeSet;
use std::net::IpAddr;

use genclient_apimachinery::field;
use genclient_apimachinery::unstructured::{list_field, list_or_empty, str_field, str_or_empty};
use genclient_apimachinery::validation;
use serde_json::{Value, json};

use crate::accessors::{
    as_integer, change_member, has_member, items_mut, member_text, set_default, text_or,
};
use crate::cells::{NONE, UNKNOWN, format_labels, join_texts};
use crate::field::ObjectField;
use crate::row::Row;
use crate::strategy::{Creation, Strategy};
use crate::types::Object;
use crate::warnings::{Warnings, get_annotation};
use crate::{addresses, ip, names, selectors};

const OF_BALANCERS: &str = "may only be used when `type` is 'LoadBalancer'";

/// Strategy of Services (pkg/registry/core/service, strategy.go).
#[derive(Debug)]
pub(crate) struct ServiceStrategy;

impl Strategy for ServiceStrategy {
    fn allocates_addresses(&self) -> bool {
        true
    }

    fn prepare_for_create(&self, service: &mut Value, creation: &mut Creation<'_>) {
        allocate_addresses(service, creation.cluster_ip, creation.node_port);
    }

    fn prepare_for_update(&self, new: &mut Value, old: &Value) {
        keep_allocated(new, old);
    }

    /// Validates in kube-apiserver's order: cluster IPs and their families, the range of cluster
    /// IPs, node ports, then all fields. The validation ends after the first step with errors;
    /// those of the metadata, which `out` has already, do not count.
    fn validate(&self, object: &Value, out: &mut field::ErrorList) {
        let spec = ObjectField::spec(object);
        let before = out.len();
        for validate_step in [
            validate_cluster_ips,
            validate_families,
            validate_in_range,
            validate_node_ports,
            validate_spec,
        ] {
            validate_step(&spec, out);
            if out.len() > before {
                return;
            }
        }
    }

    fn validate_update(&self, new: &Value, old: &Value, out: &mut field::ErrorList) {
        let [new, old] = [new, old].map(ObjectField::spec);
        let before = out.len();
        validate_cluster_ips(&new, out);
        validate_node_ports(&new, out);
        if out.len() > before {
            return;
        }
        let is = |type_: &str| [&new, &old].map(|spec| str_field(spec.value, "type") == type_);
        let [ips, old_ips] = [&new, &old].map(|spec| spec.at("clusterIPs"));
        if is("ExternalName") == [false; 2] && ips.value[0] != old_ips.value[0] {
            let field = format!("{}[0]", ips.path);
            out.push(field::Error::invalid(
                field,
                ips.value,
                "may not change once set",
            ));
        }
        let [class, old_class] = [&new, &old].map(|spec| spec.at("loadBalancerClass"));
        if is("LoadBalancer") == [true; 2] && class.value != old_class.value {
            class.invalid("may not change once set", out);
        }
        validate_load_balancer_class(&new, out);
        let [port, old_port] = [&new, &old].map(|spec| spec.at("healthCheckNodePort"));
        if [&new, &old].map(needs_health_check) == [true; 2] && port.value != old_port.value {
            port.forbidden("field is immutable", out);
        }
        validate_spec(&new, out);
    }

    fn warn_on_create(&self, service: &Value, out: &mut Warnings) {
        warn_service(service, out);
    }

    fn warn_on_status_update(&self, service: &Value, out: &mut Warnings) {
        warn_load_balancers(service, out);
    }

    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        Some(service_cells(row))
    }
}

fn is_type(spec: &ObjectField<'_>, types: &[&str]) -> bool {
    types.contains(&str_field(spec.value, "type"))
}

fn is_headless(spec: &ObjectField<'_>) -> bool {
    str_field(spec.value, "clusterIP") == "None"
}

fn needs_health_check(spec: &ObjectField<'_>) -> bool {
    is_type(spec, &["LoadBalancer"]) && str_field(spec.value, "externalTrafficPolicy") == "Local"
}

/// Validates `clusterIPs`, `ipFamilies` and `ipFamilyPolicy`
/// (`ValidateServiceClusterIPsRelatedFields`).
fn validate_cluster_ips(spec: &ObjectField<'_>, out: &mut field::ErrorList) {
    if is_type(spec, &["ExternalName"]) {
        return;
    }
    let ips = spec.at("clusterIPs");
    let first = str_field(spec.value, "clusterIP");
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
            addresses::validate_ip(&ip, out);
        }
    }
    if ips.items().len() > 2 {
        ips.invalid("may only hold up to 2 values", out);
    }
}

/// Rejects IPv6 and `RequireDualStack`, since this server is configured for IPv4 only.
fn validate_families(spec: &ObjectField<'_>, out: &mut field::ErrorList) {
    if is_type(spec, &["ExternalName"]) || is_headless(spec) {
        return;
    }
    let ips = spec.at("clusterIPs");
    for ip in ips.items() {
        if matches!(ip.text().parse(), Ok(IpAddr::V6(_))) {
            let detail = "IPv6 is not configured on this cluster";
            out.push(field::Error::invalid(&ip.path, ips.value, detail));
        }
    }
    if str_field(spec.value, "ipFamilyPolicy") == "RequireDualStack" {
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
fn validate_in_range(spec: &ObjectField<'_>, out: &mut field::ErrorList) {
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
fn validate_node_ports(spec: &ObjectField<'_>, out: &mut field::ErrorList) {
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

/// Validates the spec of a Service (`ValidateService`).
fn validate_spec(spec: &ObjectField<'_>, out: &mut field::ErrorList) {
    let ports = list_field(spec.value, "ports");
    if ports.is_empty() && !is_headless(spec) && !is_type(spec, &["ExternalName"]) {
        spec.at("ports").required("", out);
    }
    validate_type(spec, out);
    for (at, port) in ports.iter().enumerate() {
        validate_service_port(port, ports, at, &format!("spec.ports[{at}]"), out);
    }
    selectors::validate_labels(&spec.value["selector"], "spec.selector", out);
    validate_session_affinity(spec, out);
    validate_cluster_ips(spec, out);
    for ip in spec.at("externalIPs").items() {
        addresses::validate_endpoint_ip(&ip, out);
    }
    let types = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
    spec.at("type").supported(&types, out);
    validate_repeated_ports(spec, out);
    validate_load_balancer(spec, out);
    validate_traffic_policies(spec, out);
}

/// Rejects headless Services of type `LoadBalancer` or `NodePort`, and validates the fields of type
/// `ExternalName`.
fn validate_type(spec: &ObjectField<'_>, out: &mut field::ErrorList) {
    let type_ = str_field(spec.value, "type");
    match type_ {
        "LoadBalancer" | "NodePort" if is_headless(spec) => {
            let detail = format!("may not be set to 'None' for {type_} services");
            out.push(field::Error::invalid(
                "spec.clusterIPs[0]",
                &"None".into(),
                &detail,
            ));
        }
        "ExternalName" => {
            let detail = "may not be set for ExternalName services";
            if !str_field(spec.value, "clusterIP").is_empty() || !spec.at("clusterIPs").has_none() {
                spec.at("clusterIPs").forbidden(detail, out);
            }
            for field in [spec.at("ipFamilies"), spec.at("ipFamilyPolicy")] {
                if field.is_set() {
                    field.forbidden(detail, out);
                }
            }
            let field = spec.at("externalName");
            // A trailing dot, as in a fully qualified domain name, is accepted.
            let name = Value::from(field.text().strip_suffix('.').unwrap_or(field.text()));
            ObjectField::of(&name, field.path).required_named(validation::subdomain, out);
        }
        _ => {}
    }
}

/// Validates `sessionAffinity` and its timeout.
fn validate_session_affinity(spec: &ObjectField<'_>, out: &mut field::ErrorList) {
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

/// Validates a port (`validateServicePort`).
fn validate_service_port(
    port: &Value,
    ports: &[Value],
    at: usize,
    path: &str,
    out: &mut field::ErrorList,
) {
    let port = ObjectField::of(port, path);
    let name = port.at("name");
    if !name.is_filled() && ports.len() > 1 {
        name.required("", out);
    } else if name.is_filled() {
        name.named(validation::label, out);
        if ports[..at]
            .iter()
            .any(|before| before["name"] == *name.value)
        {
            name.duplicate(out);
        }
    }
    port.at("port").port(out);
    port.at("protocol").supported(&["SCTP", "TCP", "UDP"], out);
    names::validate_port_number_or_name(
        &port.value["targetPort"],
        &format!("{path}.targetPort"),
        out,
    );
    if port.at("appProtocol").is_set() {
        port.at("appProtocol").named(validation::label_key, out);
    }
}

/// Checks that ports and node ports are unique for each protocol, and that a Service of type
/// `ClusterIP` has no node ports.
fn validate_repeated_ports(spec: &ObjectField<'_>, out: &mut field::ErrorList) {
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
            out.push(repeated_port_error(port));
        }
    }
}

/// Returns the error about a repeated port. Like kube-apiserver's, it shows a port with only
/// protocol and number (`ValidateService`).
fn repeated_port_error(port: &ObjectField<'_>) -> field::Error {
    let [protocol, number] = ["protocol", "port"].map(|name| &port.value[name]);
    let printed = format!(
        "{{\"Name\":\"\",\"Protocol\":{protocol},\"AppProtocol\":null,\"Port\":{number},\
         \"TargetPort\":0,\"NodePort\":0}}"
    );
    field::Error {
        field: port.path.to_string(),
        reason: "FieldValueDuplicate",
        message: format!("Duplicate value: {printed}"),
    }
}

/// Checks the fields that only Services of type `LoadBalancer` may set.
fn validate_load_balancer(spec: &ObjectField<'_>, out: &mut field::ErrorList) {
    let is_balancer = is_type(spec, &["LoadBalancer"]);
    // Capitalized in kube-apiserver's message.
    let ranges = ObjectField::of(
        &spec.value["loadBalancerSourceRanges"],
        "spec.LoadBalancerSourceRanges",
    );
    if !ranges.has_none() && !is_balancer {
        ranges.forbidden(OF_BALANCERS, out);
    }
    for range in ranges.items() {
        // kube-apiserver accepts spaces around a range.
        let trimmed = json!(range.text().trim());
        addresses::validate_cidr(&ObjectField::of(&trimmed, range.path), out);
    }
    let allocates = spec.at("allocateLoadBalancerNodePorts");
    if allocates.is_set() && !is_balancer {
        allocates.forbidden(OF_BALANCERS, out);
    }
    validate_load_balancer_class(spec, out);
}

fn validate_load_balancer_class(spec: &ObjectField<'_>, out: &mut field::ErrorList) {
    let class = spec.at("loadBalancerClass");
    if !class.is_set() {
        return;
    }
    if is_type(spec, &["LoadBalancer"]) {
        class.named(validation::label_key, out);
    } else {
        class.forbidden(OF_BALANCERS, out);
    }
}

/// Validates the traffic policies, and the fields that depend on them.
fn validate_traffic_policies(spec: &ObjectField<'_>, out: &mut field::ErrorList) {
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

/// Allocates the cluster IP and the node ports of a new Service.
fn allocate_addresses(
    service: &mut Value,
    cluster_ip: &mut dyn FnMut() -> String,
    node_port: &mut dyn FnMut() -> u16,
) {
    let Some(Value::Object(spec)) = service.get_mut("spec") else {
        return;
    };
    let type_ = spec
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned();
    if type_ == "ExternalName" {
        return;
    }
    let given = spec
        .get("clusterIP")
        .and_then(Value::as_str)
        .unwrap_or_default();
    // Validation rejects a Service that has `clusterIPs` without `clusterIP`.
    if given.is_empty() && spec.contains_key("clusterIPs") {
        return;
    }
    let address = match given {
        "" => cluster_ip(),
        given => given.to_owned(),
    };
    spec.insert("clusterIP".to_owned(), address.clone().into());
    spec.entry("clusterIPs").or_insert_with(|| json!([address]));
    // A headless Service without a selector gets both families even in an IPv4 cluster: no address
    // is allocated to it.
    let is_headless_without_selector = address == "None" && !spec.contains_key("selector");
    let policy = if is_headless_without_selector {
        "RequireDualStack"
    } else {
        "SingleStack"
    };
    let families = if is_headless_without_selector {
        json!(["IPv4", "IPv6"])
    } else {
        json!(["IPv4"])
    };
    spec.entry("ipFamilies").or_insert(families);
    spec.entry("ipFamilyPolicy").or_insert(policy.into());
    let balanced = spec.get("allocateLoadBalancerNodePorts") == Some(&Value::Bool(true));
    if type_ == "NodePort" || (type_ == "LoadBalancer" && balanced) {
        let ports = spec.get_mut("ports").and_then(Value::as_array_mut);
        for port in ports.into_iter().flatten() {
            if port.get("nodePort").is_none() {
                port["nodePort"] = node_port().into();
            }
        }
    }
}

/// Restores the allocated fields of the old Service that an update omits.
fn keep_allocated(new: &mut Value, old: &Value) {
    if new["spec"]["type"] == "ExternalName" {
        return;
    }
    // If only `clusterIP` changes, `clusterIPs` gets the new address, as in NormalizeClusterIPs.
    let address = new["spec"].get("clusterIP").cloned();
    let changed = address.filter(|address| Some(address) != old["spec"].get("clusterIP"));
    let other_ips = new["spec"]
        .get("clusterIPs")
        .filter(|ips| **ips != old["spec"]["clusterIPs"]);
    if let Some(address) = changed.filter(|_| other_ips.is_none()) {
        new["spec"]["clusterIPs"] = json!([address]);
    }
    for name in [
        "clusterIP",
        "clusterIPs",
        "ipFamilies",
        "ipFamilyPolicy",
        "healthCheckNodePort",
    ] {
        let kept = old["spec"].get(name);
        if let Some(kept) = kept.filter(|_| new["spec"].get(name).is_none()) {
            new["spec"][name] = kept.clone();
        }
    }
    if !matches!(
        new["spec"]["type"].as_str(),
        Some("NodePort" | "LoadBalancer")
    ) {
        return;
    }
    let old_ports = old["spec"]["ports"].as_array();
    let new_ports = new.pointer_mut("/spec/ports").and_then(Value::as_array_mut);
    for port in new_ports.into_iter().flatten() {
        let same =
            |old: &&Value| old["port"] == port["port"] && old["protocol"] == port["protocol"];
        let found = old_ports.into_iter().flatten().find(same);
        let number = found.and_then(|old| old.get("nodePort")).cloned();
        if let Some(number) = number.filter(|_| port.get("nodePort").is_none()) {
            port["nodePort"] = number;
        }
    }
}

/// Warns about a Service (`GetWarningsForService`).
fn warn_service(service: &Value, out: &mut Warnings) {
    let spec = &service["spec"];
    if get_annotation(service, "service.kubernetes.io/topology-aware-hints").is_some() {
        out.push(
            "annotation service.kubernetes.io/topology-aware-hints is deprecated, please use \
             service.kubernetes.io/topology-mode instead"
                .to_owned(),
        );
    }
    let addresses = |list: &str, out: &mut Warnings| {
        let texts = list_field(spec, list).iter().filter_map(Value::as_str);
        for (index, address) in texts.enumerate() {
            ip::warn_ip(&format!("spec.{list}[{index}]"), address, out);
        }
    };
    let (type_, cluster_ip) = (str_field(spec, "type"), str_field(spec, "clusterIP"));
    let (balancer, has_external) = (
        str_field(spec, "loadBalancerIP"),
        !list_field(spec, "externalIPs").is_empty(),
    );
    if !cluster_ip.is_empty() && cluster_ip != "None" {
        addresses("clusterIPs", out);
    }
    let is_headless = type_ == "ClusterIP" && cluster_ip == "None";
    if is_headless {
        warn_ignored_headless(spec, out);
    }
    addresses("externalIPs", out);
    if has_external && !is_headless && type_ != "ExternalName" {
        let what =
            "spec.externalIPs is deprecated and may no longer be implemented in some clusters";
        out.push(what.to_owned());
    }
    ip::warn_ip("spec.loadBalancerIP", balancer, out);
    let ranges = list_field(spec, "loadBalancerSourceRanges").iter();
    for (index, range) in ranges.filter_map(Value::as_str).enumerate() {
        ip::warn_cidr(
            &format!("spec.loadBalancerSourceRanges[{index}]"),
            range,
            out,
        );
    }
    if type_ == "ExternalName" && has_external {
        out.push("spec.externalIPs is ignored when spec.type is \"ExternalName\"".to_owned());
    }
    if type_ != "ExternalName" && !str_field(spec, "externalName").is_empty() {
        out.push("spec.externalName is ignored when spec.type is not \"ExternalName\"".to_owned());
    }
    if str_field(spec, "trafficDistribution") == "PreferClose" {
        out.push(
            "spec.trafficDistribution: \"PreferClose\" is deprecated; use \"PreferSameZone\""
                .to_owned(),
        );
    }
}

/// Warns about fields that have no effect in a headless Service.
fn warn_ignored_headless(spec: &Value, out: &mut Warnings) {
    for (is_set, field) in [
        (
            !str_field(spec, "loadBalancerIP").is_empty(),
            "loadBalancerIP",
        ),
        (!list_field(spec, "externalIPs").is_empty(), "externalIPs"),
        (
            str_field(spec, "sessionAffinity") != "None",
            // Capitalized in kube-apiserver's message.
            "SessionAffinity",
        ),
    ] {
        if is_set {
            out.push(format!("spec.{field} is ignored for headless services"));
        }
    }
}

/// Warns about the addresses of load balancers in the status of a Service or an Ingress.
pub(crate) fn warn_load_balancers(object: &Value, out: &mut Warnings) {
    let balancers = list_field(&object["status"]["loadBalancer"], "ingress");
    for (index, balancer) in balancers.iter().enumerate() {
        let field = format!("status.loadBalancer.ingress[{index}]");
        ip::warn_ip(&field, str_field(balancer, "ip"), out);
    }
}

/// Sets the defaults of a Service (`SetDefaults_Service`).
pub(crate) fn set_defaults(members: &mut Object) {
    change_member(members, "spec", set_spec_defaults);
    let is_balanced = members
        .get("spec")
        .is_some_and(|spec| spec["type"] == "LoadBalancer");
    if is_balanced {
        change_member(members, "status", |status| {
            change_member(status, "loadBalancer", |balancer| {
                for ingress in items_mut(balancer, "ingress") {
                    if has_member(ingress, "ip") {
                        set_default(ingress, "ipMode", "VIP");
                    }
                }
            });
        });
    }
}

/// Sets the defaults of the spec.
fn set_spec_defaults(spec: &mut Object) {
    set_default(spec, "sessionAffinity", "None");
    match member_text(spec, "sessionAffinity") {
        "None" => {
            spec.remove("sessionAffinityConfig");
        }
        "ClientIP" => change_member(spec, "sessionAffinityConfig", |config| {
            change_member(config, "clientIP", |client| {
                set_default(client, "timeoutSeconds", 10_800);
            });
        }),
        _ => {}
    }
    set_default(spec, "type", "ClusterIP");
    for port in items_mut(spec, "ports") {
        set_default(port, "protocol", "TCP");
        let target = port.get("targetPort");
        if target.is_none_or(|target| *target == json!(0) || *target == "") {
            let number = port.get("port").cloned().unwrap_or_default();
            port.insert("targetPort".to_owned(), number);
        }
    }
    let type_ = member_text(spec, "type").to_owned();
    let external = matches!(&*type_, "NodePort" | "LoadBalancer");
    if external || (type_ == "ClusterIP" && has_member(spec, "externalIPs")) {
        set_default(spec, "externalTrafficPolicy", "Cluster");
    }
    if external || type_ == "ClusterIP" {
        set_default(spec, "internalTrafficPolicy", "Cluster");
    }
    if type_ == "LoadBalancer" {
        set_default(spec, "allocateLoadBalancerNodePorts", true);
    }
}

/// Returns the cells of a Service (`printService`).
fn service_cells(row: Row<'_>) -> Vec<Value> {
    let (spec, status) = (row.spec(), row.status());
    let cluster_ip = spec["clusterIPs"][0].as_str().unwrap_or(NONE);
    let ports = list_or_empty(&spec["ports"])
        .iter()
        .map(|port| {
            let (number, protocol) = (as_integer(&port["port"]), str_or_empty(&port["protocol"]));
            match as_integer(&port["nodePort"]) {
                node @ 1.. => format!("{number}:{node}/{protocol}"),
                _ => format!("{number}/{protocol}"),
            }
        })
        .collect::<Vec<_>>()
        .join(",");
    vec![
        row.name(),
        json!(str_or_empty(&spec["type"])),
        json!(cluster_ip),
        json!(format_external(spec, status)),
        json!(if ports.is_empty() { NONE } else { &*ports }),
        row.age(),
        json!(format_labels(&spec["selector"])),
    ]
}

/// Formats the column `External-IP` of a Service (`getServiceExternalIP`).
fn format_external(spec: &Value, status: &Value) -> String {
    let own = join_texts(&spec["externalIPs"]);
    match str_or_empty(&spec["type"]) {
        "ClusterIP" | "NodePort" if own.is_empty() => NONE.to_owned(),
        "ClusterIP" | "NodePort" => own,
        "LoadBalancer" => match (format_load_balancers(status), own) {
            (balancers, own) if own.is_empty() && balancers.is_empty() => "<pending>".to_owned(),
            (balancers, own) if own.is_empty() => balancers,
            (balancers, own) if balancers.is_empty() => own,
            (balancers, own) => format!("{balancers},{own}"),
        },
        "ExternalName" => str_or_empty(&spec["externalName"]).to_owned(),
        _ => UNKNOWN.to_owned(),
    }
}

/// Returns the addresses or host names of the load balancers in a status, sorted.
pub(crate) fn format_load_balancers(status: &Value) -> String {
    let addresses: BTreeSet<_> = list_or_empty(&status["loadBalancer"]["ingress"])
        .iter()
        .map(|it| text_or(&it["ip"], str_or_empty(&it["hostname"])))
        .filter(|text| !text.is_empty())
        .collect();
    addresses.into_iter().collect::<Vec<_>>().join(",")
}
