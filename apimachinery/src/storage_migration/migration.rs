//! [`Migration`]: the requests of a storage migration, and what follows each answer.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use serde_json::{Value, json};

use super::definition::{Definition, Refusal};
use super::managed_fields::rename_unserved;
use super::pages::{AfterFailure, PAGE_LIMIT, Pages, PagesState};
use super::{
    Answer, End, FailedObject, FailureReason, ObjectFailure, Options, Outcome, Permission,
    Progress, Request, RequestId, Step,
};
use crate::unstructured::{list_field, str_field};
use crate::version::storage_version_hash;

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const REVIEWS: &str = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

const JSON: &str = "application/json";
const METADATA: &str = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const METADATA_LIST: &str = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
const MERGE_PATCH: &str = "application/merge-patch+json";

/// The field manager of the patches. They change no field, so it becomes the owner of none.
const FIELD_MANAGER: &str = "genclient";

/// Number of attempts if the API server does not answer or has no capacity.
const ATTEMPTS: u32 = 8;

/// Maximum pause before a request is sent again.
const MAX_PAUSE: Duration = Duration::from_secs(30);

/// Number of retries after a conflict. Each is a write after the list, so in the storage version.
const CONFLICT_RETRIES: u32 = 5;

/// Number of retries after a 500, in case a webhook restarts.
const ERROR_RETRIES: u32 = 3;

/// After this many failures, the next ones are not retried: the cause is not a restart.
const RETRIED_FAILURES: u64 = 16;

/// Maximum number of failures in an outcome.
const MAX_FAILURES: usize = 1_000;

/// Maximum wait for an API server that does not know the definition's versions yet.
const DISCOVERY_TIMEOUT: Duration = Duration::from_secs(30);

/// Time between two looks at discovery.
const DISCOVERY_INTERVAL: Duration = Duration::from_millis(500);

/// Age that a change of `spec.versions` must have before the first list. With several API servers,
/// another one may not have noticed it and still write the old version.
const SETTLE_TIME: Duration = Duration::from_secs(10);

const EXPIRED: &str = "the list of the objects expires before it is read";

/// Number of answers after which the number of concurrent writes grows by one.
const GROWTH_INTERVAL: u32 = 100;

/// A storage migration of one kind.
///
/// Times are durations since the Unix epoch.
#[derive(Debug)]
pub struct Migration {
    name: String,
    options: Options,
    definition: Option<Definition>,
    pages: Option<Pages>,
    /// The objects that wait for their first write.
    objects: VecDeque<StoredObject>,
    /// Requests by the time of their next attempt, and a number that keeps them in order.
    scheduled: BTreeMap<(Duration, u64), Attempt>,
    outstanding: BTreeMap<RequestId, Attempt>,
    next_number: u64,
    /// Maximum number of concurrent writes. Halved if the API server has no capacity.
    write_limit: usize,
    answers_since_growth: u32,
    denied: Vec<Permission>,
    discovery_deadline: Option<Duration>,
    has_restarted: bool,
    definition_conflicts: u32,
    /// Whether the definition was read again after the last object.
    is_confirmed: bool,
    progress: Progress,
    failures: Vec<ObjectFailure>,
    end: Option<End>,
}

/// A request with the number of earlier attempts that got no answer.
#[derive(Clone, Debug)]
struct Attempt {
    action: Action,
    earlier: u32,
}

#[derive(Clone, Debug)]
enum Action {
    ReadDefinition,
    Review(Permission),
    ReadDiscovery,
    ReadPage,
    Write(StoredObject),
    Reread(StoredObject),
    RemoveStoredVersions,
    /// After a conflict of `RemoveStoredVersions`, or if objects are gone.
    RereadDefinition,
}

impl Attempt {
    /// Whether it counts against the limit of concurrent writes.
    fn is_write(&self) -> bool {
        matches!(self.action, Action::Write(_) | Action::Reread(_))
    }
}

