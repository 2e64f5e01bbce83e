//! The words of mail clients, in the languages of their users. All in lower
//! case. Adding a language means adding its words here and nothing else.

/// Verbs at the end of the line that introduces a quotation.
#[rustfmt::skip]
pub(super) const WROTE: &[&str] = &[
    "wrote", "writes", "sent", "said", // English
    "schrieb", "geschrieben", "schreibt", // German
    "a écrit", "écrit", "a ecrit", "a crit", "ecrit", // French
    "escribió", "escribio", "escribi", "ha escrito", // Spanish
    "escreveu", // Portuguese
    "ha scritto", "scrisse", "scritto", "scrive", // Italian
    "het volgende geschreven", "geschreven", "schreef", // Dutch
    "skrev", "skrev følgende", "skrev følgjande", // Danish, Norwegian, Swedish
    "kirjoitti", // Finnish
    "napisał", "napisała", "napisał(a)", "napisal", "napisala", "pisze", // Polish
    "napsal", "napsal(a)", "napsala", "napísal", "napísal(a)", "píše", // Czech, Slovak
    "написал", "написала", "написал(а)", "писал", "писал(а)", "пишет", // Russian
    "пише", "написав", "написала(в)", // Ukrainian
    "написа", // Bulgarian
    "írta", "írta:", "ezt írta", // Hungarian
    "a scris", // Romanian
    "yazdı", "şunu yazdı", "şunları yazdı", // Turkish
    "έγραψε", "έγραψε:", // Greek
    "va escriure", "ha escrit", // Catalan
    "je napisao", "je napisao/la", "je napisal", "je napisala", // Croatian, Slovene
    "kirjutas", "rašė", "rakstīja", // Estonian, Lithuanian, Latvian
    "đã viết", // Vietnamese
    "写道", "寫道", "写道：", "님이 작성", "작성", "のメール", // Chinese, Korean, Japanese
    "menulis", "เขียนว่า", "כתב", "כתבה", "كتب", // Indonesian, Thai, Hebrew, Arabic
];

/// First words of the line that introduces a quotation with a date.
#[rustfmt::skip]
pub(super) const ON: &[&str] = &[
    "on", "am", "le", "el", "em", "il", "op", "den", "d.", "på", "pe", "w", "dnia", "dne", "dňa",
    "в", "на", "la", "în", "vào", "在", "dana", "dne", "στις", "ti", "em", "a", "em", "il",
];

/// Labels of the header block that mail clients put above the earlier message.
#[rustfmt::skip]
pub(super) const FROM: &[&str] = &[
    "from", "von", "de", "da", "van", "fra", "från", "fr", "od", "lähettäjä", "от", "від",
    "от кого", "kimden", "gönderen", "feladó", "expéditeur", "mittente", "remitente", "remetente",
    "afzender", "absender", "avsändare", "avsender", "afsender", "nadawca", "odesílatel",
    "отправитель", "από", "de la", "发件人", "寄件者", "寄件人", "差出人", "送信者", "보낸 사람", "từ", "dari",
];

#[rustfmt::skip]
pub(super) const SENT: &[&str] = &[
    "sent", "date", "gesendet", "gesendet am", "datum", "envoyé", "envoyé le", "enviado",
    "enviado el", "enviada em", "enviado em", "fecha", "data", "inviato", "verzonden", "sendt",
    "dato", "skickat", "wysłano", "wysłane", "lähetetty", "päivämäärä", "päiväys", "отправлено",
    "дата", "надіслано", "gönderildi", "gönderme tarihi", "tarih", "elküldve", "dátum",
    "odesláno", "odoslané", "trimis", "στάλθηκε", "ημερομηνία", "发送时间", "发送日期", "日期", "寄件日期",
    "日付", "送信日時", "날짜", "message du", "ngày", "tanggal", "on",
];

#[rustfmt::skip]
pub(super) const TO: &[&str] = &[
    "to", "an", "à", "a", "para", "aan", "til", "till", "do", "vastaanottaja", "кому", "kime",
    "alıcı", "címzett", "komu", "către", "προς", "destinataire", "destinatario", "empfänger",
    "adressat", "收件人", "宛先", "받는 사람", "đến", "kepada", "pre",
];

#[rustfmt::skip]
pub(super) const COPY: &[&str] = &[
    "cc", "cci", "bcc", "kopie", "copie à", "copie", "copia", "cópia", "kopi", "kopia", "kópia",
    "kopio", "копия", "копія", "bilgi", "másolatot kap", "dw", "udw", "κοιν", "抄送", "副本", "참조",
];

#[rustfmt::skip]
pub(super) const SUBJECT: &[&str] = &[
    "subject", "betreff", "objet", "sujet", "asunto", "assunto", "oggetto", "onderwerp", "emne",
    "ämne", "temat", "aihe", "тема", "konu", "tárgy", "předmět", "predmet", "subiect",
    "subiectul", "θέμα", "re", "assumpte", "主题", "主旨", "主題", "件名", "제목", "chủ đề", "perihal",
    "subjek",
];

