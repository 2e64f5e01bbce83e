//! A model's endpoint on loopback that answers what a test tells it to.

use serde_json::json;
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

/// How the endpoint answers one request.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    /// With this status, these headers and this body.
    Answer(&'static str, &'static str, String),
    /// With a good head and a body without end.
    Endless,
    /// Not at all, in time.
    Silence,
    /// By hanging up.
    HangUp,
}

/// A chat completion that says `content`.
pub(crate) fn says(content: &str) -> Reply {
    let body = json!({
        "model": "test-model-2027",
        "choices": [{
            "message": { "role": "assistant", "content": content },
            "finish_reason": "stop"
        }],
        "usage": { "prompt_tokens": 870, "completion_tokens": 77 }
    });
    Reply::Answer("200 OK", "", body.to_string())
}

/// A running endpoint. What nothing was said about, it answers with silence.
pub(crate) struct Stub {
    base_url: String,
    replies: Arc<Mutex<VecDeque<Reply>>>,
    requests: Arc<Mutex<usize>>,
    task: JoinHandle<()>,
}

impl Stub {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let replies: Arc<Mutex<VecDeque<Reply>>> = Arc::default();
        let requests: Arc<Mutex<usize>> = Arc::default();
        let (script, counted) = (replies.clone(), requests.clone());
        let task = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                tokio::spawn(answer(stream, script.clone(), counted.clone()));
            }
        });
        Self {
            base_url,
            replies,
            requests,
            task,
        }
    }

    pub(crate) fn base_url(&self) -> &str {
        &self.base_url
    }

    pub(crate) fn push(&self, reply: Reply) {
        self.replies.lock().unwrap().push_back(reply);
    }

    pub(crate) fn requests(&self) -> usize {
        *self.requests.lock().unwrap()
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(
    mut stream: TcpStream,
    script: Arc<Mutex<VecDeque<Reply>>>,
    requests: Arc<Mutex<usize>>,
) {
    if !read_request(&mut stream).await {
        return;
    }
    *requests.lock().unwrap() += 1;
    let reply = script.lock().unwrap().pop_front().unwrap_or(Reply::Silence);
    // The client may have hung up, having read enough.
    match reply {
        Reply::Answer(status, headers, body) => {
            let head = format!(
                "HTTP/1.1 {status}\r\ncontent-type: application/json\r\n{headers}\
                 connection: close\r\ncontent-length: {}\r\n\r\n",
                body.len()
            );
            let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
            let _ = stream.shutdown().await;
        }
        Reply::Endless => {
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\
                        transfer-encoding: chunked\r\n\r\n";
            let chunk = format!("1000\r\n{}\r\n", " ".repeat(4096));
            let mut written = stream.write_all(head.as_bytes()).await;
            while written.is_ok() {
                written = stream.write_all(chunk.as_bytes()).await;
            }
        }
        Reply::Silence => std::future::pending().await,
        Reply::HangUp => {}
    }
}

/// Reads one request with its whole body; `false` when there is none.
async fn read_request(stream: &mut TcpStream) -> bool {
    let mut bytes = Vec::new();
    let mut buffer = [0; 8192];
    loop {
        match stream.read(&mut buffer).await {
            Ok(read) if read > 0 => bytes.extend_from_slice(&buffer[..read]),
            _ => return false,
        }
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let head = head.to_lowercase();
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "));
        if length.is_none_or(|length| body.len() >= length.trim().parse().unwrap()) {
            return true;
        }
    }
}
