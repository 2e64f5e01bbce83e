//! Finding the conversation that something belongs to.

use super::{Subject, fixture::*};
use liaison_core::stakeholder::{Channel, EmailAddress};

pub(super) async fn a_token_finds_its_conversation(store: &Subject) {
    let id = quiet(store, "ana").await;
    let find = async |tenant, token| store.by_token(&tenant, token).await.expect("finds");
    assert_eq!(find(acme(), "token-ana").await, Some(id));
    assert_eq!(find(acme(), "token-an").await, None);
    assert_eq!(find(globex(), "token-ana").await, None);
}

pub(super) async fn the_first_message_id_that_is_known_wins(store: &Subject) {
    let first = sending(store, "m1", at(10)).await;
    let second = sending(store, "m2", at(10)).await;
    store
        .receive(letter(&first, "ana", "theirs", at(11)))
        .await
        .expect("receives");
    let find = async |tenant, ids: &[&str]| {
        let ids: Vec<_> = ids.iter().map(|id| (*id).to_owned()).collect();
        store.by_transport_id(&tenant, &ids).await.expect("finds")
    };
    let (one, two) = (ours("m1"), ours("m2"));
    let mine = |id: &_, name| Some((Clone::clone(id), message_id(name)));
    assert_eq!(
        find(acme(), &["<unknown@x>", &two, &one]).await,
        mine(&second, "m2")
    );
    assert_eq!(find(acme(), &[&one, &two]).await, mine(&first, "m1"));
    assert_eq!(
        find(acme(), &["<theirs@theirs.example>"]).await,
        None,
        "only our own"
    );
    assert_eq!(find(acme(), &[]).await, None);
    assert_eq!(find(globex(), &[&one]).await, None);
}

pub(super) async fn an_address_finds_conversations_and_those_with_open_needs(store: &Subject) {
    let open = register(store, new_need("ana")).await;
    let find = async |tenant, address: &str, open_only| {
        let address = EmailAddress::parse(address).expect("an address");
        let found = store
            .by_address(&tenant, Channel::Email, &address, open_only)
            .await;
        found.expect("finds")
    };
    assert_eq!(
        find(acme(), "Ana@EXAMPLE.com", true).await,
        std::slice::from_ref(&open)
    );
    assert_eq!(find(acme(), "bo@example.com", false).await, []);
    assert_eq!(find(globex(), "ana@example.com", false).await, []);

    // The document that is committed here knows of no need.
    step(store, &open, at(5), Vec::new()).await;
    assert_eq!(find(acme(), "ana@example.com", true).await, []);
    assert_eq!(find(acme(), "ana@example.com", false).await, [open]);
}
