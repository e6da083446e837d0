//! Rust's scalar types: booleans, strings, characters, integers, floats and IP addresses.

pub mod v1 {
    use genclient::prelude::*;
    use std::borrow::Cow;

    #[genclient]
    #[group = "plain.example.com"]
    pub struct Plain {
        pub metadata: ObjectMeta,
        pub spec: PlainSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct PlainSpec {
        pub a: bool,
        pub b: String,
        pub c: Cow<'static, str>,
        pub d: char,
        pub e: i8,
        pub f: i16,
        pub g: i32,
        pub h: i64,
        pub i: isize,
        pub j: u8,
        pub k: u16,
        pub l: u32,
        pub m: u64,
        pub n: usize,
        pub o: f32,
        pub p: f64,
        pub q: Box<std::net::Ipv4Addr>,
        pub r: std::net::Ipv6Addr,
        pub s: std::net::IpAddr,
    }
}
