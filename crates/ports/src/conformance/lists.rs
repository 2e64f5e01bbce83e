//! What callers and operators read.

use super::{Subject, fixture::*};
use crate::store::{ConversationFilter, KeyRow, Scope, StoreError};
use liaison_core::{
    id::{BlobId, ConversationId, TenantId},
    stakeholder::Channel,
};

pub(super) async fn needs_are_paged_from_the_newest(store: &Subject) {
    for name in ["1", "2", "3", "4"] {
        register(store, new_need(name)).await;
    }
    register(store, of_tenant(new_need("5"), globex())).await;
    let page = async |before: Option<&str>, limit| {
        let rows = store.needs(&acme(), before.map(need_id), limit).await;
        rows.expect("lists")
            .into_iter()
            .map(|row| row.id)
            .collect::<Vec<_>>()
    };
    assert_eq!(page(None, 3).await, ["4", "3", "2"].map(need_id));
    assert_eq!(page(Some("2"), 3).await, [need_id("1")]);
    assert_eq!(page(Some("1"), 3).await, []);
}

pub(super) async fn conversations_are_listed_by_their_latest_activity(store: &Subject) {
    for name in ["ana", "bo", "cy"] {
        quiet(store, name).await;
    }
    for (name, when) in [("cy", 10), ("ana", 20), ("bo", 30)] {
        append(store, note(&conversation(name), name, at(when))).await;
    }
    append(store, note(&conversation("bo"), "old news", at(5))).await;
    let page = async |offset| {
        let filter = ConversationFilter {
            held: false,
            limit: 2,
            offset,
        };
        store.conversations(&acme(), filter).await.expect("lists")
    };
    let (first, second) = (page(0).await, page(2).await);
    let found: Vec<_> = first.iter().chain(&second).collect();
    let ids: Vec<_> = found.iter().map(|row| row.id.clone()).collect();
    assert_eq!(ids, ["bo", "ana", "cy"].map(conversation));
    assert_eq!(found[0].last_activity, at(30));
    assert_eq!(found[0].wake_at, Some(at(5)));
    assert!(!found[0].quarantined);

    let mut all = claim(store, at(100)).await;
    let one = all.remove(0);
    store
        .quarantine(&one.id, one.fence, "broken", at(100))
        .await
        .expect("quarantines");
    let listed = page(0).await.into_iter().chain(page(2).await);
    let quarantined: Vec<_> = listed
        .filter(|row| row.quarantined)
        .map(|row| row.id)
        .collect();
    assert_eq!(quarantined, [one.id]);
}

pub(super) async fn conversations_are_gone_through_by_their_ids(store: &Subject) {
    for name in ["cy", "ana", "bo"] {
        register(store, new_need(name)).await;
    }
    register(store, of_tenant(new_need("bob"), globex())).await;
    let page = async |after: Option<&ConversationId>| {
        let page = store.conversation_ids(&acme(), after, 2).await;
        page.expect("lists")
    };
    let first = page(None).await;
    assert_eq!(first, ["ana", "bo"].map(conversation));
    let second = page(first.last()).await;
    assert_eq!(second, ["cy"].map(conversation));
    assert!(page(second.last()).await.is_empty());
}

pub(super) async fn a_transcript_is_the_latest_in_order(store: &Subject) {
    let id = sending(store, "m1", at(10)).await;
    for (key, when) in [("r1", 20), ("r2", 20), ("r3", 15)] {
        store
            .receive(letter(&id, "ana", key, at(when)))
            .await
            .expect("receives");
    }
    let read = async |limit| {
        let rows = store.transcript(&acme(), &id, limit).await.expect("reads");
        rows.into_iter().map(|row| row.id).collect::<Vec<_>>()
    };
    assert_eq!(read(10).await, ["m1", "r3", "r1", "r2"].map(message_id));
    assert_eq!(read(2).await, ["r1", "r2"].map(message_id));
}

