/* Keys in as bytes, what stands in the line out. */
#include "testing.h"

#include <termios.h>

#include "term/buffer.h"
#include "term/edit.h"

/* Bytes that cannot be typed stand for what `next` may say beside bytes. */
#define PAUSE "\xff"  /* -3 */
#define LEAVE "\xfe"  /* -2 */
#define INSERT "\xfd" /* rf_edit_insert while it waits, then goes on */
#define EMPTY "\xfc"  /* rf_edit_empty likewise */
#define ESC "\033"
#define UP "\033[A"
#define DOWN "\033[B"
#define RIGHT "\033[C"
#define LEFT "\033[D"
#define PASTE(text) "\033[200~" text "\033[201~"
#define ELEVEN "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n"
#define FOLDED "[pasted: 11 lines, 24 B]"

struct play {
    struct rf_edit *edit;
    struct rf_str keys;
    struct rf_buffer
        out; /* lines that were entered, each with ⏎; what is said to the calls, in < > */
    struct rf_buffer settled; /* the line as it is shown when the keys are over */
    struct rf_buffer whole;   /* the same with all that was pasted */
    char pasted[64];
};

static int next(void *ctx)
{
    struct play *p = ctx;
    if (!p->keys.n) {
        size_t cursor;
        struct rf_str text = rf_edit_shown(p->edit, &cursor);
        assert_true(cursor <= text.n && rf_edit_cursor(p->edit) <= rf_edit_text(p->edit).n);
        rf_buffer_reset(&p->whole);
        rf_edit_whole(p->edit, &p->whole);
        rf_buffer_reset(&p->settled);
        rf_buffer_add(&p->settled, text.p, cursor);
        rf_buffer_text(&p->settled, rf_edit_is_command(p->edit) ? "#" : "|");
        rf_buffer_add(&p->settled, text.p + cursor, text.n - cursor);
        return -1;
    }
    unsigned char c = (unsigned char)p->keys.p[0];
    p->keys = (struct rf_str){ p->keys.p + 1, p->keys.n - 1 };
    if (c == 0xfd)
        rf_edit_insert(p->edit, RF_LIT("<é>"), RF_EDIT_PASTED);
    if (c == 0xfc)
        rf_edit_empty(p->edit);
    if (c == 0xfd || c == 0xfc)
        return next(ctx);
    return c == 0xff ? -3 : c == 0xfe ? -2 : c;
}

/* "ap" becomes "apple ", "@" stays, "é" becomes "élan". */
static void complete(void *ctx, struct rf_str text, size_t cursor, struct rf_edit_completion *out)
{
    (void)ctx;
    if (cursor >= 2 && !memcmp(text.p + cursor - 2, "ap", 2))
        *out = (struct rf_edit_completion){ cursor - 2, "apple " };
    else if (cursor >= 2 && !memcmp(text.p + cursor - 2, "é", 2))
        *out = (struct rf_edit_completion){ cursor - 2, "élan" };
}

static struct rf_str paste(void *ctx, struct rf_str text)
{
    struct play *p = ctx;
    if (text.n != 6 || memcmp(text.p, "/a.png", 6))
        return text;
    rf_buffer_text(&p->out, "<file>");
    return RF_LIT("[a.png] ");
}

static void key(void *ctx, int key)
{
    struct play *p = ctx;
    rf_buffer_print(&p->out, "<%d>", key);
    if (key == 3)
        rf_edit_empty(p->edit);
    if (key == 15)
        rf_edit_insert(p->edit, RF_LIT("<o\r\n\033>"), RF_EDIT_PASTED);
}

static void play(struct play *p, struct rf_str keys)
{
    p->keys = keys;
    rf_buffer_reset(&p->out);
    rf_buffer_reset(&p->settled);
    for (;;) {
        const char *line = rf_edit_read(p->edit);
        if (line) {
            rf_buffer_text(&p->out, line);
            rf_buffer_text(&p->out, "⏎");
        } else if (rf_edit_left(p->edit)) {
            rf_buffer_text(&p->out, "<left>");
        } else {
            break;
        }
    }
    rf_buffer_str(&p->out, rf_buffer_view(&p->settled));
    rf_buffer_add(&p->out, "", 1);
}

static void begin(struct play *p, const char *history, bool vi)
{
    *p = (struct play){ 0 };
    const struct rf_edit_calls calls = { p, next, complete, paste, key };
    struct rf_err err;
    if (rf_edit_open(&p->edit, &calls, history, &err))
        fail_msg("%s", err.msg);
    if (vi)
        rf_edit_vi(p->edit);
}

static void end(struct play *p)
{
    rf_edit_close(p->edit);
    rf_buffer_release(&p->out);
    rf_buffer_release(&p->settled);
    rf_buffer_release(&p->whole);
}

struct row {
    const char *name, *keys, *want;
};

