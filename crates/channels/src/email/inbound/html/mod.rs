//! HTML mail to lines of text: what a reader would see, with what the markup
//! says of each line (quoted, signature, start of the earlier message).
//!
//! A single pass over the tokens with a bounded stack of open elements. A full
//! HTML parser would fix up nesting better, at a cost that grows with the
//! square of the depth; mail needs its lines, not its tree.

mod element;
mod token;

use self::element::{Effect, Open};
use self::token::{Tag, Token, Tokens};
use super::line::{Line, Mark, clean};

/// Open elements that are tracked. Newsletters nest tables some fifty deep;
/// elements beyond are treated as if they were not there.
const MAX_OPEN: usize = 400;

/// The lines of an HTML body.
pub(super) fn lines(html: &str) -> Vec<Line> {
    let mut renderer = Renderer::default();
    let mut tokens = Tokens::new(html);
    while let Some(token) = tokens.next() {
        match token {
            Token::Text(text) => renderer.text(&text),
            Token::Open(tag) => {
                if element::is_raw(&tag.name) {
                    tokens.skip_raw(&tag.name);
                } else {
                    renderer.open(&tag);
                }
            }
            Token::Close(name) => renderer.close(&name),
        }
    }
    renderer.finish()
}

#[derive(Default)]
struct Renderer {
    lines: Vec<Line>,
    current: String,
    current_mark: Option<Mark>,
    /// A blank line is due before the next text.
    gap: bool,
    /// A collapsed blank is due before the next text on this line.
    space: bool,
    open: Vec<Open>,
    cut: bool,
}

impl Renderer {
    fn state(&self) -> Effect {
        self.open
            .last()
            .map_or_else(Effect::default, |top| top.effect)
    }

    fn text(&mut self, text: &str) {
        let state = self.state();
        if state.hidden() {
            return;
        }
        if state.pre {
            for (index, line) in text.split('\n').enumerate() {
                if index > 0 {
                    self.break_line();
                }
                self.write(line.trim_end_matches('\r'));
            }
            return;
        }
        let mut rest = text;
        while !rest.is_empty() {
            let word_end = rest.find(is_space).unwrap_or(rest.len());
            if word_end > 0 {
                self.write(&rest[..word_end]);
                rest = &rest[word_end..];
            } else {
                self.space = !self.current.is_empty();
                rest = rest.trim_start_matches(is_space);
            }
        }
    }

    fn write(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let mark = self.mark();
        if self.current_mark.is_some_and(|current| current != mark) {
            self.break_line();
        }
        if self.current.is_empty() && self.gap {
            if let Some(last) = self.lines.last() {
                // Between a quotation and an answer the gap is nobody's.
                let mark = if last.mark == mark { mark } else { Mark::Own };
                self.lines.push(Line {
                    text: String::new(),
                    mark,
                });
            }
            self.gap = false;
        }
        if self.space && !self.current.is_empty() {
            self.current.push(' ');
        }
        self.space = false;
        self.current_mark = Some(mark);
        self.current.push_str(text);
    }

    fn mark(&mut self) -> Mark {
        let state = self.state();
        if state.quoted {
            return Mark::Quoted;
        }
        // The mark is given to one line, however many pieces that line has.
        let starts_cut = std::mem::take(&mut self.cut);
        if starts_cut || self.current_mark == Some(Mark::CutFromHere) {
            Mark::CutFromHere
        } else if state.signature {
            Mark::Signature
        } else {
            Mark::Own
        }
    }

    fn break_line(&mut self) {
        self.space = false;
        if let Some(mark) = self.current_mark.take() {
            let text = clean(&std::mem::take(&mut self.current));
            self.lines.push(Line { text, mark });
        }
    }

    fn open(&mut self, tag: &Tag) {
        let effect = element::effect(tag, self.state());
        match tag.name.as_str() {
            "br" => {
                if !effect.hidden() {
                    self.line_feed();
                }
                return;
            }
            "hr" => {
                if !effect.hidden() {
                    self.break_line();
                    // What mail clients write for it in plain text.
                    self.write("________________________________");
                    self.break_line();
                }
                return;
            }
            "img" => {
                // Webmail sends emoji as pictures.
                if let Some(alt) = tag.attribute("alt")
                    && !effect.hidden()
                    && alt.chars().count() <= 8
                    && alt.chars().any(|c| u32::from(c) > 0x2000)
                {
                    self.write(alt);
                }
                return;
            }
            name if element::is_void(name) || tag.self_closing => return,
            _ => {}
        }
        self.boundary(&tag.name);
        if effect.cut && !effect.hidden() {
            self.break_line();
            self.cut = true;
        }
        if self.open.len() < MAX_OPEN {
            self.open.push(Open {
                name: tag.name.clone(),
                effect,
            });
            if tag.name == "li" && !effect.hidden() {
                self.write("-");
                self.space = true;
            }
        }
    }

    fn close(&mut self, name: &str) {
        if let Some(position) = self.open.iter().rposition(|open| open.name == name) {
            self.open.truncate(position);
        }
        if name == "br" {
            // What browsers make of `</br>`.
            self.line_feed();
        } else {
            self.boundary(name);
        }
    }

