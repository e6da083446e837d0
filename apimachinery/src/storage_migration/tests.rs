//! Migrations against an API server in memory, which answers as kube-apiserver does.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use serde_json::{Value, json};

use super::{
    Answer, End, FailedObject, Migration, ObjectFailure, Options, Outcome, Refusal, Request, Step,
};
use crate::unstructured::str_field;
use crate::version::storage_version_hash;

/// When each test begins: the definition was changed a minute ago.
const START: Duration = Duration::from_secs(1_800_000_060);
const DEFINITION_CHANGED: &str = "2027-01-15T08:00:00Z";

/// An object in the store.
#[derive(Clone, Debug)]
struct Row {
    uid: u64,
    resource_version: u64,
    /// The version that the object is stored as.
    stored: &'static str,
    /// The versions that the webhook cannot convert the object to.
    unconvertible: &'static [&'static str],
    /// The versions of its managed fields.
    managed: Vec<String>,
    /// The code and the message of an admission webhook that refuses updates.
    refused: Option<(u16, &'static str)>,
}

/// The versions of the definition, with whether they are served and stored.
type Versions = &'static [(&'static str, bool, bool)];

struct Cluster {
    versions: Versions,
    stored_versions: Vec<String>,
    rows: BTreeMap<String, Row>,
    resource_version: u64,
    uid: u64,
    generation: u64,
    /// When the versions of the definition were changed, if its managed fields tell.
    changed: Option<&'static str>,
    faults: Vec<Fault>,
    /// Changes that somebody makes before a request is answered.
    events: Vec<Event>,
    requests: Vec<String>,
}