static const struct row emacs_rows[] = {
    { "nothing", "", "|" },
    { "letters", "hello", "hello|" },
    { "a count",
      "\0331"
      "2x3",
      "xxxxxxxxxxxx3|" },
    { "a count has three digits; more would stall",
      "\0330"
      "0266x",
      "xx|" },
    { "a count, and digits after a key without a function", "\0332\033{3x", "3x|" },
    { "a count, and another after a key without a function", "\0332\033{\0333x", "xxx|" },
    { "leaving ends a count", "\0332" LEAVE "3x", "<left>3x|" },
    { "a key that would begin a sequence, then a key", "a\030" LEFT "b", "b|a" },
    { "a key that would begin a sequence, then a paste", "a\030" PASTE("b"), "ab|" },
    { "a line", "hello\r", "hello⏎|" },
    { "an empty line", "\r", "⏎|" },
    { "two lines", "a\rb\r", "a⏎b⏎|" },
    { "wide characters", "héé 漢字 🎉", "héé 漢字 🎉|" },
    { "latin letters that meta keys would be", "éáñßÿþâ\u00a0", "éáñßÿþâ\u00a0|" },
    { "latin line", "é\rñ", "é⏎ñ|" },
    { "bytes that are not UTF-8",
      "a\x80\xc3(b\xe2\x82"
      "A",
      "a(bA|" },
    { "an overlong character",
      "a\xc0\xaf"
      "b",
      "ab|" },
    { "control characters of 8 bits",
      "a\xc2\x9b"
      "31mb",
      "a31mb|" },
    { "emptied, Up begins at the last line", "one\rtwo\r" UP UP EMPTY UP, "one⏎two⏎two|" },
    { "emptied, Down takes nothing away", "one\rtwo\r" UP UP EMPTY "x" DOWN, "one⏎two⏎x|" },
    { "left", "ab" LEFT, "a|b" },
    { "left at the beginning", LEFT LEFT "a", "a|" },
    { "right", "ab" LEFT LEFT RIGHT, "a|b" },
    { "application arrows", "ab\033OD\033OD\033OC", "a|b" },
    { "left over an accent", "ae\u0301" LEFT, "a|e\u0301" },
    { "left over a family", "a👨‍👩‍👧b" LEFT LEFT, "a|👨‍👩‍👧b" },
    { "backspace takes a family", "a👨‍👩‍👧\177", "a|" },
    { "backspace", "ab\177", "a|" },
    { "ctrl-h", "ab\010", "a|" },
    { "backspace at the beginning", "\177\177a", "a|" },
    { "backspace over a line feed", "a\nb" LEFT "\177", "a|b" },
    { "delete", "ab" LEFT LEFT "\033[3~", "|b" },
    { "delete at the end", "ab\033[3~", "ab|" },
    { "ctrl-d deletes", "ab\001\004", "|b" },
    { "ctrl-d in an empty line ends", "\004abc", "" },
    { "ctrl-d at the end of a line stays", "ab\004", "ab|" },
    { "home", "ab\033[H", "|ab" },
    { "home, other ways", "ab\033OHx\033[1~y\033[7~z", "z|yxab" },
    { "end", "ab\001\033[F", "ab|" },
    { "end, other ways", "ab\001\033OF\001\033[4~\001\033[8~", "ab|" },
    { "ctrl-a and ctrl-e", "ab\001x\005y", "xaby|" },
    { "ctrl-b and ctrl-f", "abc\002\002\006x", "abx|c" },
    { "home stays in its row", "ab\ncd\001", "ab\n|cd" },
    { "end stays in its row", "ab\ncd" UP "\001\005", "ab|\ncd" },
    { "alt-b", "one two\033b", "one |two" },
    { "alt-f", "one two\001\033f", "one| two" },
    { "alt-d", "one two\001\033d", "| two" },
    { "alt-backspace", "one two\033\177", "one |" },
    { "ctrl-w", "one two\027", "one |" },
    { "ctrl-left", "one two\033[1;5D", "one |two" },
    { "ctrl-right", "one two\001\033[1;5C", "one| two" },
    { "alt-left", "one two\033[1;3D", "one |two" },
    { "ctrl-delete", "one two\001\033[3;5~", "| two" },
    { "ctrl-k", "one two\001\033f\013", "one|" },
    { "ctrl-k and ctrl-y", "one two\001\033f\013\001\031", " two|one" },
    { "ctrl-k in its row", "ab\ncd" UP "\001\013", "|\ncd" },
    { "ctrl-k at a row's end joins", "ab\ncd" UP "\005\013", "ab|cd" },
    { "ctrl-k at the end", "ab\013", "ab|" },
    { "ctrl-u", "one two" LEFT "\025", "|o" },
    { "ctrl-u and ctrl-y", "one\025\031\031", "oneone|" },
    { "ctrl-u in its row", "ab\ncd\025", "ab\n|" },
    { "ctrl-t", "ab\024", "ba|" },
    { "alt-u", "one\001\033u", "ONE|" },
    { "a line feed by ctrl-j", "a\nb", "a\nb|" },
    { "by alt-enter", "a\033\rb", "a\nb|" },
    { "by shift-enter, csi u", "a\033[13;2ub", "a\nb|" },
    { "by shift-enter, xterm", "a\033[27;2;13~b", "a\nb|" },
    { "by a backslash", "a\\\rb\r", "a\nb⏎|" },
    { "two backslashes", "a\\\\\rb", "a\\\nb|" },
    { "a backslash in the middle", "a\\b\r", "a\\b⏎|" },
    { "many rows are one line", "a\nb\nc\r", "a\nb\nc⏎|" },
    { "up inside", "abc\nde" UP, "ab|c\nde" },
    { "up keeps the column", "abcd\n\nabcd" UP UP, "abcd|\n\nabcd" },
    { "up in cells", "漢字\nabc" UP, "漢|字\nabc" },
    { "down inside", "abc\nde" UP DOWN, "abc\nde|" },
    { "ctrl-p and ctrl-n inside", "a\nb\nc\020\020x\016y", "ax\nby|\nc" },
    { "up through the history", "one\rtwo\r" UP, "one⏎two⏎two|" },
    { "up twice", "one\rtwo\r" UP UP, "one⏎two⏎one|" },
    { "up at the top stays", "one\r" UP UP UP, "one⏎one|" },
    { "down comes back to what was typed", "one\rdraft" UP DOWN, "one⏎draft|" },
    { "down comes back to nothing", "one\rx" UP DOWN "\177" UP DOWN, "one⏎|" },
    { "down at the bottom stays", "one\rdraft" DOWN DOWN, "one⏎draft|" },
    { "rows of an old line first", "a\nb\r" UP UP "x", "a\nb⏎ax|\nb" },
    { "rows of an old line, then older", "z\ra\nb\r" UP UP UP, "z⏎a\nb⏎z|" },
    { "an old line, changed", "one\r" UP "!\r", "one⏎one!⏎|" },
    { "a line that begins with a space is not kept", "one\r two\r" UP, "one⏎ two⏎one|" },
    { "the same line once", "one\rone\rtwo\rtwo\r" UP UP, "one⏎one⏎two⏎two⏎one|" },
    { "alt-p looks for the beginning", "abc\rxyz\rab\033p", "abc⏎xyz⏎ab|c" },
    { "alt-p, nothing there", "abc\rq\033p", "abc⏎q|" },
    { "alt-n comes back", "abc\rab\033p\033n", "abc⏎ab|" },
    { "ctrl-r shows itself", "one\rtwo\r\022", "one⏎two⏎(history: |) " },
    { "ctrl-r finds", "one\rtwo\r\022n", "one⏎two⏎(history: n|) one" },
    { "ctrl-r, not there", "one\r\022x", "one⏎(not in the history: x|) " },
    { "ctrl-r, backspace", "one\r\022ox\177", "one⏎(history: o|) one" },
    { "ctrl-r, older", "one\rtwo\r\022o\022", "one⏎two⏎(history: o|) one" },
    { "ctrl-r, oldest stays", "one\rtwo\r\022o\022\022\022", "one⏎two⏎(history: o|) one" },
    { "ctrl-r, enter sends", "one\rtwo\r\022n\r", "one⏎two⏎one⏎|" },
    { "ctrl-r, another key takes", "one\rtwo\r\022n\005!", "one⏎two⏎one!|" },
    { "ctrl-r, an arrow takes", "one\rtwo\r\022n" LEFT, "one⏎two⏎on|e" },
    { "ctrl-r, ctrl-g gives up", "one\rdraft\022n\007!", "one⏎draft!|" },
    { "ctrl-r, ctrl-c gives up", "one\rdraft\022n\003!", "one⏎draft!|" },
    { "ctrl-r, escape gives up", "one\rdraft\022n" ESC PAUSE "!", "one⏎draft!|" },
    { "ctrl-r, then down", "one\rtwo\rdraft\022n\005" DOWN DOWN, "one⏎two⏎draft|" },
    { "ctrl-r, pasted words", "one\rtwo\r\022" PASTE("one"), "one⏎two⏎(history: one|) one" },
    { "ctrl-r, wide words", "é漢\rx\r\022漢", "é漢⏎x⏎(history: 漢|) é漢" },
    { "tab completes", "an ap\t", "an apple |" },
    { "tab in the middle", "apb" LEFT "\tc", "apple c|b" },
    { "tab, wide", "é\t", "élan|" },
    { "tab, nothing fits", "x\t", "x|" },
    { "ctrl-o is said", "a\017", "<15>a<o\n>|" },
    { "ctrl-c is said", "abc\003d", "<3>d|" },
    { "ctrl-l, ctrl-v, ctrl-z are said", "\014\026\032a", "<12><22><26>a|" },
    { "ctrl-backslash is said", "\034a", "<28>a|" },
    { "escape alone is said", "a" ESC PAUSE "b", "<27>ab|" },
    { "escape twice", ESC ESC PAUSE "b", "<27><27>b|" },
    { "escape at the end", "a" ESC, "a|" },
    { "a pause is nothing", "a" PAUSE PAUSE "b", "ab|" },
    { "a pause in a character", "\xc3" PAUSE "\xa9", "é|" },
    { "an unknown sequence", "a\033[99~b\033[1;2;3;4;5xc\033[?1;2cd", "abcd|" },
    { "an unknown sequence of parts", "a\033[<0;1;2Mb\033[ qc", "abc|" },
    { "a sequence without an end", "a\033[12" PAUSE "b", "ab|" },
    { "a sequence cut by a key", "a\033[12\177b", "b|" },
    { "a sequence cut by escape", "a\033[12\033[Db", "b|a" },
    { "a very long sequence", "a\033[1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1Cb", "ab|" },
    { "function keys", "a\033OP\033OQ\033[15~\033[24~\033[[A\033[5~\033[2~\033[Zb", "ab|" },
    { "arrows with modifiers", "a\033[1;2A\033[1;2D\033[1;6C\033O5Cb", "ab|" },
    { "alt and an unknown letter", "a\033qb", "ab|" },
    { "alt and a wide letter", "a\033éb", "aéb|" },
    { "alt-x starts nothing", "a\033xb\rc", "ab⏎c|" },
    { "a title is swallowed", "a\033]0;evil\ab", "ab|" },
    { "a string is swallowed", "a\033P1$r0m\033\\b", "ab|" },
    { "a string cut by enter", "a\033_Gx\rb", "a⏎b|" },
    { "focus is swallowed", "a\033[I\033[Ob", "ab|" },
    { "a paste", "a" PASTE("b c") "d", "ab cd|" },
    { "a paste of rows", PASTE("a\nb\n"), "a\nb\n|" },
    { "a paste sends nothing", PASTE("a\rb\r\nc"), "a\nb\nc|" },
    { "a paste of escapes", PASTE("a\033[31mb\033]0;x\a\033\033[2"), "a[31mb]0;x[2|" },
    { "a paste of control keys", PASTE("a\003\004\025\177b\tc"), "ab\tc|" },
    { "a paste of bytes",
      PASTE("a\x80"
            "z"),
      "a\ufffdz|" },
    { "a paste in the middle", "ad" LEFT PASTE("bc"), "abc|d" },
    { "a long paste is folded", "a" PASTE(ELEVEN) "b", "a" FOLDED "b|" },
    { "ten lines are not", PASTE("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"),
      "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n|" },
    { "a long paste is entered whole", "a" PASTE(ELEVEN) "b\r", "a" ELEVEN "b⏎|" },
    { "a step over a long paste", "a" PASTE(ELEVEN) LEFT, "a|" FOLDED },
    { "backspace takes a long paste", "a" PASTE(ELEVEN) "\177", "a|" },
    { "delete takes a long paste", "a" PASTE(ELEVEN) LEFT "\033[3~", "a|" },
    { "two long pastes", PASTE(ELEVEN) PASTE(ELEVEN "x") "\r", ELEVEN ELEVEN "x⏎|" },
    { "a long paste cut and put back in another line", PASTE(ELEVEN) "\001\013b\r\031\r",
      "b⏎" ELEVEN "⏎|" },
    { "a long paste out of the history", "a" PASTE(ELEVEN) "\r" UP, "a" ELEVEN "⏎a" FOLDED "|" },
    { "a long paste while the history is looked at", "one\ra" PASTE(ELEVEN) UP DOWN "\r",
      "one⏎a" ELEVEN "⏎|" },
    { "characters that stand for pastes cannot be typed", PASTE(ELEVEN) "\001\364\200\200\200b",
      "b|" FOLDED },
    { "nor pasted", PASTE(ELEVEN) PASTE("\364\200\200\200") "\r", ELEVEN "\357\277\275⏎|" },
    { "a paste that becomes something else", PASTE("/a.png"), "<file>[a.png] |" },
    { "a paste whose end begins twice", PASTE("a\033[20\033[201"), "a[20[201|" },
    { "the end of a paste alone", "a\033[201~b", "ab|" },
    { "a paste with pauses", "\033[200~a" PAUSE PAUSE "b\033[201~", "ab|" },
    { "an empty paste", PASTE("") "a", "a|" },
    { "leaving keeps the text", "abc" LEFT LEAVE "x", "<left>abx|c" },
    { "leaving in an empty line", LEAVE LEAVE "x", "<left><left>x|" },
    { "leaving with rows", "é\n漢b" LEFT LEAVE "x\r", "<left>é\n漢xb⏎|" },
    { "put in while it waits", "ab" LEFT INSERT, "a<é>|b" },
    { "put in, then a key", "ab" LEFT INSERT "x", "a<é>x|b" },
    { "put in twice", INSERT INSERT "\r", "<é><é>⏎|" },
    { "put in, then left", "a" INSERT LEAVE "b", "<left>a<é>b|" },
    { "put in within a key", "ab\033" INSERT "[D", "ab<é|>" },
    { "put in within a paste", "\033[200~a" INSERT "b\033[201~", "<é>ab|" },
    { "put in within a search", "one\r\022" INSERT, "one⏎(not in the history: <é>|) " },
    { "emptied while it waits", "ab" EMPTY, "|" },
    { "emptied, then a key", "ab" EMPTY "x", "x|" },
    { "emptied, then put in", "ab" EMPTY INSERT "x", "<é>x|" },
    { "emptied at the beginning", EMPTY "x", "x|" },
    { "emptied in a search", "one\rab\022n" EMPTY, "one⏎|" },
    { "emptied in a search, then a key", "one\rab\022n" EMPTY "x" INSERT, "one⏎x<é>|" },
    { "emptied in a search, then left", "one\rab\022n" EMPTY LEAVE "x", "one⏎<left>x|" },
    { "leaving in a search", "one\rab\022n" LEAVE "x", "one⏎<left>abx|" },
};

