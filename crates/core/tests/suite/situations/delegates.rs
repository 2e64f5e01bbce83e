//! Somebody else to talk to: which of several, by what name, and who gets the answer to whose
//! question.

use super::{asked_about, calm, rent_was_asked};
use crate::world::{ADDRESS, World, address};
use liaison_core::{
    conversation::{Action, HoldReason, WhichProposal},
    effect::{Effect, NeedEvent},
    id::HoldId,
    plan::PlanItem,
    policy::Policy,
};

const BO: &str = "Please ask my assistant Bo, bo@example.org.";
const EVE: &str = "Or ask my assistant Eve, eve@example.org.";

fn accept(hold: Option<HoldId>, to: Option<&str>) -> Action {
    Action::AcceptDelegate {
        hold,
        address: to.map(address),
        name: None,
    }
}

/// Bo and Eve were named, in this order.
fn two_were_named() -> (World, Vec<HoldId>) {
    let mut world = rent_was_asked(calm());
    for text in [BO, EVE] {
        world.writes(text);
        world.settle_down();
    }
    let holds = world.conversation.proposals();
    let holds = holds.map(|proposal| proposal.hold.clone()).collect();
    (world, holds)
}

fn first_contact(world: &World) -> &str {
    world.conversation.stakeholder.contacts[0].address.as_str()
}

#[test]
fn with_two_proposals_and_none_named_nothing_is_decided() {
    let (mut world, holds) = two_were_named();
    assert_eq!(
        world.conversation.proposal_meant(None, None, None),
        Err(WhichProposal::Several {
            holds: holds.clone()
        })
    );
    for action in [accept(None, None), Action::RejectDelegate { hold: None }] {
        world.operator(action);
        world.settle_down();
        assert_eq!(world.holds(), ["names_another", "names_another"]);
        assert_eq!(first_contact(&world), ADDRESS);
        let ignored = world.conversation.ignored.last().expect("it is noted");
        assert!(ignored.why.contains("say which"), "{}", ignored.why);
    }
    world.operator(accept(None, Some("another@example.org")));
    world.settle_down();
    assert_eq!(first_contact(&world), ADDRESS, "that names neither of them");
}

#[test]
fn a_proposal_is_named_by_its_hold_or_its_address() {
    for by_address in [false, true] {
        let (mut world, holds) = two_were_named();
        world.operator(match by_address {
            true => accept(None, Some("EVE@example.org")),
            false => accept(Some(holds[1].clone()), None),
        });
        world.settle_down();
        assert_eq!(first_contact(&world), "eve@example.org");
        assert!(world.holds().is_empty(), "whom to ask is decided");
        assert_eq!(world.delivers().plan.name.as_deref(), Some("Eve"));
    }
}

#[test]
fn one_of_two_proposals_is_rejected_by_its_hold() {
    let (mut world, holds) = two_were_named();
    let hold = Some(holds[0].clone());
    world.operator(Action::RejectDelegate { hold });
    world.settle_down();
    assert_eq!(world.holds(), ["names_another"]);
    world.operator(accept(None, None));
    world.settle_down();
    assert_eq!(first_contact(&world), "eve@example.org");
}

#[test]
fn the_same_person_named_twice_is_one_proposal() {
    let mut world = rent_was_asked(calm());
    for text in [BO, "As I said, ask my assistant Bo: bo@example.org!"] {
        world.writes(text);
        world.settle_down();
    }
    world.operator(accept(None, None));
    world.settle_down();
    assert_eq!(first_contact(&world), "bo@example.org");
    assert!(world.holds().is_empty());
}

#[test]
fn whoever_was_named_after_the_decision_is_another_decision() {
    let mut world = rent_was_asked(calm());
    world.writes(BO);
    world.settle_down();
    world.operator(accept(None, None));
    world.writes(EVE);
    world.settle_down();
    assert_eq!(first_contact(&world), "bo@example.org");
    assert_eq!(world.holds(), ["names_another"]);
}