#[rustfmt::skip]
pub(super) const OTHER_HEADERS: &[&str] = &[
    "reply-to", "reply to", "antwort an", "répondre à", "responder a", "responder para",
    "rispondi a", "risposta", "svar till", "svar til", "beantwoorden", "attachments", "anlagen",
    "pièces jointes", "adjuntos", "anexos", "allegati", "bijlagen", "importance", "priority",
    "wichtigkeit", "priorität", "organization", "organisation", "mailing list", "signed by",
    "mailed by",
];

/// What stands between dashes above the earlier message.
#[rustfmt::skip]
pub(super) const SEPARATORS: &[&str] = &[
    "original message", "original email", "original appointment", "forwarded message",
    "forwarded by", "reply message", "previous message", "original-nachricht",
    "originalnachricht", "ursprüngliche nachricht", "ursprungliche nachricht",
    "ursprüngliche mail", "weitergeleitete nachricht", "ursprünglicher termin",
    "message d'origine", "message d’origine", "message original", "message initial",
    "message transféré", "message transmis", "mensaje original", "mensaje reenviado",
    "mensagem original", "mensagem encaminhada", "messaggio originale", "messaggio inoltrato",
    "oorspronkelijk bericht", "oorspronkelijke bericht", "origineel bericht",
    "doorgestuurd bericht", "oprindelig besked", "oprindelig meddelelse", "original besked",
    "videresendt meddelelse", "opprinnelig melding", "original melding", "videresendt melding",
    "ursprungligt meddelande", "originalmeddelande", "vidarebefordrat meddelande",
    "alkuperäinen viesti", "välitetty viesti", "oryginalna wiadomość", "wiadomość oryginalna",
    "wiadomość przekazana", "przekazana wiadomość", "původní zpráva", "pôvodná správa",
    "исходное сообщение", "оригинальное сообщение", "пересылаемое сообщение",
    "пересланное сообщение", "первоначальное сообщение", "вихідне повідомлення",
    "оригінальне повідомлення", "eredeti üzenet", "orijinal mesaj", "özgün ileti",
    "mesaj original", "mesajul original", "missatge original", "αρχικό μήνυμα", "thư gốc",
    "pesan asli", "原始邮件", "原始郵件", "原文", "元のメッセージ", "원본 메시지",
];

/// The same without dashes around; whole lines that nobody types.
#[rustfmt::skip]
pub(super) const BARE_SEPARATORS: &[&str] = &[
    "begin forwarded message:", "anfang der weitergeleiteten nachricht:",
    "début du message réexpédié :", "début du message transféré :",
    "inicio del mensaje reenviado:", "início da mensagem reencaminhada:",
    "inizio messaggio inoltrato:", "begin doorgestuurd bericht:", "start på videresendt besked:",
    "vidarebefordrat brev:", "początek przekazywanej wiadomości:",
];

/// Lines that ask for the answer above them.
#[rustfmt::skip]
pub(super) const REPLY_ABOVE: &[&str] = &[
    "reply above this line", "type your reply above this line", "reply above the line",
    "write above this line", "respond above this line", "antworten sie oberhalb dieser zeile",
    "antwort oberhalb dieser zeile", "répondez au-dessus de cette ligne",
    "responda por encima de esta línea", "responda acima desta linha",
    "rispondi sopra questa linea", "antwoord boven deze lijn", "antwoord boven deze regel",
];

/// How the line begins that a phone or a client adds by itself.
#[rustfmt::skip]
pub(super) const SENT_FROM: &[&str] = &[
    "sent from", "sent via", "sent with", "sent using", "sent by", "sent on", "sent through",
    "send from", "from my", "get outlook for", "download outlook for",
    "this message was sent from my", "typed on my", "written on my", "gesendet von",
    "gesendet mit", "gesendet aus", "gesendet über", "von meinem", "von unterwegs",
    "diese nachricht wurde von", "diese e-mail wurde von", "outlook für", "envoyé de",
    "envoyé depuis", "envoyé à partir", "envoyé avec", "envoyé par", "télécharger outlook",
    "obtenir outlook", "provenance : courrier", "enviado desde", "enviado do", "enviado de",
    "enviado a partir", "enviado por", "enviado con", "enviado via", "obtener outlook",
    "obter o outlook", "inviato da", "inviato con", "inviato dal", "scarica outlook",
    "ottieni outlook", "verzonden vanaf", "verzonden met", "verzonden van", "verstuurd vanaf",
    "verstuurd met", "outlook voor", "sendt fra", "sendt med", "skickat från", "skickades från",
    "lähetetty", "hämta outlook", "hent outlook", "wysłane z", "wysłano z", "odesláno z",
    "odoslané z", "отправлено с", "отправлено из", "послано с", "надіслано з", "trimis de",
    "küldve", "enviat", "στάλθηκε από", "iphone'umdan", "从我的", "發自我的", "发自我的", "从 ", "從我的",
    "iphoneから", "iphone에서", "나의 ", "được gửi từ", "dikirim dari",
];

