pub const STRING: &str = "a;
