//! What the sink took.

use std::{
    collections::{HashMap, VecDeque},
    io,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};
use tokio::{io::AsyncWriteExt, sync::watch};

/// A message that the sink took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SinkMessage {
    /// Its place in the order in which messages came, from 1.
    pub number: u64,
    /// The envelope's sender; empty for the null path.
    pub from: String,
    /// The envelope's recipients.
    pub to: Vec<String>,
    /// The bytes as the client meant them, doubled dots undone.
    pub raw: Vec<u8>,
    /// The Message-ID with its angle brackets.
    pub message_id: Option<String>,
}

/// Message-IDs whose copies are counted. A benchmark of some minutes stays below.
const MOST_COUNTED: usize = 1_000_000;

pub(super) struct Store {
    keep: usize,
    folder: Option<PathBuf>,
    kept: Mutex<Kept>,
    taken: watch::Sender<u64>,
}

#[derive(Default)]
struct Kept {
    numbered: u64,
    messages: VecDeque<SinkMessage>,
    copies: HashMap<String, u64>,
}

impl Store {
    pub(super) async fn open(keep: usize, folder: Option<PathBuf>) -> io::Result<Self> {
        let mut kept = Kept::default();
        if let Some(folder) = &folder {
            tokio::fs::create_dir_all(folder).await?;
            kept.numbered = last_number(folder).await?;
        }
        Ok(Self {
            keep,
            folder,
            kept: Mutex::new(kept),
            taken: watch::Sender::new(0),
        })
    }

    /// Keeps a message; durable, when there is a folder, once it returns.
    pub(super) async fn add(&self, from: String, to: Vec<String>, raw: Vec<u8>) -> io::Result<()> {
        let number = {
            let mut kept = self.kept();
            kept.numbered += 1;
            kept.numbered
        };
        if let Some(folder) = &self.folder {
            record(folder, number, &from, &to, &raw).await?;
        }
        let message_id = message_id(&raw);
        {
            let mut kept = self.kept();
            if let Some(id) = &message_id
                && (kept.copies.len() < MOST_COUNTED || kept.copies.contains_key(id))
            {
                *kept.copies.entry(id.clone()).or_default() += 1;
            }
            kept.messages.push_back(SinkMessage {
                number,
                from,
                to,
                raw,
                message_id,
            });
            while kept.messages.len() > self.keep {
                kept.messages.pop_front();
            }
        }
        self.taken.send_modify(|taken| *taken += 1);
        Ok(())
    }

    pub(super) fn messages(&self) -> Vec<SinkMessage> {
        self.kept().messages.iter().cloned().collect()
    }

    pub(super) fn drain(&self) -> Vec<SinkMessage> {
        self.kept().messages.drain(..).collect()
    }

    pub(super) fn taken(&self) -> watch::Receiver<u64> {
        self.taken.subscribe()
    }

    pub(super) fn copies(&self, message_id: &str) -> u64 {
        self.kept().copies.get(message_id).copied().unwrap_or(0)
    }

    pub(super) fn repeated(&self) -> Vec<(String, u64)> {
        self.kept()
            .copies
            .iter()
            .filter(|(_, copies)| **copies > 1)
            .map(|(id, copies)| (id.clone(), *copies))
            .collect()
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A file with the envelope in the header fields that a delivering server adds (RFC 5321, section
/// 4.4), then the message. The name appears only once the content is on disk.
async fn record(
    folder: &Path,
    number: u64,
    from: &str,
    to: &[String],
    raw: &[u8],
) -> io::Result<()> {
    let unfinished = folder.join(format!("{number:08}.part"));
    let mut file = tokio::fs::File::create(&unfinished).await?;
    let mut head = format!("Return-Path: <{from}>\r\n");
    for to in to {
        head.push_str(&format!("Delivered-To: {to}\r\n"));
    }
    file.write_all(head.as_bytes()).await?;
    file.write_all(raw).await?;
    file.sync_all().await?;
    tokio::fs::rename(&unfinished, folder.join(format!("{number:08}.eml"))).await?;
    tokio::fs::File::open(folder).await?.sync_all().await
}

/// A sink that is started again goes on counting where it was.
async fn last_number(folder: &Path) -> io::Result<u64> {
    let mut last = 0;
    let mut entries = tokio::fs::read_dir(folder).await?;
    while let Some(entry) = entries.next_entry().await? {
        let name = entry.file_name();
        let number = Path::new(&name)
            .file_stem()
            .and_then(|stem| stem.to_str())
            .and_then(|stem| stem.parse().ok());
        last = last.max(number.unwrap_or(0));
    }
    Ok(last)
}

/// The value of the first `Message-ID` in the header section. Enough for our own mail, which has
/// it on one line.
fn message_id(raw: &[u8]) -> Option<String> {
    raw.split(|byte| *byte == b'\n')
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
        .take_while(|line| !line.is_empty())
        .find_map(|line| {
            let line = std::str::from_utf8(line).ok()?;
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("message-id")
                .then(|| value.trim().to_owned())
        })
}
