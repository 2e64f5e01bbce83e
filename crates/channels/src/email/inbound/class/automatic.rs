//! Automatic replies and bulk mail (RFC 3834, RFC 2919, and the headers that
//! came before them).

use super::super::mime::Part;
use super::Class;

/// What an automatic reply is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AutomaticKind {
    /// The person is away.
    OutOfOffice,
    /// A system took the mail in: a ticket number, "we have received".
    Acknowledgement,
    /// Some other machine wrote.
    Other,
}

pub(super) fn classify(root: &Part<'_>, text: &str) -> Class {
    let headers = &root.headers;
    let subject = headers.phrase("subject").to_lowercase();
    let declared = headers.token("auto-submitted");
    let precedence = headers.token("precedence");
    let on_list = headers.first("list-id").is_some()
        || headers.first("mailing-list").is_some()
        || headers.first("list-post").is_some();
    let bulk = matches!(precedence.as_str(), "bulk" | "junk" | "list");
    let unsubscribable = headers.first("list-unsubscribe").is_some();

    // RFC 3834 section 5.2: these are answers to a mail of ours. `Precedence:
    // list` and `List-Id` on top only say how they travelled.
    let replied = declared == "auto-replied"
        || precedence == "auto_reply"
        || says_yes(root, "x-autoreply")
        || says_yes(root, "x-autorespond")
        || says_yes(root, "x-auto-reply")
        || says_yes(root, "x-mail-autoreply")
        || headers.token("delivered-to") == "autoresponder"
        || headers.token("x-post-messageclass").starts_with("9")
        || subject_says_so(&subject);
    if replied {
        return Class::AutomaticReply {
            kind: kind(&subject, text),
        };
    }
    if on_list || unsubscribable && (bulk || declared.starts_with("auto-")) {
        return Class::ListOrBulk;
    }
    // Old vacation programs say only `Precedence: bulk` or `junk`.
    let generated = !declared.is_empty() && declared != "no";
    if generated || bulk {
        return Class::AutomaticReply {
            kind: kind(&subject, text),
        };
    }
    // `X-Auto-Response-Suppress` alone says nothing: Outlook stamps it on what
    // people write.
    Class::Person
}

fn says_yes(root: &Part<'_>, name: &str) -> bool {
    root.headers.first(name).is_some() && root.headers.token(name) != "no"
}

/// Subjects that mail servers make, each followed by a colon and the subject
/// of the mail that they answer.
#[rustfmt::skip]
const PREFIXES: &[&str] = &[
    "automatic reply", "automatic response", "auto reply", "auto-reply", "autoreply",
    "autoreply from", "auto response", "auto-response", "autoresponse", "autoresponder",
    "auto responder", "automated reply", "automated response", "out of office", "out-of-office",
    "out of office autoreply", "out of office reply", "out of the office",
    "out of office notification", "vacation", "vacation reply", "on vacation", "away from office",
    "away", "automatische antwort", "autom. antwort", "abwesenheitsnotiz", "abwesenheit",
    "abwesend", "abwesenheitsnachricht", "abwesenheitsmeldung", "automatische antwort auf",
    "urlaub", "réponse automatique", "reponse automatique", "absence du bureau",
    "absent du bureau", "absence", "respuesta automática", "respuesta automatica",
    "fuera de la oficina", "autorespuesta", "resposta automática", "ausente do escritório",
    "fora do escritório", "ausência temporária", "risposta automatica", "fuori sede",
    "fuori ufficio", "assenza dall'ufficio", "automatisch antwoord", "automatische beantwoording",
    "afwezig", "afwezigheidsbericht", "automatisk svar", "autosvar", "automatiskt svar",
    "frånvaro", "frånvarande", "ikke til stede", "fravær", "ikke på kontoret",
    "automaattinen vastaus", "poissa", "autom. vastaus", "automatyczna odpowiedź",
    "odpowiedź automatyczna", "nieobecność", "poza biurem", "automatická odpověď",
    "automatická odpoveď", "mimo kancelář", "автоматический ответ", "автоответ",
    "автоматична відповідь", "нет на работе", "automatikus válasz", "házon kívül",
    "răspuns automat", "otomatik yanıt", "ofis dışında", "αυτόματη απάντηση",
    "resposta automàtica", "avtomatski odgovor", "automatski odgovor", "trả lời tự động", "自动回复",
    "自動回覆", "自動返信", "自動応答", "자동 회신", "자동 응답", "תשובה אוטומטית",
];