/// An object that has to be written.
#[derive(Clone, Debug)]
struct StoredObject {
    namespace: Option<String>,
    name: String,
    uid: String,
    resource_version: String,
    /// `managedFields` with renamed versions, if they have to be changed.
    managed_fields: Option<Vec<Value>>,
    conflicts: u32,
    errors: u32,
    /// The message of the admission webhook or policy that has refused the object. Such an object
    /// is written through `/status`.
    refusal: Option<String>,
}

impl StoredObject {
    fn from_metadata(metadata: &Value, definition: &Definition) -> Self {
        let namespace = metadata["namespace"].as_str();
        Self {
            namespace: namespace.map(str::to_owned),
            name: str_field(metadata, "name").to_owned(),
            uid: str_field(metadata, "uid").to_owned(),
            resource_version: str_field(metadata, "resourceVersion").to_owned(),
            managed_fields: rename_unserved(list_field(metadata, "managedFields"), definition),
            conflicts: 0,
            errors: 0,
            refusal: None,
        }
    }

    fn key(&self) -> String {
        match &self.namespace {
            Some(namespace) => format!("{namespace}/{}", self.name),
            None => self.name.clone(),
        }
    }

    fn path(&self, definition: &Definition) -> String {
        let (version, plural) = (definition.working_version(), &definition.plural);
        let group = &definition.group;
        match &self.namespace {
            Some(namespace) => format!(
                "/apis/{group}/{version}/namespaces/{namespace}/{plural}/{}",
                self.name
            ),
            None => format!("/apis/{group}/{version}/{plural}/{}", self.name),
        }
    }
}

impl Migration {
    /// Creates the migration of the kind whose CustomResourceDefinition has a name.
    #[must_use]
    pub fn new(name: impl Into<String>, options: Options) -> Self {
        let mut migration = Self {
            name: name.into(),
            write_limit: options.concurrency.max(1),
            options,
            definition: None,
            pages: None,
            objects: VecDeque::new(),
            scheduled: BTreeMap::new(),
            outstanding: BTreeMap::new(),
            next_number: 0,
            answers_since_growth: 0,
            denied: Vec::new(),
            discovery_deadline: None,
            has_restarted: false,
            definition_conflicts: 0,
            is_confirmed: false,
            progress: Progress::default(),
            failures: Vec::new(),
            end: None,
        };
        migration.schedule(Duration::ZERO, Action::ReadDefinition);
        migration
    }

    /// Returns what to do next.
    pub fn next(&mut self, now: Duration) -> Step {
        if self.end.is_none() {
            self.plan(now);
        }
        if self.end.is_some() {
            return if self.outstanding.is_empty() {
                Step::Done
            } else {
                Step::Wait(None)
            };
        }
        match self.take_due(now) {
            Some(attempt) => Step::Send(self.send(attempt)),
            // What is due already waits for the answer to a write.
            None => {
                let mut times = self.scheduled.keys().map(|(due, _)| *due);
                Step::Wait(times.find(|due| *due > now))
            }
        }
    }

    /// Takes the answer to a request.
    pub fn answer(&mut self, id: RequestId, answer: Answer, now: Duration) {
        let Some(attempt) = self.outstanding.remove(&id) else {
            return;
        };
        let is_write = matches!(attempt.action, Action::Write(_));
        if is_write {
            self.adapt_write_limit(&answer);
        }
        let is_page = matches!(attempt.action, Action::ReadPage);
        let is_slow = matches!(
            answer,
            Answer::TimedOut | Answer::Response { code: 504, .. }
        );
        if is_page && is_slow && self.pages.as_mut().is_some_and(Pages::halve) {
            return;
        }
        let (code, body) = match answer {
            Answer::Response {
                code: 429 | 503 | 504,
                body,
                retry_after,
            } if !is_denied(&body) => {
                return self.retry(attempt, &message_of(&body), retry_after, now);
            }
            Answer::TimedOut => return self.retry(attempt, "no response in time", None, now),
            Answer::Lost(error) => return self.retry(attempt, &error, None, now),
            Answer::Response { code, body, .. } => (code, body),
        };
        match attempt.action {
            Action::Write(object) => self.write_answered(object, code, &body, now),
            Action::Reread(object) => self.reread_answered(object, code, &body, now),
            Action::Review(permission) => self.review_answered(permission, code, &body),
            // An error of etcd.
            action if code == 500 && !is_page && !is_denied(&body) => {
                let earlier = attempt.earlier;
                let attempt = Attempt { action, earlier };
                self.retry(attempt, &message_of(&body), None, now);
            }
            Action::ReadDefinition => self.definition_answered(code, &body),
            Action::ReadDiscovery => self.discovery_answered(code, &body, now),
            Action::ReadPage => self.page_answered(code, &body, now),
            Action::RemoveStoredVersions => self.removal_answered(code, &body, now),
            Action::RereadDefinition => self.definition_reread(code, &body),
        }
    }