pub(super) async fn another_tenant_finds_nothing(store: &Subject) {
    let id = sending(store, "m1", at(10)).await;
    let (need, them) = (need_id("m1"), globex());
    let mut message = letter(&id, "m1", "r1", at(11));
    message.files = vec![(
        BlobId::new("blob-1"),
        crate::inbound::InboundFile {
            name: "plan.pdf".to_owned(),
            media_type: "application/pdf".to_owned(),
            bytes: vec![1],
        },
    )];
    store.receive(message).await.expect("receives");
    let all = ConversationFilter {
        held: false,
        limit: 10,
        offset: 0,
    };
    assert_eq!(store.need(&them, &need).await.expect("reads"), None);
    assert_eq!(
        store.needs(&them, None, 10).await.expect("reads"),
        Vec::new()
    );
    assert_eq!(
        store.events(&them, &need, 0).await.expect("reads"),
        Vec::new()
    );
    assert!(
        store
            .conversation(&them, &id)
            .await
            .expect("reads")
            .is_none()
    );
    assert_eq!(
        store.conversations(&them, all).await.expect("reads"),
        Vec::new()
    );
    assert_eq!(
        store.transcript(&them, &id, 10).await.expect("reads"),
        Vec::new()
    );
    assert!(
        store
            .journal(&them, &id, 0, 10)
            .await
            .expect("reads")
            .is_none()
    );
    assert!(store.outbox(&them, 10).await.expect("reads").is_empty());
    assert_eq!(
        store
            .blob(&them, &BlobId::new("blob-1"))
            .await
            .expect("reads"),
        None
    );
    let found = store
        .by_address(&them, Channel::Email, &mail("m1"), false)
        .await;
    assert_eq!(found.expect("finds"), []);
}

fn key(id: &str, tenant: TenantId) -> KeyRow {
    KeyRow {
        id: id.to_owned(),
        tenant,
        name: format!("key {id}"),
        scope: Scope::Operator,
        hash: format!("hash-of-{id}"),
        created_at: at(0),
        revoked_at: None,
    }
}

pub(super) async fn a_key_is_found_by_its_hash_and_revoked_at_once(store: &Subject) {
    for row in [key("k1", acme()), key("k2", acme()), key("k3", globex())] {
        store.add_key(row).await.expect("adds");
    }
    let by_hash = async |hash| store.key_by_hash(hash).await.expect("finds");
    assert_eq!(by_hash("hash-of-k1").await, Some(key("k1", acme())));
    assert_eq!(by_hash("hash-of-k9").await, None);
    assert_eq!(
        store.keys(&acme()).await.expect("lists"),
        [key("k1", acme()), key("k2", acme())]
    );

    let revoke = async |tenant, id, when| store.revoke_key(&tenant, id, at(when)).await;
    assert!(
        !revoke(globex(), "k1", 5).await.expect("answers"),
        "another tenant's"
    );
    assert!(!revoke(acme(), "k9", 5).await.expect("answers"));
    assert!(revoke(acme(), "k1", 5).await.expect("revokes"));
    assert!(revoke(acme(), "k1", 9).await.expect("revokes"));
    let revoked = by_hash("hash-of-k1").await.expect("is there");
    assert_eq!(revoked.revoked_at, Some(at(5)), "the first time counts");
}

pub(super) async fn two_keys_never_share_a_hash(store: &Subject) {
    store.add_key(key("k1", acme())).await.expect("adds");
    let mut twin = key("k2", globex());
    twin.hash = "hash-of-k1".to_owned();
    let refused = store.add_key(twin).await;
    assert!(
        matches!(refused, Err(StoreError::Corrupt { .. })),
        "{refused:?}"
    );
    let found = store
        .key_by_hash("hash-of-k1")
        .await
        .expect("finds")
        .expect("is there");
    assert_eq!(found.tenant, acme());
}

pub(super) async fn the_store_can_be_read_and_written(store: &Subject) {
    store.check().await.expect("works");
    store.check().await.expect("works again");
}
