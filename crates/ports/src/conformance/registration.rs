//! Registering needs.

use super::{Subject, fixture::*};
use crate::store::{ConversationFilter, NewNeed, Registered, StoreError};
use liaison_core::{input::Input, stakeholder::EmailAddress, transition};

fn keyed(mut need: NewNeed, key: &str) -> NewNeed {
    need.idempotency_key = Some(key.to_owned());
    need
}

fn stakeholder_keyed(mut need: NewNeed, key: &str) -> NewNeed {
    need.stakeholder.key = Some(key.to_owned());
    need.opening.stakeholder.key = Some(key.to_owned());
    need
}

async fn conversations(store: &Subject) -> usize {
    let filter = ConversationFilter {
        limit: 100,
        ..ConversationFilter::default()
    };
    store
        .conversations(&acme(), filter)
        .await
        .expect("lists")
        .len()
}

pub(super) async fn a_need_opens_a_conversation_that_is_due_at_once(store: &Subject) {
    let need = new_need("ana");
    let home = async |tenant| store.home(&tenant, &need.stakeholder).await.expect("looks");
    assert_eq!(home(acme()).await, None);
    let id = register(store, need.clone()).await;
    assert_eq!(id, conversation("ana"));
    assert_eq!(home(acme()).await, Some(id.clone()));
    assert_eq!(home(globex()).await, None, "another tenant's");

    let row = store
        .need(&acme(), &need_id("ana"))
        .await
        .expect("reads")
        .expect("is there");
    assert_eq!(row.registration, need.registration);
    assert_eq!(row.conversation, id);
    assert_eq!(row.registered_at, at(0));
    assert_eq!(row.outcome, None);

    let claimed = claim_one(store, at(0)).await;
    assert_eq!(claimed.id, id);
    assert_eq!(
        *claimed.document.expect("reads"),
        transition::open(need.opening)
    );
    assert_eq!(claimed.inputs.len(), 1);
    assert_eq!(
        claimed.inputs[0].input,
        Input::NeedRegistered {
            registration: Box::new(need.registration),
            stakeholder: Box::new(need.stakeholder),
        }
    );
}

pub(super) async fn the_same_request_with_its_key_is_registered_once(store: &Subject) {
    register(store, keyed(new_need("ana"), "k1")).await;
    let mut again = keyed(new_need("again"), "k1");
    again.request_hash = "hash-ana".to_owned();
    let before = store
        .need(&acme(), &need_id("ana"))
        .await
        .expect("reads")
        .expect("is there");
    assert_eq!(
        store.register_need(again).await.expect("answers"),
        Registered::Existing(Box::new(before))
    );
    assert_eq!(
        store.need(&acme(), &need_id("again")).await.expect("reads"),
        None
    );
    assert_eq!(conversations(store).await, 1);
    assert_eq!(unfolded(store, &conversation("ana")).await, 1);
}

pub(super) async fn a_key_with_another_request_is_refused(store: &Subject) {
    register(store, keyed(new_need("ana"), "k1")).await;
    let other = store.register_need(keyed(new_need("other"), "k1")).await;
    assert_eq!(other.expect("answers"), Registered::KeyReused);
    assert_eq!(conversations(store).await, 1);
}

pub(super) async fn keys_of_two_tenants_are_apart(store: &Subject) {
    register(store, keyed(new_need("ana"), "k1")).await;
    let theirs = of_tenant(keyed(new_need("bo"), "k1"), globex());
    assert_eq!(register(store, theirs).await, conversation("bo"));
}

pub(super) async fn the_same_need_without_a_key_is_registered_once(store: &Subject) {
    register(store, new_need("ana")).await;
    let again = store.register_need(new_need("ana")).await.expect("answers");
    assert!(matches!(again, Registered::Existing(row) if row.id == need_id("ana")));

    let mut other = new_need("ana");
    other.request_hash = "another".to_owned();
    let other = store.register_need(other).await.expect("answers");
    assert_eq!(other, Registered::KeyReused);
    let foreign = store
        .register_need(of_tenant(new_need("ana"), globex()))
        .await;
    assert_eq!(foreign.expect("answers"), Registered::KeyReused);
}

pub(super) async fn a_need_joins_the_conversation_with_the_stakeholders_key(store: &Subject) {
    let first = register(store, stakeholder_keyed(new_need("ana"), "landlord-7")).await;
    let elsewhere = about(new_need("second"), person("ana-at-work"));
    let second = register(store, stakeholder_keyed(elsewhere, "landlord-7")).await;
    assert_eq!(second, first);
    assert_eq!(unfolded(store, &first).await, 2);
    assert_eq!(claim_one(store, at(0)).await.inputs.len(), 2);
}

pub(super) async fn a_need_joins_the_only_conversation_with_its_address(store: &Subject) {
    let first = register(store, new_need("ana")).await;
    let mut shouting = person("ana");
    shouting.contacts[0].address = EmailAddress::parse("ANA@Example.com").expect("an address");
    assert_eq!(
        register(store, about(new_need("second"), shouting)).await,
        first
    );

    let keyed = stakeholder_keyed(about(new_need("third"), person("ana")), "landlord-7");
    assert_eq!(
        register(store, keyed).await,
        first,
        "the conversation's own key is absent"
    );
}

pub(super) async fn another_key_with_the_same_address_is_another_person(store: &Subject) {
    let first = register(store, stakeholder_keyed(new_need("ana"), "landlord-7")).await;
    let other = about(new_need("second"), person("ana"));
    let second = register(store, stakeholder_keyed(other, "landlord-8")).await;
    assert_ne!(second, first);

    let third = about(new_need("third"), person("ana"));
    let third = register(store, stakeholder_keyed(third, "landlord-8")).await;
    assert_eq!(third, second);
}

pub(super) async fn an_address_of_two_conversations_decides_nothing(store: &Subject) {
    register(store, stakeholder_keyed(new_need("ana"), "landlord-7")).await;
    let other = about(new_need("second"), person("ana"));
    register(store, stakeholder_keyed(other, "landlord-8")).await;
    let third = register(store, about(new_need("third"), person("ana"))).await;
    assert_eq!(third, conversation("third"));
}

pub(super) async fn a_need_never_joins_another_tenants_conversation(store: &Subject) {
    register(store, stakeholder_keyed(new_need("ana"), "landlord-7")).await;
    let theirs = of_tenant(about(new_need("theirs"), person("ana")), globex());
    let theirs = register(store, stakeholder_keyed(theirs, "landlord-7")).await;
    assert_eq!(theirs, conversation("theirs"));
}

pub(super) async fn a_taken_reply_token_is_refused_and_leaves_nothing(store: &Subject) {
    register(store, new_need("ana")).await;
    let mut other = new_need("bo");
    other.opening.reply_token = "token-ana".to_owned();
    let refused = store.register_need(other).await;
    assert!(
        matches!(refused, Err(StoreError::Corrupt { .. })),
        "{refused:?}"
    );
    assert_eq!(
        store.need(&acme(), &need_id("bo")).await.expect("reads"),
        None
    );
    assert_eq!(conversations(store).await, 1);
    register(store, new_need("bo")).await;
}
