//! Lists of events that shrink fast: whole stretches are left out first, then smaller ones, then
//! single events. A history of some hundred events is so brought down to the few that matter in
//! some dozen runs.

use proptest::{
    strategy::{NewTree, Strategy, ValueTree},
    test_runner::TestRunner,
};
use std::{fmt, ops::Range};

/// Events in order.
#[derive(Clone)]
pub(crate) struct History<T>(pub(crate) Vec<T>);

/// One event a line, so that a history can be read, and copied into a test.
impl<T: fmt::Debug> fmt::Debug for History<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for event in &self.0 {
            write!(f, "\n    {event:?},")?;
        }
        Ok(())
    }
}

/// Histories of so many events.
#[derive(Clone, Debug)]
pub(crate) struct Histories<S> {
    pub(crate) event: S,
    pub(crate) length: Range<usize>,
}

impl<S: Strategy + fmt::Debug> Strategy for Histories<S>
where
    S::Value: Clone,
{
    type Tree = Tree<S::Value>;
    type Value = History<S::Value>;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let length = self.length.clone().new_tree(runner)?.current();
        let events = (0..length)
            .map(|_| Ok(self.event.new_tree(runner)?.current()))
            .collect::<Result<Vec<_>, proptest::test_runner::Reason>>()?;
        Ok(Tree {
            chunk: events.len().div_ceil(2),
            // What comes last matters least: nothing after the broken promise does.
            end: events.len(),
            before: None,
            events,
        })
    }
}

/// A history that is being shrunk.
#[derive(Clone, Debug)]
pub(crate) struct Tree<T> {
    events: Vec<T>,
    /// How many events are left out at once.
    chunk: usize,
    /// The stretch to leave out next ends here.
    end: usize,
    /// The events before the last stretch was left out, and where it began.
    before: Option<(Vec<T>, usize)>,
}

impl<T: Clone + fmt::Debug> ValueTree for Tree<T> {
    type Value = History<T>;

    fn current(&self) -> History<T> {
        History(self.events.clone())
    }

    fn simplify(&mut self) -> bool {
        if self.end == 0 {
            if self.chunk <= 1 {
                return false;
            }
            self.chunk = self.chunk.div_ceil(2);
            self.end = self.events.len();
        }
        if self.events.is_empty() {
            return false;
        }
        let start = self.end.saturating_sub(self.chunk);
        self.before = Some((self.events.clone(), start));
        self.events.drain(start..self.end);
        self.end = start;
        true
    }

    fn complicate(&mut self) -> bool {
        match self.before.take() {
            Some((events, start)) => {
                self.events = events;
                self.end = start;
                true
            }
            None => false,
        }
    }
}
