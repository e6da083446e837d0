pub fn f( {}
