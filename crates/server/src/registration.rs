//! Checking a registration: everything that is wrong with it is said at once, each with its field
//! and what to do about it. Faults never repeat an address.

use crate::state::micros;
use jiff::Timestamp;
use liaison_api::{
    ContactSpec, Deadline, FieldFault, Ladder, RegisterNeed, SlotSpec, StakeholderSpec,
    TranscriptEntry,
};
use liaison_core::{
    calendar::Country,
    id::NeedId,
    need::{Registration, SlotRequest},
    policy::{Policy, Wait},
    stakeholder::{Channel, Contact, EmailAddress, Stakeholder, Zone},
};

// The bounds keep a conversation's document small, a question readable and a form answerable.
pub(crate) const MOST_SLOTS: usize = 50;
const MOST_CONTACTS: usize = 10;
pub(crate) const MOST_SELF_CHECKS: usize = 10;
pub(crate) const MOST_FACTS: usize = 50;
const MOST_BRIEFS: usize = 20;
const MOST_TRANSCRIPT: usize = 200;
const MOST_TRANSCRIPT_BYTES: usize = 20_000;
pub(crate) const MOST_DEPENDENCIES: usize = 10;
pub(crate) const LONGEST_NAME: usize = 200;
const LONGEST_GOAL: usize = 500;
pub(crate) const LONGEST_QUESTION: usize = 1_000;
pub(crate) const LONGEST_SELF_CHECK: usize = 300;
pub(crate) const LONGEST_FACT: usize = 2_000;

/// Two years: nothing that people are asked takes longer, and a mistyped year is caught.
const LONGEST_DEADLINE: Wait = Wait::days(731);

/// A person's clock may be ahead of ours by some minutes.
const CLOCK_TOLERANCE: Wait = Wait::seconds(600);

/// Turns what was asked for into what is stored, or says what is wrong with it.
pub(crate) fn check(
    request: RegisterNeed,
    need: NeedId,
    now: Timestamp,
) -> Result<(Registration, Stakeholder), Vec<FieldFault>> {
    let mut faults = Faults::default();
    let stakeholder = faults.stakeholder(request.stakeholder);
    faults.line("goal", &request.goal, LONGEST_GOAL);
    if let Some(subject) = &request.subject {
        faults.line("subject", subject, LONGEST_NAME);
    }
    let slots = faults.slots(request.slots);
    let deadline = faults.deadline(request.deadline, now);
    faults.texts("facts", &request.facts, MOST_FACTS, LONGEST_FACT);
    faults.texts("briefs", &request.briefs, MOST_BRIEFS, LONGEST_FACT);
    if let Some(ladder) = &request.ladder {
        faults.ladder(ladder);
    }
    faults.transcript("transcript", &request.transcript, now);
    if !faults.0.is_empty() {
        return Err(faults.0);
    }
    let registration = Registration {
        need,
        goal: request.goal.trim().to_owned(),
        subject: request.subject,
        slots,
        deadline,
        facts: request.facts,
        briefs: request.briefs,
        ladder: request.ladder,
        transcript: request.transcript,
    };
    Ok((registration, stakeholder))
}

/// What is wrong with contacts that are the tenant's own mailboxes: nobody there answers, and what
/// is sent there comes back as if a stakeholder had written it.
pub(crate) fn own_mailboxes(
    stakeholder: &Stakeholder,
    with_email: bool,
    policy: &Policy,
) -> Vec<FieldFault> {
    let contacts = stakeholder.contacts.iter().enumerate();
    contacts
        .filter(|(_, contact)| policy.is_ours(&contact.address))
        .map(|(place, _)| {
            // An address given as `email` comes before the others.
            let field = match (place, with_email) {
                (0, true) => "stakeholder.email".to_owned(),
                (place, with_email) => {
                    let place = place - usize::from(with_email);
                    format!("stakeholder.contacts[{place}].address")
                }
            };
            FieldFault::new(
                field,
                "this is the mailbox that Liaison itself writes from; name an address of the \
                 stakeholder",
            )
        })
        .collect()
}

#[derive(Default)]
pub(crate) struct Faults(pub(crate) Vec<FieldFault>);

impl Faults {
    pub(crate) fn add(&mut self, field: impl Into<String>, detail: impl Into<String>) {
        self.0.push(FieldFault::new(field, detail));
    }

    /// One line of 1 to `longest` characters.
    pub(crate) fn line(&mut self, field: &str, text: &str, longest: usize) {
        if text.chars().any(char::is_control) {
            self.add(
                field,
                "this is one line: no line breaks or other control characters",
            );
        }
        self.length(field, text, longest);
    }

    /// Words of 1 to `longest` characters, which may have line breaks.
    pub(crate) fn text(&mut self, field: &str, text: &str, longest: usize) {
        if text
            .chars()
            .any(|c| c.is_control() && c != '\n' && c != '\t' && c != '\r')
        {
            self.add(field, "remove the control characters");
        }
        self.length(field, text, longest);
    }

