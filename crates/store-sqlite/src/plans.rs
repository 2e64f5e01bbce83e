//! The statements that run again and again find what they look for by an index that leaves out what
//! only waits.

use crate::{Options, open, outbox, work};
use sqlx::{AssertSqlSafe, Row};

#[tokio::test]
async fn no_frequent_statement_reads_what_only_waits() {
    let folder = tempfile::tempdir().expect("a folder");
    let opened = open::open(&folder.path().join("store.db"), &Options::default())
        .await
        .expect("opens");
    for (sql, expected) in [
        (work::ANY_DUE, &["conversations_due"][..]),
        (work::CLAIM_DUE, &["conversations_due"]),
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
        let plan: Vec<String> = sqlx::query(AssertSqlSafe(format!("EXPLAIN QUERY PLAN {sql}")))
            .fetch_all(&mut *opened.reading.one().await.expect("is free"))
            .await
            .expect("plans")
            .iter()
            .map(|row| row.get("detail"))
            .collect();
        let plan = plan.join("\n");
        for index in expected {
            assert!(plan.contains(index), "{sql}\nwithout {index}:\n{plan}");
        }
        let table_scans = plan.lines().filter(|line| {
            line.starts_with("SCAN")
                && ![
                    "INDEX",
                    "VIRTUAL TABLE",
                    "CONSTANT ROW",
                    "subquery",
                    "(subquery",
                ]
                .iter()
                .any(|harmless| line.contains(harmless))
        });
        assert_eq!(
            table_scans.count(),
            0,
            "{sql}\nreads a whole table:\n{plan}"
        );
        assert!(!plan.contains("TEMP B-TREE"), "{sql}\nsorts:\n{plan}");
    }
}
