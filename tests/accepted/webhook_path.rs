//! `path` of `#[webhook]` becomes the `PATH` of the impl, which is otherwise unchanged.
trait Validator {
    type Object;
    const PATH: ::core::option::Option<&'static str> = None;
    fn validate(&self) -> bool;
}

struct Task;

struct Option;

#[genclient::webhook(path = "/validate-tasks", timeout = 5)]
impl Validator for Task {
    type Object = Task;
    fn validate(&self) -> bool {
        true
    }
}

#[genclient::webhook]
impl<T> Validator for (T,)
where
    T: Clone,
{
    type Object = Task;
    fn validate(&self) -> bool {
        false
    }
}

#[test]
fn path_becomes_a_constant() {
    let _ = Option;
    assert_eq!(Task::PATH, Some("/validate-tasks"));
    assert_eq!(<(u8,)>::PATH, None);
    assert!(Task.validate() && !(1,).validate());
}
