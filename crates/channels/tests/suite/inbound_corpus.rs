//! Visible text and classification, measured on other projects' test cases.
//! The floors are what this code reaches; a change that falls below is a step
//! back.

use base64::Engine;
use liaison_channels::email::inbound::{Class, InboundEmail, parse};
use serde::Deserialize;

use crate::corpus;

#[derive(Deserialize)]
struct ReplyCase {
    id: String,
    content_type: String,
    raw: String,
    expected_visible_text: String,
    compare: String,
}

#[test]
fn visible_text_agrees_with_other_parsers_tests() {
    let Some(cases) = corpus::rows::<ReplyCase>("reply_cases.jsonl") else {
        return;
    };
    let (mut passed, mut lost, mut leaked) = (0, 0, 0);
    for case in &cases {
        let mail = format!(
            "Subject: case\r\nContent-Type: {}; charset=utf-8\r\n\r\n{}",
            case.content_type, case.raw
        );
        let seen = parse(mail.as_bytes())
            .expect("a case is a mail")
            .visible
            .text;
        let pass = match case.compare.as_str() {
            "nows" => without_blanks(&seen) == without_blanks(&case.expected_visible_text),
            _ => trimmed(&seen) == trimmed(&case.expected_visible_text),
        };
        let missing = words_missing(&case.expected_visible_text, &seen);
        let extra = words_missing(&seen, &case.expected_visible_text);
        passed += usize::from(pass);
        lost += usize::from(!pass && missing > 0);
        leaked += usize::from(!pass && extra > 0);
        if !pass && corpus::verbose() {
            eprintln!(
                "---- {} lost {missing} leaked {extra}\n{seen}\n---- expected\n{}",
                case.id, case.expected_visible_text
            );
        }
    }
    eprintln!(
        "reply cases: {passed} of {} pass, {lost} lose reply text, {leaked} leak a quotation",
        cases.len()
    );
    assert!(passed * 100 >= cases.len() * 93, "{passed} passed");
    assert!(lost * 100 <= cases.len(), "{lost} lost reply text");
}

fn without_blanks(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

fn trimmed(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim().to_owned()
}

/// Words of `wanted` that `there` does not have, each counted as often.
fn words_missing(wanted: &str, there: &str) -> usize {
    let mut there: Vec<&str> = there.split_whitespace().collect();
    wanted
        .split_whitespace()
        .filter(|word| {
            let found = there.iter().position(|other| other == word);
            found.map(|at| there.swap_remove(at)).is_none()
        })
        .count()
}

#[derive(Deserialize)]
struct BounceCase {
    id: String,
    cls: String,
    expected: Vec<ExpectedRecipient>,
    raw_b64: String,
}

#[derive(Deserialize)]
struct ExpectedRecipient {
    status: String,
    reason: String,
    hard: u8,
}

#[test]
fn classes_agree_with_sisimais_tests() {
    let Some(cases) = corpus::rows::<BounceCase>("bounce_cases.jsonl") else {
        return;
    };
    let mut class = Score::default();
    let mut bounce = Score::default();
    let mut hardness = Score::default();
    let mut status = Score::default();
    let mut false_bounces = 0;
    for case in &cases {
        let raw = base64::engine::general_purpose::STANDARD
            .decode(&case.raw_b64)
            .expect("a row's mail is base64");
        let mail = parse(&raw).expect("a row is a mail");
        let right = class_of(&mail) == case.cls;
        class.count(right);
        if case.cls == "bounce" {
            bounce.count(right);
        }
        if case.cls == "not_bounce" && matches!(mail.class, Class::Bounce(_)) {
            false_bounces += 1;
        }
        if !right && corpus::verbose() {
            eprintln!(
                "---- {} is {} not {}: {:?} {:?}",
                case.id,
                case.cls,
                class_of(&mail),
                mail.from,
                mail.subject
            );
        }
        let Class::Bounce(report) = &mail.class else {
            continue;
        };
        for (at, expected) in case.expected.iter().enumerate() {
            let Some(found) = report.recipients.get(at) else {
                hardness.count(false);
                if corpus::verbose() {
                    eprintln!("---- {} has no recipient {at}", case.id);
                }
                continue;
            };
            let same = found.hard == (expected.hard == 1);
            hardness.count(same);
            // Codes with a detail of 9xx are sisimai's own, not the mail's.
            let real = !expected.status.is_empty() && !expected.status.contains(".0.9");
            let same_status = found.status.as_deref() == Some(expected.status.as_str());
            if real {
                status.count(same_status);
            }
            if corpus::verbose() && (!same || real && !same_status) {
                eprintln!(
                    "---- {} {} {} hard {} but {found:?}",
                    case.id, expected.reason, expected.status, expected.hard
                );
            }
        }
    }
    eprintln!(
        "bounce cases: class {class}, bounces {bounce}, hard or soft {hardness}, status {status}, \
         {false_bounces} false bounces"
    );
    assert!(class.share() >= 0.97, "class {class}");
    assert!(bounce.share() >= 0.97, "bounces {bounce}");
    assert!(hardness.share() >= 0.88, "hard or soft {hardness}");
    assert!(status.share() >= 0.95, "status {status}");
    assert_eq!(false_bounces, 0);
}

fn class_of(mail: &InboundEmail) -> &'static str {
    match mail.class {
        Class::Bounce(_) => "bounce",
        Class::Delivered(_) => "delivered",
        Class::FeedbackReport { .. } => "feedback",
        Class::AutomaticReply { .. } => "vacation",
        Class::Person | Class::ListOrBulk => "not_bounce",
    }
}

#[derive(Default)]
struct Score {
    right: usize,
    all: usize,
}

impl Score {
    fn count(&mut self, right: bool) {
        self.right += usize::from(right);
        self.all += 1;
    }

    fn share(&self) -> f64 {
        self.right as f64 / self.all.max(1) as f64
    }
}

impl std::fmt::Display for Score {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} of {} ({:.1} %)",
            self.right,
            self.all,
            100.0 * self.share()
        )
    }
}