    fn length(&mut self, field: &str, text: &str, longest: usize) {
        let length = text.chars().count();
        if text.trim().is_empty() {
            self.add(field, format!("write 1 to {longest} characters"));
        } else if length > longest {
            self.add(
                field,
                format!("this has {length} characters; at most {longest} are taken"),
            );
        }
    }

    pub(crate) fn count(&mut self, field: &str, count: usize, most: usize) -> bool {
        if count > most {
            self.add(
                field,
                format!("there are {count}; at most {most} are taken"),
            );
        }
        count <= most
    }

    pub(crate) fn texts(&mut self, field: &str, texts: &[String], most: usize, longest: usize) {
        if self.count(field, texts.len(), most) {
            for (place, text) in texts.iter().enumerate() {
                self.text(&format!("{field}[{place}]"), text, longest);
            }
        }
    }

    fn stakeholder(&mut self, spec: StakeholderSpec) -> Stakeholder {
        if let Some(key) = &spec.key {
            self.line("stakeholder.key", key, LONGEST_NAME);
        }
        if let Some(name) = &spec.name {
            self.line("stakeholder.name", name, LONGEST_NAME);
        }
        let language = spec.language.unwrap_or_else(|| "en".to_owned());
        if !is_language_tag(&language) {
            self.add(
                "stakeholder.language",
                "this is not a language tag (BCP 47); use one like en or pt-BR",
            );
        }
        let zone = spec.zone.and_then(|name| match Zone::parse(&name) {
            Ok(zone) => Some(zone),
            Err(_) => {
                self.add(
                    "stakeholder.zone",
                    "the zone database has no such zone; use a name like Europe/Paris",
                );
                None
            }
        });
        let country = spec.country.and_then(|text| match Country::parse(&text) {
            Ok(country) => Some(country),
            Err(fault) => {
                self.add("stakeholder.country", fault.to_string());
                None
            }
        });
        Stakeholder {
            key: spec.key,
            name: spec.name.map(|name| name.trim().to_owned()),
            language,
            zone,
            country,
            contacts: self.contacts(spec.email, spec.contacts),
        }
    }

    fn contacts(&mut self, email: Option<String>, others: Vec<ContactSpec>) -> Vec<Contact> {
        let count = usize::from(email.is_some()) + others.len();
        if count == 0 {
            self.add(
                "stakeholder.contacts",
                "name at least one address, here or as stakeholder.email",
            );
        }
        if !self.count("stakeholder.contacts", count, MOST_CONTACTS) {
            return Vec::new();
        }
        let email = email.map(|address| ("stakeholder.email".to_owned(), Channel::Email, address));
        let others = others.into_iter().enumerate().map(|(place, contact)| {
            let field = format!("stakeholder.contacts[{place}].address");
            (field, contact.channel, contact.address)
        });
        let mut contacts: Vec<Contact> = Vec::new();
        for (field, channel, address) in email.into_iter().chain(others) {
            match EmailAddress::parse(&address) {
                Ok(address) if contacts.iter().any(|known| known.address.matches(&address)) => {
                    self.add(field, "this address is named twice; name it once");
                }
                Ok(address) => contacts.push(Contact::new(channel, address)),
                Err(fault) => self.add(field, fault.to_string()),
            }
        }
        contacts
    }

    fn slots(&mut self, specs: Vec<SlotSpec>) -> Vec<SlotRequest> {
        if specs.is_empty() {
            self.add("slots", "a need waits for at least one slot");
        } else if !specs.iter().any(|spec| spec.required) {
            self.add(
                "slots",
                "a need waits for its required slots, and none is; require at least one",
            );
        }
        if specs.len() <= MOST_SLOTS {
            self.dependencies(&specs);
        }
        self.each_slot("slots", specs)
    }

    /// The slots of the list in this field, each by itself.
    pub(crate) fn each_slot(&mut self, list: &str, specs: Vec<SlotSpec>) -> Vec<SlotRequest> {
        if !self.count(list, specs.len(), MOST_SLOTS) {
            return Vec::new();
        }
        let mut slots: Vec<SlotRequest> = Vec::new();
        for (place, spec) in specs.into_iter().enumerate() {
            let at = format!("{list}[{place}]");
            let name = format!("{at}.name");
            if !is_slot_name(&spec.name) {
                self.add(&name, "a name has 1 to 64 of a-z, 0-9 and _");
            } else if slots.iter().any(|slot| slot.name == spec.name) {
                self.add(
                    &name,
                    "another slot of this need has the same name; give each its own",
                );
            }
            let depends_on = format!("{at}.depends_on");
            self.count(&depends_on, spec.depends_on.len(), MOST_DEPENDENCIES);
            self.text(&format!("{at}.question"), &spec.question, LONGEST_QUESTION);
            self.texts(
                &format!("{at}.self_checks"),
                &spec.self_checks,
                MOST_SELF_CHECKS,
                LONGEST_SELF_CHECK,
            );
            match spec.kind.read() {
                Ok(kind) => slots.push(SlotRequest {
                    name: spec.name,
                    kind,
                    question: spec.question.trim().to_owned(),
                    required: spec.required,
                    self_checks: spec.self_checks,
                    max_age: spec.max_age,
                    depends_on: spec.depends_on,
                    confirm: spec.confirm,
                }),
                Err(fault) => self.0.push(fault.inside(&at)),
            }
        }
        slots
    }