#define TEN "1234567890"
#define FIFTY TEN TEN TEN TEN TEN

static const struct row vi_rows[] = {
    { "a count", "abcdef\03303x", "#def" },
    { "a count has three digits; what is typed has more",
      TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN "abc\0330"
                                              "1001x",
      "#abc" },
    { "a count before and after d has three digits",
      FIFTY FIFTY FIFTY "\0330"
                        "12d34l",
      "#4567890" TEN TEN },
    { "yy ends a count",
      FIFTY FIFTY FIFTY "\0330"
                        "12yy134x",
      "#567890" TEN },
    { "a key that would begin a sequence ends a count",
      FIFTY "\0330"
            "12O2[3x",
      "#4567890" TEN TEN TEN TEN },
    { "a wide letter is not a command", "abc" ESC PAUSE "ж", "ab#c" },
    { "a wide letter ends a count", "abcd" ESC "02жÏx", "#bcd" },
    { "a wide letter is looked for", "жa\rb\rc" ESC "/ж\r", "жa⏎b⏎жa⏎|" },
    { "a wide letter is replaced", "aж" ESC "rд", "a#д" },
    { "leaving ends a count", "abcd" ESC "02" LEAVE ESC "0x", "<left>#bcd" },
    { "what is looked for has more digits", "x12345\rx12399\rab\033/12345\r",
      "x12345⏎x12399⏎x12345⏎|" },
    { "letters", "hello", "hello|" },
    { "wide letters", "é漢", "é漢|" },
    { "a line", "hello\r", "hello⏎|" },
    { "escape goes to commands", "abc" ESC PAUSE, "ab#c" },
    { "escape and a key at once", "abc" ESC "h", "a#bc" },
    { "h and l", "abc" ESC PAUSE "hhl", "a#bc" },
    { "insert", "abc" ESC PAUSE "ix", "abx|c" },
    { "append", "abc" ESC PAUSE "ax", "abcx|" },
    { "append at the end", "abc" ESC PAUSE "0Ax", "abcx|" },
    { "insert at the beginning", "abc" ESC PAUSE "Ix", "x|abc" },
    { "x", "abc" ESC PAUSE "x", "a#b" },
    { "0 and $", "abc" ESC PAUSE "0", "#abc" },
    { "w", "one two" ESC PAUSE "0w", "one #two" },
    { "b", "one two" ESC PAUSE "b", "one #two" },
    { "dw", "one two" ESC PAUSE "0dw", "#two" },
    { "dd", "one two" ESC PAUSE "dd", "#" },
    { "d and escape", "one" ESC PAUSE "0d" ESC PAUSE "x", "<27>#ne" },
    { "2x", "abcd" ESC PAUSE "02x", "#cd" },
    { "cw", "one two" ESC PAUSE "0cwxy", "xy| two" },
    { "cc", "one two" ESC PAUSE "ccx", "x|" },
    { "C", "one two" ESC PAUSE "0wCx", "one x|" },
    { "s", "abc" ESC PAUSE "0sx", "x|bc" },
    { "R", "abc" ESC PAUSE "0Rxy", "xy|c" },
    { "r stays in commands", "abc" ESC PAUSE "0rx", "#xbc" },
    { "r, then x", "abc" ESC PAUSE "0rxx", "#bc" },
    { "f", "abcabc" ESC PAUSE "0fc", "ab#cabc" },
    { "f and a command's letter", "axbic" ESC PAUSE "0fix", "axb#c" },
    { "cf", "abcd" ESC PAUSE "0cfcx", "x|d" },
    { "dt", "abcd" ESC PAUSE "0dtc", "#cd" },
    { "$", "abc" ESC PAUSE "0$", "ab#c" },
    { "d$", "one two" ESC PAUSE "0wd$", "one# " },
    { "c$", "one two" ESC PAUSE "0wc$x", "one x|" },
    { "$ in an empty line", ESC PAUSE "$x$D$pia", "a|" },
    { "no control characters", "a\001\002\006\013\024\030\031\036b", "b|a" },
    { "~", "aBc" ESC PAUSE "0~~", "Ab#c" },
    { "~ at the end", "é" ESC PAUSE "~", "#É" },
    { "u", "abc" ESC PAUSE "xu", "ab#c" },
    { ".", "abcd" ESC PAUSE "0x.", "#cd" },
    { "p", "ab" ESC PAUSE "0xp", "b#a" },
    { "enter in commands", "abc" ESC PAUSE "\r", "abc⏎|" },
    { "a new line begins with letters", "abc" ESC PAUSE "\rx", "abc⏎x|" },
    { "k and j through the history", "one\rtwo\r" ESC PAUSE "kk", "one⏎two⏎on#e" },
    { "j comes back", "one\rdra" ESC PAUSE "kj", "one⏎dr#a" },
    { "k inside", "ab\ncd" ESC PAUSE "k", "a#b\ncd" },
    { "arrows in letters", "abc" LEFT LEFT "x", "ax|bc" },
    { "arrows in commands", "abc" ESC PAUSE LEFT "x", "a#c" },
    { "up", "one\r" UP "x", "one⏎onex|" },
    { "home and end", "abc\033[Hx\033[Fy", "xabcy|" },
    { "alt-enter", "a\033\rb", "a\nb|" },
    { "ctrl-j", "a\nb", "a\nb|" },
    { "a backslash", "a\\\rb", "a\nb|" },
    { "backspace over what was there", "ab" ESC PAUSE "A\177\177x", "x|" },
    { "tab", "ap\t", "apple |" },
    { "a paste", PASTE("a\rb"), "a\nb|" },
    { "a paste in commands", "ad" ESC PAUSE PASTE("bc"), "abc#d" },
    { "slash searches", "one\rtwo\r" ESC PAUSE "/n\r", "one⏎two⏎one⏎|" },
    { "slash, escape", "one\rtw" ESC PAUSE "/n" ESC PAUSE "x", "one⏎#t" },
    { "v starts no editor", "abc" ESC PAUSE "vx", "a#b" },
    { "colon", "abc" ESC PAUSE ":x", "a#b" },
    { "ctrl-c in commands", "abc" ESC PAUSE "\003", "<3>#" },
    { "ctrl-d ends", "\004", "" },
    { "ctrl-d in commands", "a" ESC PAUSE "x\004", "" },
    { "unknown sequences", "a\033[99~b\033]0;x\ac", "abc|" },
    { "put in, in commands", "ab" ESC PAUSE INSERT "x", "a<é#>" },
    { "put in after d", "ab" ESC PAUSE "d" INSERT "hx", "a<é#b" },
    { "emptied after d", "abcdef" ESC PAUSE "d" EMPTY "bix", "x|" },
    { "emptied after f", "abcdef" ESC PAUSE "0f" EMPTY "fix", "#" },
    { "emptied after r", "abcdef" ESC PAUSE "0r" EMPTY "ix", "x|" },
    { "leaving in commands", "abc" ESC PAUSE LEAVE "x", "<left>abx|c" },
    { "what was typed first, again", "x." ESC PAUSE ".", "xx#.." },
    { "once more, and its end", "x." ESC PAUSE "..", "xxx#..." },
    { "again in the next line", "ab" ESC PAUSE "x\ri.c" ESC PAUSE ".", "a⏎i.i.#cc" },
    { "again, where it fails", "foo bar" ESC PAUSE "0cw3.1" ESC PAUSE "$.", "3.1 ba#r" },
    { "again, where it fails: what was typed is not a command",
      "foo bar" ESC PAUSE "0cwdd" ESC PAUSE "$.x", "dd b#a" },
    { "again, where it fails and then does not", "foo bar" ESC PAUSE "0cwdd" ESC PAUSE "$.0..",
      "dd#d bar" },
    { "again, with a letter to look for: what was typed is not a command",
      "axbx" ESC PAUSE "0cfxdd" ESC PAUSE "0.", "#ddbx" },
};

