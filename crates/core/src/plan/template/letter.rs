//! The body of a message as lines that every mail program shows as they are.

/// The most bytes in a line. RFC 5322, section 2.1.1 allows 998; the rest is for relays that add
/// to lines.
pub(crate) const LONGEST_LINE: usize = 900;

/// Whether a mail program could take the line for something else: the start of a signature (RFC
/// 3676, section 4.3, and the many that leave out its space), of the next message in an mbox file
/// (RFC 4155, appendix A), or of quoted words.
pub(crate) fn is_misread(line: &str) -> bool {
    line.trim_end() == "--" || line.starts_with("From ") || line.starts_with('>')
}

/// A body as it grows, paragraph by paragraph.
pub(super) struct Letter {
    lines: Vec<String>,
}

impl Letter {
    /// An empty one.
    pub(super) fn new() -> Self {
        Self { lines: Vec::new() }
    }

    /// Ends the paragraph, so that the next line stands apart.
    pub(super) fn gap(&mut self) {
        if self.lines.last().is_some_and(|last| !last.is_empty()) {
            self.lines.push(String::new());
        }
    }

    /// Adds a line to the paragraph, broken between words where it would be too long.
    pub(super) fn line(&mut self, text: &str) {
        self.item("", text);
    }

    /// Adds a line after a marker; what follows on further lines is set in by its width.
    pub(super) fn item(&mut self, marker: &str, text: &str) {
        let inset = " ".repeat(marker.chars().count());
        let mut line = marker.to_owned();
        let mut holds_words = false;
        for word in text.split(' ') {
            // One byte is left for what `finish` may put in front.
            if holds_words && line.len() + 1 + word.len() >= LONGEST_LINE {
                self.push(&line);
                line.clone_from(&inset);
                holds_words = false;
            }
            if holds_words {
                line.push(' ');
            }
            line.push_str(word);
            holds_words = true;
        }
        self.push(&line);
    }

    /// Adds several lines after one marker. Empty ones stay empty.
    pub(super) fn item_lines(&mut self, marker: &str, lines: &[String]) {
        let inset = " ".repeat(marker.chars().count());
        for (place, line) in lines.iter().enumerate() {
            if line.is_empty() {
                self.gap();
            } else {
                self.item(if place == 0 { marker } else { &inset }, line);
            }
        }
    }

    /// The body. A line that could be misread is set in by one space, which nobody sees.
    pub(super) fn finish(mut self) -> String {
        while self.lines.last().is_some_and(String::is_empty) {
            self.lines.pop();
        }
        let mut body = String::new();
        for line in &self.lines {
            if is_misread(line) {
                body.push(' ');
            }
            body.push_str(line);
            body.push('\n');
        }
        body
    }

    fn push(&mut self, line: &str) {
        self.lines.push(line.trim_end().to_owned());
    }
}
