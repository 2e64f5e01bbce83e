//! What can happen, and how likely.

use crate::world::{Reader, address, zone};
use jiff::civil::{Time, Weekday, date};
use liaison_core::{
    calendar::{Country, CountryDays, QuietHours},
    ladder::{Ladder, Silence, Tone},
    policy::{Policy, SilentCaller, UnknownSend, Wait},
    slot::Confirm,
};
use proptest::{collection::vec, option::of, prelude::*, sample::select};
use std::collections::BTreeMap;

/// One thing that happens. Everything in it is data, so that a history that breaks a promise
/// shrinks to the few things that matter.
#[derive(Clone, Debug)]
pub(super) enum Event {
    Register(NewNeed),
    /// One of the latest needs, counted from the newest.
    Cancel(usize),
    /// The same, in this way.
    Amend(usize, Change),
    CallerSeen(usize),
    Writes(Letter),
    /// A dispatcher passes the point of no return with what waits.
    Begins,
    /// What a dispatcher has begun ends so.
    Ends(End),
    /// A whole delivery.
    Delivers(End),
    /// A report about one of the latest messages, counted from the newest, whatever is true.
    Report(usize, End),
    Bounces(usize, bool),
    /// The stakeholder's mail program says that they are away, until a day or not.
    AwayNote(bool),
    /// Their provider passes on a complaint.
    Complains,
    Commands(Command),
    Reader(Reader),
    PolicyChanges(Box<Policy>),
    /// Seconds; negative when somebody sets the clock back.
    Passes(i64),
    /// To the announced wake, or a moment before or after it.
    WakesUp(i64),
    /// One operation, after which the daemon dies.
    OneOperation,
    /// The worker does all there is to do.
    Works,
    /// Somebody asks what will happen if nobody writes.
    Foresees,
}

#[derive(Clone, Debug)]
pub(super) struct NewNeed {
    pub(super) shared: bool,
    pub(super) slots: Vec<&'static str>,
    pub(super) optional: usize,
    pub(super) hours: i64,
    pub(super) ladder: Option<Ladder>,
    pub(super) briefs: usize,
    pub(super) transcript: Vec<&'static str>,
    pub(super) another_address: bool,
    pub(super) abroad: bool,
    /// Whether its slots are constrained in another way than those of most needs.
    pub(super) other_bounds: bool,
    /// Whether its last slot rests on its first.
    pub(super) rests: bool,
    pub(super) max_age: Option<Wait>,
    pub(super) confirm: Confirm,
}