static void check(const struct row *row, bool vi)
{
    struct play p;
    begin(&p, NULL, vi);
    play(&p, rf_str(row->keys));
    assert_string_equal(p.out.p, row->want);
    end(&p);
}

static void check_emacs(void **state)
{
    check(*state, false);
}

static void check_vi(void **state)
{
    check(*state, true);
}

static int make_scratch(void **state)
{
    struct rf_arena *a = rf_arena_new();
    *state = strdup(scratch_new(a));
    rf_arena_free(a);
    return !*state;
}

static int drop_scratch(void **state)
{
    scratch_remove(*state);
    free(*state);
    return 0;
}

static void assert_file(const char *path, const char *want)
{
    char got[1024] = "";
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    got[fread(got, 1, sizeof got - 1, f)] = '\0';
    fclose(f);
    assert_string_equal(got, want);
}

/* Two at the same time, with one file: each adds to it, and none takes away. */
static void check_history(void **state)
{
    const char *folder = *state;
    char path[256];
    snprintf(path, sizeof path, "%s/lines", folder);
    struct play a, b;
    begin(&a, path, false);
    begin(&b, path, false);
    play(&a, rf_str("one\\n\\x\rtwo\nrows\r secret\r"));
    play(&b, rf_str("from b\r"));
    play(&a, rf_str("three\r"));
    end(&b);
    end(&a);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_file(path, "one\\\\n\\\\x\ntwo\\nrows\nfrom b\nthree\n");
    begin(&a, path, false);
    play(&a, rf_str(UP UP UP UP UP));
    assert_string_equal(a.out.p, "one\\n\\x|");
    end(&a);
}

