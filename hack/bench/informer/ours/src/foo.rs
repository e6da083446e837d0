//! The objects of the benchmark.

pub use bench_foo::{Foo, name};

/// Returns the namespace of an object. Each namespace has a thousand objects.
pub fn namespace(number: usize) -> String {
    format!("bench-{:03}", number / 1000)
}

pub fn foo(number: usize) -> Foo {
    let mut object = Foo::default();
    object.metadata.namespace = Some(namespace(number));
    object.metadata.name = Some(name(number));
    object.metadata.labels = Some(
        [
            ("app", "bench".to_owned()),
            ("shard", (number % 16).to_string()),
        ]
        .map(|(key, value)| (key.to_owned(), value))
        .into(),
    );
    object.metadata.annotations = Some(
        [(
            "example.com/owner".to_owned(),
            format!("team-{}", number % 100),
        )]
        .into(),
    );
    object.spec.deployment_name = format!("deploy-{number}");
    object.spec.replicas = Some(1 + (number % 7) as i32);
    object
}
