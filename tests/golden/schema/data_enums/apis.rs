//! Enums with data in each of serde's representations: schemas of objects or scalars, with an
//! alternative of `oneOf` or `anyOf` for each variant.

pub mod v1 {
    use std::collections::BTreeMap;

    use genclient::prelude::*;

    #[genclient]
    #[group = "data.example.com"]
    pub struct Choice {
        pub metadata: ObjectMeta,
        pub external: External,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub internal: Option<Internal>,
        pub nullable: Option<Adjacent>,
        pub all: Vec<Adjacent>,
        pub by_name: BTreeMap<Name, Closed>,
        pub by_number: BTreeMap<u16, String>,
        pub untagged: Untagged,
        pub port: Port,
        pub number: Number,
        pub other: Other,
        pub open: Open,
        pub generic: Either<String, i32>,
        pub generic_names: Either<Name, Name>,
        pub tag_only: TagOnly,
        pub mixed: Mixed,
        pub widths: Widths,
        pub content: Content,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub beside: Option<Beside>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub either_way: Option<EitherWay>,
    }

    /// Externally tagged: the name of the property selects the variant.
    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "camelCase", rename_all_fields = "kebab-case")]
    pub enum External {
        /// Stop immediately.
        StopNow {},
        /// Distance to go.
        GoOn(#[crd(minimum = 1)] i32),
        MayBe(Option<Point>),
        #[serde(rename = "square")]
        Rect {
            /// Length of one side.
            side_length: i32,
            #[crd(max_length = 9)]
            name: Option<String>,
        },
        #[serde(rename_all = "UPPERCASE")]
        Loud {
            side_length: i32,
        },
        Boxed(Box<Point>),
        #[serde(skip)]
        Never(i32),
    }

    /// Point in the plane.
    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Point {
        pub x: i32,
        pub y: i32,
    }

    /// Internally tagged: the property `type` is next to the fields of the variant.
    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(tag = "type", rename_all_fields = "camelCase")]
    pub enum Internal {
        None,
        At(Point),
        Near {
            x: i32,
            #[crd(maximum = 10)]
            how_near: i32,
        },
        Far {
            #[crd(minimum = 100)]
            how_near: i32,
            #[serde(default)]
            note: String,
        },
        Chosen(External),
        Any(BTreeMap<String, serde_json::Value>),
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(tag = "t", content = "c")]
    pub enum Adjacent {
        Nothing,
        At(Point),
        Sized {
            x: i32,
            width: i32,
        },
        #[serde(rename = "maybe")]
        Maybe(Option<Point>),
        #[serde(other)]
        Unknown,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(tag = "t", content = "c")]
    pub enum Content {
        Label(#[crd(max_length = 63)] String),
        Name(String),
    }

    #[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord, CrdSchema)]
    pub enum Name {
        A,
        B,
    }

    /// Internally tagged, and each variant rejects the fields of others.
    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(tag = "kind", deny_unknown_fields)]
    pub enum Closed {
        Git { url: String },
        File { path: String, mode: i32 },
        Nothing,
    }

    /// Internally tagged, and some variants contain a type that rejects the fields of others.
    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(tag = "type")]
    pub enum Beside {
        Chosen(Chosen),
        Strict(Box<Strict>),
        Point(Point),
        Named { level: String, name: Option<String> },
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(untagged)]
    pub enum EitherWay {
        Strict(Strict),
        Chosen(Chosen),
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "camelCase")]
    pub enum Chosen {
        Go { speed: i32 },
        Stop {},
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(deny_unknown_fields)]
    pub struct Strict {
        pub x: i32,
        pub name: Option<String>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(untagged)]
    pub enum Untagged {
        Cpu {
            cores: i32,
        },
        Memory {
            bytes: i64,
            #[serde(skip_serializing_if = "Option::is_none")]
            swap: Option<i64>,
        },
    }

    /// Number or name of a port.
    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(untagged)]
    pub enum Port {
        Number(u16),
        Name(Name),
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(untagged)]
    pub enum Number {
        Whole(i64),
        Float(f64),
    }

    /// Protocol. Unknown values are kept as `Custom`.
    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub enum Other {
        Http,
        Https,
        #[serde(untagged)]
        Custom(String),
    }

    /// Protocol. Unknown values are read as `Unknown`.
    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub enum Open {
        Http,
        #[serde(other)]
        Unknown,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub enum Either<L, R> {
        Left(L),
        Right { value: R },
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(tag = "type", rename_all = "lowercase")]
    pub enum TagOnly {
        On,
        Off,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(tag = "type")]
    pub enum Mixed {
        Known {
            name: String,
        },
        #[serde(untagged)]
        Raw(Point),
    }

    /// A field with a different integer type in each variant, and an immutable field in all.
    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(tag = "type")]
    pub enum Widths {
        Narrow {
            size: i32,
            #[crd(max_length = 63, immutable)]
            name: String,
        },
        Wide {
            size: i64,
            #[crd(max_length = 63, immutable)]
            name: String,
        },
        Byte {
            size: u8,
            #[crd(max_length = 63, immutable)]
            name: String,
        },
    }
}