static void check_long_history(void **state)
{
    const char *folder = *state;
    char path[256], line[32];
    snprintf(path, sizeof path, "%s/lines", folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    for (int i = 0; i < 1500; i++)
        fprintf(f, "line %d\n", i);
    fputs("half of a \033[31mline \xff", f);
    fclose(f);
    assert_int_equal(chmod(path, 0644), 0);
    struct play p;
    begin(&p, path, false);
    play(&p, rf_str(UP));
    assert_string_equal(p.out.p, "half of a [31mline \ufffd|");
    play(&p, rf_str("last\r"));
    end(&p);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    f = fopen(path, "r");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f));
    assert_string_equal(line, "line 502\n");
    int lines = 1;
    while (fgets(line, sizeof line, f))
        lines++;
    assert_int_equal(lines, 1000);
    assert_string_equal(line, "last\n");
    fclose(f);
}

static void check_no_history(void **state)
{
    struct play p;
    begin(&p, "/nonexistent/folder/lines", false);
    play(&p, rf_str("one\r" UP));
    assert_string_equal(p.out.p, "one⏎one|");
    end(&p);
    begin(&p, *state, false); /* a folder */
    play(&p, rf_str("one\r" UP));
    assert_string_equal(p.out.p, "one⏎one|");
    end(&p);
}