    /// Returns the number of objects by result.
    #[must_use]
    pub fn progress(&self) -> Progress {
        let attempts = self.scheduled.values().chain(self.outstanding.values());
        let waiting = self.objects.len() + count_writes(attempts);
        Progress {
            waiting: waiting as u64,
            ..self.progress
        }
    }

    /// Returns whether the migration has begun, but reads objects only once the API servers have
    /// noticed the last change of the versions.
    #[must_use]
    pub fn waits_for_api_servers(&self) -> bool {
        // A retry waits for something else.
        let is_page_retried = self.pages.as_ref().is_some_and(Pages::is_retried);
        let is_early = |attempt: &Attempt| {
            attempt.earlier == 0
                && matches!(attempt.action, Action::ReadDiscovery | Action::ReadPage)
        };
        !is_page_retried && self.progress().total() == 0 && self.scheduled.values().any(is_early)
    }

    /// Ends the migration after the answers to the requests that were sent. A later migration of
    /// the same kind continues it.
    pub fn interrupt(&mut self) {
        self.end(End::Interrupted);
    }

    /// Returns whether no further request is sent.
    #[must_use]
    pub fn is_ended(&self) -> bool {
        self.end.is_some()
    }

    /// Returns the result. A migration that has not ended counts as interrupted.
    #[must_use]
    pub fn into_outcome(mut self) -> Outcome {
        self.failures
            .sort_by(|one, other| one.object.cmp(&other.object));
        Outcome {
            progress: self.progress(),
            definition: self.definition,
            failures: self.failures,
            end: self.end.unwrap_or(End::Interrupted),
        }
    }

    /// The first end counts.
    fn end(&mut self, end: End) {
        self.end.get_or_insert(end);
    }

    fn stop(&mut self, code: u16, body: &Value) {
        let message = match message_of(body) {
            message if message.is_empty() => format!("the API server answers {code}"),
            message => message,
        };
        self.end(End::Stopped(message));
    }

    /// Ends with the permissions that the answer 403 proves to be missing.
    fn forbid(&mut self, permission: Permission) {
        self.end(End::Forbidden(vec![permission]));
    }

    fn schedule(&mut self, due: Duration, action: Action) {
        self.schedule_attempt(due, Attempt { action, earlier: 0 });
    }

    fn schedule_attempt(&mut self, due: Duration, attempt: Attempt) {
        self.next_number += 1;
        self.scheduled.insert((due, self.next_number), attempt);
    }

    /// Sends a request again, later. Ends the migration after too many attempts.
    fn retry(
        &mut self,
        attempt: Attempt,
        message: &str,
        retry_after: Option<Duration>,
        now: Duration,
    ) {
        let earlier = attempt.earlier + 1;
        if earlier >= ATTEMPTS {
            return self.end(End::Stopped(message.to_owned()));
        }
        // Requests that failed together are not sent together again.
        let spread = Duration::from_millis(self.next_number % 16 * 25);
        let doubled = Duration::from_millis(500) * 2_u32.pow(attempt.earlier);
        let pause = doubled.max(retry_after.unwrap_or_default()).min(MAX_PAUSE);
        let action = attempt.action;
        self.schedule_attempt(now + pause + spread, Attempt { action, earlier });
    }

