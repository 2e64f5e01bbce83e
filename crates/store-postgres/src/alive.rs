//! Which replicas are alive, so that what a dead one has claimed goes on long before its lease ends.
//!
//! Each replica counts a row of its own up, and reads those of the others. One whose count stands
//! still while the reader's own goes up a few times is dead, or stopped: its leases end at once, and
//! its fences keep it from writing should it wake up. No clocks are compared, and a database that
//! was away for a while makes nobody look dead, because nobody's count went up meanwhile.

use crate::{
    connections::Connections,
    fault::fault,
    hints::Hint,
    run::{Runner, Write},
};
use async_trait::async_trait;
use jiff::Timestamp;
use liaison_ports::{codec::micros, store::StoreError};
use sqlx::{PgConnection, Row};
use std::{collections::HashMap, time::Duration};
use tokio::time::sleep;

const BEAT: &str = "say that this replica is alive";
const BURY: &str = "end the claims of dead replicas";

/// How long there is from one beat to the next.
const EVERY: Duration = Duration::from_millis(1_500);

/// How many beats of its own a replica sees another one silent before it counts as dead: with the
/// tick after that, its conversations go on within ten seconds.
const SILENT_BEATS: u32 = 4;

/// Says that `owner` is alive, and ends the claims of those who are not, until it is dropped.
pub(crate) async fn stay(
    connections: &Connections,
    runner: &Runner,
    owner: &str,
    now: impl Fn() -> Timestamp + Send + Sync,
) {
    let mut others = Others::default();
    loop {
        match beat(connections, owner).await {
            Ok(beats) => {
                let dead = others.silent(beats);
                if !dead.is_empty() {
                    tracing::warn!(
                        replicas = dead.len(),
                        "replicas have died or stopped; what they had claimed goes on here"
                    );
                    let burying = Burying {
                        owners: dead,
                        now: micros(now()),
                    };
                    if let Err(error) = runner.run(burying).await {
                        tracing::warn!(%error, "their claims stand for now");
                    }
                }
            }
            Err(error) => {
                // What was seen before says nothing about what happened meanwhile.
                others = Others::default();
                tracing::debug!(%error, "other replicas do not hear that this one is alive");
            }
        }
        sleep(EVERY).await;
    }
}

/// Counts up, and says how far the others have counted.
async fn beat(connections: &Connections, owner: &str) -> Result<Vec<(String, i64)>, StoreError> {
    let rows = connections
        .rows(BEAT, || {
            sqlx::query(
                "WITH own AS (INSERT INTO replicas (owner, beats) VALUES ($1, 1) \
                 ON CONFLICT (owner) DO UPDATE SET beats = replicas.beats + 1) \
                 SELECT owner, beats FROM replicas WHERE owner <> $1",
            )
            .bind(owner)
        })
        .await?;
    rows.iter()
        .map(|row| {
            let owner = row.try_get(0).map_err(fault(BEAT))?;
            Ok((owner, row.try_get(1).map_err(fault(BEAT))?))
        })
        .collect()
}

/// What was seen of the others: how far each had counted, and for how many beats of ours.
#[derive(Debug, Default)]
struct Others(HashMap<String, (i64, u32)>);

impl Others {
    /// Takes in what is seen at one beat, and says who is dead.
    fn silent(&mut self, beats: Vec<(String, i64)>) -> Vec<String> {
        let before = std::mem::take(&mut self.0);
        let mut dead = Vec::new();
        for (owner, count) in beats {
            let seen = match before.get(&owner) {
                Some((earlier, seen)) if *earlier == count => seen + 1,
                _ => 0,
            };
            if seen >= SILENT_BEATS {
                dead.push(owner.clone());
            }
            self.0.insert(owner, (count, seen));
        }
        dead
    }
}

/// Ending the claims of replicas: what then happens with what they held is for the next claim.
struct Burying {
    owners: Vec<String>,
    now: i64,
}

#[async_trait]
impl Write for Burying {
    const OPERATION: &'static str = BURY;
    type Answer = ();

    async fn run(
        &self,
        connection: &mut PgConnection,
        _perhaps_done: bool,
    ) -> Result<(), StoreError> {
        for all in [
            "UPDATE conversations SET lease_until = $2 WHERE id IN (SELECT id FROM conversations \
             WHERE owner = ANY($1) AND lease_until > $2 ORDER BY id FOR NO KEY UPDATE)",
            "UPDATE outbox SET lease_until = $2 WHERE owner = ANY($1) AND lease_until > $2",
        ] {
            sqlx::query(all)
                .bind(&self.owners)
                .bind(self.now)
                .execute(&mut *connection)
                .await
                .map_err(fault(BURY))?;
        }
        sqlx::query("DELETE FROM replicas WHERE owner = ANY($1)")
            .bind(&self.owners)
            .execute(connection)
            .await
            .map(drop)
            .map_err(fault(BURY))
    }

    fn hints(&self, _answer: &()) -> Vec<Hint> {
        vec![Hint::Work, Hint::Outbox]
    }
}

/// Takes this replica's count away: it has given back what it had claimed.
pub(crate) async fn leave(connections: &Connections, owner: &str) -> Result<(), StoreError> {
    connections
        .rows(BEAT, || {
            sqlx::query("DELETE FROM replicas WHERE owner = $1").bind(owner)
        })
        .await
        .map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(counts: &[(&str, i64)]) -> Vec<(String, i64)> {
        let owned = |(owner, count): &(&str, i64)| ((*owner).to_owned(), *count);
        counts.iter().map(owned).collect()
    }

    #[test]
    fn only_who_stands_still_for_long_enough_is_dead() {
        let mut others = Others::default();
        for beat in 0..20 {
            let dead = others.silent(seen(&[("a", beat), ("b", 7), ("slow", beat / 3)]));
            if beat >= i64::from(SILENT_BEATS) {
                assert_eq!(dead, ["b"], "beat {beat}");
            } else {
                assert!(dead.is_empty(), "beat {beat}: {dead:?}");
            }
        }
    }

    #[test]
    fn who_wakes_up_is_alive_again() {
        let mut others = Others::default();
        for _ in 0..SILENT_BEATS {
            assert!(others.silent(seen(&[("a", 1)])).is_empty());
        }
        assert!(others.silent(seen(&[("a", 2)])).is_empty());
        assert!(others.silent(seen(&[("a", 2)])).is_empty());
    }
}
