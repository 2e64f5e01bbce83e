//! A server on loopback that answers what a test tells it to, byte by byte.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

/// How the stub answers one connection.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    /// These bytes, then the end of the connection.
    Bytes(Vec<u8>),
    /// A good head, then chunks without end.
    Endless,
    /// Nothing, ever.
    Silence,
    /// The end of the connection, before any byte.
    HangUp,
}

/// A running stub. Its requests are kept as they came.
pub(crate) struct Stub {
    pub(crate) address: SocketAddr,
    requests: Arc<Mutex<Vec<Vec<u8>>>>,
    task: JoinHandle<()>,
}

impl Stub {
    /// Answers each connection with the next of `replies`, and those after the last with nothing.
    pub(crate) async fn start(replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&requests);
        let task = tokio::spawn(async move {
            let mut replies = replies.into_iter();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let reply = replies.next().unwrap_or(Reply::Silence);
                tokio::spawn(answer(stream, reply, Arc::clone(&kept)));
            }
        });
        Self {
            address,
            requests,
            task,
        }
    }

    pub(crate) fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The requests so far, each as head and body.
    pub(crate) fn requests(&self) -> Vec<(String, String)> {
        self.requests
            .lock()
            .unwrap()
            .iter()
            .map(|bytes| {
                let text = String::from_utf8(bytes.clone()).unwrap();
                let (head, body) = text.split_once("\r\n\r\n").unwrap();
                (head.to_owned(), body.to_owned())
            })
            .collect()
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A whole response of this status.
pub(crate) fn response(status: &str, headers: &str, body: &str) -> Reply {
    Reply::Bytes(
        format!(
            "HTTP/1.1 {status}\r\ncontent-type: application/json\r\n{headers}connection: close\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        )
        .into_bytes(),
    )
}

async fn answer(mut stream: TcpStream, reply: Reply, kept: Arc<Mutex<Vec<Vec<u8>>>>) {
    let Some(request) = request(&mut stream).await else {
        return;
    };
    kept.lock().unwrap().push(request);
    match reply {
        Reply::Bytes(bytes) => {
            // The client may have hung up, having read enough.
            let _ = stream.write_all(&bytes).await;
            let _ = stream.shutdown().await;
        }
        Reply::Endless => {
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\
                        transfer-encoding: chunked\r\n\r\n";
            let mut written = stream.write_all(head.as_bytes()).await;
            let chunk = format!("1000\r\n{}\r\n", " ".repeat(4096));
            while written.is_ok() {
                written = stream.write_all(chunk.as_bytes()).await;
            }
        }
        Reply::Silence => std::future::pending().await,
        Reply::HangUp => {}
    }
}

/// One request with its whole body.
async fn request(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        let mut buffer = [0; 8192];
        let read = stream.read(&mut buffer).await.ok()?;
        if read == 0 {
            return None;
        }
        bytes.extend_from_slice(&buffer[..read]);
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let length: usize = head
            .to_lowercase()
            .lines()
            .find_map(|line| line.strip_prefix("content-length: ")?.trim().parse().ok())?;
        if body.len() >= length {
            return Some(bytes);
        }
    }
}