    fn adapt_write_limit(&mut self, answer: &Answer) {
        if matches!(answer, Answer::Response { code: 429, body, .. } if !is_denied(body)) {
            self.write_limit = (self.write_limit / 2).max(1);
            self.answers_since_growth = 0;
            return;
        }
        self.answers_since_growth += 1;
        if self.answers_since_growth >= GROWTH_INTERVAL {
            self.answers_since_growth = 0;
            self.write_limit = (self.write_limit + 1).min(self.options.concurrency.max(1));
        }
    }

    /// Schedules the next page, or what follows the last object.
    fn plan(&mut self, now: Duration) {
        let is_quiet =
            self.objects.is_empty() && self.scheduled.is_empty() && self.outstanding.is_empty();
        let Some(pages) = &mut self.pages else {
            if is_quiet {
                self.prepare(now);
            }
            return;
        };
        match pages.state {
            PagesState::Idle if self.objects.len() < PAGE_LIMIT => {
                pages.state = PagesState::Reading;
                self.schedule(now, Action::ReadPage);
            }
            PagesState::Expired if is_quiet => {
                if pages.restart() {
                    pages.state = PagesState::Reading;
                    self.schedule(now, Action::ReadPage);
                    let written = self.progress.written;
                    self.progress = Progress {
                        written,
                        ..Progress::default()
                    };
                    self.failures.clear();
                } else {
                    self.end(End::Stopped(EXPIRED.to_owned()));
                }
            }
            PagesState::Deleted if is_quiet => self.restart_after_deletion(),
            PagesState::Finished if is_quiet => self.finish_objects(now),
            _ => {}
        }
    }

    /// Schedules what comes between the definition and the first page.
    fn prepare(&mut self, now: Duration) {
        let Some(definition) = &self.definition else {
            return;
        };
        if !self.denied.is_empty() {
            let mut denied = std::mem::take(&mut self.denied);
            // The answers arrive in any order.
            denied.sort_by_key(|permission| (permission.name.is_some(), permission.verb));
            return self.end(End::Forbidden(denied));
        }
        if self.discovery_deadline.is_none() {
            self.discovery_deadline = Some(now + DISCOVERY_TIMEOUT);
            return self.schedule(now, Action::ReadDiscovery);
        }
        // The clocks may differ, so the wait is limited. It also precedes the renaming of versions
        // in `managedFields`: an API server that still serves a version writes it there.
        let changed = definition.versions_changed.unwrap_or(now);
        let settled = (changed + SETTLE_TIME).clamp(now, now + SETTLE_TIME);
        let pages = self.pages.insert(Pages::new());
        pages.state = PagesState::Reading;
        self.schedule(settled, Action::ReadPage);
    }

    /// Takes the next request. Objects whose next attempt is not due hold the place of their write.
    fn take_due(&mut self, now: Duration) -> Option<Attempt> {
        let sent = count_writes(self.outstanding.values());
        let is_full = sent >= self.write_limit;
        let mut due = self.scheduled.range(..=(now, u64::MAX));
        let next = due.find(|(_, attempt)| !is_full || !attempt.is_write());
        if let Some((&key, _)) = next {
            return self.scheduled.remove(&key);
        }
        if sent + count_writes(self.scheduled.values()) >= self.write_limit {
            return None;
        }
        let action = Action::Write(self.objects.pop_front()?);
        Some(Attempt { action, earlier: 0 })
    }

    fn send(&mut self, attempt: Attempt) -> Request {
        self.next_number += 1;
        let id = self.next_number;
        let request = self.request(id, &attempt.action);
        self.outstanding.insert(id, attempt);
        request
    }