/// A part of `METHOD PATH`, and the change before the first such request is answered.
type Event = (&'static str, fn(&mut Cluster));

/// Answers that some requests get in place of the right one.
#[derive(Clone)]
struct Fault {
    /// A part of `METHOD PATH`.
    on: &'static str,
    times: usize,
    answer: fn() -> Answer,
}

const BOTH: Versions = &[("v1beta1", true, false), ("v1", true, true)];

impl Cluster {
    /// A cluster with `count` objects that are stored as `v1beta1`, while `v1` is the storage
    /// version now.
    fn with_objects(count: usize) -> Self {
        let rows = (0..count).map(|number| {
            let row = Row {
                uid: 1_000 + number as u64,
                resource_version: 1,
                stored: "v1beta1",
                unconvertible: &[],
                managed: vec!["v1".to_owned()],
                refused: None,
            };
            (format!("default/a{number:04}"), row)
        });
        Self {
            versions: BOTH,
            stored_versions: vec!["v1beta1".to_owned(), "v1".to_owned()],
            rows: rows.collect(),
            resource_version: 10,
            uid: 1,
            generation: 1,
            changed: Some(DEFINITION_CHANGED),
            faults: Vec::new(),
            events: Vec::new(),
            requests: Vec::new(),
        }
    }

    fn storage(&self) -> &'static str {
        self.versions.iter().find(|it| it.2).unwrap().0
    }

    fn row(&mut self, name: &str) -> &mut Row {
        self.rows.get_mut(&format!("default/{name}")).unwrap()
    }

    /// Somebody deletes the definition, and creates it again with some objects.
    fn recreate(&mut self, count: usize) {
        self.uid += 1;
        self.resource_version += 1;
        self.rows = Self::with_objects(count).rows;
        for row in self.rows.values_mut() {
            row.uid += 1_000;
            row.resource_version = self.resource_version;
        }
    }

    fn fail(&mut self, on: &'static str, times: usize, answer: fn() -> Answer) {
        self.faults.push(Fault { on, times, answer });
    }

    /// Counts the requests whose `METHOD PATH` has a part.
    fn count(&self, part: &str) -> usize {
        self.requests.iter().filter(|it| it.contains(part)).count()
    }

    /// Somebody else writes an object.
    fn touch(&mut self, name: &str) {
        self.resource_version += 1;
        let (version, storage) = (self.resource_version, self.storage());
        let row = self.row(name);
        row.resource_version = version;
        row.stored = storage;
    }

    fn definition(&self) -> Value {
        let versions = self.versions.iter().map(|(name, served, storage)| {
            json!({"name": name, "served": served, "storage": storage, "subresources": {"status": {}}})
        });
        let fields = json!({"f:spec": {"f:versions": {}}});
        json!({
            "metadata": {
                "name": "beacons.lab.example.com", "resourceVersion": self.resource_version.to_string(),
                "uid": self.uid.to_string(), "generation": self.generation,
                "managedFields": [{"time": self.changed, "fieldsV1": fields}],
            },
            "spec": {
                "group": "lab.example.com", "scope": "Namespaced",
                "names": {"plural": "beacons", "kind": "Beacon"}, "versions": versions.collect::<Value>(),
            },
            "status": {
                "storedVersions": self.stored_versions,
                "conditions": [
                    {"type": "NamesAccepted", "status": "True"}, {"type": "Established", "status": "True"},
                ],
            },
        })
    }

    fn answer(&mut self, request: &Request) -> Answer {
        let line = format!("{} {}", request.method, request.path);
        self.requests.push(line.clone());
        if let Some(index) = self.events.iter().position(|(on, _)| line.contains(on)) {
            let (_, event) = self.events.remove(index);
            event(self);
        }
        let mut faults = self.faults.iter_mut();
        if let Some(fault) = faults.find(|it| it.times > 0 && line.contains(it.on)) {
            fault.times -= 1;
            return (fault.answer)();
        }
        let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
        let parts: Vec<_> = path.trim_start_matches('/').split('/').collect();
        let body = request.body.as_ref().map_or(&Value::Null, |(_, body)| body);
        match parts[..] {
            ["apis", "authorization.k8s.io", ..] => ok(json!({"status": {"allowed": true}})),
            [_, "apiextensions.k8s.io", _, _, _, "status"] => self.patch_stored_versions(body),
            [_, "apiextensions.k8s.io", ..] => ok(self.definition()),
            [_, group, _] => {
                let hash = storage_version_hash(group, self.storage(), "Beacon");
                ok(json!({"resources": [{"name": "beacons", "storageVersionHash": hash}]}))
            }
            [_, _, version, _] => self.list(version, query),
            [_, _, version, _, namespace, _, name, ..] => {
                self.get_or_patch(version, &format!("{namespace}/{name}"), body, query)
            }
            _ => status(404, "not found"),
        }
    }

    fn patch_stored_versions(&mut self, body: &Value) -> Answer {
        if is_outdated(body, self.resource_version) {
            return status(409, "the object has been modified");
        }
        let versions = body["status"]["storedVersions"].clone();
        self.stored_versions = serde_json::from_value(versions).unwrap();
        ok(self.definition())
    }

    fn list(&self, version: &str, query: &str) -> Answer {
        let value = |name: &str| {
            let mut pairs = query.split('&').filter_map(|it| it.split_once('='));
            pairs.find(|(key, _)| *key == name).map(|(_, value)| value)
        };
        let limit: usize = value("limit")
            .expect("every list has a limit")
            .parse()
            .unwrap();
        let after = value("continue").map(|token| token.replace("%2F", "/"));
        let rows: Vec<_> = self
            .rows
            .iter()
            .filter(|(key, _)| after.as_ref().is_none_or(|after| *key > after))
            .collect();
        let page = &rows[..limit.min(rows.len())];
        for (_, row) in page {
            if row.stored != version && row.unconvertible.contains(&version) {
                return conversion_error();
            }
        }
        let items = page
            .iter()
            .map(|(key, row)| json!({"metadata": metadata(key, row)}));
        let rest = rows.len() - page.len();
        let mut list = json!({"items": items.collect::<Value>(), "metadata": {}});
        if rest > 0 {
            list["metadata"] =
                json!({"continue": page.last().unwrap().0, "remainingItemCount": rest});
        }
        ok(list)
    }

    fn get_or_patch(&mut self, version: &str, key: &str, body: &Value, query: &str) -> Answer {
        let storage = self.storage();
        let Some(row) = self.rows.get_mut(key) else {
            return status(404, "not found");
        };
        let converts = |to| row.stored == to || !row.unconvertible.contains(&to);
        if !converts(version) || !converts(storage) {
            return conversion_error();
        }
        if body.is_null() {
            return ok(json!({"metadata": metadata(key, row)}));
        }
        if is_outdated(body, row.resource_version) {
            return status(409, "the object has been modified");
        }
        if let Some((code, message)) = row.refused {
            return status(code, message);
        }
        let entries = body["metadata"]["managedFields"].as_array().map(|entries| {
            let versions = entries.iter().map(|it| it["apiVersion"].as_str().unwrap());
            versions
                .map(|it| it.rsplit('/').next().unwrap().to_owned())
                .collect()
        });
        let is_changed = row.stored != storage || entries.is_some();
        if is_changed && !query.contains("dryRun=All") {
            self.resource_version += 1;
            row.resource_version = self.resource_version;
            row.stored = storage;
            row.managed = entries.unwrap_or(row.managed.clone());
        }
        ok(json!({"metadata": metadata(key, row)}))
    }
}

fn is_outdated(patch: &Value, version: u64) -> bool {
    str_field(&patch["metadata"], "resourceVersion").parse() != Ok(version)
}

