//! The form of a scenario file.

use super::{
    Act, Break, CallerAct, Delivery, Mail, Need, Person, Scenario, ScenarioFault, Step, When,
    expect, need,
};
use crate::visible::visible;
use jiff::{Timestamp, tz::TimeZone};
use liaison_core::{
    calendar::Country,
    policy::Policy,
    stakeholder::{EmailAddress, Zone},
};
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeMap;
use toml::Spanned;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScenarioFile {
    title: String,
    story: String,
    #[serde(default = "one")]
    seed: u64,
    zone: Spanned<String>,
    starts: Spanned<String>,
    #[serde(default)]
    ends: Option<Spanned<String>>,
    #[serde(default)]
    policy: Option<Spanned<Box<Policy>>>,
    people: BTreeMap<String, Spanned<PersonFile>>,
    #[serde(default)]
    needs: BTreeMap<String, Spanned<toml::Table>>,
    then: Vec<Spanned<StepFile>>,
    #[serde(default)]
    expect: Option<Spanned<expect::ExpectFile>>,
}

fn one() -> u64 {
    1
}

fn yes() -> bool {
    true
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PersonFile {
    name: String,
    emails: Vec<Spanned<String>>,
    #[serde(default)]
    zone: Option<Spanned<String>>,
    #[serde(default)]
    key: Option<String>,
    #[serde(default)]
    country: Option<Spanned<String>>,
}

/// One thing that happens. What a step does is said by one field; the others beside it say how.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StepFile {
    #[serde(default)]
    at: Option<Spanned<String>>,
    #[serde(default)]
    note: Option<String>,

    #[serde(default)]
    registers: Option<String>,
    #[serde(default)]
    cancels: Option<String>,
    #[serde(default)]
    asks_after: Option<String>,
    #[serde(default)]
    amends: Option<String>,
    #[serde(default)]
    still_waits: Option<String>,

    #[serde(default)]
    who: Option<String>,
    #[serde(default)]
    writes: Option<String>,
    #[serde(default)]
    from: Option<Spanned<String>>,
    #[serde(default)]
    subject: Option<String>,
    #[serde(default)]
    files: Vec<String>,
    #[serde(default)]
    automatic: bool,
    #[serde(default = "yes")]
    in_thread: bool,

    #[serde(default)]
    operator: Option<String>,
    #[serde(default)]
    does: Option<String>,
    #[serde(default)]
    about: Option<String>,
    #[serde(default)]
    with: toml::Table,

    #[serde(default)]
    bounces: Option<String>,
    #[serde(default = "yes")]
    for_good: bool,
    #[serde(default)]
    says: Option<String>,
    #[serde(default)]
    deliveries: Option<Vec<Delivery>>,
    #[serde(default)]
    reader_fails: Option<u32>,
    #[serde(default)]
    daemon: Option<DaemonFile>,
    #[serde(default)]
    policy: Option<Spanned<Box<Policy>>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum DaemonFile {
    Stops,
    Starts,
}

/// Where things are in the text.
pub(super) struct Place<'a> {
    pub(super) text: &'a str,
    /// The byte at which what is being read begins.
    pub(super) start: usize,
}

impl Place<'_> {
    fn at(&self, start: usize) -> Self {
        Self { start, ..*self }
    }

    pub(super) fn line(&self) -> usize {
        1 + self.text[..self.start.min(self.text.len())]
            .matches('\n')
            .count()
    }

    /// A fault in a field; its line is the first from this one on that sets it, or what it is in.
    pub(super) fn fault(&self, field: &str, detail: impl ToString) -> ScenarioFault {
        let before = self.text.get(..self.start).unwrap_or_default();
        let line_begins = before.rfind('\n').map_or(0, |end| end + 1);
        let rest = self.text.get(line_begins..).unwrap_or_default();
        let set_at = |name: &str| {
            let name = name.split('[').next().unwrap_or(name);
            rest.lines().position(|line| {
                line.trim_start()
                    .strip_prefix(name)
                    .is_some_and(|after| after.trim_start().starts_with('='))
            })
        };
        let further = field.rsplit('.').find_map(set_at).unwrap_or(0);
        ScenarioFault {
            line: self.line() + further,
            field: visible(field),
            detail: visible(&detail.to_string()),
        }
    }
}

