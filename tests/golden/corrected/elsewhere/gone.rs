pub struct Gone;
