//! The main exchange, and the other reply.

use crate::office::{Office, QUESTION, YES};
use liaison_core::{
    conversation::Action, input::Input, need::OutcomeKind, policy::Wait, slot::Evidence,
};
use liaison_ports::store::Direction;

#[tokio::test]
async fn a_need_is_asked_once_answered_in_free_words_and_settled_with_its_evidence() {
    let office = Office::open();
    let conversation = office.register("inspection").await;
    office.quiet().await;
    assert_eq!(office.asks(), 1);
    assert!(office.outcome("inspection").await.is_none());
    let asked = office.document(&conversation).await;
    assert_eq!(asked.asks.len(), 1);
    assert!(asked.outgoing.is_empty());

    office.replies("inspection", YES).await;
    let outcome = office.outcome("inspection").await.unwrap();
    assert_eq!(outcome.outcome, OutcomeKind::Fulfilled);
    let slot = &outcome.slots["arranged_by"];
    assert_eq!(slot.value.plain(), "agency");
    let said = office.store_transcript(&conversation).await;
    let reply = said.iter().find(|row| row.direction == Direction::Inbound);
    assert!(
        matches!(&slot.evidence, Evidence::Message { message, quote }
            if quote == YES && *message == reply.unwrap().id),
        "{:?}",
        slot.evidence
    );

    assert_eq!(office.mail().len(), 2, "the question and the thanks");
    assert!(office.mail()[1].contains("Thank you"));
    assert_eq!(office.asks(), 1);
    office.passes(Wait::days(20)).await;
    assert_eq!(office.mail().len(), 2, "nothing is said after that");
    office.replays(&conversation).await;
}

#[tokio::test]
async fn who_does_not_answer_is_reminded_by_the_ladder_and_the_need_expires() {
    let office = Office::open();
    let conversation = office.register("inspection").await;
    office.quiet().await;
    office.passes(Wait::days(2)).await;
    assert_eq!(office.mail().len(), 1);
    office.passes(Wait::days(1)).await;
    assert_eq!(office.mail().len(), 2);
    assert!(office.mail()[1].contains(QUESTION));
    office.passes(Wait::days(12)).await;
    let outcome = office.outcome("inspection").await.unwrap();
    assert_eq!(outcome.outcome, OutcomeKind::Expired);
    assert!(outcome.slots.is_empty());
    let mail = office.mail().len();
    office.passes(Wait::days(60)).await;
    assert_eq!(office.mail().len(), mail, "nothing is said after that");
    office.replays(&conversation).await;
}

#[tokio::test]
async fn a_question_that_only_a_human_may_answer_waits_for_one_and_the_wait_goes_on() {
    const ASKS: &str = "Can I pass by the office to grab the keys?";
    let office = Office::open();
    let conversation = office.register("inspection").await;
    office.quiet().await;
    office.replies("inspection", ASKS).await;
    assert_eq!(office.holds(&conversation).await, ["stakeholder_question"]);
    assert!(office.outcome("inspection").await.is_none());
    office.passes(Wait::days(10)).await;
    assert_eq!(office.mail().len(), 1, "held, it says nothing");

    let text = "Yes, we are open from 9 to 17.".to_owned();
    let by = "olga".to_owned();
    for action in [Action::Answer { text }, Action::Resume] {
        let by = by.clone();
        office
            .input(&conversation, Input::QuickAction { by, action })
            .await;
    }
    office.quiet().await;
    let answer = &office.mail()[1];
    assert!(answer.contains("we are open from 9 to 17"), "{answer}");
    assert!(office.holds(&conversation).await.is_empty());
    office.replies("inspection", YES).await;
    assert!(office.is_fulfilled("inspection").await);
    office.replays(&conversation).await;
}