pub(super) fn read(text: &str) -> Result<Scenario, ScenarioFault> {
    let top = Place { text, start: 0 };
    let file: ScenarioFile = toml::from_str(text).map_err(|error| toml_fault(&top, &error))?;
    let zone = zone(&top, &file.zone)?;
    let starts = match when(&top, "starts", &file.starts)? {
        When::On(local) => zone
            .to_ambiguous_timestamp(local)
            .compatible()
            .map_err(|error| top.fault("starts", error))?,
        _ => {
            return Err(top.fault("starts", "use a day and a time, like 2027-03-01 09:00"));
        }
    };
    let ends = file
        .ends
        .as_ref()
        .map(|ends| breaks_off(&top, ends, &zone, starts))
        .transpose()?;
    let policy = match file.policy {
        Some(policy) => workable(&top, policy)?,
        None => Box::default(),
    };
    let mut people = BTreeMap::new();
    for (name, written) in file.people {
        let place = top.at(written.span().start);
        people.insert(
            name,
            person(&place, written.into_inner(), file.zone.get_ref())?,
        );
    }
    let mut needs = BTreeMap::new();
    for (name, written) in file.needs {
        let place = top.at(written.span().start);
        let (person, body) = need::read(&place, written.into_inner(), &people)?;
        needs.insert(name, Need { person, body });
    }
    let mut steps = Vec::new();
    for written in file.then {
        let place = top.at(written.span().start);
        steps.push(step(&place, written.into_inner(), &people, &needs)?);
    }
    let expected = file
        .expect
        .map(|expected| {
            let place = top.at(expected.span().start);
            expect::read(&place, expected.into_inner(), &needs)
        })
        .transpose()?;
    Ok(Scenario {
        title: file.title,
        story: file.story.trim().to_owned(),
        seed: file.seed,
        starts,
        ends,
        zone,
        policy: *policy,
        people,
        needs,
        steps,
        expected,
    })
}

/// When it is broken off: not before it starts.
fn breaks_off(
    top: &Place<'_>,
    ends: &Spanned<String>,
    zone: &TimeZone,
    starts: Timestamp,
) -> Result<Break, ScenarioFault> {
    let at = when(top, "ends", ends)?;
    if let When::On(local) = at {
        let ends_at = zone
            .to_ambiguous_timestamp(local)
            .compatible()
            .map_err(|error| top.fault("ends", error))?;
        if ends_at <= starts {
            let place = top.at(ends.span().start);
            let detail = "this is not after `starts`, so nothing would happen; name a later time, \
                          or one like +60 days 09:00, which counts from the last step";
            return Err(place.fault("ends", detail));
        }
    }
    Ok(Break {
        line: top.at(ends.span().start).line(),
        at,
    })
}

/// A policy that something can be done under, as every policy has to be.
fn workable(top: &Place<'_>, written: Spanned<Box<Policy>>) -> Result<Box<Policy>, ScenarioFault> {
    let place = top.at(written.span().start);
    match written.get_ref().faults().into_iter().next() {
        Some(fault) => Err(place.fault(&fault.field, fault.detail)),
        None => Ok(written.into_inner()),
    }
}

fn toml_fault(top: &Place<'_>, error: &toml::de::Error) -> ScenarioFault {
    let place = top.at(error.span().map_or(0, |span| span.start));
    let message = error.message();
    // The parser names a field that it does not know between the first two backquotes.
    let field = message.split('`').nth(1).unwrap_or("the file").to_owned();
    ScenarioFault {
        line: place.line(),
        field: visible(&field),
        detail: visible(message),
    }
}

fn when(place: &Place<'_>, field: &str, text: &Spanned<String>) -> Result<When, ScenarioFault> {
    text.get_ref()
        .parse()
        .map_err(|fault| place.at(text.span().start).fault(field, fault))
}

fn zone(place: &Place<'_>, name: &Spanned<String>) -> Result<TimeZone, ScenarioFault> {
    Zone::parse(name.get_ref())
        .map(|zone| zone.rules())
        .map_err(|fault| place.at(name.span().start).fault("zone", fault))
}

fn address(
    place: &Place<'_>,
    field: &str,
    text: &Spanned<String>,
) -> Result<EmailAddress, ScenarioFault> {
    EmailAddress::parse(text.get_ref())
        .map_err(|fault| place.at(text.span().start).fault(field, fault))
}

fn person(
    place: &Place<'_>,
    file: PersonFile,
    default_zone: &str,
) -> Result<Person, ScenarioFault> {
    let emails = file
        .emails
        .iter()
        .map(|email| address(place, "emails", email))
        .collect::<Result<Vec<_>, _>>()?;
    let name_of_zone = file
        .zone
        .as_ref()
        .map_or(default_zone, |zone| zone.get_ref().as_str());
    let contacts: Vec<_> = emails
        .iter()
        .map(|email| json!({"channel": "email", "address": email.as_str()}))
        .collect();
    let mut spec = json!({"name": file.name, "zone": name_of_zone, "contacts": contacts});
    if let Some(key) = file.key {
        spec["key"] = key.into();
    }
    if let Some(country) = &file.country {
        let read = Country::parse(country.get_ref())
            .map_err(|fault| place.at(country.span().start).fault("country", fault))?;
        spec["country"] = read.as_str().into();
    }
    let zone = match &file.zone {
        Some(own) => zone(place, own)?,
        None => Zone::parse(default_zone)
            .map(|zone| zone.rules())
            .map_err(|fault| place.fault("zone", fault))?,
    };
    Ok(Person {
        name: file.name,
        zone,
        emails,
        spec,
    })
}