    fn request(&self, id: RequestId, action: &Action) -> Request {
        let definition_path = format!("{DEFINITIONS}/{}", self.name);
        let get = |path: String, accept| Request {
            id,
            method: "GET",
            path,
            accept,
            body: None,
        };
        let Some(definition) = &self.definition else {
            return get(definition_path, JSON);
        };
        match action {
            Action::ReadDefinition | Action::RereadDefinition => get(definition_path, JSON),
            Action::Review(permission) => Request {
                id,
                method: "POST",
                path: REVIEWS.to_owned(),
                accept: JSON,
                body: Some((JSON, review_of(permission))),
            },
            Action::ReadDiscovery => {
                let version = definition.working_version();
                get(format!("/apis/{}/{version}", definition.group), JSON)
            }
            Action::ReadPage => get(self.page_path(definition), METADATA_LIST),
            Action::Write(object) => self.write_request(id, object, definition),
            Action::Reread(object) => get(object.path(definition), METADATA),
            Action::RemoveStoredVersions => {
                let body = json!({
                    "metadata": {"resourceVersion": definition.resource_version},
                    "status": {"storedVersions": [definition.storage]},
                });
                Request {
                    id,
                    method: "PATCH",
                    path: format!("{definition_path}/status?fieldManager={FIELD_MANAGER}"),
                    accept: JSON,
                    body: Some((MERGE_PATCH, body)),
                }
            }
        }
    }

    fn page_path(&self, definition: &Definition) -> String {
        let Some(pages) = &self.pages else {
            return definition.all_objects_path(definition.working_version());
        };
        let served = definition.served.get(pages.version);
        let version = served.map_or(definition.working_version(), String::as_str);
        let path = definition.all_objects_path(version);
        // Without a limit, a kind with an object that cannot be converted is not listed at all: the
        // watch cache waits for it for ever.
        let page = format!("{path}?limit={}", pages.limit);
        match &pages.token {
            Some(token) => format!("{page}&continue={}", percent_encode(token)),
            None => page,
        }
    }

    fn write_request(
        &self,
        id: RequestId,
        object: &StoredObject,
        definition: &Definition,
    ) -> Request {
        let subresource = if object.refusal.is_some() {
            "/status"
        } else {
            ""
        };
        let dry_run = if self.options.dry_run {
            "&dryRun=All"
        } else {
            ""
        };
        let path = object.path(definition);
        let version = &object.resource_version;
        let mut metadata = json!({"uid": object.uid, "resourceVersion": version});
        if let Some(entries) = &object.managed_fields {
            metadata["managedFields"] = entries.clone().into();
        }
        Request {
            id,
            method: "PATCH",
            path: format!("{path}{subresource}?fieldManager={FIELD_MANAGER}{dry_run}"),
            accept: METADATA,
            body: Some((MERGE_PATCH, json!({"metadata": metadata}))),
        }
    }

    fn definition_answered(&mut self, code: u16, body: &Value) {
        match code {
            200 => {}
            404 => return self.end(End::Refused(Refusal::NotInstalled)),
            403 => return self.forbid(self.definition_permission("get", "")),
            _ => return self.stop(code, body),
        }
        let definition = match Definition::from_object(body) {
            Ok(definition) => definition,
            Err(refusal) => return self.end(End::Refused(refusal)),
        };
        if let Some(types) = &self.options.expected_storage
            && *types != definition.storage
        {
            let (types, cluster) = (types.clone(), definition.storage);
            return self.end(End::Refused(Refusal::OtherStorage { cluster, types }));
        }
        let mut needed = vec![
            object_permission(&definition, "list"),
            object_permission(&definition, "get"),
            object_permission(&definition, "patch"),
        ];
        if !self.options.dry_run {
            needed.push(self.definition_permission("patch", "/status"));
        }
        self.definition = Some(definition);
        if self.options.review_permissions {
            for permission in needed {
                self.schedule(Duration::ZERO, Action::Review(permission));
            }
        }
    }

    fn definition_permission(&self, verb: &'static str, subresource: &str) -> Permission {
        Permission {
            verb,
            group: "apiextensions.k8s.io".to_owned(),
            resource: format!("customresourcedefinitions{subresource}"),
            name: Some(self.name.clone()),
        }
    }

