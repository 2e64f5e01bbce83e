//! Scripted faults.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
    time::Duration,
};

/// Where in a session a fault strikes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// In the place of the greeting.
    Greeting,
    /// At EHLO.
    Hello,
    /// At AUTH.
    Auth,
    /// At MAIL FROM.
    Mail,
    /// At RCPT TO.
    Recipient,
    /// At DATA.
    Data,
    /// After 354, before anything of the message is read.
    Message,
    /// After the final dot, before the message is kept.
    FinalDot,
    /// After the message was kept, in the place of the 250.
    Kept,
}

/// What happens there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// This line is the answer (`451 4.3.0 later`; CRLF is added). At [`Step::Message`] and
    /// [`Step::FinalDot`] the message is read and thrown away.
    Answer(String),
    /// The connection is closed.
    Close,
    /// All goes on as if nothing were, after this long.
    Wait(Duration),
    /// All goes on as if nothing were, but every byte of the answer comes this long after the one
    /// before.
    Drip(Duration),
    /// Nothing happens any more; the connection stays open.
    Hang,
}

/// The faults still to come.
#[derive(Default)]
pub(super) struct Script(Mutex<VecDeque<(Step, Action, usize)>>);

impl Script {
    pub(super) fn add(&self, step: Step, action: Action, times: usize) {
        if times > 0 {
            let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            lines.push_back((step, action, times));
        }
    }

    /// The fault for this arrival at `step`.
    pub(super) fn next(&self, step: Step) -> Option<Action> {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = lines.iter().position(|(when, _, _)| *when == step)?;
        let (_, action, times) = &mut lines[at];
        let action = action.clone();
        *times -= 1;
        if *times == 0 {
            lines.remove(at);
        }
        Some(action)
    }
}
