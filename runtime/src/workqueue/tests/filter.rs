//! What a filter says of hashes that it has, and of others.

use std::hash::BuildHasher;

use hashbrown::DefaultHashBuilder;

use crate::workqueue::filter::Filter;

const ROOM: usize = 10_000;

#[test]
fn filter_forgets_nothing_and_seldom_makes_things_up() {
    let hasher = DefaultHashBuilder::default();
    let mut filter = Filter::with_room(ROOM);
    let mut mistaken = 0;
    for key in 0..ROOM {
        assert!(!filter.is_full());
        mistaken += usize::from(filter.add(hasher.hash_one(key)));
    }
    assert!(filter.is_full());
    assert!(mistaken < ROOM / 50, "{mistaken}");
    for key in 0..ROOM {
        assert!(filter.add(hasher.hash_one(key)), "{key}");
    }
}