    /// What slots rest on must be there, must be waited for, and must not rest on them in turn.
    fn dependencies(&mut self, specs: &[SlotSpec]) {
        let named = |name: &str| specs.iter().position(|spec| spec.name == name);
        for (place, spec) in specs.iter().enumerate() {
            let field = format!("slots[{place}].depends_on");
            if spec.depends_on.len() > MOST_DEPENDENCIES {
                continue;
            }
            for (at, name) in spec.depends_on.iter().enumerate() {
                let field = format!("{field}[{at}]");
                let first = spec.depends_on.iter().position(|other| other == name);
                match named(name) {
                    None => self.add(
                        field,
                        "no slot of this need has this name; name one of them, or leave it away",
                    ),
                    Some(_) if first != Some(at) => {
                        self.add(field, "this slot is named twice; name it once");
                    }
                    Some(other) if spec.required && !specs[other].required => self.add(
                        field,
                        "this slot is optional, and its answer is not waited for, so that the \
                         required slot which rests on it might never be asked; require it",
                    ),
                    Some(other) if rests_on(specs, other, place) => self.add(
                        field,
                        "this slot rests on the one that names it, so that neither could be asked \
                         first; take one of the two out",
                    ),
                    Some(_) => {}
                }
            }
        }
    }

    pub(crate) fn deadline(&mut self, deadline: Deadline, now: Timestamp) -> Timestamp {
        let instant = micros(deadline.instant(now));
        if instant <= now {
            self.add(
                "deadline",
                "this is not in the future; name a later instant, or a length of time like 15d",
            );
        } else if instant > LONGEST_DEADLINE.after(now) {
            self.add(
                "deadline",
                "this is more than two years ahead; name an earlier instant",
            );
        }
        instant
    }

    fn ladder(&mut self, ladder: &Ladder) {
        for fault in ladder.faults() {
            self.add(format!("ladder.{}", fault.field), fault.detail);
        }
    }

    pub(crate) fn transcript(&mut self, field: &str, entries: &[TranscriptEntry], now: Timestamp) {
        if !self.count(field, entries.len(), MOST_TRANSCRIPT) {
            return;
        }
        for (place, entry) in entries.iter().enumerate() {
            let text = format!("{field}[{place}].text");
            if entry.text.trim().is_empty() {
                self.add(text, "write what the person said, or leave the entry away");
            } else if entry.text.len() > MOST_TRANSCRIPT_BYTES {
                self.add(
                    text,
                    format!("this is longer than {MOST_TRANSCRIPT_BYTES} bytes"),
                );
            }
            if entry.at > CLOCK_TOLERANCE.after(now) {
                self.add(format!("{field}[{place}].at"), "this is in the future");
            }
        }
        if !entries.is_sorted_by_key(|entry| entry.at) {
            self.add(field, "order the entries by time, oldest first");
        }
    }
}

/// Whether the slot at `from` rests on the one at `on`, directly, through others, or by being it.
fn rests_on(specs: &[SlotSpec], from: usize, on: usize) -> bool {
    let mut seen = vec![false; specs.len()];
    let mut next = vec![from];
    while let Some(place) = next.pop() {
        if place == on {
            return true;
        }
        if std::mem::replace(&mut seen[place], true) {
            continue;
        }
        let rests = &specs[place].depends_on;
        next.extend(
            rests
                .iter()
                .filter_map(|name| specs.iter().position(|spec| spec.name == *name)),
        );
    }
    false
}

fn is_slot_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

/// The shape of a tag (RFC 5646, section 2.1): a language of 2 or 3 letters, then parts of 1 to 8
/// letters and digits. Whether the registry has it does not matter here.
fn is_language_tag(tag: &str) -> bool {
    let mut parts = tag.split('-');
    tag.len() <= 35
        && parts.next().is_some_and(|language| {
            (2..=3).contains(&language.len()) && language.bytes().all(|b| b.is_ascii_alphabetic())
        })
        && parts.all(|part| {
            (1..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_tag_has_the_shape_of_one() {
        for tag in ["en", "pt-BR", "zh-Hant-TW", "de-1996", "ast"] {
            assert!(is_language_tag(tag), "{tag}");
        }
        for tag in ["", "e", "english", "en_GB", "en-", "-", "en\r\nX: y"] {
            assert!(!is_language_tag(tag), "{tag:?}");
        }
    }

    #[test]
    fn a_slot_name_is_safe_in_keys_and_code() {
        for name in ["a", "arranged_by", "_2", &"a".repeat(64)] {
            assert!(is_slot_name(name), "{name}");
        }
        for name in ["", "A", "a/b", "a-b", "a b", "é", &"a".repeat(65)] {
            assert!(!is_slot_name(name), "{name}");
        }
    }
}
