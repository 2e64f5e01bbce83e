//! No: opting out, being written to again, and talking to somebody else.

use super::{LATER, NOW, asked_about, calm, rent_was_asked, unknown};
use crate::world::{ADDRESS, World, address, instant, need};
use liaison_core::{
    conversation::{Action, Author, HoldReason, MessageKind},
    effect::{Effect, NeedEvent},
    id::MessageId,
    input::Input,
    need::OutcomeKind,
    policy::Policy,
    stakeholder::{Consent, Grounds},
};

const NAMED: &str = "Please ask my assistant Bo, bo@example.org.";

fn outcomes(world: &World) -> Vec<OutcomeKind> {
    ["n1", "n2"]
        .iter()
        .filter_map(|need| world.outcome(need).map(|outcome| outcome.outcome))
        .collect()
}

#[test]
fn a_sentence_that_ends_all_contact_opts_out_at_once_for_all_needs() {
    let mut world = rent_was_asked(calm());
    world.register(need("n2", &["pets"], LATER));
    world.writes("Please stop writing to me.");
    world.settle_down();
    assert_eq!(
        outcomes(&world),
        [OutcomeKind::OptedOut, OutcomeKind::OptedOut]
    );
    assert!(world.holds().is_empty());
    assert_eq!(world.outbox.len(), 1);
}

#[test]
fn what_was_answered_in_the_same_breath_as_the_opt_out_counts() {
    let mut world = rent_was_asked(calm());
    world.writes("The rent is 1200.");
    world.writes("Now leave me alone.");
    world.settle_down();
    assert_eq!(outcomes(&world), [OutcomeKind::Fulfilled]);
    assert_eq!(world.outbox.len(), 1, "not even thanks are sent");
}

#[test]
fn a_limited_wish_to_be_left_alone_waits_for_an_operator() {
    let mut world = rent_was_asked(calm());
    world.writes("Do not contact me before Monday.");
    world.settle_down();
    assert_eq!(world.holds(), ["refuses_contact"]);
}

#[test]
fn whoever_asked_not_to_be_written_to_is_not_told_that_a_question_is_over() {
    for limited in [true, false] {
        let mut world = rent_was_asked(calm());
        world.writes(match limited {
            true => "Please stop emailing me about this.",
            false => "Please stop emailing me.",
        });
        world.settle_down();
        world.cancel("n1");
        world.settle_down();
        world.operator(Action::Resume);
        world.settle_down();
        world.operator(Action::Revive {
            address: address(ADDRESS),
            note: "for another need".to_owned(),
        });
        world.settle_down();
        assert_eq!(world.outbox.len(), 1, "limited: {limited}");
        assert!(world.holds().is_empty());
    }
}

#[test]
fn a_refusal_of_contact_drops_the_word_that_a_question_is_over() {
    let mut world = rent_was_asked(Policy {
        quiet_hours: Some(Default::default()),
        ..calm()
    });
    world.goes_to("2027-05-03T22:00:00Z");
    world.cancel("n1");
    world.settle_down();
    world.writes("Please stop emailing me about this.");
    world.settle_down();
    assert_eq!(world.holds(), ["refuses_contact"]);
    world.operator(Action::Resume);
    world.goes_to("2027-05-04T10:00:00Z");
    world.settle_down();
    assert_eq!(world.outbox.len(), 1);
}

#[test]
fn a_complaint_to_their_provider_is_an_opt_out() {
    let mut world = rent_was_asked(calm());
    world.input(Input::OptedOut {
        message: MessageId::new("report"),
        why: "they reported a message of ours as unwanted".to_owned(),
    });
    world.settle_down();
    assert_eq!(outcomes(&world), [OutcomeKind::OptedOut]);
    // Whoever registers another need of theirs hears the same.
    world.register(need("n2", &["pets"], LATER));
    world.settle_down();
    assert_eq!(
        outcomes(&world),
        [OutcomeKind::OptedOut, OutcomeKind::OptedOut]
    );
}

#[test]
fn an_operator_with_grounds_may_have_them_written_to_again() {
    let mut world = rent_was_asked(calm());
    world.writes("Stop writing to me.");
    world.settle_down();
    world.operator(Action::Revive {
        address: address(ADDRESS),
        note: "she called and asked for it".to_owned(),
    });
    world.settle_down();
    let contact = &world.conversation.stakeholder.contacts[0];
    assert_eq!(contact.consent, Consent::Given);
    assert!(
        contact
            .revived
            .as_ref()
            .is_some_and(|revival| revival.by == "olga")
    );
    world.register(need("n2", &["pets"], LATER));
    world.settle_down();
    assert_eq!(asked_about(world.last_message()), [("pets", false)]);
    assert_eq!(
        outcomes(&world),
        [OutcomeKind::OptedOut],
        "what ended stays ended"
    );
}

