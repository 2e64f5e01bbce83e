//! A man in the middle: passes on what the store and the server say to each other, until he is told
//! to cut the connection at a certain word of the store's.

use std::sync::{Arc, Mutex, PoisonError};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
};

/// Where a connection is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// The server never hears the word.
    Before,
    /// The server hears it and answers; the store does not hear the answer.
    After,
}

/// The man.
#[derive(Clone)]
pub(crate) struct Proxy {
    port: u16,
    plan: Arc<Mutex<Option<(usize, Cut)>>>,
}

impl Proxy {
    /// Stands before the server of `url`.
    pub(crate) async fn before(url: &str) -> Self {
        let server = url
            .split_once('@')
            .and_then(|(_, rest)| rest.split_once('/'))
            .map(|(server, _)| server.to_owned())
            .expect("a URL with a server");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("listens");
        let proxy = Self {
            port: listener.local_addr().expect("has one").port(),
            plan: Arc::default(),
        };
        let plan = Arc::clone(&proxy.plan);
        tokio::spawn(async move {
            while let Ok((store, _)) = listener.accept().await {
                let server = TcpStream::connect(&server).await.expect("connects");
                tokio::spawn(pass_on(store, server, Arc::clone(&plan)));
            }
        });
        proxy
    }

    /// The address of the same database, past the man.
    pub(crate) fn url(&self, url: &str) -> String {
        let (user, rest) = url.split_once('@').expect("a user");
        let (_, database) = rest.split_once('/').expect("a database");
        format!("{user}@127.0.0.1:{}/{database}", self.port)
    }

    /// Cuts at the word after `words` more ones.
    pub(crate) fn cut(&self, words: usize, cut: Cut) {
        *self.plan.lock().unwrap_or_else(PoisonError::into_inner) = Some((words, cut));
    }

    /// Whether what was planned did not happen; nothing is planned any more.
    pub(crate) fn was_not_reached(&self) -> bool {
        let mut plan = self.plan.lock().unwrap_or_else(PoisonError::into_inner);
        plan.take().is_some()
    }
}

async fn pass_on(store: TcpStream, server: TcpStream, plan: Arc<Mutex<Option<(usize, Cut)>>>) {
    let (from_store, to_store) = store.into_split();
    let (mut from_server, to_server) = server.into_split();
    let answering = tokio::spawn({
        let mut to_store = to_store;
        async move {
            let mut buffer = vec![0; 65_536];
            loop {
                match from_server.read(&mut buffer).await {
                    Ok(length) if length > 0 => {
                        if to_store.write_all(&buffer[..length]).await.is_err() {
                            break;
                        }
                    }
                    _ => break,
                }
            }
        }
    });
    words(from_store, to_server, &plan, || answering.abort()).await;
    answering.abort();
}

/// What the store says, word by word: it waits for an answer after each, so a word is what comes at
/// once.
async fn words(
    mut from_store: OwnedReadHalf,
    mut to_server: OwnedWriteHalf,
    plan: &Mutex<Option<(usize, Cut)>>,
    silence_the_server: impl Fn(),
) {
    let mut buffer = vec![0; 1_048_576];
    loop {
        let length = match from_store.read(&mut buffer).await {
            Ok(length) if length > 0 => length,
            _ => return,
        };
        let cut = {
            let mut plan = plan.lock().unwrap_or_else(PoisonError::into_inner);
            match *plan {
                Some((0, cut)) => {
                    *plan = None;
                    Some(cut)
                }
                Some((more, cut)) => {
                    *plan = Some((more - 1, cut));
                    None
                }
                None => None,
            }
        };
        match cut {
            Some(Cut::Before) => return,
            Some(Cut::After) => {
                silence_the_server();
                let _ = to_server.write_all(&buffer[..length]).await;
                // The server does what it was told before it notices that nobody is there.
                let _ = to_server.shutdown().await;
                return;
            }
            None => {
                if to_server.write_all(&buffer[..length]).await.is_err() {
                    return;
                }
            }
        }
    }
}
