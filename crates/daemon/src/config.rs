//! Configuration: one TOML file, and environment variables that override it.

use anyhow::{Context, Result, bail};
use liaison_core::{
    id::TenantId,
    policy::{Policy, Wait},
    stakeholder::EmailAddress,
};
use secrecy::SecretString;
use serde::Deserialize;
use std::{
    collections::BTreeMap,
    fmt,
    net::SocketAddr,
    path::{Path, PathBuf},
};

/// Everything that can be configured. `deploy/liaison.example.toml` explains each setting.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Where everything is kept.
    #[serde(default)]
    pub store: StoreConfig,
    /// Where the API is served.
    #[serde(default)]
    pub http: HttpConfig,
    /// How it logs.
    #[serde(default)]
    pub log: LogConfig,
    /// Who reads and words messages.
    #[serde(default)]
    pub model: ModelConfig,
    /// How much is done at once.
    #[serde(default)]
    pub engine: EngineConfig,
    /// The organisations on this daemon, by id.
    #[serde(default)]
    pub tenants: BTreeMap<String, TenantConfig>,
}

/// Where everything is kept.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StoreConfig {
    /// `sqlite:` and a path, or `postgres:` and the address of a database.
    pub url: String,
}

impl Default for StoreConfig {
    fn default() -> Self {
        Self {
            url: "sqlite:liaison.db".to_owned(),
        }
    }
}

impl fmt::Debug for StoreConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The address of a server may hold a password.
        f.debug_struct("StoreConfig").finish_non_exhaustive()
    }
}

/// Where the API is served.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HttpConfig {
    /// Address and port. Put a proxy with TLS before it when it is not loopback.
    pub listen: SocketAddr,
}

impl Default for HttpConfig {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 7700)),
        }
    }
}

/// How it logs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LogConfig {
    /// What is logged, as `tracing` filters say it (`info`, `liaison_engine=debug`).
    pub filter: String,
    /// Lines for people, or JSON for machines.
    pub format: LogFormat,
}

impl Default for LogConfig {
    fn default() -> Self {
        Self {
            filter: "info,tokio_cron_scheduler=warn".to_owned(),
            format: LogFormat::Text,
        }
    }
}

/// The form of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogFormat {
    /// For people.
    Text,
    /// For machines.
    Json,
}

/// Who reads and words messages.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(tag = "backend", rename_all = "snake_case", deny_unknown_fields)]
pub enum ModelConfig {
    /// Deterministic rules for English; needs nothing.
    #[default]
    Rules,
    /// Any endpoint with the OpenAI chat completions API and JSON schema output.
    Openai {
        /// Up to and without `/chat/completions`.
        base_url: String,
        /// The model's name there.
        model: String,
        /// The key, where one is needed.
        #[serde(default)]
        key: Option<SecretString>,
        /// How long one request may take.
        #[serde(default = "one_minute")]
        timeout: Wait,
        /// How the endpoint is asked for JSON.
        #[serde(default)]
        output: OutputConfig,
        /// Whether messages are worded by the model too, or only read.
        #[serde(default = "yes")]
        writes: bool,
    },
}

/// How an endpoint is asked for JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutputConfig {
    /// By a strict schema.
    #[default]
    JsonSchema,
    /// As any JSON object; for endpoints without schemas. Every answer is checked all the same.
    JsonObject,
}

fn one_minute() -> Wait {
    Wait::seconds(60)
}

fn yes() -> bool {
    true
}

/// How much is done at once.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EngineConfig {
    /// Conversations worked on at once, 1 to 1,000.
    pub conversations: u32,
    /// Messages handed over at once, 1 to 200.
    pub deliveries: u32,
}

impl Default for EngineConfig {
    fn default() -> Self {
        Self {
            conversations: 64,
            deliveries: 16,
        }
    }
}

/// An organisation.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TenantConfig {
    /// Its rules.
    #[serde(default)]
    pub policy: Policy,
    /// Its mail identity.
    #[serde(default)]
    pub email: Option<EmailConfig>,
}