#[test]
fn the_caller_hears_which_hold_a_proposal_has() {
    let (world, holds) = two_were_named();
    let told: Vec<HoldId> = world
        .effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Event {
                event: NeedEvent::DelegateNamed { hold, .. },
                ..
            } => hold.clone(),
            _ => None,
        })
        .collect();
    assert_eq!(told, holds);
}

#[test]
fn a_delegate_without_a_name_is_not_greeted_by_the_persons() {
    let mut world = rent_was_asked(calm());
    world.writes("Please ask my assistant, office@example.org.");
    world.settle_down();
    world.operator(accept(None, None));
    world.settle_down();
    assert!(world.conversation.stakeholder.name.is_some());
    let message = world.delivers();
    assert_eq!(message.plan.name, None);
    assert!(
        message.draft.body.starts_with("Hello,"),
        "{:?}",
        message.draft
    );
}

#[test]
fn a_reply_that_names_our_own_mailbox_proposes_nobody() {
    let policy = Policy {
        mailboxes: vec![address("agency@example.net")],
        ..calm()
    };
    let mut world = rent_was_asked(policy);
    world.writes("I told my assistant to write to agency+token@example.net.");
    world.settle_down();
    let HoldReason::NamesAnother { delegate: None, .. } = &world.conversation.holds[0].reason
    else {
        panic!("{:?}", world.conversation.holds);
    };
    world.operator(accept(None, Some("agency@example.net")));
    world.settle_down();
    assert_eq!(first_contact(&world), ADDRESS);
}

#[test]
fn the_answer_to_a_question_goes_to_who_asked_it_and_not_to_the_delegate() {
    for answered_first in [true, false] {
        let mut world = rent_was_asked(calm());
        world.writes("Is the deposit due in May?");
        world.settle_down();
        world.writes(BO);
        world.settle_down();
        assert_eq!(world.holds(), ["stakeholder_question", "names_another"]);
        let answer = Action::Answer {
            text: "No, in June.".to_owned(),
        };
        let mut commands = vec![accept(None, None), answer];
        if answered_first {
            commands.reverse();
        }
        for command in commands {
            world.operator(command);
            world.settle_down();
        }
        world.operator(Action::Resume);
        world.settle_down();
        let reply = world.delivers();
        assert_eq!(reply.plan.to, address(ADDRESS));
        assert_eq!(reply.plan.name.as_deref(), Some("Ana"));
        assert!(matches!(
            reply.plan.items.as_slice(),
            [PlanItem::Answer { question: Some(question), .. }] if question.contains("deposit")
        ));
        let question = world.delivers();
        assert_eq!(question.plan.to, address("bo@example.org"));
        assert_eq!(asked_about(&question), [("rent", false)]);
        assert!(!question.draft.body.contains("June"));
    }
}

#[test]
fn an_answer_waits_while_who_asked_cannot_be_reached() {
    let mut world = rent_was_asked(calm());
    world.writes("Is the deposit due in May?");
    world.settle_down();
    world.writes(BO);
    world.settle_down();
    world.operator(accept(None, None));
    world.settle_down();
    world.conversation.stakeholder.contacts[1].health = liaison_core::stakeholder::Health::Failed {
        since: world.now,
        reason: "no such user".to_owned(),
    };
    world.operator(Action::Answer {
        text: "No, in June.".to_owned(),
    });
    world.operator(Action::Resume);
    world.settle_down();
    let question = world.delivers();
    assert_eq!(question.plan.to, address("bo@example.org"));
    assert!(world.begin().is_none(), "nothing else is sent");
    assert_eq!(world.conversation.reply_items.len(), 1, "it is still owed");
}

#[test]
fn with_several_questions_open_an_answer_quotes_none_of_them() {
    let mut world = rent_was_asked(calm());
    for text in ["Is the deposit due in May?", "Who has the keys?"] {
        world.writes(text);
        world.settle_down();
    }
    world.operator(Action::Answer {
        text: "The deposit is due in June, and we have the keys.".to_owned(),
    });
    world.operator(Action::Resume);
    world.settle_down();
    let reply = world.delivers();
    assert!(matches!(
        reply.plan.items.first(),
        Some(PlanItem::Answer { question: None, .. })
    ));
}
