//! What elements do to the text inside them.

use super::token::Tag;

/// An open element.
pub(super) struct Open {
    pub(super) name: String,
    pub(super) effect: Effect,
}

/// What holds inside an element, inherited and its own.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Effect {
    gone: bool,
    invisible: bool,
    sizeless: bool,
    pub(super) quoted: bool,
    pub(super) signature: bool,
    pub(super) pre: bool,
    /// This very element starts the earlier message.
    pub(super) cut: bool,
}

impl Effect {
    pub(super) fn hidden(self) -> bool {
        self.gone || self.invisible || self.sizeless
    }
}

/// The effect of an element inside one that has the effect `outer`.
pub(super) fn effect(tag: &Tag, outer: Effect) -> Effect {
    let mut effect = Effect {
        cut: false,
        ..outer
    };
    effect.gone |= tag.attribute("hidden").is_some();
    if let Some(style) = tag.attribute("style") {
        apply_style(&style.to_ascii_lowercase(), &mut effect);
    }
    effect.pre |= matches!(tag.name.as_str(), "pre" | "xmp" | "listing");
    effect.quoted |= is_quotation(tag);
    effect.signature |= names(tag).any(|name| SIGNATURES.contains(&name.as_str()));
    effect.cut = names(tag).any(|name| STARTS_OF_EARLIER_MESSAGE.contains(&name.as_str()));
    effect
}

/// Elements whose content is never shown, or is not HTML.
pub(super) fn is_raw(name: &str) -> bool {
    matches!(
        name,
        "script"
            | "style"
            | "title"
            | "template"
            | "iframe"
            | "noembed"
            | "noframes"
            | "object"
            | "svg"
            | "math"
            | "audio"
            | "video"
            | "select"
            | "datalist"
    )
}

pub(super) fn is_void(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "col"
            | "embed"
            | "input"
            | "link"
            | "meta"
            | "param"
            | "source"
            | "track"
            | "wbr"
            | "basefont"
            | "bgsound"
            | "frame"
    )
}

pub(super) fn is_block(name: &str) -> bool {
    matches!(
        name,
        "address"
            | "article"
            | "aside"
            | "blockquote"
            | "body"
            | "center"
            | "dd"
            | "details"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "form"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "header"
            | "html"
            | "li"
            | "main"
            | "nav"
            | "ol"
            | "p"
            | "pre"
            | "section"
            | "summary"
            | "table"
            | "tbody"
            | "tfoot"
            | "thead"
            | "tr"
            | "ul"
    )
}

pub(super) fn is_cell(name: &str) -> bool {
    matches!(name, "td" | "th")
}

/// Blocks that a reader sees set off by a blank line.
pub(super) fn has_margin(name: &str) -> bool {
    matches!(
        name,
        "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "blockquote" | "pre" | "ul" | "ol" | "dl"
    )
}

/// Containers in which a mail client keeps the earlier message or the line
/// that introduces it, by id or class: Gmail, Thunderbird, Yahoo, Proton,
/// Outlook's mobile and new versions, Zoho, Tuta, Front, Roundcube.
#[rustfmt::skip]
const QUOTATIONS: &[&str] = &[
    "gmail_attr", "moz-cite-prefix", "yahoo_quoted", "yahooquoted", "protonmail_quote",
    "ms-outlook-mobile-reference-message", "mail-editor-reference-message-container",
    "zmail_extra", "tutanota_quote", "front-blockquote", "reply-intro", "skiptranslate-quote",
];

/// Outlook puts the earlier message after these, not inside.
const STARTS_OF_EARLIER_MESSAGE: &[&str] = &["divrplyfwdmsg", "outlookmessageheader"];

const SIGNATURES: &[&str] = &[
    "gmail_signature",
    "moz-signature",
    "applemailsignature",
    "ms-outlook-mobile-signature",
    "protonmail_signature_block",
    "x_gmail_signature",
];

/// Class names and the id, in lower case, without the `x_` that Outlook puts
/// in front of what it quotes.
fn names(tag: &Tag) -> impl Iterator<Item = String> {
    let classes = tag.attribute("class").unwrap_or_default();
    let id = tag.attribute("id").unwrap_or_default();
    classes
        .split_ascii_whitespace()
        .chain(std::iter::once(id))
        .map(|name| name.to_ascii_lowercase())
        .map(|name| name.strip_prefix("x_").map_or(name.clone(), str::to_owned))
        .collect::<Vec<_>>()
        .into_iter()
}

fn is_quotation(tag: &Tag) -> bool {
    if tag.name == "blockquote" {
        return !is_indentation(tag);
    }
    names(tag).any(|name| QUOTATIONS.contains(&name.as_str()))
}

/// The indent button of Gmail and Outlook on the web makes a `blockquote` too:
/// no border, a margin of 40 pixels on the left, no word of a citation.
fn is_indentation(tag: &Tag) -> bool {
    if tag.attribute("type").is_some()
        || tag.attribute("cite").is_some()
        || tag.attribute("class").is_some()
    {
        return false;
    }
    let style = tag.attribute("style").unwrap_or_default();
    let style = style.to_ascii_lowercase().replace(' ', "");
    !style.contains("border-left") && (style.contains("40px") || style.contains("border:none"))
}

fn apply_style(style: &str, effect: &mut Effect) {
    let (mut clipped, mut no_room) = (false, false);
    for declaration in style.split(';') {
        let Some((property, value)) = declaration.split_once(':') else {
            continue;
        };
        let value = value.trim().trim_end_matches("!important").trim_end();
        match property.trim() {
            "display" => effect.gone |= value == "none",
            "visibility" => effect.invisible = matches!(value, "hidden" | "collapse"),
            "opacity" => effect.gone |= is_zero(value),
            "font-size" => effect.sizeless = is_zero(value),
            "overflow" | "overflow-y" | "overflow-x" => clipped |= value == "hidden",
            "max-height" | "height" | "max-width" | "width" => no_room |= is_zero(value),
            _ => {}
        }
    }
    effect.gone |= clipped && no_room;
}

/// `0`, `0px`, `0.0em`.
fn is_zero(value: &str) -> bool {
    let digits = value.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '%');
    digits
        .trim()
        .parse::<f32>()
        .is_ok_and(|number| number == 0.0)
}

#[cfg(test)]
mod tests {
    use super::is_zero;

    #[test]
    fn zero_has_many_units() {
        for zero in ["0", "0px", "0.0em", "0%", "0pt"] {
            assert!(is_zero(zero), "{zero}");
        }
        for other in ["1px", "0.5em", "small", "", "inherit"] {
            assert!(!is_zero(other), "{other}");
        }
    }
}
