//! Plans for tests.

use crate::{
    conversation::MessageKind,
    id::{NeedId, ReplyItemId},
    ladder::Tone,
    plan::{Change, MessagePlan, PlanItem, Promised},
    slot::SlotKey,
    stakeholder::{Channel, EmailAddress},
};
use jiff::civil;
use proptest::{collection::vec, option, prelude::*};

pub(crate) const GOAL: &str = "Decide who will arrange the inspection";
pub(crate) const QUESTION: &str =
    "Would you prefer to arrange the inspection yourself, or have us arrange it for you?";

pub(crate) fn plan(kind: MessageKind, items: Vec<PlanItem>) -> MessagePlan {
    MessagePlan {
        kind,
        channel: Channel::Email,
        to: EmailAddress::parse("ana@example.com").expect("an address"),
        name: Some("Ana".to_owned()),
        language: "en".to_owned(),
        tone: Default::default(),
        signature: "Marchmont Lettings".to_owned(),
        thread_subject: None,
        references: Vec::new(),
        goals: vec![GOAL.to_owned()],
        items,
        guidance: Vec::new(),
    }
}

fn slot() -> SlotKey {
    SlotKey {
        subject: "property:42".to_owned(),
        name: "arranged_by".to_owned(),
    }
}

fn id() -> ReplyItemId {
    ReplyItemId::new("item")
}

fn owned(text: Option<&str>) -> Option<String> {
    text.map(str::to_owned)
}

pub(crate) fn question(question: &str, hint: Option<&str>) -> PlanItem {
    PlanItem::Question {
        slot: slot(),
        question: question.to_owned(),
        hint: owned(hint),
        asked_on: None,
        promised: None,
        because: None,
    }
}

pub(crate) fn reminder(text: &str, hint: Option<&str>, day: civil::Date) -> PlanItem {
    PlanItem::Question {
        slot: slot(),
        question: text.to_owned(),
        hint: owned(hint),
        asked_on: Some(day),
        promised: None,
        because: None,
    }
}

pub(crate) fn acknowledge(answers: &[(&str, &str)]) -> PlanItem {
    PlanItem::Acknowledge {
        id: id(),
        answers: answers
            .iter()
            .map(|(question, value)| ((*question).to_owned(), (*value).to_owned()))
            .collect(),
    }
}

pub(crate) fn answer(text: &str, question: Option<&str>) -> PlanItem {
    PlanItem::Answer {
        id: id(),
        text: text.to_owned(),
        question: owned(question),
    }
}

pub(crate) fn withdraw(question: &str) -> PlanItem {
    PlanItem::Withdraw {
        id: id(),
        question: question.to_owned(),
    }
}

pub(crate) fn brief(text: &str) -> PlanItem {
    PlanItem::Brief {
        need: NeedId::new("need"),
        place: 0,
        text: text.to_owned(),
    }
}

pub(crate) fn clarify(question: &str, candidates: &[&str], hint: Option<&str>) -> PlanItem {
    PlanItem::Clarify {
        id: Some(id()),
        asked_on: None,
        slot: slot(),
        question: question.to_owned(),
        candidates: candidates.iter().map(|text| (*text).to_owned()).collect(),
        hint: owned(hint),
    }
}

pub(crate) fn confirm(question: &str, value: &str) -> PlanItem {
    PlanItem::Confirm {
        id: Some(id()),
        slot: slot(),
        question: question.to_owned(),
        value: value.to_owned(),
        asked_on: None,
    }
}

/// A question that is asked anew since the answer to another one is `value` now.
pub(crate) fn again(text: &str, question: &str, value: &str) -> PlanItem {
    PlanItem::Question {
        slot: slot(),
        question: text.to_owned(),
        hint: None,
        asked_on: None,
        promised: None,
        because: Some(Change {
            question: question.to_owned(),
            value: value.to_owned(),
        }),
    }
}