/// A mail identity: one mailbox that is written from and answered to.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EmailConfig {
    /// The mailbox. It must accept sub-addresses (`name+token@domain`).
    pub address: EmailAddress,
    /// The name shown beside it.
    #[serde(default)]
    pub name: Option<String>,
    /// Where mail is handed in.
    pub smtp: SmtpServerConfig,
    /// Where the mailbox is read; without it, mail comes in over the API only.
    #[serde(default)]
    pub imap: Option<ImapServerConfig>,
}

/// Where mail is handed in.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SmtpServerConfig {
    /// The server's name.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// How the connection is protected.
    #[serde(default)]
    pub security: SecurityConfig,
    /// The login, where one is needed.
    #[serde(default)]
    pub user: Option<String>,
    /// Its password.
    #[serde(default)]
    pub password: Option<SecretString>,
    /// A file of further certificate authorities, in PEM.
    #[serde(default)]
    pub ca_file: Option<PathBuf>,
    /// The name that the server is greeted with; without it, the mailbox's domain.
    #[serde(default)]
    pub hello: Option<String>,
}

/// Where a mailbox is read.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImapServerConfig {
    /// The server's name.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// How the connection is protected.
    #[serde(default)]
    pub security: SecurityConfig,
    /// The login.
    pub user: String,
    /// Its password.
    pub password: SecretString,
    /// A file of further certificate authorities, in PEM.
    #[serde(default)]
    pub ca_file: Option<PathBuf>,
    /// The folder to read.
    #[serde(default = "inbox")]
    pub folder: String,
    /// How often to look when the server does not tell by itself.
    #[serde(default = "one_minute")]
    pub poll: Wait,
    /// The folder into which the provider puts a copy of what is sent. With one, a message whose
    /// hand-over broke off is looked for there before anybody is asked.
    #[serde(default)]
    pub sent_folder: Option<String>,
}

fn inbox() -> String {
    "INBOX".to_owned()
}

/// How a connection to a mail server is protected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SecurityConfig {
    /// TLS from the first byte.
    #[default]
    Tls,
    /// TLS after STARTTLS, and not without it.
    Starttls,
    /// None; only to a loopback address.
    Plain,
}

const NO_TENANT: &str = "no tenant is configured; add [tenants.default] with its mail identity";

impl Config {
    /// Reads `path`, if given, and `LIAISON__SECTION__KEY` variables over it.
    pub fn load(path: Option<&Path>) -> Result<Self> {
        let mut builder = config::Config::builder();
        if let Some(path) = path {
            builder = builder.add_source(
                config::File::from(path)
                    .format(config::FileFormat::Toml)
                    .required(true),
            );
        }
        let environment = config::Environment::with_prefix("LIAISON")
            .prefix_separator("__")
            .separator("__")
            .try_parsing(true);
        let read = builder
            .add_source(environment)
            .build()
            .and_then(config::Config::try_deserialize::<Self>);
        let name = path.map_or("the environment".to_owned(), |p| p.display().to_string());
        let config = read.with_context(|| format!("the configuration in {name} cannot be used"))?;
        if path.is_none() && config.tenants.is_empty() {
            bail!("{NO_TENANT}; no --config or LIAISON_CONFIG was given");
        }
        config.check()?;
        Ok(config)
    }

    /// The tenants' ids.
    pub fn tenant_ids(&self) -> Vec<TenantId> {
        self.tenants.keys().map(TenantId::new).collect()
    }