    /// A review that fails proves nothing: the requests themselves tell.
    fn review_answered(&mut self, permission: Permission, code: u16, body: &Value) {
        if matches!(code, 200 | 201) && body["status"]["allowed"] == false {
            self.denied.push(permission);
        }
    }

    fn discovery_answered(&mut self, code: u16, body: &Value, now: Duration) {
        let Some(definition) = &self.definition else {
            return;
        };
        let expected =
            storage_version_hash(&definition.group, &definition.storage, &definition.kind);
        let mut resources = list_field(body, "resources").iter();
        let hash = resources
            .find(|it| it["name"] == definition.plural.as_str())
            .map(|resource| resource["storageVersionHash"].as_str());
        // An aggregated API server has no hashes.
        let is_known =
            code == 200 && matches!(hash, Some(None)) || hash.flatten() == Some(expected.as_str());
        let is_late = self
            .discovery_deadline
            .is_some_and(|deadline| now >= deadline);
        if !is_known && !is_late {
            self.schedule(now + DISCOVERY_INTERVAL, Action::ReadDiscovery);
        }
    }

    fn page_answered(&mut self, code: u16, body: &Value, now: Duration) {
        let (Some(definition), Some(pages)) = (&self.definition, &mut self.pages) else {
            return;
        };
        match code {
            // Go writes a list without objects as `[]` or `null`.
            200 => match body.get("items") {
                Some(Value::Array(_) | Value::Null) => self.take_page(body),
                _ => {
                    let message = "the API server answers a list request without a list";
                    self.end(End::Stopped(message.to_owned()));
                }
            },
            410 => match body["metadata"]["continue"].as_str() {
                // The rest of the list as it is now. Objects created since are stored as the
                // storage version.
                Some(token) if !token.is_empty() => {
                    if !pages.resume(token) {
                        self.end(End::Stopped(EXPIRED.to_owned()));
                    }
                }
                _ => pages.state = PagesState::Expired,
            },
            403 => {
                let permission = object_permission(definition, "list");
                self.forbid(permission);
            }
            404 => {
                pages.state = PagesState::Deleted;
                self.objects.clear();
                self.scheduled.clear();
            }
            500 => match pages.fail(&definition.served, &message_of(body)) {
                AfterFailure::ReadNow => {}
                AfterFailure::ReadLater(retries) => {
                    let pause = Duration::from_secs(1) * 2_u32.pow(retries);
                    self.schedule(now + pause, Action::ReadPage);
                }
                AfterFailure::GiveUp(failure) => {
                    // The API server's count of remaining objects includes this one.
                    self.progress.remaining = self.progress.remaining.saturating_sub(1);
                    self.add_failure(failure);
                }
            },
            _ => self.stop(code, body),
        }
    }

    /// The definition was deleted, and perhaps created again. Its objects are gone.
    fn restart_after_deletion(&mut self) {
        if self.has_restarted {
            return self.end(End::Changed);
        }
        self.has_restarted = true;
        self.definition = None;
        self.pages = None;
        self.discovery_deadline = None;
        self.progress = Progress::default();
        self.failures.clear();
        self.schedule(Duration::ZERO, Action::ReadDefinition);
    }

    fn take_page(&mut self, body: &Value) {
        let (Some(definition), Some(pages)) = (&self.definition, &mut self.pages) else {
            return;
        };
        let metadata = &body["metadata"];
        let items = list_field(body, "items").iter();
        let objects: Vec<_> = items
            .map(|item| StoredObject::from_metadata(&item["metadata"], definition))
            .collect();
        let token = metadata["continue"].as_str().filter(|it| !it.is_empty());
        pages.advance(
            token.map(str::to_owned),
            objects.last().map(StoredObject::key),
        );
        self.progress.remaining = metadata["remainingItemCount"].as_u64().unwrap_or_default();
        let writes_all = definition.has_old_stored_versions();
        for object in objects {
            if writes_all || object.managed_fields.is_some() {
                self.objects.push_back(object);
            } else {
                self.progress.stored += 1;
            }
        }
    }

