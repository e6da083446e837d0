/* pub struct Comment;