static const struct {
    const char *name, *editrc, *keys, *want;
} editrc_rows[] = {
    { "vi", "bind -v\n", "abc" ESC PAUSE, "ab#c" },
    { "vi and back", "bind -v\nbind -e\n", "abc\001", "|abc" },
    { "a key", "bind ^T ed-move-to-beg\n", "abc\024", "|abc" },
    { "a key for us", "refract:bind ^T ed-move-to-beg\n", "abc\024", "|abc" },
    { "a key for others", "csh:bind ^T ed-move-to-beg\n", "abc\024", "acb|" },
    { "a sequence", "bind \"^[[15~\" ed-move-to-beg\n", "abc\033[15~", "|abc" },
    { "another sequence than ours", "bind \"^[[A\" ed-move-to-beg\n", "abc" UP, "|abc" },
    { "a key for counts", "bind ^T em-universal-argument\n", "\024x\02412y", "xxxxyyyyyyyyyyyy|" },
    { "keys in a row", "bind ^X^E ed-move-to-beg\n", "abc\030\005", "|abc" },
    { "history", "bind ^T ed-prev-history\n", "one\r\024", "one⏎one|" },
    { "no commands", "bind ^T ed-command\n", "ab\024c\r", "abc⏎|" },
    { "nothing else", "edit off\nsetty -d +echo\necho x\nbind\n", "ab\001", "|ab" },
    { "rubbish",
      "bind \"unclosed\nbind ^\nbind -z x\n\"\n#x\nbind a b c d e f g h i j k l m n o p q r s t u\n",
      "ab", "ab|" },
};

