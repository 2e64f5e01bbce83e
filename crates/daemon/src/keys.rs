//! `liaison key`: API keys, on the store directly, because the first one cannot come from the API.

use crate::{config::Config, running::Environment, stores::Purpose};
use anyhow::{Context, Result, bail};
use clap::{Subcommand, ValueEnum};
use liaison_core::id::TenantId;
use liaison_ports::store::Scope;

/// What to do with keys.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make a key; it is shown once, and only its hash is kept.
    Create {
        /// Whose.
        #[arg(long, default_value = "default")]
        tenant: String,
        /// What it may do.
        #[arg(long, value_enum, default_value = "caller")]
        scope: ScopeName,
        /// What it is called.
        #[arg(long)]
        name: String,
    },
    /// List the keys.
    List {
        /// Whose.
        #[arg(long, default_value = "default")]
        tenant: String,
    },
    /// Revoke a key at once.
    Revoke {
        /// Whose.
        #[arg(long, default_value = "default")]
        tenant: String,
        /// Its id, as `list` shows it.
        id: String,
    },
}

/// What a key may do.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ScopeName {
    /// Register needs and read them.
    Caller,
    /// That, and everything an operator does.
    Operator,
    /// Only hand in mail.
    Inbound,
}

/// Makes, lists or revokes keys.
#[expect(
    clippy::print_stdout,
    reason = "keys and lists are what the command is for"
)]
pub(crate) async fn run(config: &Config, command: Command, environment: Environment) -> Result<()> {
    let opened = config
        .store
        .open(Purpose::Use)
        .await
        .context("the store cannot be opened")?;
    let store = opened.port();
    let now = environment.clock.now();
    match command {
        Command::Create {
            tenant,
            scope,
            name,
        } => {
            known(config, &tenant)?;
            let scope = match scope {
                ScopeName::Caller => Scope::Caller,
                ScopeName::Operator => Scope::Operator,
                ScopeName::Inbound => Scope::Inbound,
            };
            let (secret, row) = liaison_server::mint_key(
                environment.entropy.draw(),
                TenantId::new(tenant),
                name,
                scope,
                now,
            );
            store.add_key(row).await?;
            println!("{secret}");
        }
        Command::List { tenant } => {
            for key in store.keys(&TenantId::new(tenant)).await? {
                let state = match key.revoked_at {
                    Some(at) => format!("revoked {at}"),
                    None => "valid".to_owned(),
                };
                println!(
                    "{}  {}  {}  made {}  {state}",
                    key.id,
                    scope_name(key.scope),
                    key.name,
                    key.created_at
                );
            }
        }
        Command::Revoke { tenant, id } => {
            if !store.revoke_key(&TenantId::new(tenant), &id, now).await? {
                bail!("there is no key {id}; `liaison key list` shows them");
            }
            println!("{id} is revoked");
        }
    }
    opened.close().await;
    Ok(())
}

/// A scope as `--scope` takes it.
fn scope_name(scope: Scope) -> &'static str {
    match scope {
        Scope::Caller => "caller",
        Scope::Operator => "operator",
        Scope::Inbound => "inbound",
    }
}

fn known(config: &Config, tenant: &str) -> Result<()> {
    if config.tenants.contains_key(tenant) {
        return Ok(());
    }
    let names: Vec<&str> = config.tenants.keys().map(String::as_str).collect();
    bail!(
        "there is no tenant {tenant:?}; the configuration has {}",
        names.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_is_shown_as_it_is_asked_for() {
        for (scope, expected) in [
            (Scope::Caller, "caller"),
            (Scope::Operator, "operator"),
            (Scope::Inbound, "inbound"),
        ] {
            assert_eq!(scope_name(scope), expected);
            assert!(ScopeName::from_str(expected, false).is_ok());
        }
    }
}
