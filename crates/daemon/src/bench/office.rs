//! The daemon as it is measured: no pauses, so that only work is left.

use crate::config::{
    Config, EmailConfig, EngineConfig, HttpConfig, LogConfig, ModelConfig, SecurityConfig,
    SmtpServerConfig, StoreConfig, TenantConfig,
};
use anyhow::Result;
use liaison_core::{
    policy::{Policy, Wait},
    stakeholder::EmailAddress,
};
use std::{collections::BTreeMap, net::SocketAddr, path::Path};

pub(super) const TENANT: &str = "default";
pub(super) const MAILBOX: &str = "office@agency.example";

/// The rules of a measured conversation: everything is due at once, and nothing is said twice.
pub(super) fn policy() -> Policy {
    Policy {
        quiet_hours: None,
        gather: Wait::seconds(0),
        burst: Wait::seconds(0),
        minimum_gap: Wait::seconds(0),
        acknowledge: false,
        ..Policy::default()
    }
}

/// A configuration with its database at `database` and its mail handed to `smtp`.
pub(super) fn configuration(database: &Path, smtp: SocketAddr) -> Result<Config> {
    Ok(Config {
        store: StoreConfig {
            url: format!("sqlite:{}", database.display()),
        },
        http: HttpConfig {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        },
        log: LogConfig::default(),
        model: ModelConfig::Rules,
        engine: EngineConfig::default(),
        tenants: BTreeMap::from([(
            TENANT.to_owned(),
            TenantConfig {
                policy: policy(),
                email: Some(EmailConfig {
                    address: EmailAddress::parse(MAILBOX)?,
                    name: None,
                    smtp: SmtpServerConfig {
                        host: smtp.ip().to_string(),
                        port: smtp.port(),
                        security: SecurityConfig::Plain,
                        user: None,
                        password: None,
                        ca_file: None,
                        hello: None,
                    },
                    imap: None,
                }),
            },
        )]),
    })
}
