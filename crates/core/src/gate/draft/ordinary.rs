//! The word lists that drafts are read with.

/// Whether a word is so ordinary that a capital letter makes no name of it: what sentences of
/// short letters begin with.
pub(super) fn is_ordinary(lower: &str) -> bool {
    ORDINARY.split_ascii_whitespace().any(|word| word == lower)
}

const ORDINARY: &str = "
    a about above accordingly additionally after afterwards again all along also although an and
    another answer answers any anything apart are as ask at attached
    because before below best between both briefly but by
    can cheers clearly could currently
    dear did do does done due during
    each either email english even every everything
    few finally fine first following for friendly from further furthermore
    generally give given glad good got great greetings
    had has have having he hello her here hi his hope hopefully how however
    i if in indeed instead is it its
    just
    kind kindly
    last lastly later let like likewise looking
    many maybe me meanwhile might more moreover most much must my
    naturally need never nevertheless next no none nor not nothing now
    of ok okay on once one only or other otherwise our out over overall
    per perhaps please possibly previously ps
    question questions quick quickly quite
    re really receiving regarding regards reply replying respectfully
    same second see several shall she short should similarly simply since sincerely so some someone
    something sometimes soon sorry still such sure
    take tell thank thanks that the their them then there therefore these they third this those
    though through thus to together too
    under understood unless unfortunately until up us
    very
    warm warmly was we welcome well were what whatever when whenever where whether which whichever
    while who whose why will wishes with within without would write writing
    yes yet you your yours
";

/// Numbers in words. "One" is left out: it mostly stands for a thing.
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

/// Words that promise, threaten or sell.
pub(super) const COMMITMENTS: &[&str] = &[
    "bonus",
    "cancellation",
    "compensate",
    "compensation",
    "complimentary",
    "court",
    "deadline",
    "discount",
    "dollar",
    "euro",
    "fee",
    "guarantee",
    "lawsuit",
    "lawyer",
    "liable",
    "offer",
    "penalty",
    "pound",
    "prize",
    "promise",
    "refund",
    "reimburse",
    "reimbursement",
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
