//! Lets a history happen to a world, and watches it.

use super::events::{Change, Command, End, Event, Letter, NewNeed, Which};
use super::foresight::check_foresight;
use crate::{
    promises::{GUARDED_ANSWER, Promises, check_departure, check_rest},
    world::{self, Row, State, World, address, amendment, instant, later, slot_change, slot_key},
};
use jiff::civil::date;
use liaison_core::{
    amendment::SlotChange,
    calendar::Country,
    conversation::{Action, Author, Guard, Heard, Origin, Via},
    id::{BlobId, ConversationId, HoldId, MessageId, NeedId, TenantId},
    input::{Fate, Input},
    need::TranscriptEntry,
    policy::{Policy, Wait},
    stakeholder::{Channel, Contact},
    transition::Opening,
    value::{FileRef, Kind, Value},
};

/// What a history happens to.
pub(super) struct Run {
    pub(super) world: World,
    promises: Promises,
    needs: usize,
    contacts: usize,
}

impl Run {
    pub(super) fn new(start: &str, policy: Policy) -> Self {
        let opening = Opening {
            id: ConversationId::new("conversation"),
            tenant: TenantId::new("tenant"),
            at: instant(start),
            stakeholder: world::ana(),
            reply_token: "token".to_owned(),
            policy,
        };
        Self {
            world: World::open(opening),
            promises: Promises::default(),
            needs: 0,
            contacts: 0,
        }
    }

    pub(super) fn happens(&mut self, event: &Event) {
        match event {
            Event::Register(new) => self.register(new),
            Event::Cancel(which) => {
                let need = self.need(*which);
                self.world.input(Input::NeedCancelled { need });
            }
            Event::Amend(which, change) => self.amend(*which, change),
            Event::CallerSeen(which) => {
                let need = self.need(*which);
                self.world.input(Input::CallerSeen { need });
            }
            Event::Writes(letter) => self.writes(letter),
            Event::Begins => self.begins(),
            Event::Ends(end) => self.world.complete(self.fate(*end)),
            Event::Delivers(end) => {
                self.works();
                self.begins();
                self.world.complete(self.fate(*end));
                self.works();
            }
            Event::Report(which, end) => {
                let fate = self.fate(*end);
                // A store takes no report about a message that waits.
                let queued = |row: &Row| row.state == State::Queued;
                let waits = self
                    .world
                    .outbox
                    .iter()
                    .rev()
                    .nth(*which)
                    .is_some_and(queued);
                if let Some(message) = self.departed(*which).filter(|_| !waits) {
                    self.world.input(Input::Dispatched { message, fate });
                }
            }
            Event::Bounces(which, permanent) => {
                if let Some(message) = self.departed(*which) {
                    self.world.input(Input::Bounced {
                        message,
                        permanent: *permanent,
                        reason: "no such mailbox".to_owned(),
                    });
                }
            }
            Event::AwayNote(day) => {
                let text = match day {
                    true => "I am out of the office until 14 May 2027.",
                    false => "I am out of the office.",
                };
                let mut note = self.world.letter(text);
                note.author = Author::Automatic;
                self.world.arrives(note);
            }
            Event::Complains => self.world.input(Input::OptedOut {
                message: MessageId::new("complaint"),
                why: "they reported a message of ours as unwanted".to_owned(),
            }),
            Event::Commands(command) => self.commands(command),
            Event::Reader(reader) => self.world.reader = *reader,
            Event::PolicyChanges(policy) => {
                self.world.input(Input::PolicyChanged(policy.clone()));
            }
            Event::Passes(seconds) => self.world.now = later(self.world.now, *seconds),
            Event::WakesUp(moment) => {
                if let Some(wake) = self.world.next_wake() {
                    self.world.now = later(wake, *moment);
                }
            }
            Event::OneOperation => {
                self.operate();
            }
            Event::Works => self.works(),
            Event::Foresees => {
                self.works();
                check_foresight(&self.world);
            }
        }
    }

    fn operate(&mut self) -> bool {
        let before = self.world.conversation.clone();
        let done = self.world.step();
        if let Some(done) = &done {
            self.promises.observe(&self.world, &before, done);
        }
        check_departure(&self.world);
        done.is_some()
    }

