//! Record of the requests that a server answered.

use parking_lot::Mutex;

use crate::query::Query;
use crate::route::{Target, Verb};

/// Adds a request: `create gputasks default/a`, `list pods all`, `watch gputasks rv=1`.
pub(crate) fn record(requests: &Mutex<Vec<String>>, verb: Verb, target: &Target, query: &Query) {
    let mut line = format!("{} {}", verb.as_str(), target.resource());
    let object = match (&*target.namespace, &*target.name) {
        ("", "") => String::new(),
        (namespace, "") => namespace.to_owned(),
        ("", name) => name.to_owned(),
        (namespace, name) => format!("{namespace}/{name}"),
    };
    let version = query.text("resourceVersion");
    let version = match (verb, version) {
        (Verb::Watch, "") | (_, "") => String::new(),
        (_, version) => format!("rv={version}"),
    };
    for part in [object, version] {
        if !part.is_empty() {
            line.push(' ');
            line.push_str(&part);
        }
    }
    requests.lock().push(line);
}