static void check_editrc(void **state)
{
    char path[256];
    snprintf(path, sizeof path, "%s/editrc", (const char *)*state);
    for (size_t i = 0; i < COUNT(editrc_rows); i++) {
        write_file(path, rf_str(editrc_rows[i].editrc));
        setenv("EDITRC", path, 1);
        struct play p;
        begin(&p, NULL, false);
        setenv("EDITRC", "/nonexistent", 1);
        play(&p, rf_str(editrc_rows[i].keys));
        if (strcmp(p.out.p, editrc_rows[i].want))
            fail_msg("%s: \"%s\"", editrc_rows[i].name, p.out.p);
        end(&p);
    }
}

/* A megabyte is taken, and what is after it is not; a long line survives a look at the history. */
static void check_large(void **state)
{
    (void)state;
    struct rf_buffer keys = { 0 };
    rf_buffer_text(&keys, "one\r\033[200~");
    for (int i = 0; i < 150000; i++)
        rf_buffer_text(&keys, "0123456\r\n");
    rf_buffer_text(&keys, "\033[201~" UP UP "x" DOWN DOWN);
    struct play p;
    begin(&p, NULL, false);
    play(&p, (struct rf_str){ keys.p, keys.n });
    assert_true(p.whole.n > 900000 && p.whole.n <= (1 << 20) + 2);
    rf_buffer_reset(&keys);
    for (int i = 0; i < 5000; i++)
        rf_buffer_text(&keys, "é");
    struct rf_str draft = { keys.p, keys.n };
    rf_buffer_text(&keys, UP DOWN);
    play(&p, rf_buffer_view(&keys));
    assert_memory_equal(p.settled.p, draft.p, draft.n);
    assert_int_equal(p.settled.n, draft.n + 1);
    rf_buffer_release(&keys);
    end(&p);
}

/* Nor does libedit make it longer than that. */
static void check_doubled(void **state)
{
    (void)state;
    struct rf_buffer keys = { 0 };
    rf_buffer_text(&keys, "a" ESC PAUSE);
    for (int i = 0; i < 22; i++)
        rf_buffer_text(&keys, "yyP");
    struct play p;
    begin(&p, NULL, true);
    play(&p, rf_buffer_view(&keys));
    assert_int_equal(p.settled.n, (1 << 20) + 1);
    rf_buffer_release(&keys);
    end(&p);
}

/* Between two lines the text is kept, and may be changed. */
static void check_between(void **state)
{
    (void)state;
    struct play p;
    begin(&p, NULL, false);
    rf_edit_insert(p.edit, RF_LIT("a\rb\033"), RF_EDIT_PASTED);
    assert_str(rf_edit_text(p.edit), "a\nb");
    assert_int_equal(rf_edit_cursor(p.edit), 3);
    rf_edit_insert(p.edit, RF_LIT("é"), RF_EDIT_PASTED);
    play(&p, rf_str("c\r"));
    assert_string_equal(p.out.p, "a\nbéc⏎|");
    assert_str(rf_edit_text(p.edit), "");
    rf_edit_insert(p.edit, RF_LIT("gone"), RF_EDIT_PASTED);
    rf_edit_empty(p.edit);
    play(&p, rf_str("x"));
    assert_string_equal(p.out.p, "x|");
    end(&p);
}

/* Who put what there: stretches that were pasted stand in [ ]. */

static void add_marked(struct rf_buffer *out, const char *line, const char *origins)
{
    assert_int_equal(strlen(line), strlen(origins));
    for (size_t i = 0; line[i]; i++) {
        bool was = i && origins[i - 1] == RF_EDIT_PASTED, is = origins[i] == RF_EDIT_PASTED;
        if (is != was)
            rf_buffer_text(out, is ? "[" : "]");
        rf_buffer_add(out, &line[i], 1);
    }
    rf_buffer_text(out, *line && origins[strlen(line) - 1] == RF_EDIT_PASTED ? "]⏎" : "⏎");
}

static const struct row origin_rows[] = {
    { "what is typed", "hello @é\r", "hello @é⏎" },
    { "what is pasted", PASTE("hello") "\r", "[hello]⏎" },
    { "typed around it", "a " PASTE("b") " c\r", "a [b] c⏎" },
    { "typed into it", PASTE("ab") LEFT "x\r", "[a]x[b]⏎" },
    { "a long paste", "a" PASTE(ELEVEN) "b\r" UP "\r", "a[" ELEVEN "]b⏎a[" ELEVEN "]b⏎" },
    { "typed before it, the same letter", PASTE("@@") "\001@\r", "[@@]@⏎" },
    { "some of it deleted", PASTE("abc") "\177d\r", "[ab]d⏎" },
    { "cut and put back, it is still pasted", PASTE("abc") "\025x\031\r", "x[abc]⏎" },
    { "what was typed and cut comes back as typed", "abc\025x\031\r", "xabc⏎" },
    { "but not once something was pasted", PASTE("a") "\025abc\025\031\r", "[abc]⏎" },
    { "cut in one line and put into another", PASTE("abc") "\025x\r\031y\r", "x⏎[abc]y⏎" },
    { "its letters change places", PASTE("ab") "\024\r", "[ba]⏎" },
    { "a count of letters", PASTE("a") "\0333b\r", "[a]bbb⏎" },
    { "a digit after a count", PASTE("a") "\0332b3\r", "[a]bb3⏎" },
    { "a file that became a word", PASTE("/a.png") "x\r", "[[a.png] ]x⏎" },
    { "completed", "ap\t\r", "apple ⏎" },
    { "completed, but it was pasted", PASTE("ap") "\t\r", "[apple ]⏎" },
    { "completed, but some of it was", "a" PASTE("p") "\t\r", "[apple ]⏎" },
    { "recalled", "a" PASTE("b") "c\r" UP "\r", "a[b]c⏎a[b]c⏎" },
    { "recalled and gone on with", "a" PASTE("b") "\r" UP "c\r", "a[b]⏎a[b]c⏎" },
    { "the draft comes back as it was", "x\ra" PASTE("b") UP DOWN "c\r", "x⏎a[b]c⏎" },
    { "found by Ctrl-R", "ab" PASTE("cd") "\r\022b\r\r", "ab[cd]⏎ab[cd]⏎⏎" },
    { "put in meanwhile", "a" INSERT "b\r", "a[<é>]b⏎" },
    { "left and gone on with", "a" PASTE("b") LEAVE "c\r", "a[b]c⏎" },
    { "emptied", PASTE("b") EMPTY "c\r", "c⏎" },
    { "of several lines", PASTE("a\nb") "\nc\r", "[a\nb]\nc⏎" },
    { "a line feed by a backslash", PASTE("a") "\\\rc\r", "[a]\nc⏎" },
};