fn metadata(key: &str, row: &Row) -> Value {
    let (namespace, name) = key.split_once('/').unwrap();
    let entries = row.managed.iter().enumerate().map(|(number, version)| {
        json!({"manager": format!("m{number}"), "apiVersion": format!("lab.example.com/{version}")})
    });
    json!({
        "namespace": namespace, "name": name, "uid": row.uid.to_string(),
        "resourceVersion": row.resource_version.to_string(), "managedFields": entries.collect::<Value>(),
    })
}

fn ok(body: Value) -> Answer {
    Answer::Response {
        code: 200,
        body,
        retry_after: None,
    }
}

fn status(code: u16, message: &str) -> Answer {
    Answer::Response {
        code,
        body: json!({"message": message}),
        retry_after: None,
    }
}

fn conversion_error() -> Answer {
    status(
        500,
        "conversion webhook for lab.example.com/v1beta1, Kind=Beacon failed: cannot convert",
    )
}

fn options() -> Options {
    Options {
        dry_run: false,
        expected_storage: None,
        concurrency: 4,
        review_permissions: true,
    }
}

/// Runs a migration to its end. `choose` picks the request that is answered next out of a number.
/// Returns the outcome and the time that it took.
fn run(
    cluster: &mut Cluster,
    options: Options,
    choose: impl FnMut(usize) -> usize,
) -> (Outcome, Duration) {
    run_steps(cluster, options, usize::MAX, choose)
}

/// Runs a migration, and interrupts it after some steps.
fn run_steps(
    cluster: &mut Cluster,
    options: Options,
    steps: usize,
    mut choose: impl FnMut(usize) -> usize,
) -> (Outcome, Duration) {
    let limit = options.concurrency;
    let mut migration = Migration::new("beacons.lab.example.com", options);
    let (mut now, mut sent): (_, Vec<Request>) = (START, Vec::new());
    for step in 0..200_000 {
        if step == steps {
            migration.interrupt();
        }
        match migration.next(now) {
            Step::Send(request) => {
                sent.push(request);
                let writes = sent
                    .iter()
                    .filter(|it| it.path.contains("/beacons/"))
                    .count();
                assert!(writes <= limit && sent.len() < 7, "too many: {sent:?}");
            }
            Step::Wait(until) if sent.is_empty() => {
                let end = until.expect("a wait for nothing");
                assert!(end > now);
                now = end;
            }
            Step::Wait(_) => {
                let request = sent.remove(choose(sent.len()));
                let answer = cluster.answer(&request);
                migration.answer(request.id, answer, now);
            }
            Step::Done => return (migration.into_outcome(), now - START),
        }
    }
    panic!("the migration does not end: {:?}", migration.progress());
}

fn summary(outcome: &Outcome) -> String {
    let progress = outcome.progress;
    let mut text = format!(
        "{:?}: {} stored, {} written, {} gone",
        outcome.end, progress.stored, progress.written, progress.gone
    );
    for ObjectFailure {
        object,
        version,
        reason,
        ..
    } in &outcome.failures
    {
        let name = match object {
            FailedObject::Named(namespace, name) => {
                format!("{}/{name}", namespace.as_deref().unwrap_or_default())
            }
            FailedObject::After(key) => format!("after {key:?}"),
        };
        text.push_str(&format!("; {name} at {version}: {reason:?}"));
    }
    text
}

/// A case: what is different from 12 objects that are stored as the old version, and the result.
type Case = (&'static str, fn(&mut Cluster), &'static str);

const DENIAL: &str = "admission webhook \"v.lab\" denied the request: no";
const REFUSED: &str = "Failed: 11 stored, 11 written, 0 gone; default/a0007 at v1: Admission";

const ALL: &str = "Migrated: 12 stored, 12 written, 0 gone";