/// A prefix alone or with its colon. "Out of office next week?" is a person's.
fn subject_says_so(subject: &str) -> bool {
    PREFIXES.iter().any(|prefix| {
        subject.strip_prefix(prefix).is_some_and(|rest| {
            let rest = rest.trim_start();
            rest.starts_with([':', '：', '['])
                || rest.is_empty() && prefix.chars().count() >= 9
                || rest.starts_with("re:")
        })
    })
}

fn kind(subject: &str, text: &str) -> AutomaticKind {
    /// What is said is said at the beginning.
    const LOOKED_AT: usize = 2_000;
    let beginning: String = text.chars().take(LOOKED_AT).collect();
    let all = format!("{subject}\n{}", beginning.to_lowercase());
    let has = |words: &[&str]| words.iter().any(|word| all.contains(word));
    if has(&[
        "out of office",
        "out-of-office",
        "out of the office",
        "vacation",
        "on leave",
        "annual leave",
        "on holiday",
        "away until",
        "away from",
        "currently away",
        "be away",
        "maternity",
        "paternity",
        "parental leave",
        "sick leave",
        "limited access to email",
        "intermittent access",
        "return on",
        "returning on",
        "until my return",
        "upon my return",
        "travelling",
        "traveling",
        "abwesend",
        "abwesenheit",
        "urlaub",
        "nicht im büro",
        "nicht im hause",
        "elternzeit",
        "absent",
        "absence",
        "congé",
        "vacances",
        "vacaciones",
        "fuera de la oficina",
        "férias",
        "ausente",
        "fuori sede",
        "fuori ufficio",
        "in ferie",
        "afwezig",
        "vakantie",
        "frånvar",
        "semester",
        "ferie",
        "lomalla",
        "poissa",
        "urlop",
        "nieobecn",
        "dovolen",
        "отпуск",
        "отсутств",
        "відпуст",
        "izin",
        "休暇",
        "不在",
        "休假",
        "外出",
    ]) {
        AutomaticKind::OutOfOffice
    } else if has(&[
        "ticket",
        "we have received",
        "we've received",
        "has been received",
        "received your",
        "acknowledg",
        "case number",
        "reference number",
        "will get back to you",
        "thank you for contacting",
        "thank you for your e",
        "thank you for your message",
        "eingegangen",
        "eingangsbestätigung",
        "erhalten",
        "accusé de réception",
        "bien reçu",
        "hemos recibido",
        "recebemos",
        "abbiamo ricevuto",
        "ontvangen",
        "mottagit",
        "modtaget",
    ]) {
        AutomaticKind::Acknowledgement
    } else {
        AutomaticKind::Other
    }
}

#[cfg(test)]
mod tests {
    use super::subject_says_so;

    #[test]
    fn a_subject_gives_a_machine_away_only_in_its_exact_form() {
        for subject in [
            "automatic reply: keys",
            "out of office: re: keys",
            "out of office autoreply: keys",
            "out of office",
            "abwesenheitsnotiz",
            "réponse automatique : clés",
            "自动回复: keys",
        ] {
            assert!(subject_says_so(subject), "{subject}");
        }
        for subject in [
            "out of office next week, can we move it?",
            "re: automatic reply: keys",
            "away",
            "vacation dates",
            "urlaub im mai",
            "absence of the tenant",
        ] {
            assert!(!subject_says_so(subject), "{subject}");
        }
    }
}
