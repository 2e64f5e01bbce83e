//! One conversation for which each rule matches and one for which it just does not; the order of
//! the rules; and the announced wakes of typical moments.

mod matching;
mod state;
mod wakes;