    fn write_answered(&mut self, object: StoredObject, code: u16, body: &Value, now: Duration) {
        let Some(definition) = &self.definition else {
            return;
        };
        let has_status = definition
            .with_status
            .contains(definition.working_version());
        let message = message_of(body);
        match code {
            // Webhooks choose the code of a denial.
            _ if self.options.dry_run && lacks_dry_run(&message) => self.progress.unchecked += 1,
            _ if is_denied(body) && has_status && object.refusal.is_none() => {
                let refusal = Some(message);
                let object = StoredObject { refusal, ..object };
                self.schedule(now, Action::Write(object));
            }
            _ if is_denied(body) => self.fail(&object, FailureReason::Admission, message),
            200 => {
                let version = str_field(&body["metadata"], "resourceVersion");
                let is_written = self.options.dry_run || version != object.resource_version;
                self.progress.stored += 1;
                self.progress.written += u64::from(is_written);
            }
            404 => self.progress.gone += 1,
            409 => self.resolve_conflict(object, now),
            500 => self.retry_after_error(object, &message, now),
            403 if object.refusal.is_some() => {
                self.fail(&object, FailureReason::Admission, message);
            }
            403 => {
                let permission = object_permission(definition, "patch");
                self.forbid(permission);
            }
            422 => self.fail(&object, FailureReason::Invalid, message),
            _ => self.fail(&object, FailureReason::Server, message),
        }
    }

    fn resolve_conflict(&mut self, object: StoredObject, now: Duration) {
        let conflicts = object.conflicts + 1;
        if conflicts <= CONFLICT_RETRIES {
            let pause = Duration::from_millis(10) * 2_u32.pow(object.conflicts.min(4));
            let object = StoredObject {
                conflicts,
                ..object
            };
            self.schedule(now + pause, Action::Reread(object));
        } else if object.managed_fields.is_some() {
            let message = "it is written too often".to_owned();
            self.fail(&object, FailureReason::Contended, message);
        } else {
            // Whoever wrote it has stored it as the storage version.
            self.progress.stored += 1;
        }
    }

    fn retry_after_error(&mut self, object: StoredObject, message: &str, now: Duration) {
        if object.errors < ERROR_RETRIES && self.progress.failed < RETRIED_FAILURES {
            let pause = Duration::from_secs(1) * 2_u32.pow(object.errors);
            let errors = object.errors + 1;
            let object = StoredObject { errors, ..object };
            return self.schedule(now + pause, Action::Write(object));
        }
        self.fail(
            &object,
            FailureReason::from_error(message),
            message.to_owned(),
        );
    }

    fn reread_answered(&mut self, object: StoredObject, code: u16, body: &Value, now: Duration) {
        let Some(definition) = &self.definition else {
            return;
        };
        match code {
            200 => {
                let read = StoredObject::from_metadata(&body["metadata"], definition);
                if read.uid == object.uid {
                    let object = StoredObject {
                        resource_version: read.resource_version,
                        managed_fields: read.managed_fields,
                        ..object
                    };
                    self.schedule(now, Action::Write(object));
                } else {
                    // A new object.
                    self.progress.stored += 1;
                }
            }
            404 => self.progress.gone += 1,
            403 => {
                let permission = object_permission(definition, "get");
                self.forbid(permission);
            }
            500 => self.retry_after_error(object, &message_of(body), now),
            _ => self.fail(&object, FailureReason::Server, message_of(body)),
        }
    }

    /// Adds the failure of an object. A refused object has failed for that reason, although it was
    /// sent through `/status` since.
    fn fail(&mut self, object: &StoredObject, reason: FailureReason, message: String) {
        let (reason, message) = match &object.refusal {
            Some(refusal) if *refusal == message => (FailureReason::Admission, message),
            Some(refusal) => (
                FailureReason::Admission,
                format!("{refusal}; through its status: {message}"),
            ),
            None => (reason, message),
        };
        let version = self.definition.as_ref().map(Definition::working_version);
        self.add_failure(ObjectFailure {
            object: FailedObject::Named(object.namespace.clone(), object.name.clone()),
            version: version.unwrap_or_default().to_owned(),
            reason,
            message,
        });
    }

