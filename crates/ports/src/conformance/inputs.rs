//! Inputs and messages on their way in.

use super::{Subject, fixture::*};
use crate::{
    inbound::InboundFile,
    store::{Appended, CommandAppended, NewCommand, NewInput, StoreError},
};
use liaison_core::id::{BlobId, ConversationId};

fn place(appended: Appended) -> i64 {
    match appended {
        Appended::At(seq) => seq,
        other => panic!("it was to be appended, and is {other:?}"),
    }
}

fn file(id: &str) -> (BlobId, InboundFile) {
    let file = InboundFile {
        name: "plan.pdf".to_owned(),
        media_type: "application/pdf".to_owned(),
        bytes: vec![0, 1, 2, 255, 254],
    };
    (BlobId::new(id), file)
}

pub(super) async fn inputs_come_in_their_order_and_once_each(store: &Subject) {
    let id = quiet(store, "ana").await;
    let inputs = vec![
        note(&id, "one", at(10)),
        note(&id, "two", at(5)),
        note(&id, "one", at(20)),
        note(&id, "three", at(5)),
    ];
    let appended = store.append_inputs(inputs).await.expect("appends");
    assert_eq!(appended[2], Appended::Duplicate);
    let places = [0, 1, 3].map(|i| place(appended[i]));
    assert!(places.is_sorted(), "{places:?}");
    assert_eq!(
        append(store, note(&id, "two", at(30))).await,
        Appended::Duplicate
    );

    let claimed = claim_one(store, at(5)).await;
    let found: Vec<_> = claimed
        .inputs
        .iter()
        .map(|input| (input.seq, input.at))
        .collect();
    let expected: Vec<_> = places.into_iter().zip([at(10), at(5), at(5)]).collect();
    assert_eq!(found, expected, "in the order in which they were stored");

    store
        .commit(commit_of(&claimed, at(30)))
        .await
        .expect("commits");
    let again = append(store, note(&id, "one", at(40))).await;
    assert_eq!(again, Appended::Duplicate, "also when it has been folded");
}

pub(super) async fn one_dedupe_key_counts_in_the_whole_tenant_and_not_beyond(store: &Subject) {
    let ana = quiet(store, "ana").await;
    let bo = quiet(store, "bo").await;
    let theirs = register(store, of_tenant(new_need("cy"), globex())).await;
    place(append(store, note(&ana, "mail:1", at(1))).await);
    assert_eq!(
        append(store, note(&bo, "mail:1", at(1))).await,
        Appended::Duplicate
    );
    place(append(store, note(&theirs, "mail:1", at(1))).await);
}

pub(super) async fn an_input_for_no_conversation_is_named_and_the_others_are_kept(store: &Subject) {
    let id = quiet(store, "ana").await;
    let nobody = conversation("nobody");
    let inputs = vec![note(&nobody, "a", at(1)), note(&id, "b", at(1))];
    let appended = store.append_inputs(inputs).await.expect("appends");
    assert_eq!(appended[0], Appended::NoConversation);
    place(appended[1]);
    assert_eq!(
        store.append_inputs(Vec::new()).await.expect("appends"),
        Vec::new()
    );
}

pub(super) async fn an_input_makes_its_conversation_due_but_never_later(store: &Subject) {
    let id = quiet(store, "ana").await;
    assert_eq!(wake_at(store, &id).await, None);
    append(store, note(&id, "a", at(100))).await;
    assert_eq!(wake_at(store, &id).await, Some(at(100)));
    append(store, note(&id, "b", at(200))).await;
    assert_eq!(wake_at(store, &id).await, Some(at(100)));
    append(store, note(&id, "c", at(50))).await;
    assert_eq!(wake_at(store, &id).await, Some(at(50)));
}

