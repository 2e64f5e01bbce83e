//! Registering needs.

use crate::{
    connections::Connections,
    conversation::{lock, lock_names},
    fault::fault,
    hints::Hint,
    read::Statement,
    run::Write,
    text::{clean, clean_if_any},
};
use async_trait::async_trait;
use liaison_core::{
    id::{ConversationId, NeedId, TenantId},
    need::Outcome,
    stakeholder::Stakeholder,
};
use liaison_ports::{
    codec::{from_json, micros, name, time},
    encoded::EncodedNeed,
    facts,
    store::{NeedRow, NewNeed, Registered, StoreError},
};
use sqlx::{PgConnection, Row, postgres::PgRow};
use std::borrow::Cow;

const REGISTER: &str = "register a need";

/// The columns that [`need_row`] reads.
macro_rules! need_columns {
    () => {
        "id, tenant, conversation, request_hash, registered_at, registration, outcome"
    };
}
pub(crate) use need_columns;

/// A registration, encoded.
pub(crate) struct Registering(EncodedNeed);

impl Registering {
    pub(crate) fn of(need: NewNeed) -> Result<Self, StoreError> {
        EncodedNeed::of(REGISTER, need).map(Self)
    }

    /// What two registrations must not decide at the same time: whether there is a need with this
    /// id or key, and whose conversation has this key or one of these addresses.
    fn names(&self) -> Result<Vec<String>, StoreError> {
        let need = &self.0.need;
        let tenant = &need.tenant;
        let mut names = vec![format!("need {}", need.registration.need)];
        if let Some(key) = &need.idempotency_key {
            names.push(format!("request {tenant} {}", clean(key)));
        }
        if let Some(key) = &need.stakeholder.key {
            names.push(format!("person {tenant} {}", clean(key)));
        }
        for (channel, address) in facts::contacts(&need.stakeholder) {
            let channel = name(REGISTER, &channel)?;
            names.push(format!("contact {tenant} {channel} {address}"));
        }
        Ok(names)
    }

    async fn registered_before(
        &self,
        connection: &mut PgConnection,
    ) -> Result<Option<Registered>, StoreError> {
        let need = &self.0.need;
        let row = sqlx::query(concat!(
            "(SELECT ",
            need_columns!(),
            " FROM needs WHERE tenant = $1 AND idempotency_key = $2) UNION ALL (SELECT ",
            need_columns!(),
            " FROM needs WHERE id = $3) LIMIT 1"
        ))
        .bind(need.tenant.as_str())
        .bind(clean_if_any(need.idempotency_key.as_deref()))
        .bind(need.registration.need.as_str())
        .fetch_optional(connection)
        .await
        .map_err(fault(REGISTER))?;
        row.map(|row| compared(&row, &need.tenant, &need.request_hash))
            .transpose()
    }

    async fn open(&self, connection: &mut PgConnection) -> Result<(), StoreError> {
        let Self(encoded) = self;
        sqlx::query(
            "WITH opened AS (INSERT INTO conversations (id, tenant, stakeholder_key, label, \
             reply_token, last_activity, open_needs) VALUES ($1, $2, $3, $4, $5, $6, 0)), \
             known AS (INSERT INTO documents (conversation, document) VALUES ($1, $7)) \
             INSERT INTO openings (conversation, opening) VALUES ($1, $8)",
        )
        .bind(&encoded.input.conversation)
        .bind(encoded.need.tenant.as_str())
        .bind(clean_if_any(encoded.facts.key.as_deref()))
        .bind(clean(&encoded.facts.label))
        .bind(&encoded.need.opening.reply_token)
        .bind(micros(encoded.need.opening.at))
        .bind(&encoded.document)
        .bind(&encoded.opening)
        .execute(connection)
        .await
        .map(drop)
        .map_err(fault(REGISTER))
    }

    async fn insert(
        &self,
        connection: &mut PgConnection,
        conversation: &str,
    ) -> Result<(), StoreError> {
        let Self(encoded) = self;
        sqlx::query(
            "WITH needed AS (INSERT INTO needs (id, tenant, conversation, idempotency_key, \
             request_hash, registered_at, registration) VALUES ($1, $2, $3, $4, $5, $6, $7)), \
             known AS (INSERT INTO contacts (tenant, channel, address, conversation) \
             SELECT $2, contact ->> 0, contact ->> 1, $3 FROM json_array_elements($8::json) contact \
             ON CONFLICT DO NOTHING), \
             told AS (INSERT INTO inputs (conversation, tenant, dedupe_key, at, body) \
             VALUES ($3, $2, $9, $10, $11)) \
             UPDATE conversations SET wake_at = least(wake_at, $10), \
             last_activity = greatest(last_activity, $10), open_needs = open_needs + 1 \
             WHERE id = $3",
        )
        .bind(encoded.need.registration.need.as_str())
        .bind(encoded.need.tenant.as_str())
        .bind(conversation)
        .bind(clean_if_any(encoded.need.idempotency_key.as_deref()))
        .bind(&encoded.need.request_hash)
        .bind(encoded.at)
        .bind(&encoded.registration)
        .bind(&encoded.contacts)
        .bind(&encoded.input.dedupe_key)
        .bind(encoded.input.at)
        .bind(&encoded.input.body)
        .execute(connection)
        .await
        .map(drop)
        .map_err(fault(REGISTER))
    }
}

#[async_trait]
impl Write for Registering {
    const OPERATION: &'static str = REGISTER;
    type Answer = Registered;