    fn check(&self) -> Result<()> {
        self.store.check()?;
        if !(1..=1000).contains(&self.engine.conversations) {
            bail!(
                "engine.conversations is {}; use 1 to 1000",
                self.engine.conversations
            );
        }
        if !(1..=200).contains(&self.engine.deliveries) {
            bail!(
                "engine.deliveries is {}; use 1 to 200",
                self.engine.deliveries
            );
        }
        if self.tenants.is_empty() {
            bail!(NO_TENANT);
        }
        for (id, tenant) in &self.tenants {
            if tenant.email.is_none() {
                bail!("tenants.{id}.email is missing; without it nobody can be written to");
            }
            if let Some(fault) = tenant.policy.faults().first() {
                bail!("tenants.{id}.policy.{fault}");
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn load(text: &str) -> Result<Config> {
        let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
        file.write_all(text.as_bytes()).expect("writes");
        Config::load(Some(file.path()))
    }

    const LEAST: &str = "[tenants.default.email]\naddress = \"office@example.com\"\n\
                         [tenants.default.email.smtp]\nhost = \"127.0.0.1\"\nport = 25\n";

    #[test]
    fn whoever_forgot_the_file_is_told_so() {
        let fault = Config::load(None).expect_err("nothing is configured");
        let fault = fault.to_string();
        assert!(fault.contains("no --config or LIAISON_CONFIG"), "{fault}");
        let fault = load("").expect_err("nothing is configured").to_string();
        assert!(fault.ends_with("with its mail identity"), "{fault}");
    }

    #[test]
    fn the_commented_example_is_a_configuration() {
        let example = include_str!("../../../deploy/liaison.example.toml");
        let config = load(example).expect("the example can be used");
        assert_eq!(config.tenant_ids(), [TenantId::new("default")]);
    }

    #[test]
    fn the_commented_settings_of_the_example_exist() {
        // Each commented setting, taken in where it stands, must be known.
        let example = include_str!("../../../deploy/liaison.example.toml");
        let mut text = String::new();
        let mut alternative = false;
        for line in example.lines() {
            let setting = line.strip_prefix("# ").filter(|rest| {
                let mut parts = rest.splitn(2, " = ");
                let name = parts.next().unwrap_or_default();
                let table = rest.starts_with("[tenants.");
                table
                    || parts.next().is_some()
                        && name.chars().all(|c| c.is_ascii_lowercase() || c == '_')
            });
            alternative = line == "# [model]" || (alternative && line.starts_with('#'));
            match setting {
                Some(_) if alternative => {}
                // The example has a value of its own where this is the default.
                Some(setting) if setting.starts_with("url") => {}
                Some(setting) if setting.starts_with("ca_file") => {}
                Some(setting) => text.push_str(setting),
                None => text.push_str(line),
            }
            text.push('\n');
        }
        let config = load(&text).expect("every commented setting exists");
        assert_eq!(
            config.engine.conversations,
            EngineConfig::default().conversations
        );
    }

    #[test]
    fn a_short_configuration_has_the_documented_defaults() {
        let config = load(LEAST).expect("enough");
        assert_eq!(config.http.listen, HttpConfig::default().listen);
        assert_eq!(config.tenants["default"].policy, Policy::default());
    }

    #[test]
    fn a_fault_names_the_setting() {
        for (text, named) in [
            ("", "no tenant"),
            ("[tenants.default]", "tenants.default.email"),
            ("[stroe]\nurl = \"sqlite:x\"", "stroe"),
            ("[store]\nurl = \"mysql:x\"", "store.url"),
            ("[engine]\nconversations = 0", "engine.conversations"),
            ("[tenants.default.policy]\ngather = \"soon\"", "90s or 3d"),
            (
                "[tenants.default.policy]\nweekly_cap = 0",
                "tenants.default.policy.weekly_cap: this is 0",
            ),
            (
                "[tenants.default.policy]\nzone = \"Mars/Olympus\"",
                "tenants.default.policy.zone",
            ),
            (
                "[tenants.default.policy.ladder]\nwaits = [\"3d\", \"0s\"]",
                "tenants.default.policy.ladder.waits[1]",
            ),
        ] {
            let whole = match text {
                "" | "[tenants.default]" => text.to_owned(),
                _ => format!("{text}\n{LEAST}"),
            };
            let fault = format!("{:#}", load(&whole).expect_err("cannot be used"));
            assert!(fault.contains(named), "{text:?}: {fault}");
        }
    }
}