pub(super) async fn a_received_message_brings_its_transcript_and_its_files(store: &Subject) {
    let id = quiet(store, "ana").await;
    let mut message = letter(&id, "ana", "m1", at(10));
    message.files = vec![file("blob-1"), file("blob-2")];
    place(store.receive(message.clone()).await.expect("receives"));

    let transcript = store.transcript(&acme(), &id, 10).await.expect("reads");
    assert_eq!(transcript, vec![message.row]);
    for blob in ["blob-1", "blob-2"] {
        let bytes = store
            .blob(&acme(), &BlobId::new(blob))
            .await
            .expect("reads");
        assert_eq!(bytes, Some(vec![0, 1, 2, 255, 254]));
    }
    let claimed = claim_one(store, at(10)).await;
    assert_eq!(claimed.inputs[0].input, message.input.input);
}

pub(super) async fn a_message_received_twice_leaves_one_of_everything(store: &Subject) {
    let id = quiet(store, "ana").await;
    place(
        store
            .receive(letter(&id, "ana", "m1", at(10)))
            .await
            .expect("receives"),
    );
    let mut again = letter(&id, "ana", "other-id", at(20));
    again.input.dedupe_key = "mail:m1".to_owned();
    again.files = vec![file("blob-1")];
    assert_eq!(
        store.receive(again).await.expect("receives"),
        Appended::Duplicate
    );
    assert_eq!(unfolded(store, &id).await, 1);
    assert_eq!(
        store
            .transcript(&acme(), &id, 10)
            .await
            .expect("reads")
            .len(),
        1
    );
    assert_eq!(
        store
            .blob(&acme(), &BlobId::new("blob-1"))
            .await
            .expect("reads"),
        None
    );
}

pub(super) async fn a_message_for_no_conversation_leaves_nothing(store: &Subject) {
    let mut message = letter(&conversation("nobody"), "ana", "m1", at(10));
    message.files = vec![file("blob-1")];
    let appended = store.receive(message).await.expect("answers");
    assert_eq!(appended, Appended::NoConversation);
    assert_eq!(
        store
            .blob(&acme(), &BlobId::new("blob-1"))
            .await
            .expect("reads"),
        None
    );
}

pub(super) async fn a_message_that_cannot_be_stored_whole_is_not_stored(store: &Subject) {
    let id = quiet(store, "ana").await;
    place(
        store
            .receive(letter(&id, "ana", "m1", at(10)))
            .await
            .expect("receives"),
    );
    let mut clash = letter(&id, "ana", "m1", at(20));
    clash.input.dedupe_key = "mail:m2".to_owned();
    clash.files = vec![file("blob-1")];
    let refused = store.receive(clash).await;
    assert!(
        matches!(refused, Err(StoreError::Corrupt { .. })),
        "{refused:?}"
    );
    assert_eq!(unfolded(store, &id).await, 1);
    assert_eq!(
        store
            .blob(&acme(), &BlobId::new("blob-1"))
            .await
            .expect("reads"),
        None
    );

    let mut mended = letter(&id, "ana", "m2", at(20));
    mended.files = vec![file("blob-1")];
    place(store.receive(mended).await.expect("receives"));
}

pub(super) async fn an_unmatched_message_is_filed_once_and_the_newest_listed_first(
    store: &Subject,
) {
    place(
        store
            .file_unmatched(stray("a", at(1)))
            .await
            .expect("files"),
    );
    place(
        store
            .file_unmatched(stray("b", at(2)))
            .await
            .expect("files"),
    );
    let mut again = stray("c", at(3));
    again.dedupe_key = "mail:a".to_owned();
    assert_eq!(
        store.file_unmatched(again).await.expect("answers"),
        Appended::Duplicate
    );

    let listed = store.unmatched(&acme(), 10).await.expect("lists");
    assert_eq!(listed, vec![stray("b", at(2)), stray("a", at(1))]);
    assert_eq!(store.unmatched(&acme(), 1).await.expect("lists").len(), 1);
    assert_eq!(
        store.unmatched(&globex(), 10).await.expect("lists"),
        Vec::new()
    );
}

pub(super) async fn what_a_conversation_took_is_not_filed_as_unmatched(store: &Subject) {
    let id = quiet(store, "ana").await;
    place(
        store
            .receive(letter(&id, "ana", "m1", at(10)))
            .await
            .expect("receives"),
    );
    let filed = store
        .file_unmatched(stray("m1", at(20)))
        .await
        .expect("answers");
    assert_eq!(filed, Appended::Duplicate);
    assert_eq!(
        store.unmatched(&acme(), 10).await.expect("lists"),
        Vec::new()
    );
}