    pub(super) fn works(&mut self) {
        // Inputs that were folded together share one run.
        let most = world::LONGEST_RUN;
        let ran = (0..=most).take_while(|_| self.operate()).count();
        assert!(ran <= most, "a run of phases does not end");
        check_rest(&self.world);
    }

    fn begins(&mut self) {
        check_departure(&self.world);
        let busy = self
            .world
            .outbox
            .iter()
            .any(|row| row.state == State::Transmitting);
        if !busy {
            self.world.begin();
        }
    }

    fn register(&mut self, new: &NewNeed) {
        self.needs += 1;
        let id = format!("need-{:03}", self.needs);
        let mut need = world::need(&id, &new.slots, "2027-01-01T00:00:00Z");
        need.deadline = later(self.world.now, new.hours * 3_600);
        need.subject = new.shared.then(|| "property:42".to_owned());
        for slot in need.slots.iter_mut().rev().take(new.optional) {
            slot.required = false;
        }
        for slot in &mut need.slots {
            slot.max_age = new.max_age;
            slot.confirm = new.confirm;
            if let (true, Kind::Number(number)) = (new.other_bounds, &mut slot.kind) {
                number.maximum = Some(10_000.into());
            }
        }
        if let (true, [first, .., last]) = (new.rests, need.slots.as_mut_slice()) {
            last.depends_on = vec![first.name.clone()];
        }
        need.ladder = new.ladder.clone();
        need.briefs = (0..new.briefs)
            .map(|place| format!("The lift is out of order in wing {place}."))
            .collect();
        need.transcript = new
            .transcript
            .iter()
            .map(|text| TranscriptEntry {
                at: later(self.world.now, -86_400),
                text: (*text).to_owned(),
            })
            .collect();
        let mut stakeholder = world::ana();
        if new.another_address {
            self.contacts += 1;
            let another = address(&format!("ana.{}@example.com", self.contacts));
            stakeholder.contacts = vec![Contact::new(Channel::Email, another)];
        }
        if new.abroad {
            stakeholder.country = Some(Country::parse("AE").expect("a country"));
        }
        self.world.input(Input::NeedRegistered {
            registration: Box::new(need),
            stakeholder: Box::new(stakeholder),
        });
    }

    fn amend(&mut self, which: usize, change: &Change) {
        let mut amendment = amendment(self.need(which).as_str());
        amendment.deadline = change
            .hours
            .map(|hours| later(self.world.now, hours * 3_600));
        amendment.add.extend(change.add.map(world::slot));
        amendment.remove.extend(change.remove.map(str::to_owned));
        if let Some(name) = change.narrow {
            amendment.change.push(SlotChange {
                kind: Some(world::narrow_kind(name)),
                ..slot_change(name)
            });
        }
        if let Some((name, required)) = change.require {
            amendment.change.push(SlotChange {
                required: Some(required),
                ..slot_change(name)
            });
        }
        if let Some((name, on)) = change.rest {
            amendment.change.push(SlotChange {
                depends_on: Some(vec![on.to_owned()]),
                ..slot_change(name)
            });
        }
        if let Some((name, confirm, hours)) = change.confirm {
            amendment.change.push(SlotChange {
                confirm: Some(confirm),
                max_age: Some(Wait::hours(hours)),
                ..slot_change(name)
            });
        }
        self.world.amend(amendment);
    }

    fn writes(&mut self, letter: &Letter) {
        let mut message = self.world.letter(letter.text);
        message.written_at = later(message.written_at, letter.skew);
        if letter.stranger {
            message.origin = Origin::Stranger;
            message.from = address("bruno@example.com");
        }
        if letter.automatic {
            message.author = Author::Automatic;
        }
        if letter.answers {
            message.answers = self.departed(0);
        }
        if letter.attachment {
            message.attachments.push(FileRef {
                blob: BlobId::new("blob"),
                name: "plan.pdf".to_owned(),
                media_type: "application/pdf".to_owned(),
                size: 1,
            });
        }
        self.world.arrives(message);
    }