/// Texts that break things: any characters, seams of the templates' own sentences, and attacks.
fn text() -> impl Strategy<Value = String> {
    let nasty = prop::sample::select(vec![
        "\r\nBcc: x@y.z",
        "\n-- \n",
        "\nFrom here",
        "> ",
        "\u{202e}",
        "\0",
        "\u{7}",
        "\u{a0}",
        "I",
        " I ",
        "we",
        "will",
        " will ",
        "'ll",
        "I’ll",
        "May",
        " may ",
        "3",
        " 3, ",
        "3rd of",
        "May 3",
        "10 am",
        "10",
        "am",
        "2027-05-03",
        "1,200",
        "€",
        "$5.00",
        "50%",
        "Re: ",
        "RE:re: ",
        "[Name]",
        "{name}",
        "<insert",
        "XXX",
        "todo",
        "**bold**",
        "# ",
        "`x`",
        "_x_",
        "- ",
        "1. ",
        "example.com",
        "https://x.example/a?b=c",
        "a@b.cd",
        "Hello",
        "Dear",
        "hi,",
        "Monday",
        "friday",
        "two",
        "tomorrow",
        "refund",
        "I promise",
        "as an AI",
        "I am a",
        "human",
        "?",
        ".",
        "!",
        ":",
        ",",
        "“",
        "”",
        "(",
        ")",
        "…",
        "--",
        "no",
        "not",
        "'",
        "’",
        "don't",
        "Peter",
        "İstanbul",
        "ΟΔΟΣ",
        "ß",
        "中文",
        "é",
        "e\u{301}",
        "\u{2028}",
        "\t",
        " ",
        "\n",
        "\n\n",
        "to",
        "Decide",
        "find ",
        "a moment",
        "Will",
        "free of",
        "charge",
        "½",
        "²",
        "٣",
        "👨\u{200d}👩",
    ]);
    let long = (0..3usize, "[a-z0-9. ]{1,9}").prop_map(|(size, text)| text.repeat(size * 400));
    vec(
        prop_oneof![
            6 => nasty.prop_map(str::to_owned),
            3 => "[a-zA-Z]{1,8}",
            2 => any::<String>(),
            1 => "\\PC{0,20}",
            1 => Just(" ".to_owned()),
            1 => "[0-9.,:/-]{1,8}",
        ],
        0..7,
    )
    .prop_map(|parts| parts.concat())
    .prop_flat_map(
        move |text| prop_oneof![20 => Just(text.clone()).boxed(), 1 => long.clone().boxed()],
    )
}

fn day() -> impl Strategy<Value = civil::Date> {
    (-9999..=9999_i16, 1..=12_i8, 1..=28_i8).prop_map(|(y, m, d)| civil::date(y, m, d))
}

fn item() -> impl Strategy<Value = PlanItem> {
    prop_oneof![
        vec((text(), text()), 0..4).prop_map(|answers| PlanItem::Acknowledge { id: id(), answers }),
        (text(), option::of(text())).prop_map(|(text, question)| PlanItem::Answer {
            id: id(),
            text,
            question
        }),
        text().prop_map(|question| PlanItem::Withdraw { id: id(), question }),
        text().prop_map(|text| PlanItem::Brief {
            need: NeedId::new("need"),
            place: 0,
            text
        }),
        (
            text(),
            vec(text(), 0..4),
            option::of(text()),
            option::of(day())
        )
            .prop_map(|(question, candidates, hint, asked_on)| PlanItem::Clarify {
                id: Some(id()),
                slot: slot(),
                question,
                candidates,
                hint,
                asked_on,
            }),
        (text(), text(), option::of(day())).prop_map(|(question, value, asked_on)| {
            PlanItem::Confirm {
                id: Some(id()),
                slot: slot(),
                question,
                value,
                asked_on,
            }
        }),
        (
            text(),
            option::of(text()),
            option::of(day()),
            option::of((day(), day())),
            option::weighted(0.3, (text(), text()))
        )
            .prop_map(
                |(question, hint, asked_on, promised, because)| PlanItem::Question {
                    slot: slot(),
                    question,
                    hint,
                    asked_on,
                    promised: promised.map(|(on, by)| Promised { on, by }),
                    because: because.map(|(question, value)| Change { question, value }),
                }
            ),
    ]
}

/// Any plan at all.
pub(crate) fn any_plan() -> impl Strategy<Value = MessagePlan> {
    let kind = prop::sample::select(vec![
        MessageKind::Reply,
        MessageKind::Ask,
        MessageKind::FollowUp,
    ]);
    (
        kind,
        option::of(text()),
        text(),
        option::weighted(0.3, text()),
        vec(text(), 0..4),
        vec(item(), 0..7),
        prop::sample::select(vec![Tone::Friendly, Tone::Plain, Tone::Firm]),
    )
        .prop_map(
            |(kind, name, signature, thread_subject, goals, items, tone)| MessagePlan {
                name,
                tone,
                signature,
                thread_subject,
                goals,
                ..plan(kind, items)
            },
        )
}
