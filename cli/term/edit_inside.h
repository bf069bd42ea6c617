/* What the files of the line editor share; no other file includes it.
 *
 *     edit.c          the line: reading, its text, putting something in
 *     edit_keys.c     bytes become keys: UTF-8, escape sequences, what is pasted
 *     edit_bind.c     which key does what: ours over libedit's, ~/.editrc over both
 *     edit_move.c     our own movements: rows of a line, the history
 *     edit_search.c   Ctrl-R
 *     edit_text.c     UTF-8 and wide characters
 *     edit_fold.c     long pastes, each as one character
 *     edit_origin.c   which characters were typed, and which were pasted
 *     edit_history.c  lines that were entered, and their file
 *
 * The history is ours and not libedit's, which keeps 1,024 characters of a line that is left for an
 * older one.
 */
#ifndef RF_CLI_TERM_EDIT_INSIDE_H
#define RF_CLI_TERM_EDIT_INSIDE_H

#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <wchar.h>

#include "term/buffer.h"
#include "term/edit.h"
#include "term/edit_library.h"

/* Characters that cannot be typed (U+0080 to U+009F are dropped): the first begins a key that is
 * not one character, the second asks libedit whether it takes commands. */
#define RF_EDIT_LEAD L'\x9b'
#define RF_EDIT_PROBE L'\x9c'
#define RF_EDIT_MOST ((size_t)1 << 20) /* bytes of what is pasted or put in at once */

struct rf_edit_history {
    char **lines;   /* oldest first */
    char **origins; /* of each; NULL: it is from the file */
    size_t count;
    char *path;     /* or NULL */
    size_t in_file; /* lines that it has, as far as we know */
};

struct rf_edit {
    struct rf_edit_calls calls;
    EditLine *el;
    FILE *nowhere;
    int terminal, master;
    locale_t locale; /* a UTF-8 one, for libedit; or 0 */
    bool vi, vi_chosen; /* now; whatever ~/.editrc says */
    bool command; /* vi's command mode */
    bool awaits;  /* vi: the key before takes the next one as its argument */
    bool probes;  /* ask which mode it is before the next key */
    bool redoes;  /* vi: what libedit reads now is what "." does again, and none of it is a key */

    bool reading;  /* in rf_edit_read */
    bool restores; /* what is in `kept` is the text, and not in libedit's line yet */
    bool fresh;    /* libedit has begun a line */
    bool waits;    /* in `next`, where libedit may hold places of its line: that must not change */
    bool entered, ended, left;
    struct rf_buffer kept; /* the text while it is not read */
    size_t kept_cursor;
    struct rf_buffer line, line_origins; /* what rf_edit_read returned */
    struct rf_buffer text;               /* for rf_edit_text */
    struct rf_buffer shown;              /* for rf_edit_shown */
    size_t text_cursor;
    /* The text as it was before the key, and who put its bytes there. */
    struct rf_buffer seen, origins;
    bool foreign;                   /* something that was pasted was in a line */

    wchar_t queue[80]; /* characters of a key on their way to libedit */
    size_t queue_at, queue_count;
    wchar_t character;     /* that the last key was; 0: it was another key */
    int digits;            /* of the count before a command, so far */
    bool counted;          /* libedit may still have a count */
    bool operates;         /* vi: the command before waits for a movement */
    int again;             /* a byte that is read once more; -1: none */
    bool pending;
    struct rf_buffer pasted;
    unsigned long keys; /* that were typed so far */

    struct rf_buffer *folds; /* what each of our characters stands for */
    size_t fold_count, fold_bytes;

    int jump;              /* characters that the cursor moves by while something is cut */
    size_t goal;           /* the column that Up and Down want to be in */
    unsigned long goal_at; /* the key that wanted it */
    struct rf_edit_history history;
    size_t place;             /* in the history; its count: none of it is shown */
    struct rf_buffer draft, draft_origins; /* what was typed before an old line was shown */
    bool searches;            /* Ctrl-R */
    struct rf_buffer words;   /* that it looks for */
    size_t found;             /* where in the history; its count: nowhere */
};

/* edit.c, edit_text.c */
struct rf_edit *rf_edit_of(EditLine *el);
/* Put in text that is clean but for characters of folded pastes. */
void rf_edit_insert_raw(struct rf_edit *e, struct rf_str text, enum rf_edit_origin origin);
/* The same text anew, in libedit's line. */
void rf_edit_set_text(struct rf_edit *e, struct rf_str text);
/* The line is entered. */
void rf_edit_enter(struct rf_edit *e);
/* Remember the line, and show one of the history. */
void rf_edit_show_old(struct rf_edit *e, size_t place);
void rf_edit_delete_before(struct rf_edit *e, size_t characters);
/* The first character of `s`, which is not empty, and its bytes; U+FFFD for a byte that is no
 * UTF-8. */
