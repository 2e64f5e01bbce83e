//! Opt-outs that an operator enters, and takes back.

use super::{LATER, NOW, asked_about, rent_was_asked};
use crate::world::{ADDRESS, State, World, address, ana, calm, need};
use liaison_core::{
    conversation::Action,
    input::Input,
    need::{OutcomeKind, Registration},
    stakeholder::{Channel, Consent, Contact, EmailAddress},
};

const SECOND: &str = "ana.home@example.com";

fn opt_out(at: Option<&str>) -> Action {
    Action::OptOut {
        address: at.map(address),
        note: "she called".to_owned(),
    }
}

fn opt_in(at: Option<&str>) -> Action {
    Action::OptIn {
        address: at.map(address),
        note: "she called again".to_owned(),
    }
}

/// A need about the person, who has this address as well.
fn registered(world: &mut World, need: Registration, another: &str) {
    let mut stakeholder = ana();
    let contact = Contact::new(Channel::Email, address(another));
    stakeholder.contacts.push(contact);
    world.input(Input::NeedRegistered {
        registration: Box::new(need),
        stakeholder: Box::new(stakeholder),
    });
    world.settle_down();
}

/// A person with two addresses, of whom something is asked at the first.
fn two_addresses() -> World {
    let mut world = World::new(NOW, calm());
    registered(&mut world, need("n1", &["rent"], LATER), SECOND);
    world
}

fn given(world: &World, at: &EmailAddress) -> bool {
    let contact = world.conversation.stakeholder.contact(at);
    contact.expect("it is known").consent == Consent::Given
}

#[test]
fn an_opt_out_that_an_operator_enters_ends_everything_and_stops_what_waits() {
    let mut world = two_addresses();
    world.operator(opt_out(None));
    world.settle_down();
    let queued = |world: &World| world.outbox.iter().any(|row| row.state == State::Queued);
    assert!(!queued(&world), "the question does not go");
    let outcome = world.outcome("n1").expect("it is settled");
    assert_eq!(outcome.outcome, OutcomeKind::OptedOut);
    let contact = &world.conversation.stakeholder.contacts[1];
    let Consent::OptedOut {
        message: None,
        entered: Some(entered),
        ..
    } = &contact.consent
    else {
        panic!("{contact:?}");
    };
    assert_eq!((&*entered.by, &*entered.note), ("olga", "she called"));

    // It holds for an address that is named later, too.
    let later = need("n2", &["pets"], LATER);
    registered(&mut world, later, "ana.work@example.com");
    assert!(!queued(&world));
    let outcome = world.outcome("n2").expect("it is settled");
    assert_eq!(outcome.outcome, OutcomeKind::OptedOut);
}

#[test]
fn an_opt_out_of_one_address_leaves_the_others() {
    let mut world = two_addresses();
    world.operator(opt_out(Some(ADDRESS)));
    world.settle_down();
    assert!(world.outcome("n1").is_none());
    let message = world.delivers();
    assert_eq!(message.plan.to, address(SECOND));
    assert_eq!(asked_about(&message), [("rent", false)]);

    let third = "ana.work@example.com";
    registered(&mut world, need("n2", &["pets"], LATER), third);
    assert!(
        given(&world, &address(third)),
        "nothing was said of another address"
    );

    // And then of all.
    world.operator(opt_out(None));
    world.settle_down();
    let outcome = world.outcome("n1").expect("it is settled");
    assert_eq!(outcome.outcome, OutcomeKind::OptedOut);
    assert!(world.conversation.stakeholder.opted_out().is_some());
}

#[test]
fn whoever_wants_to_be_written_to_after_all_is_with_the_reason_on_record() {
    let mut world = rent_was_asked(calm());
    world.writes("STOP");
    world.settle_down();
    world.operator(opt_in(None));
    world.settle_down();
    let contact = &world.conversation.stakeholder.contacts[0];
    let revived = contact.revived.as_ref().expect("the reason is kept");
    assert_eq!((&*revived.by, &*revived.note), ("olga", "she called again"));
    world.register(need("n2", &["pets"], LATER));
    world.settle_down();
    assert_eq!(asked_about(&world.delivers()), [("pets", false)]);
}

#[test]
fn what_is_so_already_is_noted_and_changes_nothing() {
    let mut world = rent_was_asked(calm());
    world.operator(opt_in(None));
    world.operator(opt_out(Some("nobody@example.com")));
    world.settle_down();
    world.operator(opt_out(None));
    world.operator(opt_out(None));
    world.settle_down();
    let why: Vec<&str> = world
        .conversation
        .ignored
        .iter()
        .map(|ignored| ignored.why.as_str())
        .collect();
    assert_eq!(
        why,
        [
            "the person has not opted out",
            "the person has no such contact",
            "the person had opted out already",
        ]
    );
}
