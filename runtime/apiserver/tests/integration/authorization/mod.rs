//! Authorization tests: users, roles, reviews and recorded requests.

mod dialogue;
mod users;