#[derive(Clone, Debug)]
pub(super) struct Change {
    /// Hours from then; negative for a deadline that is over.
    pub(super) hours: Option<i64>,
    pub(super) add: Option<&'static str>,
    pub(super) remove: Option<&'static str>,
    /// A slot that is asked with other constraints.
    pub(super) narrow: Option<&'static str>,
    /// A slot that becomes required, or does not stay so.
    pub(super) require: Option<(&'static str, bool)>,
    /// A slot that rests on another from then on, or on itself.
    pub(super) rest: Option<(&'static str, &'static str)>,
    /// A slot whose value has to be confirmed from then on, and may be as old as so many hours.
    pub(super) confirm: Option<(&'static str, Confirm, u16)>,
}

#[derive(Clone, Debug)]
pub(super) struct Letter {
    pub(super) text: &'static str,
    pub(super) stranger: bool,
    pub(super) automatic: bool,
    pub(super) attachment: bool,
    /// It names the latest message of ours that it answers.
    pub(super) answers: bool,
    /// How much later than it arrives it claims to have been written, in seconds.
    pub(super) skew: i64,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum End {
    Sent,
    BadAddress,
    Refused,
    Unknown,
}

/// The mailbox that the histories' messages are written from.
pub(super) const OURS: &str = "office@agency.example";

/// Which of those whom the person named a command means.
#[derive(Clone, Copy, Debug)]
pub(super) enum Which {
    Unnamed,
    Hold(usize),
    Address(&'static str),
}

#[derive(Clone, Debug)]
pub(super) enum Command {
    Answer,
    Resume,
    Fill(&'static str),
    Resolve(bool),
    /// Of the conversation, or of one of the latest needs, counted from the newest; for some hours
    /// or until it is lifted.
    Hold {
        need: Option<usize>,
        hours: Option<i64>,
    },
    /// One of the holds that stand.
    Release(usize),
    /// For some hours, or for good.
    Guide(Option<i64>),
    Unguide,
    Revive,
    /// At the first address alone, or at all.
    OptOut(bool),
    OptIn(bool),
    /// An answer that is only given if the state is still the one of so many operations ago, and
    /// within so many seconds.
    Guarded {
        revisions_ago: u64,
        seconds_left: i64,
    },
    TakeOver,
    HandBack,
    AcceptDelegate(Which),
    RejectDelegate(Which),
}

const SLOTS: [&str; 5] = ["arranged_by", "rent", "pets", "day", "note"];

const TEXTS: [&str; 27] = [
    "Yes, that is right.",
    "No, that is not right.",
    "Correction: 15 May 2027 suits me.",
    "Next Tuesday suits me.",
    "Please arrange it for me.",
    "I will arrange it myself.",
    "The rent is 1200.",
    "Correction: the rent is 1300.",
    "The rent is 1200 or 1300.",
    "Maybe 1200, I am not sure.",
    "Yes.",
    "No, pets are not allowed.",
    "14 May 2027 suits me.",
    "3/4 suits me.",
    "Note: the key is under the mat.",
    "I will tell you by Friday.",
    "I would rather not say.",
    "Can I pass by the office to grab the keys?",
    "I want to speak to a person.",
    "Thank you!",
    "The weather is fine over here.",
    "I'm away until 14 May 2027.",
    "Please ask my assistant Bo, bo@example.org.",
    "Or ask my assistant about this: eve@example.org.",
    "I told my assistant to write to office+7@agency.example.",
    "STOP",
    "Stop writing to me.",
];

fn new_need() -> impl Strategy<Value = NewNeed> {
    (
        any::<bool>(),
        proptest::sample::subsequence(SLOTS.to_vec(), 1..=3),
        0..2_usize,
        prop_oneof![1..48_i64, 48..1_000_i64],
        prop_oneof![3 => Just(None), 1 => ladder().prop_map(Some)],
        prop_oneof![3 => Just(0_usize), 1 => Just(1), 1 => Just(2)],
        prop_oneof![3 => Just(Vec::new()), 1 => vec(select(TEXTS.to_vec()), 1..3)],
        (proptest::bool::weighted(0.1), proptest::bool::weighted(0.1)),
        (
            proptest::bool::weighted(0.1),
            proptest::bool::weighted(0.3),
            prop_oneof![
                3 => Just(None),
                1 => Just(Some(Wait::seconds(0))),
                1 => Just(Some(Wait::days(1))),
            ],
            prop_oneof![
                4 => Just(Confirm::Never),
                1 => Just(Confirm::WhenInferred),
                1 => Just(Confirm::Always),
            ],
        ),
    )
        .prop_map(
            |(
                shared,
                slots,
                optional,
                hours,
                ladder,
                briefs,
                transcript,
                (another_address, abroad),
                (other_bounds, rests, max_age, confirm),
            )| {
                NewNeed {
                    other_bounds,
                    rests,
                    max_age,
                    confirm,
                    shared,
                    slots,
                    optional,
                    hours,
                    ladder,
                    briefs,
                    transcript,
                    another_address,
                    abroad,
                }
            },
        )
}

fn change() -> impl Strategy<Value = Change> {
    let maybe_slot = || proptest::option::weighted(0.4, select(SLOTS.to_vec()));
    (
        proptest::option::weighted(0.3, prop_oneof![9 => 1..600_i64, 1 => -10..1_i64]),
        maybe_slot(),
        maybe_slot(),
        maybe_slot(),
        proptest::option::weighted(0.2, (select(SLOTS.to_vec()), any::<bool>())),
        proptest::option::weighted(0.2, (select(SLOTS.to_vec()), select(SLOTS.to_vec()))),
        proptest::option::weighted(
            0.2,
            (
                select(SLOTS.to_vec()),
                select(vec![Confirm::Never, Confirm::WhenInferred, Confirm::Always]),
                1..200_u16,
            ),
        ),
    )
        .prop_map(
            |(hours, add, remove, narrow, require, rest, confirm)| Change {
                hours,
                add,
                remove,
                narrow,
                require,
                rest,
                confirm,
            },
        )
}

fn letter() -> impl Strategy<Value = Letter> {
    // The last texts, opt-outs, end most of what can happen; they come seldom.
    let text = prop_oneof![
        120 => select(TEXTS[..25].to_vec()),
        1 => Just(TEXTS[25]),
        1 => Just(TEXTS[26]),
    ];
    (
        text,
        proptest::bool::weighted(0.05),
        proptest::bool::weighted(0.05),
        proptest::bool::weighted(0.05),
        proptest::bool::weighted(0.2),
        prop_oneof![8 => Just(0_i64), 1 => Just(300), 1 => Just(-86_400)],
    )
        .prop_map(
            |(text, stranger, automatic, attachment, answers, skew)| Letter {
                text,
                stranger,
                automatic,
                attachment,
                answers,
                skew,
            },
        )
}

fn end() -> impl Strategy<Value = End> {
    prop_oneof![
        12 => Just(End::Sent),
        1 => Just(End::BadAddress),
        1 => Just(End::Refused),
        2 => Just(End::Unknown),
    ]
}

fn which() -> impl Strategy<Value = Which> {
    prop_oneof![
        2 => Just(Which::Unnamed),
        2 => (0..3_usize).prop_map(Which::Hold),
        1 => Just(Which::Address("bo.2@example.org")),
        1 => Just(Which::Address(OURS)),
    ]
}

fn command() -> impl Strategy<Value = Command> {
    prop_oneof![
        2 => Just(Command::Answer),
        8 => Just(Command::Resume),
        1 => select(SLOTS.to_vec()).prop_map(Command::Fill),
        3 => any::<bool>().prop_map(Command::Resolve),
        2 => (of(0..4_usize), of(select(vec![1_i64, 24, 100])))
            .prop_map(|(need, hours)| Command::Hold { need, hours }),
        2 => (0..4_usize).prop_map(Command::Release),
        1 => of(select(vec![1_i64, 48])).prop_map(Command::Guide),
        1 => Just(Command::Unguide),
        3 => Just(Command::Revive),
        1 => proptest::bool::weighted(0.7).prop_map(Command::OptOut),
        3 => any::<bool>().prop_map(Command::OptIn),
        1 => (0..2_u64, select(vec![-1_i64, 60])).prop_map(|(revisions_ago, seconds_left)| {
            Command::Guarded { revisions_ago, seconds_left }
        }),
        1 => Just(Command::TakeOver),
        3 => Just(Command::HandBack),
        2 => which().prop_map(Command::AcceptDelegate),
        1 => which().prop_map(Command::RejectDelegate),
    ]
}

fn ladder() -> impl Strategy<Value = Ladder> {
    let wait = select(vec![
        Wait::seconds(0),
        Wait::hours(1),
        Wait::days(1),
        Wait::days(3),
    ]);
    (
        vec(wait.clone(), 0..4),
        wait,
        select(vec![Silence::Hold, Silence::Unreachable, Silence::Expire]),
        vec(select(vec![Tone::Friendly, Tone::Plain, Tone::Firm]), 0..3),
    )
        .prop_map(|(waits, patience, silence, tones)| Ladder {
            waits,
            tones,
            patience,
            silence,
        })
}

const ZONES: [&str; 9] = [
    "UTC",
    "Europe/Paris",
    "America/New_York",
    "America/Sao_Paulo",
    "Australia/Lord_Howe",
    "Asia/Kathmandu",
    "Africa/Casablanca",
    "Pacific/Apia",
    "Pacific/Kiritimati",
];

/// Ana keeps the weekends of a country of which nothing is said, or of one of these.
fn countries() -> BTreeMap<Country, CountryDays> {
    let country = Country::parse("AE").expect("a country");
    let days = CountryDays {
        weekend: vec![Weekday::Friday, Weekday::Saturday],
        holidays: vec![date(2027, 5, 6), date(2026, 12, 31)],
    };
    [(country, days)].into()
}

pub(super) fn policy() -> impl Strategy<Value = Policy> {
    let clock = |hour, minute| Time::constant(hour, minute, 0, 0);
    let quiet = |from, until| Some(QuietHours { from, until });
    let hours = select(vec![
        None,
        Some(QuietHours::default()),
        quiet(clock(22, 0), clock(2, 30)),
        quiet(clock(2, 15), clock(2, 45)),
        quiet(clock(12, 0), clock(12, 0)),
        quiet(clock(9, 0), clock(8, 0)),
    ]);
    let days = select(vec![
        Vec::new(),
        vec![date(2027, 1, 1), date(2026, 12, 31), date(2028, 2, 29)],
    ]);
    let wait = |waits: &[Wait]| select(waits.to_vec());
    (
        (hours, any::<bool>(), days, select(ZONES.to_vec())),
        (
            wait(&[Wait::seconds(0), Wait::seconds(30), Wait::hours(2)]),
            wait(&[Wait::seconds(0), Wait::seconds(60)]),
            wait(&[Wait::seconds(0), Wait::hours(20), Wait::days(9)]),
            0..4_u32,
        ),
        ladder(),
        (
            wait(&[Wait::seconds(0), Wait::hours(6)]),
            0..4_u32,
            wait(&[Wait::seconds(0), Wait::seconds(30)]),
            select(vec![UnknownSend::Hold, UnknownSend::Resend]),
            select(vec![None, Some(Wait::seconds(0)), Some(Wait::days(2))]),
            (
                wait(&[Wait::seconds(0), Wait::days(1)]),
                select(vec![
                    SilentCaller::Keep,
                    SilentCaller::Cancel,
                    SilentCaller::Hold,
                ]),
            ),
            select(vec![None, Some(true), Some(false)]),
            select(vec![None, Some(Wait::seconds(0)), Some(Wait::days(1))]),
        ),
        any::<bool>(),
    )
        .prop_map(
            |(
                (quiet_hours, working_days_only, holidays, name),
                (gather, burst, minimum_gap, weekly_cap),
                ladder,
                (
                    expiry_grace,
                    reading_tries,
                    reading_backoff,
                    unknown_send,
                    probe_caller_after,
                    (probe_answer_within, silent_caller),
                    day_first,
                    escalate_holds_after,
                ),
                acknowledge,
            )| Policy {
                signature: "The agency".to_owned(),
                mailboxes: vec![address(OURS)],
                zone: zone(name),
                quiet_hours,
                working_days_only,
                holidays,
                countries: countries(),
                gather,
                burst,
                minimum_gap,
                weekly_cap,
                ladder,
                acknowledge,
                expiry_grace,
                reading_tries,
                reading_backoff,
                unknown_send,
                probe_caller_after,
                probe_answer_within,
                silent_caller,
                day_first,
                escalate_holds_after,
            },
        )
}

pub(super) fn event() -> impl Strategy<Value = Event> {
    let passes = prop_oneof![
        4 => 1..300_i64,
        4 => 300..86_400_i64,
        3 => 86_400..700_000_i64,
        1 => 700_000..2_500_000_i64,
        1 => -600_000..0_i64,
    ];
    prop_oneof![
        4 => new_need().prop_map(Event::Register),
        1 => (0..4_usize).prop_map(Event::Cancel),
        3 => (0..4_usize, change()).prop_map(|(which, change)| Event::Amend(which, change)),
        1 => (0..4_usize).prop_map(Event::CallerSeen),
        6 => letter().prop_map(Event::Writes),
        2 => Just(Event::Begins),
        2 => end().prop_map(Event::Ends),
        8 => end().prop_map(Event::Delivers),
        1 => (0..3_usize, end()).prop_map(|(which, end)| Event::Report(which, end)),
        1 => (0..3_usize, any::<bool>()).prop_map(|(which, for_good)| Event::Bounces(which, for_good)),
        1 => any::<bool>().prop_map(Event::AwayNote),
        8 => command().prop_map(Event::Commands),
        2 => prop_oneof![
            4 => Just(Reader::Honest),
            1 => any::<u8>().prop_map(Reader::Lying),
            1 => Just(Reader::Down),
        ].prop_map(Event::Reader),
        1 => proptest::bool::weighted(0.1).prop_map(|complains| match complains {
            true => Event::Complains,
            false => Event::Works,
        }),
        1 => policy().prop_map(|policy| Event::PolicyChanges(Box::new(policy))),
        6 => passes.prop_map(Event::Passes),
        8 => select(vec![-1_i64, 0, 0, 0, 1]).prop_map(Event::WakesUp),
        2 => Just(Event::OneOperation),
        20 => Just(Event::Works),
        1 => Just(Event::Foresees),
    ]
}

/// Moments before leap days, years' ends and changes of clocks, in both hemispheres.
pub(super) const STARTS: [&str; 8] = [
    "2027-05-03T08:00:00Z",
    "2028-02-28T09:00:00Z",
    "2026-12-30T12:00:00Z",
    "2026-03-27T10:00:00Z",
    "2026-10-24T10:00:00Z",
    "2027-03-12T20:00:00Z",
    "2026-10-02T23:00:00Z",
    "2026-04-03T20:00:00Z",
];