#[test]
fn somebody_else_is_proposed_and_not_written_to_before_a_person_agrees() {
    let mut world = rent_was_asked(calm());
    world.writes(NAMED);
    world.settle_down();
    assert_eq!(world.holds(), ["names_another"]);
    let HoldReason::NamesAnother { delegate, .. } = &world.conversation.holds[0].reason else {
        panic!("{:?}", world.conversation.holds);
    };
    let delegate = delegate.as_ref().expect("an address is given");
    assert_eq!(delegate.name.as_deref(), Some("Bo"));
    assert_eq!(delegate.address, address("bo@example.org"));
    let told = world.effects.iter().any(|effect| {
        matches!(effect, Effect::Event { event: NeedEvent::DelegateNamed { address, .. }, .. }
            if address == "bo@example.org")
    });
    assert!(told, "the caller hears of it");
    // Neither does lifting the hold agree to it.
    world.operator(Action::Resume);
    world.settle_down();
    assert_eq!(world.conversation.stakeholder.contacts.len(), 1);
    // And without the hold there is nothing to accept.
    world.operator(Action::AcceptDelegate {
        hold: None,
        address: Some(address("eve@example.org")),
        name: None,
    });
    world.settle_down();
    assert_eq!(world.conversation.stakeholder.contacts.len(), 1);
}

#[test]
fn an_accepted_delegate_is_asked_by_name_as_for_the_first_time() {
    let mut world = rent_was_asked(calm());
    world.writes(NAMED);
    world.settle_down();
    world.operator(Action::AcceptDelegate {
        hold: None,
        address: None,
        name: None,
    });
    world.settle_down();
    assert!(world.holds().is_empty());
    let message = world.delivers();
    assert_eq!(message.plan.to, address("bo@example.org"));
    assert_eq!(message.plan.name.as_deref(), Some("Bo"));
    assert_eq!(message.plan.kind, MessageKind::Ask);
    assert_eq!(asked_about(&message), [("rent", false)]);
    let contacts = &world.conversation.stakeholder.contacts;
    let grounds = contacts[0].grounds.as_ref();
    assert!(
        matches!(grounds, Some(Grounds::Delegate { agreed_by, quote, .. })
            if agreed_by == "olga" && quote.contains("my assistant Bo")),
        "{grounds:?}"
    );
    assert_eq!(contacts[1].address, address(ADDRESS));
    // What the delegate answers counts as the person's.
    world.writes("The rent is 1200.");
    world.settle_down();
    assert_eq!(outcomes(&world), [OutcomeKind::Fulfilled]);
}

#[test]
fn a_rejected_delegate_leaves_it_with_the_person() {
    let mut world = rent_was_asked(calm());
    world.writes(NAMED);
    world.settle_down();
    world.operator(Action::RejectDelegate { hold: None });
    world.settle_down();
    assert!(world.holds().is_empty());
    assert_eq!(world.conversation.stakeholder.contacts.len(), 1);
    assert_eq!(world.next_wake(), Some(instant("2027-05-06T10:00:00Z")));
}

#[test]
fn a_refusal_of_what_is_required_declines_and_one_of_the_rest_does_not() {
    let mut world = World::new(NOW, calm());
    let mut first = need("n1", &["rent", "pets"], LATER);
    first.slots[1].required = false;
    world.register(first);
    world.settle_down();
    world.delivers();
    world.writes("I would rather not say.");
    world.settle_down();
    assert_eq!(outcomes(&world), [OutcomeKind::Declined]);
}

#[test]
fn an_answer_to_a_message_of_unknown_fate_proves_that_it_arrived() {
    for automatic in [false, true] {
        let mut world = World::new(NOW, calm());
        world.register(need("n1", &["rent", "pets"], LATER));
        world.settle_down();
        let ours = world.begin().expect("a message waits").message.id.clone();
        world.complete(unknown());
        world.settle_down();
        assert_eq!(world.holds(), ["unknown_send"]);
        let mut letter = world.letter("The rent is 1200.");
        letter.answers = Some(ours.clone());
        if automatic {
            letter.author = Author::Automatic;
        }
        world.arrives(letter);
        world.settle_down();
        assert!(world.holds().is_empty(), "{:?}", world.holds());
        assert_eq!(
            world.conversation.asks.len(),
            2,
            "both questions were asked"
        );
        let resolved = Effect::Resolve {
            message: ours,
            sent: true,
        };
        assert!(world.effects.contains(&resolved));
    }
}

#[test]
fn an_answer_to_another_message_proves_nothing_of_this_one() {
    let mut world = World::new(NOW, calm());
    world.register(need("n1", &["rent"], LATER));
    world.settle_down();
    world.begin().expect("a message waits");
    world.complete(unknown());
    world.settle_down();
    let mut letter = world.letter("Thank you!");
    letter.answers = Some(MessageId::new("another"));
    world.arrives(letter);
    world.settle_down();
    assert_eq!(world.holds(), ["unknown_send"]);
}