const CASES: &[Case] = &[
    ("nothing fails", |_| (), ALL),
    (
        "objects that are stored as the new version",
        |it| {
            it.touch("a0003");
            it.touch("a0004");
        },
        "Migrated: 12 stored, 10 written, 0 gone",
    ),
    (
        "nothing is old",
        |it| it.stored_versions.truncate(0),
        "NothingToDo: 12 stored, 0 written, 0 gone",
    ),
    (
        "an object is deleted after the list",
        |it| {
            it.events
                .push(("PATCH", |it| drop(it.rows.remove("default/a0007"))));
        },
        "Migrated: 11 stored, 11 written, 1 gone",
    ),
    (
        "an object is written after the list",
        |it| it.events.push(("/a0007?", |it| it.touch("a0007"))),
        "Migrated: 12 stored, 11 written, 0 gone",
    ),
    (
        "an object is replaced by a new one after the list",
        |it| {
            it.events.push(("/a0007?", |it| {
                it.touch("a0007");
                it.row("a0007").uid = 1;
            }));
        },
        "Migrated: 12 stored, 11 written, 0 gone",
    ),
    (
        "an object is written all the time",
        |it| {
            it.events.push(("/a0007?", |it| it.touch("a0007")));
            it.fail(
                "PATCH /apis/lab.example.com/v1/namespaces/default/beacons/a0007",
                99,
                || status(409, "modified"),
            );
        },
        "Migrated: 12 stored, 11 written, 0 gone",
    ),
    (
        "an object cannot be converted to the new version",
        |it| it.row("a0007").unconvertible = &["v1"],
        "Failed: 11 stored, 11 written, 0 gone; default/a0007 at v1: Conversion",
    ),
    (
        "no version can represent an object",
        |it| {
            it.row("a0007").stored = "v1alpha1";
            it.row("a0007").unconvertible = &["v1", "v1beta1"];
        },
        "Failed: 7 stored, 7 written, 0 gone; after Some(\"default/a0006\") at v1beta1: Conversion",
    ),
    (
        "the webhook restarts",
        |it| {
            for on in ["?limit", "/a0003?", "/a0004?"] {
                it.fail(on, 2, conversion_error);
            }
        },
        ALL,
    ),
    (
        "the API server has no capacity",
        |it| {
            for on in ["GET /apis/lab", "PATCH", "GET /apis/apiext", "POST"] {
                let answer = || status(429, "too many requests");
                it.fail(on, 3, answer);
            }
        },
        ALL,
    ),
    (
        "connections are lost",
        |it| {
            for (on, times) in [("GET /apis/lab", 3), ("PATCH", 5), ("/status?", 2)] {
                let answer = || Answer::Lost("connection reset".to_owned());
                it.fail(on, times, answer);
            }
        },
        ALL,
    ),
    (
        "the API server never answers",
        |it| {
            it.fail("?limit", 99, || {
                Answer::Lost("connection refused".to_owned())
            })
        },
        "Stopped(\"connection refused\"): 0 stored, 0 written, 0 gone",
    ),
    (
        "pages take too long",
        |it| it.fail("limit=500", 99, || Answer::TimedOut),
        ALL,
    ),
    (
        "an admission webhook refuses an object except through status",
        |it| it.fail("/a0007?", 1, || status(403, DENIAL)),
        ALL,
    ),
    (
        "an admission webhook refuses an object, and the user may not patch its status",
        |it| {
            it.fail("/a0007?", 1, || status(403, DENIAL));
            it.fail("/a0007/status?", 1, || status(403, "forbidden"));
        },
        REFUSED,
    ),
    (
        "an admission policy refuses an object",
        |it| {
            let message =
                "beacons is forbidden: ValidatingAdmissionPolicy 'lab' denied request: no";
            it.row("a0007").refused = Some((422, message));
        },
        REFUSED,
    ),
    (
        "an admission webhook does not answer for a while",
        |it| {
            it.fail("/a0007?", 2, || {
                let cause = "failed calling webhook \"v.lab\": connection refused";
                status(500, &format!("Internal error occurred: {cause}"))
            });
        },
        ALL,
    ),
    (
        "an admission webhook has a misleading message",
        |it| {
            let message = "admission webhook \"v.lab\" does not support dry run";
            it.row("a0007").refused = Some((400, message));
        },
        REFUSED,
    ),
    (
        "an admission webhook refuses the new stored versions",
        |it| it.fail("lab.example.com/status?", 1, || status(409, DENIAL)),
        "Stopped(\"admission webhook \\\"v.lab\\\" denied the request: no\"): 12 stored, 12 written, \
         0 gone",
    ),
    (
        "an admission webhook refuses an object",
        |it| it.row("a0007").refused = Some((403, DENIAL)),
        REFUSED,
    ),
    (
        "the schema refuses an object",
        |it| it.fail("/a0007?", 1, || status(422, "spec.x: Invalid value")),
        "Failed: 11 stored, 11 written, 0 gone; default/a0007 at v1: Invalid",
    ),
    (
        "the user may not list",
        |it| it.fail("?limit", 1, || status(403, "forbidden")),
        "Forbidden([Permission { verb: \"list\", group: \"lab.example.com\", resource: \"beacons\", \
         name: None }]): 0 stored, 0 written, 0 gone",
    ),
    (
        "a review denies a permission",
        |it| it.fail("POST", 1, || ok(json!({"status": {"allowed": false}}))),
        "Forbidden([Permission { verb: \"list\", group: \"lab.example.com\", resource: \"beacons\", \
         name: None }]): 0 stored, 0 written, 0 gone",
    ),
    (
        "a review denies the permission that a conflict needs",
        |it| {
            it.events.push(("POST", |_| ()));
            it.events.push(("POST", |it| {
                it.fail("POST", 1, || ok(json!({"status": {"allowed": false}})));
            }));
        },
        "Forbidden([Permission { verb: \"get\", group: \"lab.example.com\", resource: \"beacons\", \
         name: None }]): 0 stored, 0 written, 0 gone",
    ),
    (
        "reviews are not served",
        |it| it.fail("POST", 4, || status(404, "not found")),
        ALL,
    ),
    (
        "the definition is not installed",
        |it| it.fail("GET", 1, || status(404, "not found")),
        "Refused(NotInstalled): 0 stored, 0 written, 0 gone",
    ),
    (
        "the storage version is not served",
        |it| it.versions = &[("v1beta1", true, false), ("v1", false, true)],
        ALL,
    ),
    (
        "nothing is served",
        |it| it.versions = &[("v1beta1", false, false), ("v1", false, true)],
        "Refused(NothingServed): 0 stored, 0 written, 0 gone",
    ),
    (
        "managed fields name a version that is not served",
        |it| {
            it.versions = &[("v1beta1", false, false), ("v1", true, true)];
            it.stored_versions = vec!["v1".to_owned()];
            for name in ["a0002", "a0003"] {
                it.touch(name);
                it.row(name).managed = vec!["v1beta1".to_owned(), "v1".to_owned()];
            }
        },
        "Migrated: 12 stored, 2 written, 0 gone",
    ),
    (
        "the first API server knows the old definition for a while",
        |it| {
            let answer =
                || ok(json!({"resources": [{"name": "beacons", "storageVersionHash": "old"}]}));
            it.fail("GET /apis/lab.example.com/v1", 9, answer);
        },
        ALL,
    ),
    (
        "discovery has no hashes",
        |it| {
            it.fail("GET /apis/lab.example.com/v1", 1, || {
                ok(json!({"resources": [{"name": "beacons"}]}))
            })
        },
        ALL,
    ),
    (
        "the list expires",
        |it| it.fail("?limit", 1, || status(410, "expired")),
        ALL,
    ),
    (
        "the list always expires",
        |it| it.fail("?limit", 99, || status(410, "expired")),
        "Stopped(\"the list of the objects expires before it is read\"): 0 stored, 0 written, 0 gone",
    ),
    (
        "a token expires",
        |it| it.fail("?limit", 1, expired_token),
        ALL,
    ),
    (
        "every token expires",
        |it| it.fail("?limit", 99, expired_token),
        "Stopped(\"the list of the objects expires before it is read\"): 0 stored, 0 written, 0 gone",
    ),
    (
        "a proxy answers in place of the API server",
        |it| it.fail("?limit", 1, || ok(Value::Null)),
        "Stopped(\"the API server answers a list request without a list\"): 0 stored, 0 written, 0 gone",
    ),
    (
        "there are no objects",
        |it| {
            it.rows.clear();
            it.fail("?limit", 1, || ok(json!({"items": null, "metadata": {}})));
        },
        "Migrated: 0 stored, 0 written, 0 gone",
    ),
    (
        "the status of the definition is written meanwhile",
        |it| it.events.push(("/status?", |it| it.resource_version += 1)),
        ALL,
    ),
    (
        "the definition is changed meanwhile",
        |it| {
            it.events.push(("/status?", |it| {
                it.resource_version += 1;
                it.generation += 1;
            }));
        },
        "Changed: 12 stored, 12 written, 0 gone",
    ),
    (
        "the definition is deleted meanwhile",
        |it| {
            it.fail("?limit", 1, || status(404, "not found"));
            it.events.push(("?limit", |it| {
                it.fail("GET /apis/apiext", 1, || status(404, ""));
            }));
        },
        "Refused(NotInstalled): 0 stored, 0 written, 0 gone",
    ),
    (
        "the definition is created again while the objects are listed",
        |it| {
            *it = Cluster::with_objects(600);
            it.row("a0000").refused = Some((403, DENIAL));
            it.fail("continue", 1, || status(503, "no capacity"));
            it.events.push(("continue", |_| ()));
            it.events.push(("continue", |it| it.recreate(3)));
            it.fail("continue", 1, || status(404, "not found"));
        },
        "Migrated: 3 stored, 3 written, 0 gone",
    ),
    (
        "the definition is created again after the last object",
        |it| it.events.push(("/status?", |it| it.recreate(12))),
        "Changed: 12 stored, 12 written, 0 gone",
    ),
    (
        "the definition is deleted after the list",
        |it| {
            it.versions = &[("v1beta1", false, false), ("v1", true, true)];
            it.stored_versions = vec!["v1".to_owned()];
            for row in it.rows.values_mut() {
                row.managed = vec!["v1beta1".to_owned()];
            }
            it.events.push(("PATCH", |it| {
                it.rows.clear();
                it.fail("GET /apis/apiext", 1, || status(404, "not found"));
            }));
        },
        "Refused(NotInstalled): 0 stored, 0 written, 12 gone",
    ),
];