size_t rf_edit_decode(struct rf_str s, wchar_t *out);
void rf_edit_narrow(struct rf_buffer *out, wchar_t c);
/* Add text as it may stand in a line: CR and CR LF become LF, control characters but LF and tab
 * go. */
void rf_edit_clean(struct rf_buffer *out, struct rf_str text);
size_t rf_edit_characters(struct rf_str text);
/* Leave the line for now: its text is kept. */
void rf_edit_keep(struct rf_edit *e);

/* edit_origin.c. Catch up with the line: what is new in it came by the last key, or from there. */
void rf_edit_track_key(struct rf_edit *e);
void rf_edit_track(struct rf_edit *e, enum rf_edit_origin origin);
/* Of a stretch of the line: typed, where all of it was. */
enum rf_edit_origin rf_edit_origin_of(const struct rf_edit *e, size_t begin, size_t end);
/* What a key brings that was in a line before. */
enum rf_edit_origin rf_edit_moved(const struct rf_edit *e);
/* The bytes from `at` on came from there. */
void rf_edit_mark(struct rf_edit *e, size_t at, struct rf_str origins);
/* The line is over. */
void rf_edit_forget_origins(struct rf_edit *e);

/* edit_fold.c */
/* Is it one of the characters that stand for pastes? No other text may have them. */
bool rf_edit_is_reserved(wchar_t c);
/* What it stands for; without a pointer where that is nothing. */
struct rf_str rf_edit_folded(const struct rf_edit *e, wchar_t c);
/* Add something that was pasted: as it is, or where it is long as one character. */
void rf_edit_fold(struct rf_edit *e, struct rf_str text, struct rf_buffer *out);
/* The same for all that was pasted in a line. */
void rf_edit_fold_line(struct rf_edit *e, struct rf_str line, const char *origins,
                       struct rf_buffer *out, struct rf_buffer *out_origins);
/* Add a text in which whatever was folded before is folded again. */
void rf_edit_fold_again(struct rf_edit *e, struct rf_str text, struct rf_buffer *out);
enum rf_edit_unfold { RF_EDIT_WHOLE, RF_EDIT_LABELS };
/* Add a line with all of its pastes, or with labels for them. `cursor` (or NULL) is moved along. */
void rf_edit_unfold(const struct rf_edit *e, struct rf_str line, size_t *cursor,
                    enum rf_edit_unfold how, struct rf_buffer *out);
void rf_edit_unfold_origins(const struct rf_edit *e, struct rf_str line, struct rf_str origins,
                            struct rf_buffer *out);
void rf_edit_folds_release(struct rf_edit *e);

/* edit_keys.c: the function that libedit gets its characters from; and for Ctrl-R, which reads for
 * itself: the next key into `queue`, false where there is no more input. */
int rf_edit_getc(EditLine *el, wchar_t *out);
/* What was kept goes into libedit's line. */
void rf_edit_restore(struct rf_edit *e);
/* libedit is about to forget its line: it gets that again, and goes to vi's command mode. */
void rf_edit_begin_anew(struct rf_edit *e);
bool rf_edit_read_key(struct rf_edit *e);

/* edit_bind.c */
/* what follows Escape: is it a key that has a function? */
bool rf_edit_knows(const char *sequence);
void rf_edit_functions(struct rf_edit *e);
void rf_edit_bind(struct rf_edit *e);
void rf_edit_read_editrc(struct rf_edit *e);

/* edit_move.c: functions for keys. */
unsigned char rf_edit_up(EditLine *el, int c);
unsigned char rf_edit_down(EditLine *el, int c);
unsigned char rf_edit_step_back(EditLine *el, int c);
unsigned char rf_edit_step_on(EditLine *el, int c);
unsigned char rf_edit_home(EditLine *el, int c);
unsigned char rf_edit_end(EditLine *el, int c);
unsigned char rf_edit_backspace(EditLine *el, int c);
unsigned char rf_edit_delete(EditLine *el, int c);
unsigned char rf_edit_kill(EditLine *el, int c);
unsigned char rf_edit_kill_back(EditLine *el, int c);
unsigned char rf_edit_jump(EditLine *el, int c);
unsigned char rf_edit_change_case(EditLine *el, int c);
unsigned char rf_edit_match_older(EditLine *el, int c);
unsigned char rf_edit_match_newer(EditLine *el, int c);

/* edit_search.c */
unsigned char rf_edit_search(EditLine *el, int c);
void rf_edit_search_add(struct rf_edit *e, struct rf_str words);
/* Into `text`: what rf_edit_text says meanwhile. */
void rf_edit_search_text(struct rf_edit *e);

/* edit_history.c */
void rf_edit_history_open(struct rf_edit_history *h, const char *path);
void rf_edit_history_add(struct rf_edit_history *h, const char *line, const char *origins);
void rf_edit_history_close(struct rf_edit_history *h);

#endif
