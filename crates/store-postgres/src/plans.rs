//! The statements that run again and again are answered by an index that leaves out what only
//! waits.

use crate::{outbox, work};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, PgConnection, postgres::PgConnectOptions};

/// 5,000 conversations, one of fifty due; each has said and heard something, and one of fifty has
/// something to send, of which half is due.
const MANY_WAIT: &str = "\
INSERT INTO conversations (id, tenant, label, reply_token, wake_at, last_activity, open_needs) \
    SELECT 'c' || n, 't', 'x', 'r' || n, CASE WHEN n % 50 = 0 THEN n ELSE 1000000 + n END, n, 1 \
    FROM generate_series(1, 5000) n; \
INSERT INTO documents SELECT id, repeat('x', 500) FROM conversations; \
INSERT INTO inputs (conversation, tenant, dedupe_key, at, folded, body) \
    SELECT 'c' || n % 5000 + 1, 't', 'k' || n, n, n % 200 > 0, '' FROM generate_series(1, 20000) n; \
INSERT INTO messages (id, conversation, tenant, direction, channel, at, address, subject, text) \
    SELECT 'm' || n, 'c' || n % 5000 + 1, 't', 'outbound', 'email', n, '', '', '' \
    FROM generate_series(1, 10000) n; \
INSERT INTO outbox (message, conversation, tenant, channel, state, due_at, sender, recipient, bytes) \
    SELECT id, conversation, tenant, channel, \
    CASE WHEN at % 50 = 0 THEN 'queued' ELSE 'sent' END, \
    CASE WHEN at % 100 = 0 THEN at ELSE 1000000 + at END, '', '', '' FROM messages; \
ANALYZE";

async fn plan(connection: &mut PgConnection, sql: &str) -> String {
    let sql = sql
        .replace("$1::text[]", "ARRAY['a', 'b']")
        .replace("ANY($1)", "ANY(ARRAY['a', 'b'])")
        .replace("$1", "10000")
        .replace("$2", "'2'")
        .replace("LIMIT '2'", "LIMIT 2")
        .replace("$3", "3")
        .replace("$4", "4");
    let lines: Vec<String> = sqlx::query_scalar(AssertSqlSafe(format!("EXPLAIN {sql}")))
        .fetch_all(connection)
        .await
        .unwrap_or_else(|error| panic!("{sql}: {error}"));
    lines.join("\n")
}

#[tokio::test]
#[allow(clippy::print_stderr, reason = "a test that does not run says so")]
async fn no_frequent_statement_reads_what_only_waits() {
    let Ok(url) = std::env::var("LIAISON_TEST_POSTGRES_URL") else {
        eprintln!("SKIPPED: LIAISON_TEST_POSTGRES_URL is not set, see deploy/test/postgres.sh");
        return;
    };
    let options: PgConnectOptions = url.parse().expect("a URL");
    let mut connection = options.connect().await.expect("connects");
    // Many wait, few are due. What is made here is gone with the transaction.
    for sql in [
        "BEGIN; CREATE SCHEMA plans; SET LOCAL search_path = plans",
        include_str!("../../../migrations/postgres/0001_first.sql"),
        MANY_WAIT,
    ] {
        sqlx::raw_sql(sql)
            .execute(&mut connection)
            .await
            .expect("is done");
    }
    for (sql, expected) in [
        (work::ANY_DUE, &["conversations_due"][..]),
        (
            work::CLAIM_DUE,
            &["conversations_due", "conversations_pkey"],
        ),
        (work::CLAIM_DOCUMENTS, &["documents_pkey"]),
        (work::CLAIM_INPUTS, &["inputs_unfolded"]),
        (
            outbox::ANY_DUE,
            &[
                "outbox_due",
                "outbox_leased",
                "outbox_on_its_way",
                "inputs_unfolded",
            ],
        ),
        (
            outbox::CLAIM_DUE,
            &["outbox_due", "outbox_on_its_way", "inputs_unfolded"],
        ),
        (
            outbox::NEXT_DUE,
            &["outbox_due", "outbox_leased", "outbox_on_its_way"],
        ),
    ] {
        let plan = plan(&mut connection, sql).await;
        for index in expected {
            assert!(plan.contains(index), "{sql}\nwithout {index}:\n{plan}");
        }
        assert!(!plan.contains("Seq Scan"), "{sql}\nreads all:\n{plan}");
    }
    connection.close().await.expect("closes");
}
