//! The transcript: what everybody would have seen, and why the engine did what it did.
//!
//! It is written from the journal alone: each operation is applied to a copy of the conversation,
//! and what has changed is told. So a transcript is also a replay.

mod changes;
mod ending;
mod names;
mod page;

use crate::{
    play::RegisteredNeed,
    scenario::{Act, CallerAct, Happening, Mail, Scenario, Step},
};
use jiff::{Timestamp, tz::TimeZone};
use liaison_core::{
    conversation::{Conversation, MessageKind},
    counting,
    effect::{Effect, OutboundMessage},
    id::ConversationId,
    input::{Fate, Input},
    journal::{Operation, Work},
    need::Outcome,
    phase::{Explanation, Phase, explain},
    transition::{self, Divergence},
};
use liaison_ports::store::{JournalPage, Unmatched};
use names::Names;
use page::Page;
use std::collections::BTreeMap;

pub(crate) struct Tale {
    page: Page,
    names: Names,
    people: BTreeMap<String, (String, TimeZone)>,
    zone: TimeZone,
    followed: BTreeMap<ConversationId, Followed>,
    /// How each need ended, in the order of their registrations.
    endings: Vec<(String, Option<Ending>)>,
    written: BTreeMap<String, usize>,
    unmatched: Vec<Unmatched>,
}

/// How a need ended.
struct Ending {
    said: Vec<String>,
    outcome: Outcome,
}

/// A conversation, as far as it has been told.
struct Followed {
    person: String,
    conversation: Conversation,
    sent: Vec<Happening>,
    decided: usize,
    rest: String,
}

impl Tale {
    pub(crate) fn new(scenario: &Scenario) -> Self {
        let people: BTreeMap<_, _> = scenario
            .people
            .iter()
            .map(|(key, person)| (key.clone(), (person.name.clone(), person.zone.clone())))
            .collect();
        let mut zones: Vec<&TimeZone> = people.values().map(|(_, zone)| zone).collect();
        zones.dedup();
        Self {
            page: Page::new(&scenario.title, &scenario.story, zones.len() > 1),
            names: Names::default(),
            zone: scenario.zone.clone(),
            followed: BTreeMap::new(),
            endings: Vec::new(),
            written: BTreeMap::new(),
            unmatched: Vec::new(),
            people,
        }
    }

    /// What was sent so far to a person, or to anybody.
    pub(crate) fn happened(&self, person: Option<&str>) -> Vec<Happening> {
        let mut sent: Vec<Happening> = self
            .followed
            .values()
            .filter(|followed| person.is_none_or(|person| followed.person == person))
            .flat_map(|followed| followed.sent.iter().copied())
            .collect();
        sent.sort_by_key(|message| message.at);
        sent
    }

    /// How many operations of a conversation have been told.
    pub(crate) fn seen(&self, conversation: &ConversationId) -> u64 {
        self.followed
            .get(conversation)
            .map_or(0, |followed| followed.conversation.revision)
    }

    pub(crate) fn so_far(&self) -> String {
        self.page.text().to_owned()
    }

    /// A text with names instead of ids.
    pub(crate) fn named(&self, text: &str) -> String {
        self.names.in_text(text, &self.zone)
    }