/// What such a line names.
#[rustfmt::skip]
pub(super) const DEVICES: &[&str] = &[
    "iphone", "ipad", "ipod", "android", "blackberry", "samsung", "galaxy", "huawei", "xiaomi",
    "redmi", "oneplus", "nokia", "lumia", "htc", "motorola", "sony", "xperia", "pixel", "windows",
    "outlook", "mail", "yahoo", "gmail", "proton", "airmail", "mailbox", "spark", "mobile",
    "mobil", "phone", "smartphone", "cell", "tablet", "device", "aol", "hotmail", "zoho",
    "superhuman", "thunderbird", "k-9", "tutanota", "gmx", "web.de", "t-mobile", "verizon",
    "at&t", "vodafone", "acompli", "handy", "téléphone", "móvil", "movil", "celular", "telemóvel",
    "telefon", "telefoon", "cellulare", "puhelin", "телефон", "смартфон", "почт", "apple watch",
    "macbook", "chromebook", "手机", "手機",
];

/// What people add to it.
#[rustfmt::skip]
pub(super) const EXCUSES: &[&str] = &[
    "excuse", "typo", "brevity", "pardon", "forgive", "apolog", "spelling", "tippfehler",
    "fautes",
];

/// Closings that nothing but a name follows.
#[rustfmt::skip]
pub(super) const FORMAL_CLOSINGS: &[&str] = &[
    "regards", "best regards", "kind regards", "kindest regards", "warm regards",
    "warmest regards", "with kind regards", "with best regards", "many regards", "rgds", "br",
    "kr", "best wishes", "with best wishes", "sincerely", "yours sincerely", "sincerely yours",
    "yours truly", "yours faithfully", "respectfully", "yours", "thanks and regards",
    "thanks & regards", "thanks and best regards", "mit freundlichen grüßen",
    "mit freundlichen gruessen", "mit freundlichem gruß", "mit freundlichen grüssen",
    "freundliche grüße", "freundliche grüsse", "mit besten grüßen", "beste grüße", "viele grüße",
    "liebe grüße", "schöne grüße", "herzliche grüße", "mit lieben grüßen", "gruß", "grüße", "mfg",
    "lg", "vg", "hochachtungsvoll", "cordialement", "bien cordialement", "très cordialement",
    "cdt", "cdlt", "bien à vous", "sincères salutations", "salutations", "meilleures salutations",
    "amicalement", "saludos", "un saludo", "saludos cordiales", "un cordial saludo",
    "atentamente", "cordialmente", "atenciosamente", "att", "cumprimentos",
    "com os melhores cumprimentos", "melhores cumprimentos", "cordiali saluti", "distinti saluti",
    "saluti", "cordialità", "met vriendelijke groet", "met vriendelijke groeten",
    "vriendelijke groet", "vriendelijke groeten", "groeten", "groet", "groetjes", "mvg",
    "med vänlig hälsning", "med vänliga hälsningar", "vänliga hälsningar", "hälsningar", "mvh",
    "med venlig hilsen", "venlig hilsen", "de bedste hilsner", "vennlig hilsen",
    "med vennlig hilsen", "hilsen", "ystävällisin terveisin", "terveisin", "pozdrawiam",
    "z poważaniem", "serdecznie pozdrawiam", "s pozdravem", "s pozdravom", "с уважением",
    "з повагою", "üdvözlettel", "saygılarımla", "cu stimă", "cu respect", "salutacions",
];

/// Closings that people also go on after, so that only a name ends them.
#[rustfmt::skip]
pub(super) const CASUAL_CLOSINGS: &[&str] = &[
    "thanks", "thank you", "many thanks", "thanks a lot", "thanks again", "thanks in advance",
    "thanks so much", "thank you very much", "thx", "cheers", "best", "all the best", "take care",
    "warmly", "love", "danke", "vielen dank", "besten dank", "merci", "merci beaucoup",
    "merci d'avance", "gracias", "muchas gracias", "obrigado", "obrigada", "grazie",
    "grazie mille", "bedankt", "dank", "alvast bedankt", "tack", "tak", "takk", "kiitos",
    "dziękuję", "děkuji", "спасибо", "дякую",
];

/// Single words that look like a name under a closing and are an answer.
#[rustfmt::skip]
pub(super) const NOT_NAMES: &[&str] = &[
    "yes", "no", "ok", "okay", "yep", "nope", "sure", "never", "always", "agreed", "confirmed",
    "done", "approved", "tomorrow", "today", "tonight", "morning", "afternoon", "evening", "noon",
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "january",
    "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december", "ja", "nein", "oui", "non", "si", "sí", "sim", "não", "nee",
    "landlord", "tenant", "agency", "agent", "both", "neither", "either", "none", "first",
    "second", "third", "please", "ps", "p.s", "nb", "accepted", "declined", "correct", "wrong",
    "true", "false", "morgen", "heute", "montag", "dienstag", "mittwoch", "donnerstag", "freitag",
    "samstag", "sonntag",
];