/// An expired list that can be continued. The token is that of the first page.
fn expired_token() -> Answer {
    Answer::Response {
        code: 410,
        body: json!({"metadata": {"continue": "default/a"}}),
        retry_after: None,
    }
}

#[test]
fn every_fault_ends_as_documented() {
    for (case, prepare, expected) in CASES {
        let mut cluster = Cluster::with_objects(12);
        // Patches of the definition and of objects get versions from one counter.
        cluster.resource_version = 10;
        prepare(&mut cluster);
        let (outcome, _) = run(&mut cluster, options(), |_| 0);
        assert_eq!(
            summary(&outcome),
            *expected,
            "{case}: {:#?}",
            cluster.requests
        );
        if outcome.end == End::Failed {
            assert_eq!(
                outcome.progress.total(),
                12,
                "{case}: {:?}",
                outcome.progress
            );
        }
        check_end(&cluster, &outcome);
    }
}

/// `status.storedVersions` loses the old version if and only if no object is stored as it.
fn check_end(cluster: &Cluster, outcome: &Outcome) {
    if outcome.end == End::Migrated {
        assert_eq!(cluster.stored_versions, ["v1"]);
    }
    if cluster.stored_versions == ["v1"] && cluster.versions == BOTH {
        let old: Vec<_> = cluster
            .rows
            .iter()
            .filter(|(_, row)| row.stored != "v1")
            .collect();
        assert!(old.is_empty(), "{old:?}");
    }
}

