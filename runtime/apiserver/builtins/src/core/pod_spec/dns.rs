//! Validation of the DNS settings and host aliases of Pods (pkg/apis/core/validation).

use genclient_apimachinery::field;
use genclient_apimachinery::validation;

use crate::field::ObjectField;
use crate::{addresses, names};

const MAX_SERVERS: usize = 3;
const MAX_SEARCHES: usize = 32;
const MAX_SEARCH_CHARACTERS: usize = 2048;

/// Validates `dnsConfig`. `dnsPolicy: None` requires nameservers (`validatePodDNSConfig`).
pub(crate) fn validate_dns(spec: &ObjectField<'_>, out: &mut field::ErrorList) {
    let config = spec.at("dnsConfig");
    let servers = config.at("nameservers");
    if spec.at("dnsPolicy").text() == "None" {
        if !config.is_set() {
            let detail = "must provide `dnsConfig` when `dnsPolicy` is None";
            return config.required(detail, out);
        }
        if servers.has_none() {
            let detail = "must provide at least one DNS nameserver when `dnsPolicy` is None";
            return servers.required(detail, out);
        }
    }
    if servers.items().len() > MAX_SERVERS {
        servers.invalid("must not have more than 3 nameservers", out);
    }
    for server in servers.items() {
        addresses::validate_ip(&server, out);
    }
    validate_searches(&config.at("searches"), out);
    for option in config.at("options").items() {
        if !option.at("name").is_filled() {
            option.required("must not be empty", out);
        }
    }
}

/// Validates the search list of `dnsConfig`.
fn validate_searches(searches: &ObjectField<'_>, out: &mut field::ErrorList) {
    let items = searches.items();
    if items.len() > MAX_SEARCHES {
        searches.invalid("must not have more than 32 search paths", out);
    }
    let length: usize = items.iter().map(|item| item.text().len() + 1).sum();
    if length > MAX_SEARCH_CHARACTERS + 1 {
        let detail = "must not have more than 2048 characters (including spaces) in the search \
             list";
        searches.invalid(detail, out);
    }
    for search in items.iter().filter(|search| search.text() != ".") {
        let name = search.text().strip_suffix('.').unwrap_or(search.text());
        names::report_name_errors(&search.path, name, validation::search_domain(name), out);
    }
}

/// Validates host aliases (`ValidateHostAliases`).
pub(crate) fn validate_host_aliases(aliases: &ObjectField<'_>, out: &mut field::ErrorList) {
    for alias in aliases.items() {
        addresses::validate_ip(&alias.at("ip"), out);
        for name in alias.at("hostnames").items() {
            name.named(validation::subdomain, out);
        }
    }
}