pub(super) async fn an_assigned_message_leaves_the_unmatched_list(store: &Subject) {
    let id = quiet(store, "ana").await;
    for key in ["a", "b"] {
        let filed = store.file_unmatched(stray(key, at(1))).await;
        place(filed.expect("files"));
    }
    let find = async |tenant| {
        let found = store.unmatched_message(&tenant, &message_id("a")).await;
        found.expect("reads")
    };
    assert_eq!(find(acme()).await, Some(stray("a", at(1))));
    assert_eq!(find(globex()).await, None);

    let assign = async || {
        let mut letter = letter(&id, "ana", "letter", at(9));
        letter.input.dedupe_key = "mail:a".to_owned();
        letter.was_unmatched = Some(message_id("a"));
        store.receive(letter).await.expect("answers")
    };
    place(assign().await);
    assert_eq!(find(acme()).await, None);
    let left = store.unmatched(&acme(), 10).await.expect("lists");
    assert_eq!(left, vec![stray("b", at(1))]);
    assert_eq!(assign().await, Appended::Duplicate);
    let again = store.file_unmatched(stray("a", at(1))).await;
    assert_eq!(again.expect("answers"), Appended::Duplicate);
}

/// A command of two inputs; `key` is what marks its repetitions.
fn command(id: &ConversationId, key: Option<&str>, own: &str) -> NewCommand {
    let prefix = key.map(|key| format!("command:{id}:{key}:"));
    let begin = prefix.clone().unwrap_or_else(|| "command:".to_owned());
    let input = |place| NewInput {
        dedupe_key: format!("{begin}{own}:{place}"),
        ..note(id, "unused", at(7))
    };
    NewCommand {
        inputs: vec![input(0), input(1)],
        prefix,
    }
}

async fn give(store: &Subject, command: NewCommand) -> CommandAppended {
    store.append_command(command).await.expect("answers")
}

pub(super) async fn a_command_counts_once_for_its_key(store: &Subject) {
    let id = quiet(store, "ana").await;
    let prefix = format!("command:{id}:k:");
    let before = async |tenant| {
        let found = store.command_before(&tenant, &prefix).await;
        found.expect("reads")
    };
    assert_eq!(before(acme()).await, None);
    let given = || command(&id, Some("k"), "answer:hash");
    assert_eq!(give(store, given()).await, CommandAppended::New);
    assert_eq!(wake_at(store, &id).await, Some(at(7)));
    assert_eq!(give(store, given()).await, CommandAppended::Repeated);
    assert_eq!(unfolded(store, &id).await, 2);
    let first = given().inputs.remove(0).dedupe_key;
    assert_eq!(before(acme()).await, Some(first));
    assert_eq!(before(globex()).await, None);
}

pub(super) async fn the_key_of_another_command_is_refused_and_leaves_nothing(store: &Subject) {
    let id = quiet(store, "ana").await;
    let give = async |key: &str, own: &str| give(store, command(&id, Some(key), own)).await;
    assert_eq!(give("k", "answer:hash").await, CommandAppended::New);
    for other in ["answer:hush", "answer:has", "resume:hash", "zzz", "AAA"] {
        assert_eq!(
            give("k", other).await,
            CommandAppended::KeyReused,
            "{other}"
        );
    }
    assert_eq!(unfolded(store, &id).await, 2);
    // Keys that begin alike are others.
    for key in ["kk", "K", "j"] {
        assert_eq!(
            give(key, "answer:hash").await,
            CommandAppended::New,
            "{key}"
        );
    }
    let nowhere = command(&conversation("nowhere"), Some("k"), "answer:hash");
    let given = store.append_command(nowhere).await.expect("answers");
    assert_eq!(given, CommandAppended::NoConversation);
}

pub(super) async fn commands_without_a_key_all_count(store: &Subject) {
    let id = quiet(store, "ana").await;
    for own in ["one", "two"] {
        let given = give(store, command(&id, None, own)).await;
        assert_eq!(given, CommandAppended::New);
    }
    assert_eq!(unfolded(store, &id).await, 4);
}