    async fn run(
        &self,
        connection: &mut PgConnection,
        perhaps_done: bool,
    ) -> Result<Registered, StoreError> {
        lock_names(connection, REGISTER, self.names()?).await?;
        let ours = &self.0.need.registration.need;
        match self.registered_before(connection).await? {
            // The id was drawn for this registration, so what has it is this one.
            Some(Registered::Existing(row)) if perhaps_done && row.id == *ours => {
                return Ok(Registered::New {
                    conversation: row.conversation,
                });
            }
            Some(before) => return Ok(before),
            None => {}
        }
        let found = Wanted::of(&self.0.need.tenant, &self.0.need.stakeholder)?
            .statement()
            .fetch_all(&mut *connection)
            .await
            .map_err(fault(REGISTER))?;
        let conversation = match the_home(&found)? {
            Some(id) => {
                // An input's place is drawn under its conversation's lock.
                lock(connection, REGISTER, std::slice::from_ref(&id)).await?;
                id
            }
            None => {
                self.open(connection).await?;
                self.0.input.conversation.clone()
            }
        };
        self.insert(connection, &conversation).await?;
        Ok(Registered::New {
            conversation: ConversationId::new(conversation),
        })
    }

    fn hints(&self, _answer: &Registered) -> Vec<Hint> {
        vec![Hint::Work]
    }
}

/// Whose conversation is looked for.
struct Wanted {
    tenant: String,
    key: Option<String>,
    channel: Option<String>,
    address: Option<String>,
}

impl Wanted {
    fn of(tenant: &TenantId, stakeholder: &Stakeholder) -> Result<Self, StoreError> {
        let (channel, address) = facts::contacts(stakeholder).into_iter().next().unzip();
        Ok(Self {
            tenant: tenant.as_str().to_owned(),
            key: clean_if_any(stakeholder.key.as_deref()).map(Cow::into_owned),
            channel: channel.map(|it| name(REGISTER, &it)).transpose()?,
            address,
        })
    }

    /// Looks for the conversations that a need about this person may belong to.
    fn statement(&self) -> Statement {
        sqlx::query(
            "(SELECT TRUE AS by_key, id FROM conversations \
             WHERE tenant = $1 AND stakeholder_key = $2 ORDER BY id LIMIT 1) \
             UNION ALL \
             (SELECT FALSE, c.id FROM contacts k JOIN conversations c ON c.id = k.conversation \
             WHERE k.tenant = $1 AND k.channel = $3 AND k.address = $4 \
             AND (c.stakeholder_key IS NULL OR $2 IS NULL) LIMIT 2)",
        )
        .bind(&self.tenant)
        .bind(self.key.as_deref())
        .bind(self.channel.as_deref())
        .bind(self.address.as_deref())
    }
}

/// Which of them it is: the one with the stakeholder's key, else the only one with the first contact.
fn the_home(rows: &[PgRow]) -> Result<Option<String>, StoreError> {
    let mut by_contact = Vec::new();
    for row in rows {
        let id: String = row.try_get("id").map_err(fault(REGISTER))?;
        if row.try_get("by_key").map_err(fault(REGISTER))? {
            return Ok(Some(id));
        }
        by_contact.push(id);
    }
    Ok(by_contact.pop().filter(|_| by_contact.is_empty()))
}

/// The conversation that a need about this person would join.
pub(crate) async fn find_home(
    connections: &Connections,
    tenant: &TenantId,
    stakeholder: &Stakeholder,
) -> Result<Option<ConversationId>, StoreError> {
    let wanted = Wanted::of(tenant, stakeholder)?;
    let rows = connections.rows(REGISTER, || wanted.statement()).await?;
    Ok(the_home(&rows)?.map(ConversationId::new))
}

/// A need from [`need_columns`].
pub(crate) fn need_row(operation: &'static str, row: &PgRow) -> Result<NeedRow, StoreError> {
    let id: String = row.try_get("id").map_err(fault(operation))?;
    let registration: &str = row.try_get("registration").map_err(fault(operation))?;
    let outcome: Option<&str> = row.try_get("outcome").map_err(fault(operation))?;
    let conversation: String = row.try_get("conversation").map_err(fault(operation))?;
    let registered_at = row.try_get("registered_at").map_err(fault(operation))?;
    Ok(NeedRow {
        registration: from_json(operation, &format!("need {id}"), registration)?,
        outcome: outcome
            .map(|text| from_json::<Outcome>(operation, &format!("the outcome of need {id}"), text))
            .transpose()?,
        conversation: ConversationId::new(conversation),
        registered_at: time(operation, registered_at)?,
        id: NeedId::new(id),
    })
}

/// What became of an earlier registration with a key.
pub(crate) async fn with_key(
    connections: &Connections,
    tenant: &TenantId,
    idempotency_key: &str,
    request_hash: &str,
) -> Result<Option<Registered>, StoreError> {
    let row = connections
        .row(REGISTER, || {
            sqlx::query(concat!(
                "SELECT ",
                need_columns!(),
                " FROM needs WHERE tenant = $1 AND idempotency_key = $2"
            ))
            .bind(tenant.as_str())
            .bind(clean(idempotency_key))
        })
        .await?;
    row.map(|row| compared(&row, tenant, request_hash))
        .transpose()
}

/// Whether a registration is that of `row` again, or only uses its key or id.
fn compared(row: &PgRow, tenant: &TenantId, request_hash: &str) -> Result<Registered, StoreError> {
    let of: &str = row.try_get("tenant").map_err(fault(REGISTER))?;
    let hash: &str = row.try_get("request_hash").map_err(fault(REGISTER))?;
    Ok(if of == tenant.as_str() && hash == request_hash {
        Registered::Existing(Box::new(need_row(REGISTER, row)?))
    } else {
        Registered::KeyReused
    })
}