    fn boundary(&mut self, name: &str) {
        if element::is_cell(name) {
            self.space = !self.current.is_empty();
        } else if element::is_block(name) {
            self.break_line();
            self.gap |= element::has_margin(name);
        }
    }

    fn line_feed(&mut self) {
        if self.current_mark.is_some() {
            self.break_line();
        } else {
            let mark = self.mark();
            self.lines.push(Line {
                text: String::new(),
                mark,
            });
        }
    }

    fn finish(mut self) -> Vec<Line> {
        self.break_line();
        self.lines
    }
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0C')
}

#[cfg(test)]
mod tests {
    use super::super::line::{Mark, join};
    use super::lines;

    fn text(html: &str) -> String {
        join(&lines(html))
    }

    #[test]
    fn text_reads_as_it_looks() {
        for (html, expected) in [
            ("<p>One</p><p>Two</p>", "One\n\nTwo"),
            ("<div>One</div><div>Two</div>", "One\nTwo"),
            ("One<br>Two<br><br>Three", "One\nTwo\n\nThree"),
            ("a  <b> b</b>\n c", "a b c"),
            ("<ul><li>keys</li><li>lease</li></ul>", "- keys\n- lease"),
            (
                "<table><tr><td>Rent</td><td>900</td></tr></table>",
                "Rent 900",
            ),
            (
                "5 &lt; 6 &amp; 7 &euro; &#8364; &#x20AC; &nope;",
                "5 < 6 & 7 € € € &nope;",
            ),
            ("5 < 6 and 7 > 6", "5 < 6 and 7 > 6"),
            ("a&nbsp;&nbsp;b", "a  b"),
            ("<pre>  a\n  b</pre>", "  a\n  b"),
            (
                "Yes <img data-emoji=\"x\" alt=\"👍\"><img alt=\"Company logo\">",
                "Yes 👍",
            ),
            ("<p title='a > b'>quoted attribute</p>", "quoted attribute"),
        ] {
            assert_eq!(text(html), expected, "{html}");
        }
    }

    #[test]
    fn what_cannot_be_seen_is_not_text() {
        for hidden in [
            "<span style=\"display:none\">secret</span>",
            "<span style=\"DISPLAY : none !important\">secret</span>",
            "<div style='font-size:0px'>secret</div>",
            "<div style='font-size:0'>a<b>secret</b></div>",
            "<div style='visibility:hidden'>secret</div>",
            "<div style='opacity:0'>secret</div>",
            "<div style='max-height:0;overflow:hidden'>secret</div>",
            "<div style='mso-hide:all;display:none'><div>secret</div></div>",
            "<p hidden>secret</p>",
            "<!-- secret -->",
            "<!--[if mso]><p>secret</p><![endif]-->",
            "<script>secret</script>",
            "<style>secret</style>",
            "<title>secret</title>",
            "<template>secret</template>",
            "<style>secret",
        ] {
            let seen = text(&format!("before {hidden}"));
            assert_eq!(seen, "before", "{hidden}");
        }
    }

    #[test]
    fn a_child_can_show_itself_again() {
        assert_eq!(
            text("<td style='font-size:0'><div style='font-size:14px'>seen</div></td>"),
            "seen"
        );
        assert_eq!(
            text("<div style='visibility:hidden'><b style='visibility:visible'>seen</b></div>"),
            "seen"
        );
        assert_eq!(
            text("<div style='display:none'><b style='display:block'>no</b></div>yes"),
            "yes"
        );
    }

    #[test]
    fn quotations_are_marked_and_indentation_is_not_one() {
        let quoted = lines("<p>Yes</p><blockquote type=cite>Will you?</blockquote>");
        assert_eq!(quoted[0].mark, Mark::Own);
        assert_eq!(quoted.last().unwrap().mark, Mark::Quoted);
        let indented =
            lines("<blockquote style='margin:0 0 0 40px;border:none;padding:0px'>Yes</blockquote>");
        assert_eq!(indented[0].mark, Mark::Own);
    }

    #[test]
    fn outlooks_reply_header_starts_the_cut() {
        let lines = lines("<div>Yes</div><div id=\"divRplyFwdMsg\"><b>From:</b> Us</div>Old");
        let marks: Vec<Mark> = lines.iter().map(|line| line.mark).collect();
        assert_eq!(marks, [Mark::Own, Mark::CutFromHere, Mark::Own]);
    }

    #[test]
    fn broken_and_hostile_markup_ends_in_good_time() {
        let deep = format!(
            "{}answer{}",
            "<div>".repeat(50_000),
            "</div>".repeat(50_000)
        );
        assert_eq!(text(&deep), "answer");
        for html in [
            "<".repeat(100_000),
            "<a ".repeat(50_000),
            "<a x=\"".repeat(50_000),
            "<!--".repeat(50_000),
            "</".repeat(50_000),
            "&".repeat(100_000),
            "<script>".repeat(50_000),
            "<blockquote>".repeat(50_000),
        ] {
            let _ = lines(&html);
        }
    }
}
