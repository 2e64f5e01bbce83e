//! When a run is killed: a seed decides.

use liaison_ports::{clock::EntropySource, fake::SeededEntropy};
use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::sync::mpsc;

/// A moment of the exchange that can be recognised from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// The process was started.
    Starting,
    /// The workflow registers its need: the request is on its way.
    Registering,
    /// It was registered; the question is planned, worded and stored.
    Registered,
    /// The daemon said DATA for the question, and has no answer yet.
    AskCommand,
    /// It was told to go on: the point of no return.
    AskBody,
    /// It sent the whole message, and has no answer yet.
    AskDot,
    /// It was told that the message is taken, and writes that down.
    AskAnswered,
    /// The reply is handed in: the request is on its way.
    Replying,
    /// The reply was taken; it is read, and the need settles.
    Replied,
    /// The same around the hand-over of the thanks.
    ThanksCommand,
    /// ...
    ThanksBody,
    /// ...
    ThanksDot,
    /// ...
    ThanksAnswered,
    /// The workflow has its outcome.
    Settled,
}

impl Stage {
    pub(crate) const ALL: [Self; 14] = [
        Self::Starting,
        Self::Registering,
        Self::Registered,
        Self::AskCommand,
        Self::AskBody,
        Self::AskDot,
        Self::AskAnswered,
        Self::Replying,
        Self::Replied,
        Self::ThanksCommand,
        Self::ThanksBody,
        Self::ThanksDot,
        Self::ThanksAnswered,
        Self::Settled,
    ];

    /// Within how long after the stage the kill comes, in microseconds: about as long as what
    /// happens then takes.
    fn window(self) -> u64 {
        match self {
            Self::Starting => 250_000,
            Self::Registering | Self::Replying => 15_000,
            Self::Registered | Self::Replied | Self::Settled => 60_000,
            Self::AskBody | Self::ThanksBody => 6_000,
            Self::AskAnswered | Self::ThanksAnswered => 8_000,
            Self::AskCommand | Self::AskDot | Self::ThanksCommand | Self::ThanksDot => 2_000,
        }
    }
}

/// One kill.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kill {
    /// At which stage.
    pub(crate) stage: Stage,
    /// How long after it.
    pub(crate) after: Duration,
    /// How.
    pub(crate) manner: Manner,
}

/// How a daemon is ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// With SIGKILL.
    Kill {
        /// Whether a message that hangs between the daemon and the mail server arrives all the
        /// same.
        arrives: bool,
    },
    /// With SIGTERM, while the mail server is slow.
    Stop,
}

/// The kills of one run, each carried out when its stage is first reached.
#[derive(Debug)]
pub(crate) struct Plan {
    waiting: Mutex<Vec<Kill>>,
    ordered: mpsc::UnboundedSender<Kill>,
    under_way: AtomicUsize,
}

impl Plan {
    /// The plan of a seed, and where its kills are ordered. Every stage begins the plan of one seed
    /// in fourteen; up to three others follow.
    pub(crate) fn new(seed: u64) -> (Self, mpsc::UnboundedReceiver<Kill>) {
        let mut random = Random::new(seed);
        let first = Stage::ALL[(seed % Stage::ALL.len() as u64) as usize];
        let mut stages = vec![first];
        for _ in 0..1 + random.below(3) {
            let stage = Stage::ALL[random.below(Stage::ALL.len() as u64) as usize];
            if !stages.contains(&stage) {
                stages.push(stage);
            }
        }
        let kills = stages
            .into_iter()
            .map(|stage| Kill {
                stage,
                after: Duration::from_micros(random.below(stage.window())),
                manner: Manner::Kill {
                    arrives: random.below(2) == 0,
                },
            })
            .collect();
        Self::of(kills)
    }

    /// A plan with these kills.
    pub(crate) fn of(kills: Vec<Kill>) -> (Self, mpsc::UnboundedReceiver<Kill>) {
        let (ordered, orders) = mpsc::unbounded_channel();
        let plan = Self {
            waiting: Mutex::new(kills),
            ordered,
            under_way: AtomicUsize::new(0),
        };
        (plan, orders)
    }

    /// Says that a stage is reached; if a kill is planned for it, that is on its way now.
    pub(crate) fn reached(&self, stage: Stage) -> Option<Kill> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let place = waiting.iter().position(|kill| kill.stage == stage)?;
        let kill = waiting.remove(place);
        self.under_way.fetch_add(1, Ordering::SeqCst);
        // The executioner goes away with its run.
        let _ = self.ordered.send(kill);
        Some(kill)
    }

    /// Whether nothing is killed, only told to stop.
    pub(crate) fn is_kind(&self) -> bool {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.iter().all(|kill| kill.manner == Manner::Stop)
    }

    /// Says that a kill was carried out and the daemon started again.
    pub(crate) fn done(&self) {
        self.under_way.fetch_sub(1, Ordering::SeqCst);
    }

    /// Whether no kill is on its way.
    pub(crate) fn is_at_rest(&self) -> bool {
        self.under_way.load(Ordering::SeqCst) == 0
    }
}

/// A stream of numbers that its seed decides.
pub(crate) struct Random(SeededEntropy);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(SeededEntropy::new(seed))
    }

    /// A number from 0 up to and without `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        let bytes = self.0.draw().0;
        let mut word = [0; 8];
        word.copy_from_slice(&bytes[..8]);
        u64::from_be_bytes(word) % end
    }
}
