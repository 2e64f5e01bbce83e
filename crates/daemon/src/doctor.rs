//! `liaison doctor`: looks at everything that the daemon depends on, and says what to do.

use crate::{
    config::{Config, ModelConfig},
    running,
    stores::Purpose,
};
use anyhow::{Result, bail};
use liaison_channels::email::ImapReceiver;
use liaison_core::{
    form::{ReadRequest, SlotQuestion, Words},
    id::TenantId,
    slot::SlotKey,
    value::{Boolean, Kind},
};
use liaison_ports::transport::Transport;

/// Checks the store, each tenant's mail servers, and the model; fails if one of them does.
#[expect(clippy::print_stdout, reason = "its report is what the command is for")]
pub(crate) async fn examine(config: &Config) -> Result<()> {
    let mut checks = vec![("store".to_owned(), store(config).await)];
    for (id, tenant) in &config.tenants {
        let Some(email) = &tenant.email else { continue };
        let smtp = match running::smtp(email, 1) {
            Ok(transport) => transport.check().await,
            Err(error) => Err(format!("{error:#}")),
        };
        checks.push((
            format!("tenant {id}, SMTP {}:{}", email.smtp.host, email.smtp.port),
            smtp,
        ));
        if let Some(server) = &email.imap {
            let imap = match ImapReceiver::new(TenantId::new(id.as_str()), running::imap(server)) {
                Ok(receiver) => receiver.check().await,
                Err(error) => Err(format!("{error}")),
            };
            checks.push((
                format!("tenant {id}, IMAP {}:{}", server.host, server.port),
                imap,
            ));
        }
    }
    checks.push(("model".to_owned(), model(config).await));

    let mut failed = 0;
    for (what, result) in checks {
        match result {
            Ok(()) => println!("ok    {what}"),
            Err(advice) => {
                failed += 1;
                println!("FAIL  {what}: {advice}");
            }
        }
    }
    match failed {
        0 => Ok(()),
        some => bail!("{some} of these have to be mended before the daemon can do its work"),
    }
}

async fn store(config: &Config) -> Result<(), String> {
    let opened = config
        .store
        .open(Purpose::Check)
        .await
        .map_err(|e| format!("{e:#}"))?;
    let checked = opened.port().check().await.map_err(|e| e.to_string());
    opened.close().await;
    checked
}

/// Lets the model read two sentences.
async fn model(config: &Config) -> Result<(), String> {
    let (reader, _) = running::language(&config.model).map_err(|e| format!("{e:#}"))?;
    if matches!(config.model, ModelConfig::Rules) {
        return Ok(());
    }
    let request = ReadRequest {
        words: vec![Words {
            message: None,
            written_at: jiff::civil::date(2027, 5, 3).at(9, 0, 0, 0),
            subject: String::new(),
            text: "Yes, that suits me.".to_owned(),
            attachments: Vec::new(),
        }],
        slots: vec![SlotQuestion {
            form: "s1".to_owned(),
            key: SlotKey {
                subject: "doctor".to_owned(),
                name: "suits".to_owned(),
            },
            kind: Kind::Boolean(Boolean::default()),
            question: "Does ten o'clock suit you?".to_owned(),
            asked: true,
            current: None,
            self_checks: Vec::new(),
            confirming: None,
        }],
        facts: Vec::new(),
        day_first: None,
    };
    match reader.fill(&request).await {
        Ok(_) => Ok(()),
        Err(fault) => Err(format!(
            "{fault}; look at base_url, model, key and output in [model]"
        )),
    }
}
