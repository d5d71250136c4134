/** An emoji that takes a variation selector or joins others (UTS #51); no digit, flag letter or modifier does by itself. */
const emoji = String.raw`[\p{Emoji}&&\p{Extended_Pictographic}]`;
/** `❤️`, `☎︎`, `👩🏽‍🚀`, `🏴󠁧󠁢󠁥󠁮󠁧󠁿`, `1️⃣`. */
const emojiSequences = String.raw`\p{RGI_Emoji_Tag_Sequence}|${emoji}[\ufe0e\ufe0f\p{Emoji_Modifier}]?(?:\u200d${emoji}[\ufe0f\p{Emoji_Modifier}]?)*|[#*0-9][\ufe0e\ufe0f]\u20e3`;

/** Arabic letters that join the next one: none of Joining_Type R or U, which regular expressions do not know. */
const joinsOn = String.raw`[[[\u0620-\u08ff]&&\p{Script=Arabic}&&\p{L}]--[\u0621-\u0625\u0627\u0629\u062f-\u0632\u0648\u0671-\u0677\u0688-\u0699\u06c0\u06c3-\u06cb\u06cd\u06cf\u06d2\u06d3\u06d5\u06e5\u06e6\u06ee\u06ef\u0759-\u075b\u076b\u076c\u0771\u0773\u0774\u0778\u0779\u0870-\u0882\u0887\u088e\u08aa-\u08ae\u08b1\u08b2\u08b9\u08c9]]`;
/** Those that the one before joins: all but Joining_Type U. */
const joined = String.raw`[[[\u0620-\u08ff]&&\p{Script=Arabic}&&\p{L}]--[\u0621\u0674\u06e5\u06e6\u0887\u08ad\u08c9]]`;
/** UAX #31, A1: it keeps two letters apart that would join, as in `می‌خواهم`. */
const betweenArabic = String.raw`(?<=${joinsOn}\p{Mn}*)\u200c(?=\p{Mn}*${joined})`;

/** From Devanagari to Sinhala. */
const indic = String.raw`[[\u0900-\u0dff]&&\p{L}]`;
const indicMark = String.raw`[[\u0900-\u0dff]&&\p{M}]`;
const virama = String.raw`[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d3b\u0d3c\u0d4d\u0dca]`;
const afterVirama = `(?<=${indic}${indicMark}*${virama})`;
/** UAX #31, A2 and B: it chooses the form of a conjunct, as in `ශ්‍රී`; before the virama too, as in `র‍্যাব`. */
const inConjuncts = String.raw`${afterVirama}\u200c(?=${indic})|${afterVirama}\u200d(?!${indicMark})|(?<=${indic}${indicMark}*)\u200d(?=${virama}${indic})`;

/** They choose the form of a letter, and of the vowel that ends a word. */
const mongolian = String.raw`[\p{Script=Mongolian}&&\p{L}]`;
const inMongolian = String.raw`(?<=${mongolian})[\u180b-\u180d\u180f]|(?<=${mongolian}[\u180b-\u180d\u180f]?)\u180e(?=[\u1820\u1821])`;

/**
 * Where a variation selector, a joiner or a tag is text, as the source of a regular expression with the flag `v`: what has it
 * is drawn in another way than without it. Selectors of ideographs are none of these: which pairs are registered (UTS #37) only
 * a table of 30,000 could tell, and any other pair hides its selector.
 */
export const textMarks = `${emojiSequences}|${betweenArabic}|${inConjuncts}|${inMongolian}`;
