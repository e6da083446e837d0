//! Context of docs/times.md.

use chrono::{DateTime, Utc};
use genclient::prelude::*;
use k8s_openapi::jiff::{self, Timestamp};

// block: In an API type

// block: Now, earlier and later

// block: Now, earlier and later 2

fn rounded() -> anyhow::Result<Time> {
    // block: Fractions of a second
    Ok(now)
}

// block: chrono