    /// Tells a step.
    pub(crate) fn step(&mut self, at: Timestamp, step: &Step, scenario: &Scenario) {
        let zone = scenario.clock_of(step).clone();
        self.page.time(at, &zone);
        if let Some(note) = &step.note {
            self.page.line(&format!("({})", note.trim()));
        }
        let person = step.act.person(scenario).unwrap_or_default();
        let name = self.name_of(person);
        match &step.act {
            Act::Register { need } => {
                let body = scenario.needs.get(need).map(|need| &need.body);
                let goal = body.and_then(|body| body["goal"].as_str()).unwrap_or("");
                let deadline = body
                    .and_then(|body| body["deadline"].as_str())
                    .unwrap_or("");
                self.page.line(&format!(
                    "The workflow registers {need}, about {name}: {goal}. Deadline: {deadline}."
                ));
            }
            Act::Caller { need, does } => {
                self.page.line(&match does {
                    CallerAct::Cancels => format!("The workflow takes {need} back."),
                    CallerAct::AsksAfter => format!("The workflow asks after {need}."),
                    CallerAct::Amends(_) => format!("The workflow amends {need}:"),
                    CallerAct::StillWaits => format!("The workflow still waits for {need}."),
                });
                if let CallerAct::Amends(with) = does {
                    self.fields(with);
                }
            }
            Act::Mail(mail) => self.mail(&name, mail, scenario),
            Act::Operator {
                by,
                does,
                about: _,
                with,
            } => {
                self.page.line(&format!("{by}, an operator: {does}."));
                self.fields(with);
            }
            Act::Bounce { says, for_good, .. } => self.page.line(&format!(
                "The last message to {name} comes back{}: {says}",
                match for_good {
                    true => "",
                    false => ", for now",
                }
            )),
            Act::Deliveries(deliveries) => {
                let what: Vec<String> = deliveries
                    .iter()
                    .map(|delivery| changes::spaced(&format!("{delivery:?}")))
                    .collect();
                self.page.line(&format!(
                    "From now on the mail server does this, once each: {}.",
                    what.join(", ")
                ));
            }
            Act::ReaderFails(times) => self.page.line(&format!(
                "The reader cannot be reached {}.",
                counting::times(*times)
            )),
            Act::Daemon { runs: true } => self.page.line("The daemon starts again."),
            Act::Daemon { runs: false } => self.page.line("The daemon stops."),
            Act::Policy(_) => self.page.line("The tenant's rules change."),
            Act::Nothing => {}
        }
    }

    fn fields(&mut self, body: &serde_json::Value) {
        if let serde_json::Value::Object(fields) = body {
            for (field, value) in fields {
                let value = changes::plain(value);
                self.page.quote(&format!("{field}: {value}"));
            }
        }
    }

    fn mail(&mut self, name: &str, mail: &Mail, scenario: &Scenario) {
        let known = scenario.people.get(&mail.who);
        let first = known.and_then(|person| person.emails.first());
        let own = known.is_some_and(|person| person.emails.contains(&mail.from));
        let who = match (mail.automatic, own) {
            (true, _) => format!("{name}'s mail program answers by itself"),
            (false, true) if first == Some(&mail.from) => format!("{name} writes"),
            (false, true) => format!("{name} writes from {}", mail.from),
            (false, false) if mail.in_thread => {
                format!("{} writes into {name}'s thread", mail.from)
            }
            (false, false) => format!("{} writes", mail.from),
        };
        let subject = match &mail.subject {
            Some(subject) => format!(", “{subject}”"),
            None => String::new(),
        };
        let files = match mail.files.as_slice() {
            [] => String::new(),
            files => format!(", with {}", files.join(", ")),
        };
        self.page.line(&format!("{who}{subject}{files}:"));
        for line in mail.text.lines() {
            self.page.quote(line);
        }
        *self.written.entry(mail.who.clone()).or_default() += 1;
    }

    /// Notes what the API calls a need.
    pub(crate) fn registered(&mut self, need: &str, registered: RegisteredNeed) {
        self.names.add(registered.id, need.to_owned());
        self.names.add(
            registered.conversation.to_string(),
            "the conversation".to_owned(),
        );
        if !self.endings.iter().any(|(name, _)| name == need) {
            self.endings.push((need.to_owned(), None));
        }
    }

    /// Says something beside the rest.
    pub(crate) fn aside(&mut self, what: &str) {
        self.page.line(what);
    }

    pub(crate) fn unmatched(&mut self, messages: Vec<Unmatched>) {
        self.unmatched = messages;
    }

    /// Tells the operations of a conversation that are new.
    pub(crate) fn operations(
        &mut self,
        id: &ConversationId,
        person: &str,
        journal: JournalPage,
        now: Timestamp,
    ) -> Result<(), Divergence> {
        let opening = journal.opening;
        let mut followed = self.followed.remove(id).unwrap_or_else(|| Followed {
            person: person.to_owned(),
            conversation: transition::open(opening),
            sent: Vec::new(),
            decided: 0,
            rest: String::new(),
        });
        let revision = followed.conversation.revision;
        let new = journal
            .operations
            .into_iter()
            .map(|row| row.operation)
            .filter(|operation| operation.revision >= revision);
        let mut result = Ok(());
        for operation in new {
            result = self.operation(&mut followed, &operation);
            if result.is_err() {
                break;
            }
        }
        self.rest(&mut followed, now);
        self.followed.insert(id.clone(), followed);
        result
    }

