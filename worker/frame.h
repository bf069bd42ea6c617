/* The frame that all workers share: `refract-media-FAMILY`, a program that reads one family of
 * files.
 *
 *     static const struct rf_family family = {
 *         .name = "pdf", .start = start, .answer = answer, .memory_bytes = (size_t)1 << 30,
 *     };
 *     int main(int argc, char **argv) { return rf_worker_main(&family, argc, argv); }
 *
 * rf_worker_main loads what `start` wants loaded, gives up everything (sandbox.h), and then
 * answers one ask after the other until the socket closes. It refuses to open a path: a file
 * comes as a descriptor. Out of memory, a broken library or a hostile file may end it; the
 * caller sees that, says so about the one file, and starts another.
 *
 * Answers are sticky: when the caller is gone, or the output is over its limit, they do nothing
 * any more, and rf_answer_over() says so to those that would go on for long.
 */
#ifndef RF_WORKER_FRAME_H
#define RF_WORKER_FRAME_H

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "media/protocol.h"

#include <stdbool.h>
#include <stdint.h>

struct rf_ask {
    struct rf_arena *arena; /* taken back after the answer */
    struct rf_str text;     /* the lines */
    int fd;                 /* the file, regular or memory; -1 where there is none */
    uint64_t size;
    struct rf_str bytes; /* all of it, for rf_ask_map; a test may set this alone, with `fd` -1 */
};

struct rf_answer {
    int socket;
    bool gone;                /* the caller does not listen any more */
    bool ended;               /* DONE or FAIL was said */
    uint64_t sent, max_bytes; /* 0: no limit */
    char *held;               /* small frames wait here for company; NULL: they do not */
    size_t held_n;
};

struct rf_family {
    const char *name;
    /* Load and open what would be opened lazily, before the sandbox closes. Returns NULL, or why
     * this worker cannot work here. May be NULL. It must leave no thread running: Landlock binds
     * only the thread that asks for it and those that it makes later. */
    const char *(*start)(void);
    /* Answer one ask. Ends with rf_answer_fail, or returns: then DONE is said. */
    void (*answer)(const struct rf_ask *ask, struct rf_answer *to);
    const char *const *readable; /* folders that stay readable, such as fonts; NULL-terminated */
    const char *const *runnable; /* programs that may be started; NULL: none */
    size_t memory_bytes; /* address space besides the file and what `start` took; 0: 1 GiB */
    int cpu_seconds;     /* for one ask, and for each program that is run; 0: 30 */
};

int rf_worker_main(const struct rf_family *family, int argc, char **argv);

/* A value of the ask, the first of that name; empty, or `otherwise`, where it is not there. */
struct rf_str rf_ask_str(const struct rf_ask *ask, const char *key);
int64_t rf_ask_int(const struct rf_ask *ask, const char *key, int64_t otherwise);
bool rf_ask_is(const struct rf_ask *ask, const char *key, const char *value);
/* All bytes of the file, mapped; they stay until the answer is over. A file that shrinks meanwhile
 * ends the worker. False after rf_answer_fail. */
bool rf_ask_map(const struct rf_ask *ask, struct rf_str *bytes, struct rf_answer *to);

__attribute__((format(printf, 3, 4))) void rf_answer_fact(struct rf_answer *to, const char *key,
                                                          const char *fmt, ...);
/* Begin a part: its lines, "kind=image\npage=3\n", in at most 8 KiB. Values must not hold line
 * feeds: a name that comes out of the file goes through rf_line. */
__attribute__((format(printf, 2, 3))) void rf_answer_part(struct rf_answer *to, const char *fmt,
                                                          ...);
/* Any text, in whole characters; what is not UTF-8 in it is replaced. */
void rf_answer_text(struct rf_answer *to, struct rf_str text);
void rf_answer_bytes(struct rf_answer *to, const void *p, size_t n);
__attribute__((format(printf, 2, 3))) void rf_answer_note(struct rf_answer *to, const char *fmt,
                                                          ...);
void rf_answer_step(struct rf_answer *to, int64_t done, int64_t of);
/* End it: what is wrong with the file, in lower case and without a full stop; `hint` may be "". */
__attribute__((format(printf, 4, 5))) void rf_answer_fail(struct rf_answer *to, enum rf_code code,
                                                          const char *hint, const char *fmt, ...);
/* A copy for the lines of a part: control characters are spaces, and at most 500 bytes are kept. */
const char *rf_line(const struct rf_ask *ask, struct rf_str name);
/* Is the answer over, so that more would be lost? */
bool rf_answer_over(const struct rf_answer *to);

#endif
