//! The word lists that drafts are read with.

/// Whether a word is so ordinary that a capital letter makes no name of it: what sentences of
/// short letters begin with.
pub(super) fn is_ordinary(lower: &str) -> bool {
    ORDINARY.split_ascii_whitespace().any(|word| word == lower)
}

const ORDINARY: &str = "
    a about above absolutely accordingly actually additionally after afterwards again all along
    also alternatively although an and another answer answers any anything apart apologies
    appreciate appreciated are as ask at awesome
    because before below best between both briefly but by
    can certainly check checking cheers choose clearly concerning confirming considering cordially
    could currently
    dear definitely delighted depending did do does done due during
    each either email especially even every everyone everything excellent excuse
    fair feel few finally fine first following for forgive friendly from further furthermore
    generally getting give given glad good got great greetings
    had happy has have having he hearing hello her here hi his hope hopefully hoping how however
    i if in including indeed instead is it its
    just
    kind kindest kindly
    last lastly later let like likewise looking lovely
    making many maybe me meanwhile might more moreover most much must my
    naturally need never nevertheless next nice no none nor not note noted nothing now
    of often ok okay on once one only or other otherwise our ours out over overall own
    per perfect perhaps pick please pleased pleasure possibly previously ps
    question questions quick quickly quite
    re really receiving regarding regards remember reminder reply replying respectfully responding
    right
    same second see separately several shall she short should similarly simple simply since
    sincerely so some someone something sometimes soon sorry sounds speaking specifically start
    still such sure
    take tell thank thanks that the their them then there thereby therefore these they thinking
    third this those though through thus to together too try
    under understand understandably understood unfortunately unless until up us use using usually
    very
    waiting wanting warm warmly was we welcome well were what whatever when whenever where whether
    which whichever while who whom whose why will wishes wishing with within without wonderful
    would write writing
    yes yet you your yours yourself
";

/// Numbers in words. "One", "first", "second" and "third" are
/// left out: they mostly tell things apart.
pub(super) const NUMBER_WORDS: &[(&str, usize)] = &[
    ("two", 2),
    ("three", 3),
    ("four", 4),
    ("five", 5),
    ("six", 6),
    ("seven", 7),
    ("eight", 8),
    ("nine", 9),
    ("ten", 10),
    ("eleven", 11),
    ("twelve", 12),
    ("dozen", 12),
    ("thirteen", 13),
    ("fourteen", 14),
    ("fifteen", 15),
    ("sixteen", 16),
    ("seventeen", 17),
    ("eighteen", 18),
    ("nineteen", 19),
    ("twenty", 20),
    ("thirty", 30),
    ("forty", 40),
    ("fifty", 50),
    ("sixty", 60),
    ("seventy", 70),
    ("eighty", 80),
    ("ninety", 90),
    ("hundred", 100),
    ("thousand", 1_000),
    ("million", 1_000_000),
    ("fourth", 4),
    ("fifth", 5),
    ("sixth", 6),
    ("seventh", 7),
    ("eighth", 8),
    ("ninth", 9),
    ("tenth", 10),
    ("eleventh", 11),
    ("twelfth", 12),
];

/// Words that place something in time.
pub(super) const TIME_WORDS: &[&str] = &[
    "afternoon",
    "asap",
    "days",
    "evening",
    "fortnight",
    "hour",
    "hours",
    "immediately",
    "midday",
    "midnight",
    "month",
    "months",
    "morning",
    "night",
    "noon",
    "quarter",
    "today",
    "tomorrow",
    "tonight",
    "week",
    "weekend",
    "weeks",
    "year",
    "years",
    "yesterday",
];

/// Words that promise, threaten, sell, or tell of deeds.
pub(super) const COMMITMENTS: &[&str] = &[
    "approved",
    "attached",
    "authorised",
    "authorized",
    "binding",
    "bonus",
    "booked",
    "canceled",
    "cancellation",
    "cancelled",
    "compensate",
    "compensation",
    "complimentary",
    "court",
    "deadline",
    "discount",
    "dollar",
    "enclosed",
    "euro",
    "evict",
    "eviction",
    "fee",
    "guarantee",
    "insured",
    "lawsuit",
    "lawyer",
    "legally",
    "liable",
    "obligation",
    "obliged",
    "offer",
    "paid",
    "penalty",
    "pound",
    "prize",
    "promise",
    "refund",
    "reimburse",
    "reimbursement",
    "reserved",
    "terminate",
    "termination",
    "urgent",
    "urgently",
    "voucher",
    "warranty",
];

/// Weekdays and months that mean nothing else.
pub(super) const CALENDAR_NAMES: &[&str] = &[
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "mon",
    "tue",
    "tues",
    "thu",
    "thur",
    "thurs",
    "fri",
    "january",
    "february",
    "april",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "jan",
    "feb",
    "apr",
    "jun",
    "jul",
    "aug",
    "sep",
    "sept",
    "oct",
    "nov",
    "dec",
];

/// Phrases that bind whoever signs; contractions are written out before they are looked for.
pub(super) const PROMISES: &[&str] = &[
    "i shall",
    "we shall",
    "am going to",
    "are going to",
    "rest assured",
    "be assured",
    "free of charge",
    "at no cost",
    "for free",
    "no charge",
    "without charge",
    "at our expense",
    "make sure that",
    "you have my word",
    "we can offer",
    "i can offer",
    "legal action",
    "last chance",
    "final notice",
    "final reminder",
];

/// What "will do" or "will help" without a promise being made.
pub(super) const MAY_WILL: &[&str] = &[
    "answer", "it", "line", "reply", "sentence", "that", "this", "word", "words",
];
/// What they may.
pub(super) const HARMLESS_AFTER_WILL: &[&str] = &["do", "help", "suffice"];

/// Claims about what the writer is.
pub(super) const CLAIMS: &[&str] = &[
    "as an ai",
    "i am an ai",
    "an ai model",
    "ai assistant",
    "ai language",
    "language model",
    "artificial intelligence",
    "as a bot",
    "i am a bot",
    "chatbot",
    "virtual assistant",
    "automated assistant",
    "as a human",
    "i am a human",
    "i am human",
    "fellow human",
    "real person",
    "i am a person",
    "not a robot",
    "not a bot",
    "not a machine",
    "here in person",
];

/// How letters begin.
pub(super) const GREETINGS: &[&str] = &["hello", "hi", "dear", "hey", "greetings"];

/// What says that a question is taken back.
pub(super) const WITHDRAWALS: &[&str] = &[
    "no longer",
    "not need to answer",
    "need not answer",
    "not have to answer",
    "do not need",
    "don't need",
    "don't have to",
    "do not have to",
    "ignore",
    "disregard",
    "never mind",
    "withdrawn",
    "withdraw",
    "withdrawing",
    "taken back",
    "settled",
    "no need",
];
