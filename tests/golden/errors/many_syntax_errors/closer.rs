pub fn f() }