static const struct row vi_origin_rows[] = {
    { "put again", PASTE("ab") ESC PAUSE "ddp\r", "[ab]⏎" },
    { "another case", PASTE("ab") ESC PAUSE "0~\r", "[Ab]⏎" },
};

static void play_origins(const struct row *row, bool vi)
{
    struct play p;
    struct rf_buffer out = { 0 };
    const char *line;
    begin(&p, NULL, vi);
    p.keys = rf_str(row->keys);
    while ((line = rf_edit_read(p.edit)) || rf_edit_left(p.edit))
        if (line)
            add_marked(&out, line, rf_edit_origins(p.edit));
    rf_buffer_add(&out, "", 1);
    assert_string_equal(out.p, row->want);
    rf_buffer_release(&out);
    end(&p);
}

static void check_origins(void **state)
{
    play_origins(*state, false);
}

static void check_vi_origins(void **state)
{
    play_origins(*state, true);
}

/* The file does not say what was typed. */
static void check_origins_of_history(void **state)
{
    const char *folder = *state;
    char path[256];
    struct play p;
    snprintf(path, sizeof path, "%s/lines", folder);
    begin(&p, path, false);
    play(&p, rf_str("typed @~/x\r"));
    end(&p);
    begin(&p, path, false);
    p.keys = rf_str(UP "\r");
    struct rf_buffer out = { 0 };
    const char *line = rf_edit_read(p.edit);
    assert_non_null(line);
    add_marked(&out, line, rf_edit_origins(p.edit));
    rf_buffer_add(&out, "", 1);
    assert_string_equal(out.p, "[typed @~/x]⏎");
    rf_buffer_release(&out);
    end(&p);
}

/* libedit sets modes on a terminal of its own: that of the process stays as it is. */
static void check_modes(void **state)
{
    (void)state;
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(master >= 0 && !grantpt(master) && !unlockpt(master));
    int terminal = open(ptsname(master), O_RDWR | O_NOCTTY), before = dup(0);
    struct termios was, is;
    memset(&was, 0, sizeof was);
    memset(&is, 0, sizeof is);
    assert_int_equal(tcgetattr(terminal, &was), 0);
    assert_int_equal(write(master, "typed\n", 6), 6);
    assert_int_equal(dup2(terminal, 0), 0);
    struct play p;
    begin(&p, NULL, false);
    play(&p, rf_str("abc\rd"));
    end(&p);
    assert_int_equal(dup2(before, 0), 0);
    assert_int_equal(tcgetattr(terminal, &is), 0);
    assert_memory_equal(&was, &is, sizeof was);
    char typed[8];
    assert_int_equal(read(terminal, typed, sizeof typed), 6);
    close(terminal);
    close(master);
    close(before);
}

int main(void)
{
    setenv("EDITRC", "/nonexistent", 1);
    setenv("TERM", "dumb", 1); /* of others, libtinfo loses eight bytes */
    struct CMUnitTest emacs[COUNT(emacs_rows)], vi[COUNT(vi_rows)];
    struct CMUnitTest origins[COUNT(origin_rows)], vi_origins[COUNT(vi_origin_rows)];
    name_rows(origins, check_origins, origin_rows, COUNT(origin_rows), sizeof *origin_rows);
    name_rows(vi_origins, check_vi_origins, vi_origin_rows, COUNT(vi_origin_rows),
              sizeof *vi_origin_rows);
    name_rows(emacs, check_emacs, emacs_rows, COUNT(emacs_rows), sizeof *emacs_rows);
    name_rows(vi, check_vi, vi_rows, COUNT(vi_rows), sizeof *vi_rows);
    const struct CMUnitTest whole[] = {
        cmocka_unit_test_setup_teardown(check_history, make_scratch, drop_scratch),
        cmocka_unit_test_setup_teardown(check_long_history, make_scratch, drop_scratch),
        cmocka_unit_test_setup_teardown(check_no_history, make_scratch, drop_scratch),
        cmocka_unit_test_setup_teardown(check_editrc, make_scratch, drop_scratch),
        cmocka_unit_test_setup_teardown(check_origins_of_history, make_scratch, drop_scratch),
        cmocka_unit_test(check_large),
        cmocka_unit_test(check_doubled),
        cmocka_unit_test(check_between),
        cmocka_unit_test(check_modes),
    };
    return cmocka_run_group_tests_name("emacs", emacs, NULL, NULL) +
           cmocka_run_group_tests_name("vi", vi, NULL, NULL) +
           cmocka_run_group_tests_name("origins", origins, NULL, NULL) +
           cmocka_run_group_tests_name("origins in vi", vi_origins, NULL, NULL) +
           cmocka_run_group_tests_name("whole", whole, NULL, NULL);
}