fn step(
    place: &Place<'_>,
    file: StepFile,
    people: &BTreeMap<String, Person>,
    needs: &BTreeMap<String, Need>,
) -> Result<Step, ScenarioFault> {
    let at = match &file.at {
        Some(at) => when(place, "at", at)?,
        None => When::AtOnce,
    };
    let known_person = |field: &str, name: &str| match people.contains_key(name) {
        true => Ok(name.to_owned()),
        false => Err(place.fault(field, format!("there is no person {name:?} under [people]"))),
    };
    let known_need = |field: &str, name: String| match needs.contains_key(&name) {
        true => Ok(name),
        false => Err(place.fault(field, format!("there is no need {name:?} under [needs]"))),
    };
    // A scenario is mostly about one person.
    let only_person = || match people.keys().next() {
        Some(name) if people.len() == 1 => Ok(name.clone()),
        _ => Err(place.fault("about", "say which person this is about")),
    };
    let mut acts = Vec::new();
    if let Some(need) = file.registers {
        let need = known_need("registers", need)?;
        acts.push(("registers", Act::Register { need }));
    }
    let with = need::json_of(toml::Value::Table(file.with));
    for (field, need, does) in [
        ("cancels", file.cancels, CallerAct::Cancels),
        ("asks_after", file.asks_after, CallerAct::AsksAfter),
        ("amends", file.amends, CallerAct::Amends(with.clone())),
        ("still_waits", file.still_waits, CallerAct::StillWaits),
    ] {
        if let Some(need) = need {
            let need = known_need(field, need)?;
            acts.push((field, Act::Caller { need, does }));
        }
    }
    if let Some(text) = file.writes {
        let who = match &file.who {
            Some(who) => known_person("who", who)?,
            None => return Err(place.fault("writes", "say who writes")),
        };
        let from = match &file.from {
            Some(from) => address(place, "from", from)?,
            None => people
                .get(&who)
                .and_then(|person| person.emails.first().cloned())
                .ok_or_else(|| place.fault("who", "this person has no address"))?,
        };
        acts.push((
            "writes",
            Act::Mail(Box::new(Mail {
                who,
                from,
                subject: file.subject,
                text: text.trim().to_owned(),
                files: file.files,
                automatic: file.automatic,
                in_thread: file.in_thread,
            })),
        ));
    }
    if let Some(does) = file.does {
        let Some(by) = file.operator else {
            return Err(place.fault("does", "say which operator does it"));
        };
        let about = match &file.about {
            Some(about) => known_person("about", about)?,
            None => only_person()?,
        };
        acts.push((
            "does",
            Act::Operator {
                by,
                does,
                about,
                with,
            },
        ));
    }
    if let Some(person) = file.bounces {
        let person = known_person("bounces", &person)?;
        acts.push((
            "bounces",
            Act::Bounce {
                person,
                says: file
                    .says
                    .unwrap_or_else(|| "550 5.1.1 no such mailbox".to_owned()),
                for_good: file.for_good,
            },
        ));
    }
    if let Some(deliveries) = file.deliveries {
        acts.push(("deliveries", Act::Deliveries(deliveries)));
    }
    if let Some(times) = file.reader_fails {
        acts.push(("reader_fails", Act::ReaderFails(times)));
    }
    if let Some(daemon) = file.daemon {
        let runs = matches!(daemon, DaemonFile::Starts);
        acts.push(("daemon", Act::Daemon { runs }));
    }
    if let Some(policy) = file.policy {
        let policy = workable(place, policy)?;
        acts.push(("policy", Act::Policy(policy)));
    }
    let act = match (acts.pop(), acts.pop()) {
        (Some((_, act)), None) => act,
        (Some((one, _)), Some((other, _))) => {
            return Err(place.fault(one, format!("this step also has {other:?}; make it two")));
        }
        (None, _) if file.note.is_some() => Act::Nothing,
        (None, _) => {
            return Err(place.fault(
                "then",
                "this step does nothing; use one of registers, cancels, asks_after, amends, still_waits, writes, does, \
                 bounces, deliveries, reader_fails, daemon, policy, or note",
            ));
        }
    };
    Ok(Step {
        line: place.line(),
        at,
        note: file.note,
        act,
    })
}
