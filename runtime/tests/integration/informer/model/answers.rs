//! Responses of the model of an API server.

use super::super::scripted::*;
use super::source::{Inner, Watch};
use super::tally::Happened;

/// Number of objects per page.
const PAGE: usize = 2;

impl Inner {
    pub(super) fn answer(&mut self, request: &Recorded) -> Answer {
        if self.faults > 0 {
            self.faults -= 1;
            return self.fault();
        }
        let namespace = request
            .path
            .strip_prefix("/api/v1/namespaces/")
            .map(|path| path.split('/').next().unwrap().to_owned());
        let text = |key| request.query.get(key).map_or("", String::as_str);
        let version = text("resourceVersion");
        match (text("watch"), text("sendInitialEvents")) {
            ("", _) => match text("continue") {
                "" => self.list(namespace, version, !text("limit").is_empty()),
                token => self.next_page(namespace, token),
            },
            (_, "") => self.watch(namespace, version),
            (..) => self.watch_list(namespace, version),
        }
    }

    fn fault(&mut self) -> Answer {
        self.tally.count(Happened::Fault);
        match self.chance.below(8) {
            0 => refused_connection(),
            1 => refuse(429, "TooManyRequests"),
            2 => refuse(503, "ServiceUnavailable"),
            3 => refuse(500, "InternalError"),
            4 => refuse(403, "Forbidden"),
            5 => body(200, "<html>a proxy's page</html>"),
            6 => stream([]).broken(),
            _ => hang(),
        }
    }

    fn gone(&mut self, what: Happened) -> Answer {
        self.tally.count(what);
        refuse(410, "Expired")
    }

    /// Returns any version that satisfies `wanted`, or `None` if it is expired.
    fn version_for(&mut self, wanted: &str) -> Option<u64> {
        let newest = self.history.version();
        let wanted = match wanted {
            "" => return Some(newest),
            "0" => self.compacted,
            wanted => wanted.parse().unwrap(),
        };
        if wanted < self.compacted && self.chance.once_in(2) {
            return None;
        }
        let least = wanted.max(self.compacted);
        Some(self.chance.between(least, newest))
    }

    /// Records that a list was sent completely.
    fn listed(&mut self, namespace: Option<String>, version: u64) {
        if let Some(told) = self.told.get_mut(&namespace) {
            self.tally.count(Happened::Relist);
            if version < *told {
                self.tally.count(Happened::RelistBehind);
            }
            *told = version.max(*told);
        } else {
            self.told.insert(namespace, version);
        }
    }

    fn list(&mut self, namespace: Option<String>, wanted: &str, limited: bool) -> Answer {
        let Some(version) = self.version_for(wanted) else {
            return self.gone(Happened::ListGone);
        };
        if limited && self.chance.once_in(2) {
            return self.page(namespace, version, 0);
        }
        self.tally.count(Happened::List);
        let objects = self.history.state(namespace.as_deref(), version);
        self.listed(namespace, version);
        list(&version.to_string(), objects.iter().map(String::as_str))
    }

    fn next_page(&mut self, namespace: Option<String>, token: &str) -> Answer {
        let (version, first) = token.split_once('-').unwrap();
        let (version, first) = (version.parse().unwrap(), first.parse().unwrap());
        // As if the continue token had expired since the previous page.
        if version < self.compacted || self.chance.once_in(8) {
            return self.gone(Happened::PageGone);
        }
        self.page(namespace, version, first)
    }

    fn page(&mut self, namespace: Option<String>, version: u64, first: usize) -> Answer {
        self.tally.count(Happened::Page);
        let objects = self.history.state(namespace.as_deref(), version);
        let next = first + PAGE;
        let token = if next < objects.len() {
            format!("{version}-{next}")
        } else {
            self.listed(namespace, version);
            String::new()
        };
        let page_of = objects.iter().skip(first).take(PAGE);
        page(&version.to_string(), page_of.map(String::as_str), &token)
    }

    fn watch(&mut self, namespace: Option<String>, from: &str) -> Answer {
        let from = from.parse().unwrap();
        if from < self.compacted {
            let refused = self.gone(Happened::WatchGone);
            return if self.chance.once_in(2) {
                refused
            } else {
                stream([failed(410, "Expired")])
            };
        }
        self.tally.count(Happened::Watch);
        let (feed, answer) = feed();
        self.follow(feed, namespace, from);
        answer
    }

    fn watch_list(&mut self, namespace: Option<String>, wanted: &str) -> Answer {
        if self.chance.once_in(4) {
            return refuse(422, "Invalid");
        }
        let Some(first) = self.version_for(wanted) else {
            return self.gone(Happened::ListGone);
        };
        let (feed, answer) = feed();
        for object in self.history.state(namespace.as_deref(), first) {
            feed.line(added(&object));
        }
        // Objects may change while the list is streamed, and the stream may break off.
        let last = self.chance.between(first, self.history.version());
        for (_, line) in self.history.between(namespace.as_deref(), first, last) {
            feed.line(line);
        }
        if self.chance.once_in(8) {
            return answer;
        }
        feed.line(initial_events_end(&last.to_string()));
        self.tally.count(Happened::StreamedList);
        self.listed(namespace.clone(), last);
        self.follow(feed, namespace, last);
        answer
    }

    /// Sends all events after `from`, and future ones. They may be lost with the connection.
    fn follow(&mut self, feed: Feed, namespace: Option<String>, from: u64) {
        let told = self.told.entry(namespace.clone()).or_default();
        let newest = self.history.version();
        let is_lost = self.chance.once_in(20);
        for (version, line) in self.history.between(namespace.as_deref(), from, newest) {
            if version <= *told {
                self.tally.count(Happened::EventAgain);
            }
            if !is_lost {
                feed.line(line);
            }
        }
        *told = (*told).max(newest);
        if is_lost {
            self.tally.count(Happened::WatchLost);
            return;
        }
        if self.chance.once_in(10) {
            self.tally.count(Happened::WatchBrief);
            return;
        }
        self.watches.push(Watch {
            feed,
            namespace,
            told: newest,
        });
    }
}