    fn operation(
        &mut self,
        followed: &mut Followed,
        operation: &Operation,
    ) -> Result<(), Divergence> {
        let zone = followed.conversation.zone();
        let before = followed.conversation.clone();
        let Operation {
            at,
            entropy,
            inputs,
            ..
        } = operation;
        let folded = transition::begin(before.clone(), inputs, *at, *entropy).abandon();
        let applied = transition::apply(&mut followed.conversation, operation)?;
        self.page.time(operation.at, &zone);
        for input in &operation.inputs {
            self.input(&input.input);
        }
        self.changed(&before, &folded, &zone);
        if !operation.phase.is_waiting() {
            let explanation = explain(&folded, operation.at);
            let won = explanation.rules.iter().find(|finding| finding.wins);
            let why = won.map_or(String::new(), |finding| finding.why.clone());
            let why = self.names.in_text(&why, &zone);
            self.page
                .mark("*", &format!("{}: {why}", phase_name(&operation.phase)));
        }
        if let Work::ReadingFailed { error } = &operation.work {
            self.page.line(&format!("The reader fails: {error}"));
        }
        self.changed(&folded, &followed.conversation, &zone);
        let known = |message: &liaison_core::id::MessageId| {
            before.sent.iter().any(|sent| sent.message == *message)
        };
        for sent in &followed.conversation.sent {
            if !known(&sent.message) {
                followed.sent.push(Happening {
                    kind: sent.kind,
                    at: sent.at,
                });
            }
        }
        for effect in &applied.effects {
            self.effect(followed, effect, &zone);
        }
        Ok(())
    }

    fn changed(&mut self, before: &Conversation, after: &Conversation, zone: &TimeZone) {
        for change in changes::between(before, after) {
            let change = self.names.in_text(&change, zone);
            self.page.line(&change);
        }
    }

    fn input(&mut self, input: &Input) {
        let Input::Dispatched { message, fate } = input else {
            return;
        };
        let message = self.names.of(message.as_str());
        self.page.line(&match fate {
            Fate::Sent { .. } => format!("{message} is sent."),
            Fate::Refused {
                reason,
                address_is_bad,
            } => match address_is_bad {
                true => format!("{message} is refused, the address is bad: {reason}"),
                false => format!("{message} is refused: {reason}"),
            },
            Fate::Unknown { why } => format!("Nobody can tell whether {message} was sent: {why}"),
            Fate::Withdrawn { why } => format!("{message} is taken back: {why}"),
        });
    }

    fn effect(&mut self, followed: &mut Followed, effect: &Effect, zone: &TimeZone) {
        match effect {
            Effect::Send(message) => self.message(followed, message),
            Effect::Resend { message } => {
                let message = self.names.of(message.as_str());
                self.page
                    .line(&format!("{message} is handed over once more."));
            }
            Effect::NeedSettled { need, outcome } => {
                let name = self.names.of(need.as_str());
                let kind = outcome.outcome.name();
                let mut said = vec![format!(
                    "{name}: {kind}, {}",
                    names::moment(outcome.at, zone)
                )];
                for (slot, value) in &outcome.slots {
                    let value = serde_json::to_value(value).unwrap_or_default();
                    said.push(self.names.in_text(
                        &format!("{slot} = {}", changes::value_and_evidence(&value)),
                        zone,
                    ));
                }
                self.page.mark("!", &format!("{name} is {kind}."));
                if let Some((_, ending)) = self.endings.iter_mut().find(|(n, _)| *n == name) {
                    *ending = Some(Ending {
                        said,
                        outcome: (**outcome).clone(),
                    });
                }
            }
            Effect::Event { need, event } => {
                let name = self.names.of(need.as_str());
                let event = serde_json::to_value(event).unwrap_or_default();
                let said = self
                    .names
                    .in_text(&changes::described(&event, "event"), zone);
                let said = said.trim_end_matches('.');
                self.page
                    .mark("!", &format!("The workflow of {name} is told: {said}."));
            }
            Effect::NeedAmended { amendment } => {
                let name = self.names.of(amendment.need.as_str());
                self.page.line(&format!("{name} is amended."));
            }
            // What comes of these is told when it has.
            Effect::Recall { .. } | Effect::Resolve { .. } => {}
        }
    }