/// A change of the definition, and the refusal.
type RefusedCase = (&'static str, fn(&mut Value), Refusal);

#[test]
fn definitions_that_cannot_be_migrated_are_refused() {
    let cases: [RefusedCase; 3] = [
        (
            "deleted",
            |it| it["metadata"]["deletionTimestamp"] = DEFINITION_CHANGED.into(),
            Refusal::BeingDeleted,
        ),
        (
            "names",
            |it| {
                it["status"]["conditions"][0] =
                    json!({"type": "NamesAccepted", "status": "False", "message": "taken"})
            },
            Refusal::NotEstablished("taken".to_owned()),
        ),
        (
            "new",
            |it| it["status"] = json!({}),
            Refusal::NotEstablished("the condition NamesAccepted is not set".to_owned()),
        ),
    ];
    for (case, change, refusal) in cases {
        let mut definition = Cluster::with_objects(0).definition();
        change(&mut definition);
        assert_eq!(
            super::Definition::from_object(&definition),
            Err(refusal),
            "{case}"
        );
    }
}

#[test]
fn types_with_another_storage_version_are_refused() {
    let mut cluster = Cluster::with_objects(1);
    let expected_storage = Some("v2".to_owned());
    let options = Options {
        expected_storage,
        ..options()
    };
    let (outcome, _) = run(&mut cluster, options, |_| 0);
    let refusal = Refusal::OtherStorage {
        cluster: "v1".to_owned(),
        types: "v2".to_owned(),
    };
    assert_eq!(outcome.end, End::Refused(refusal));
}

#[test]
fn dry_runs_write_nothing() {
    let mut cluster = Cluster::with_objects(12);
    cluster.fail("/a0007?", 1, || {
        status(400, "admission webhook \"v.lab\" does not support dry run")
    });
    let options = Options {
        dry_run: true,
        ..options()
    };
    let (outcome, _) = run(&mut cluster, options.clone(), |_| 0);
    assert_eq!(summary(&outcome), "Checked: 11 stored, 11 written, 0 gone");
    assert_eq!(outcome.progress.unchecked, 1);
    assert!(cluster.rows.values().all(|row| row.stored == "v1beta1"));
    assert_eq!(cluster.stored_versions, ["v1beta1", "v1"]);

    let message = "admission webhook \"v.lab\" denied the request: it does not support dry run";
    cluster.row("a0007").refused = Some((400, message));
    let (outcome, _) = run(&mut cluster, options, |_| 0);
    assert_eq!(summary(&outcome), REFUSED);
}

/// A webhook chooses the code of a denial, but the object is neither gone nor written since.
#[test]
fn denials_with_any_code_are_refusals() {
    for code in [400, 401, 403, 404, 409, 410, 418, 422, 429, 500, 503, 504] {
        let mut cluster = Cluster::with_objects(12);
        cluster.row("a0007").refused = Some((code, DENIAL));
        let (outcome, time) = run(&mut cluster, options(), |_| 0);
        assert_eq!(summary(&outcome), REFUSED, "{code}");
        assert_eq!(outcome.failures[0].message, DENIAL);
        assert_eq!(time, Duration::ZERO, "{code}");
        let attempts = ["/a0007?", "/a0007/status?"].map(|part| cluster.count(part));
        assert_eq!(attempts, [1, 1], "{code}: {:#?}", cluster.requests);
        assert_eq!(cluster.stored_versions, ["v1beta1", "v1"]);
    }
}

/// Runs a migration until it waits, with every answer at the same time. Returns until when.
fn run_until_wait(cluster: &mut Cluster, now: Duration) -> Option<Duration> {
    let mut migration = Migration::new("beacons.lab.example.com", options());
    let mut sent = VecDeque::new();
    loop {
        match migration.next(now) {
            Step::Send(request) => sent.push_back(request),
            Step::Wait(until) => match sent.pop_front() {
                Some(request) => migration.answer(request.id, cluster.answer(&request), now),
                None => return until,
            },
            Step::Done => panic!("{:#?}", cluster.requests),
        }
    }
}

/// Objects that wait for their next attempt are writes in progress.
#[test]
fn retries_count_as_concurrent_writes() {
    let answers: [fn() -> Answer; 3] = [
        || status(503, "no capacity"),
        || status(500, "etcd"),
        || Answer::TimedOut,
    ];
    for answer in answers {
        let mut cluster = Cluster::with_objects(100);
        cluster.fail("PATCH", 1_000, answer);
        let until = run_until_wait(&mut cluster, START).unwrap();
        assert!(until > START);
        assert_eq!(cluster.count("PATCH"), 4, "{:?}", answer());
    }
}

/// After 429, fewer writes are in progress, those that are sent again included.
#[test]
fn retries_keep_the_reduced_write_limit() {
    let mut cluster = Cluster::with_objects(20);
    let mut migration = Migration::new("beacons.lab.example.com", options());
    let mut sent: Vec<Request> = Vec::new();
    let mut now = START;
    let mut has_retried = false;
    cluster.fail("PATCH", 4, || status(429, "too many requests"));
    loop {
        match migration.next(now) {
            Step::Send(request) => sent.push(request),
            Step::Wait(until) if sent.is_empty() => {
                has_retried = true;
                now = until.unwrap() + Duration::from_secs(1);
            }
            Step::Wait(until) => {
                assert!(until.is_none_or(|until| until > now));
                let writes = sent.iter().filter(|it| it.method == "PATCH").count();
                assert!(writes <= if has_retried { 1 } else { 4 }, "{sent:?}");
                let request = sent.remove(0);
                migration.answer(request.id, cluster.answer(&request), now);
            }
            Step::Done => break,
        }
    }
    assert!(has_retried);
    assert_eq!(migration.into_outcome().end, End::Migrated);
}

/// `Retry-After` is a minimum, within limits.
#[test]
fn pauses_have_limits() {
    let answers: [fn() -> Answer; 3] = [
        || retry_after(Duration::ZERO),
        || retry_after(Duration::from_secs(5)),
        || retry_after(Duration::MAX),
    ];
    let times = answers.map(|answer| {
        let mut cluster = Cluster::with_objects(1);
        cluster.fail("?limit", 3, answer);
        let (outcome, time) = run(&mut cluster, options(), |_| 0);
        assert_eq!(outcome.end, End::Migrated);
        time.as_secs()
    });
    assert_eq!(times, [3, 15, 90]);
}

fn retry_after(pause: Duration) -> Answer {
    Answer::Response {
        code: 429,
        body: json!({"message": "too many requests"}),
        retry_after: Some(pause),
    }
}

/// A change that another API server may not know yet.
#[test]
fn recent_changes_of_the_versions_are_waited_for() {
    let seconds = |count| Duration::from_secs(count);
    let cases = [
        (Some(DEFINITION_CHANGED), START - seconds(57), 7),
        // The clock of the API server is ahead.
        (Some(DEFINITION_CHANGED), START - seconds(90), 10),
        (None, START, 10),
    ];
    // Without an old stored version, versions in managed fields may still be renamed.
    for stored in [&["v1beta1", "v1"][..], &["v1"]] {
        for (changed, now, pause) in cases {
            let mut cluster = Cluster::with_objects(1);
            cluster.changed = changed;
            cluster.stored_versions = stored.iter().map(|it| (*it).to_owned()).collect();
            let until = run_until_wait(&mut cluster, now);
            assert_eq!(until, Some(now + seconds(pause)), "{stored:?} {changed:?}");
            assert_eq!(cluster.count("?limit"), 0);
        }
    }
}

#[test]
fn interrupted_migrations_are_continued() {
    let mut cluster = Cluster::with_objects(100);
    let mut migration = Migration::new("beacons.lab.example.com", options());
    while migration.progress().written < 40 {
        if let Step::Send(request) = migration.next(START) {
            migration.answer(request.id, cluster.answer(&request), START);
        }
    }
    let Step::Send(last) = migration.next(START) else {
        panic!("{:?}", migration.progress());
    };
    migration.interrupt();
    assert!(matches!(migration.next(START), Step::Wait(None)));
    migration.answer(last.id, cluster.answer(&last), START);
    assert!(matches!(migration.next(START), Step::Done));
    let outcome = migration.into_outcome();
    assert_eq!(
        (outcome.end, outcome.progress.written),
        (End::Interrupted, 41)
    );
    assert_eq!(cluster.stored_versions, ["v1beta1", "v1"]);
    let (outcome, _) = run(&mut cluster, options(), |_| 0);
    assert_eq!(
        summary(&outcome),
        "Migrated: 100 stored, 59 written, 0 gone"
    );
}

/// Entries of one manager at two versions become one.
#[test]
fn renamed_managed_fields_are_united() {
    let versions = json!([{"name": "v1", "served": true, "storage": true}]);
    let mut definition = Cluster::with_objects(0).definition();
    definition["spec"]["versions"] = versions;
    let definition = super::Definition::from_object(&definition).unwrap();
    let entry = |version: &str, manager: &str, time: &str, fields: Value| {
        json!({
            "manager": manager, "operation": "Update", "time": time,
            "apiVersion": format!("lab.example.com/{version}"), "fieldsV1": {"f:spec": fields},
        })
    };
    let entries = [
        entry(
            "v1beta1",
            "old",
            "2026-01-01T00:00:00Z",
            json!({"f:x": {}, "f:z": {"f:a": {}}}),
        ),
        entry(
            "v1",
            "old",
            "2026-01-02T00:00:00Z",
            json!({"f:y": {}, "f:z": {"f:b": {}}}),
        ),
        entry("v1", "new", "2026-01-01T00:00:00Z", json!({"f:x": {}})),
    ];
    let renamed = super::managed_fields::rename_unserved(&entries, &definition).unwrap();
    let all = json!({"f:x": {}, "f:y": {}, "f:z": {"f:a": {}, "f:b": {}}});
    let expected = [
        entry("v1", "old", "2026-01-02T00:00:00Z", all),
        entries[2].clone(),
    ];
    assert_eq!(renamed, expected);
    assert_eq!(
        super::managed_fields::rename_unserved(&renamed, &definition),
        None
    );
}

/// Answers in random order, with random faults, foreign writes and deletions, and interruptions.
#[test]
fn random_histories_end_without_old_objects() {
    for seed in 0..1_000 {
        let mut random = Random(seed);
        let mut cluster = Cluster::with_objects(40);
        let bad = random.below(3);
        for _ in 0..bad {
            let name = format!("a{:04}", random.below(40));
            cluster.row(&name).unconvertible = &["v1"];
        }
        for _ in 0..random.below(5) {
            let answer: fn() -> Answer = match random.below(4) {
                0 => || status(429, "too many requests"),
                1 => || Answer::Lost("reset".to_owned()),
                2 => || Answer::TimedOut,
                _ => || status(410, "expired"),
            };
            let on = ["?limit", "PATCH /apis/lab", "GET"][random.below(3)];
            let on = if matches!(answer(), Answer::Response { code: 410, .. }) {
                "?limit"
            } else {
                on
            };
            cluster.fail(on, 1, answer);
        }
        for _ in 0..random.below(4) {
            let event: fn(&mut Cluster) = match random.below(3) {
                0 => |it| drop(it.rows.remove("default/a0011")),
                1 => |it| {
                    if it.rows["default/a0012"].unconvertible.is_empty() {
                        it.touch("a0012");
                    }
                },
                _ => |it| it.resource_version += 1,
            };
            cluster
                .events
                .push((["PATCH", "/a0012?", "/status"][random.below(3)], event));
        }
        for _ in 0..random.below(3) {
            let steps = random.below(200);
            let (outcome, _) =
                run_steps(&mut cluster, options(), steps, |count| random.below(count));
            check_end(&cluster, &outcome);
        }
        let (outcome, _) = run(&mut cluster, options(), |count| random.below(count));
        check_end(&cluster, &outcome);
        let named: Vec<_> = cluster
            .rows
            .iter()
            .filter(|it| !it.1.unconvertible.is_empty())
            .collect();
        assert_eq!(
            outcome.failures.len(),
            named.len(),
            "{seed}: {}",
            summary(&outcome)
        );
        let is_end = match outcome.end {
            End::Migrated | End::NothingToDo => named.is_empty(),
            End::Failed => !named.is_empty(),
            _ => false,
        };
        assert!(is_end, "{seed}: {:?} {:#?}", outcome.end, cluster.requests);
        let old = cluster
            .rows
            .values()
            .filter(|row| row.stored != "v1")
            .count();
        assert_eq!(old, named.len(), "{seed}");
    }
}

/// `SplitMix64`.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        usize::try_from((mixed ^ (mixed >> 31)) % limit.max(1) as u64).unwrap()
    }
}
