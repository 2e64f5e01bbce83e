//! Texts that Postgres does not take as they are.

use crate::server::database;
use liaison_core::input::Input;
use liaison_ports::{
    conformance::fixture::{acme, at, claim_one, letter, new_need, register},
    store::{Appended, Store},
};
use std::sync::Arc;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_with_a_null_is_kept_in_the_input_and_shown_without_it() {
    let Some(database) = database().await else {
        return;
    };
    let store: Arc<dyn Store> = Arc::new(database.open().await);
    let id = register(&store, new_need("ana")).await;
    let mut message = letter(&id, "ana", "r1", at(1));
    message.row.text = "yes\0no".to_owned();
    message.row.subject = "\0".to_owned();
    message.input.dedupe_key = "mail:\0".to_owned();
    let Input::MessageReceived(received) = &mut message.input.input else {
        panic!("a letter is a message");
    };
    received.text = "yes\0no".to_owned();
    let stored = store.receive(message.clone()).await.expect("receives");
    assert!(matches!(stored, Appended::At(_)));
    let again = store.receive(message).await.expect("answers");
    assert_eq!(again, Appended::Duplicate);

    let shown = store.transcript(&acme(), &id, 10).await.expect("reads");
    assert_eq!(shown[0].text, "yes\u{2400}no");
    let claimed = claim_one(&store, at(1)).await;
    let kept = claimed.inputs.iter().any(|input| {
        matches!(&input.input, Input::MessageReceived(message) if message.text == "yes\0no")
    });
    assert!(kept, "{:?}", claimed.inputs);
}