    fn message(&mut self, followed: &mut Followed, message: &OutboundMessage) {
        followed.decided += 1;
        let number = match self.people.len() {
            1 => format!("Message {}", followed.decided),
            _ => format!(
                "Message {} to {}",
                followed.decided,
                self.name_of(&followed.person)
            ),
        };
        self.names.add(message.id.to_string(), number.clone());
        let contact = followed.conversation.stakeholder.contact(&message.plan.to);
        let to = contact
            .and_then(|contact| contact.name.clone())
            .unwrap_or_else(|| self.name_of(&followed.person));
        self.page.line(&format!(
            "{} to {to} <{}>: {}",
            number.split(" to ").next().unwrap_or(&number),
            message.plan.to,
            message.draft.subject
        ));
        for line in message.draft.body.lines() {
            self.page.quote(line);
        }
    }

    /// Tells what it waits for now, unless that is what it waited for before.
    fn rest(&mut self, followed: &mut Followed, now: Timestamp) {
        let zone = followed.conversation.zone();
        let explanation = explain(&followed.conversation, now);
        let phase = serde_json::to_string(&explanation.phase).unwrap_or_default();
        if phase == followed.rest {
            return;
        }
        let mut rest = resting(&explanation);
        if let Some(outgoing) = followed.conversation.outgoing.first() {
            rest = format!("{} is on its way; {rest}", outgoing.message);
        }
        let rest = self.names.in_text(&rest, &zone);
        self.page.time(now, &zone);
        self.page.mark("=", &rest);
        followed.rest = phase;
    }

    fn name_of(&self, person: &str) -> String {
        self.people
            .get(person)
            .map_or_else(|| person.to_owned(), |(name, _)| name.clone())
    }

    /// Tells how it ended, and gives the whole text.
    pub(crate) fn finish(mut self, now: Timestamp) -> String {
        self.page
            .heading(&format!("At the end, {}", names::moment(now, &self.zone)));
        for (need, ending) in &self.endings {
            match ending {
                Some(ending) => {
                    for (place, line) in ending.said.iter().enumerate() {
                        match place {
                            0 => self.page.plain(line),
                            _ => self.page.plain(&format!("    {line}")),
                        }
                    }
                }
                None => self.page.plain(&format!("{need}: still open")),
            }
        }
        for followed in self.followed.values() {
            let name = self.name_of(&followed.person);
            let count = |kind: MessageKind| {
                followed
                    .sent
                    .iter()
                    .filter(|message| message.kind == kind)
                    .count()
            };
            let wrote = self.written.get(&followed.person).copied().unwrap_or(0);
            self.page.plain(&format!(
                "{name} was sent {} (asking {}, reminding {}, replying {}) and wrote {wrote}.",
                counting::counted(followed.sent.len(), "message", "messages"),
                count(MessageKind::Ask),
                count(MessageKind::FollowUp),
                count(MessageKind::Reply),
            ));
            for hold in &followed.conversation.holds {
                let reason = self
                    .names
                    .in_text(&hold.reason.sentence(), &followed.conversation.zone());
                self.page.plain(&format!("A hold still stands: {reason}"));
            }
            if let Some(taken) = &followed.conversation.taken_over {
                self.page
                    .plain(&format!("{} still has the conversation.", taken.by));
            }
        }
        for message in &self.unmatched {
            self.page.plain(&format!(
                "Filed, from {}: {}",
                message.from,
                self.names.in_text(&message.why, &self.zone)
            ));
        }
        self.page.finish()
    }
}

fn phase_name(phase: &Phase) -> String {
    let phase = serde_json::to_value(phase).unwrap_or_default();
    phase["phase"].as_str().unwrap_or("?").to_owned()
}

/// What is waited for, in a sentence.
fn resting(explanation: &Explanation) -> String {
    match &explanation.phase {
        Phase::Wait { until } => {
            let next = explanation
                .rules
                .iter()
                .filter(|finding| finding.until.is_some())
                .min_by_key(|finding| finding.until);
            let why = next.map_or(String::new(), |finding| {
                let rule = serde_json::to_value(finding.rule).unwrap_or_default();
                // The instant is said already.
                let why = finding
                    .why
                    .replace(&format!(", until {until}"), "")
                    .replace(&format!("; the next is at {until}"), "; the next is then")
                    .replace(&format!(" until {until}"), " until then")
                    .replace(&format!(" at {until}"), " then");
                format!(" ({}: {why})", rule.as_str().unwrap_or("?"))
            });
            format!("waits until {until}{why}")
        }
        Phase::Idle => "idle: nothing is left to wait for".to_owned(),
        phase => {
            let won = explanation.rules.iter().find(|finding| finding.wins);
            let why = won.map_or("", |finding| finding.why.as_str());
            format!("{}: {why}", phase_name(phase))
        }
    }
}