    fn add_failure(&mut self, failure: ObjectFailure) {
        self.progress.failed += 1;
        if self.failures.len() < MAX_FAILURES {
            self.failures.push(failure);
        }
    }

    fn finish_objects(&mut self, now: Duration) {
        let has_old_versions = self
            .definition
            .as_ref()
            .is_some_and(Definition::has_old_stored_versions);
        if self.progress.gone > 0 && !self.is_confirmed {
            // Perhaps the definition is gone, too.
            self.schedule(now, Action::RereadDefinition);
        } else if self.progress.failed > 0 {
            self.end(End::Failed);
        } else if self.options.dry_run {
            self.end(End::Checked);
        } else if has_old_versions {
            self.schedule(now, Action::RemoveStoredVersions);
        } else if self.progress.written > 0 {
            self.end(End::Migrated);
        } else {
            self.end(End::NothingToDo);
        }
    }

    fn removal_answered(&mut self, code: u16, body: &Value, now: Duration) {
        match code {
            200 => self.end(End::Migrated),
            _ if is_denied(body) => self.stop(code, body),
            409 if self.definition_conflicts >= CONFLICT_RETRIES => self.end(End::Changed),
            409 => {
                self.definition_conflicts += 1;
                self.schedule(now, Action::RereadDefinition);
            }
            404 => self.end(End::Refused(Refusal::NotInstalled)),
            403 => self.forbid(self.definition_permission("patch", "/status")),
            _ => self.stop(code, body),
        }
    }

    /// Compares the definition with the one that the migration began with. If its `spec` is
    /// unchanged, the storage version was the same all the time.
    fn definition_reread(&mut self, code: u16, body: &Value) {
        let Some(definition) = &mut self.definition else {
            return;
        };
        match (code, Definition::from_object(body)) {
            (200, Ok(read))
                if read.uid == definition.uid && read.generation == definition.generation =>
            {
                definition.resource_version = read.resource_version;
                self.is_confirmed = true;
            }
            (200, Ok(_)) => self.end(End::Changed),
            (200, Err(refusal)) => self.end(End::Refused(refusal)),
            (404, _) => self.end(End::Refused(Refusal::NotInstalled)),
            _ => self.stop(code, body),
        }
    }
}

fn count_writes<'a>(attempts: impl Iterator<Item = &'a Attempt>) -> usize {
    attempts.filter(|attempt| attempt.is_write()).count()
}

fn object_permission(definition: &Definition, verb: &'static str) -> Permission {
    Permission {
        verb,
        group: definition.group.clone(),
        resource: definition.plural.clone(),
        name: None,
    }
}

fn review_of(permission: &Permission) -> Value {
    let (resource, subresource) = permission
        .resource
        .split_once('/')
        .unwrap_or((&permission.resource, ""));
    json!({
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": {
            "verb": permission.verb,
            "group": permission.group,
            "version": "*",
            "resource": resource,
            "subresource": subresource,
            "name": permission.name.as_deref().unwrap_or_default(),
        }},
    })
}

/// Whether an answer is the refusal of a webhook (`webhook/errors/statuserror.go` of
/// k8s.io/apiserver), which chooses the code, or of a ValidatingAdmissionPolicy. The message about
/// a webhook that cannot be called begins with `Internal error occurred: failed calling webhook`.
fn is_denied(status: &Value) -> bool {
    let message = str_field(status, "message");
    message.starts_with("admission webhook \"") || message.contains("ValidatingAdmissionPolicy '")
}

/// Whether a webhook is not called in dry runs, since it has side effects.
fn lacks_dry_run(message: &str) -> bool {
    message.starts_with("admission webhook \"") && message.ends_with("\" does not support dry run")
}

fn message_of(status: &Value) -> String {
    str_field(status, "message").to_owned()
}

/// Encodes a value of a query.
fn percent_encode(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                char::from(byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        })
        .collect()
}
