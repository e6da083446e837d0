//! Kinds and types that shadow names of Rust's prelude, such as `Option` and `Box`.
#![allow(dead_code)]

pub mod v1 {
    use genclient::prelude::{ObjectMeta, genclient};

    pub struct String;
    pub struct Result;
    pub struct Some;

    #[genclient(group = "example.com")]
    pub struct Option {
        pub metadata: ObjectMeta,
        pub r#type: u8,
    }

    #[genclient(group = "example.com")]
    #[derive(Clone)]
    pub struct Box {
        pub metadata: ObjectMeta,
        pub spec: Vec<Option>,
    }
}

#[test]
fn kinds_may_shadow_the_prelude() {
    let text = r#"{"apiVersion":"example.com/v1","kind":"Option","metadata":{},"type":1}"#;
    let read: v1::Option = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap(), text);
}