    fn commands(&mut self, command: &Command) {
        let by = "olga".to_owned();
        let action = match command.clone() {
            Command::Answer => Action::Answer {
                text: "You can pass by at any time.".to_owned(),
            },
            Command::Resume => Action::Resume,
            Command::Fill(name) => Action::Fill {
                slot: slot_key("property:42", name),
                value: match name {
                    "arranged_by" => Value::Choice("agency".to_owned()),
                    "rent" => Value::Number(1_250.into()),
                    "pets" => Value::Boolean(true),
                    "day" => Value::Date(date(2027, 5, 14)),
                    _ => Value::Text("She called.".to_owned()),
                },
                note: "she called".to_owned(),
                heard: Some(Heard {
                    via: Via::Phone,
                    at: Some(later(self.world.now, -3_600)),
                }),
            },
            Command::Resolve(sent) => match self.message(0) {
                Some(message) => Action::ResolveSend { message, sent },
                None => return,
            },
            Command::Hold { need, hours } => {
                return self.world.input(Input::HoldRequested {
                    by,
                    note: "wait".to_owned(),
                    need: need.map(|which| self.need(which)),
                    until: hours.map(|hours| later(self.world.now, hours * 3_600)),
                });
            }
            Command::Release(which) => {
                let holds = &self.world.conversation.holds;
                let Some(hold) = holds.get(which % holds.len().max(1)) else {
                    return;
                };
                Action::Release {
                    hold: hold.id.clone(),
                }
            }
            Command::Guide(hours) => Action::Guide {
                text: "She likes to be addressed formally.".to_owned(),
                until: hours.map(|hours| later(self.world.now, hours * 3_600)),
            },
            Command::Unguide => match self.world.conversation.guidance.first() {
                Some(guidance) => Action::Unguide {
                    guidance: guidance.id.clone(),
                },
                None => return,
            },
            Command::Revive => Action::Revive {
                address: address(world::ADDRESS),
                note: "She called and asked to be written to again.".to_owned(),
            },
            Command::OptOut(alone) => Action::OptOut {
                address: alone.then(|| address(world::ADDRESS)),
                note: "She called and does not want mail there.".to_owned(),
            },
            Command::OptIn(alone) => Action::OptIn {
                address: alone.then(|| address(world::ADDRESS)),
                note: "She called and wants to be written to.".to_owned(),
            },
            Command::AcceptDelegate(which) => Action::AcceptDelegate {
                hold: self.proposed(which),
                address: match which {
                    Which::Address(named) => Some(address(named)),
                    Which::Unnamed | Which::Hold(_) => None,
                },
                name: None,
            },
            Command::RejectDelegate(which) => Action::RejectDelegate {
                hold: self.proposed(which),
            },
            Command::Guarded {
                revisions_ago,
                seconds_left,
            } => Action::Guarded {
                guard: Guard {
                    revision: self.world.conversation.revision.checked_sub(revisions_ago),
                    expires_at: Some(later(self.world.now, seconds_left)),
                },
                then: vec![Action::Answer {
                    text: GUARDED_ANSWER.to_owned(),
                }],
            },
            Command::TakeOver => return self.world.input(Input::TakenOver { by }),
            Command::HandBack => return self.world.input(Input::HandedBack { by }),
        };
        self.world.operator(action);
    }

    /// The hold of one of those whom the person named.
    fn proposed(&self, which: Which) -> Option<HoldId> {
        let Which::Hold(place) = which else {
            return None;
        };
        let mut proposals = self.world.conversation.proposals();
        proposals.nth(place).map(|proposal| proposal.hold.clone())
    }

    fn need(&self, which: usize) -> NeedId {
        NeedId::new(format!("need-{:03}", self.needs.saturating_sub(which)))
    }

    fn message(&self, which: usize) -> Option<MessageId> {
        let row = self.world.outbox.iter().rev().nth(which)?;
        Some(row.message.id.clone())
    }

    /// The same, if it has ever left: of others there is nothing to report.
    fn departed(&self, which: usize) -> Option<MessageId> {
        let row = self.world.outbox.iter().rev().nth(which)?;
        row.departed.then(|| row.message.id.clone())
    }

    fn fate(&self, end: End) -> Fate {
        let reason = "no".to_owned();
        match end {
            End::Sent => self.world.sent(),
            End::BadAddress => Fate::Refused {
                address_is_bad: true,
                reason,
            },
            End::Refused => Fate::Refused {
                address_is_bad: false,
                reason,
            },
            End::Unknown => Fate::Unknown { why: reason },
        }
    }
}
