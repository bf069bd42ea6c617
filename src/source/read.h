/* One read of one file: what was asked for, what the file is, and the result that it becomes.
 *
 * read.c opens the file, finds out what it is and hands it to one of the readers below; each adds
 * to the result or fails with words for the model. A reader never opens a path of its own: what it
 * needs of the file it gets through `reader`, or has a worker work out from `bytes`.
 */
#ifndef RF_SOURCE_READ_H
#define RF_SOURCE_READ_H

#include "base/buf.h"
#include "content/result.h"
#include "media/cache.h"
#include "media/media.h"
#include "source/lines.h"
#include "source/part.h"
#include "source/read_limits.h"
#include "source/recode.h"
#include "source/recognise.h"
#include "source/text_decode.h"

#include <refract/tools.h>

/* Where files are kept that a session is to remember: set by whoever has a store. All zero:
 * nowhere. */
struct rf_attachments {
    void *ctx;
    /* Keep the bytes; `*blob` is "sha256:…". */
    enum rf_code (*keep)(void *ctx, const struct rf_bytes *bytes, struct rf_arena *a,
                         struct rf_str *blob, struct rf_err *err);
    /* What was kept under an id ("att_…" or "sha256:…"): its bytes and its blob. Fails with
     * RF_EUSAGE where that is not an id or the id of two, RF_ENOTFOUND, RF_EFORMAT where it is
     * damaged, RF_EIO. */
    enum rf_code (*find)(void *ctx, struct rf_str id, struct rf_arena *a, struct rf_bytes *out,
                         struct rf_str *blob, struct rf_err *err);
};

/* A file in memory. */
struct rf_held {
    struct rf_held *next;
    char *name, *bytes;
    size_t size;
};

struct rf_tools {
    char *root, *base, *password, *cache_folder; /* NULL: not set */
    struct rf_cache *cache;                      /* made when first needed */
    bool line_numbers;
    bool with_bytes; /* results hold no paths */
    bool foreign;    /* what is below the root came from elsewhere */
    bool no_ocr;     /* the text in pictures is not wanted, or no worker is here to read it */
    int64_t limits[RF_LIMIT_COUNT];
    int64_t picture_pages; /* of a PDF in one read, where they go as pictures; 0: as many as any */
    struct rf_picture_room picture_room;
    int64_t escaped_bytes; /* of a text in one read, as JSON spells it; 0: any number */
    bool named;            /* a text, too, begins with what it is */
    bool whole_pages;      /* pages come with all of their text, and others are for the next read */
    bool whole_pdfs;       /* PDFs go as they are, and their text perhaps not at all */
    struct rf_attachments attachments;
    struct rf_held *held;
    int cancel_fd;                                         /* as in struct rf_job */
    bool (*step)(void *context, int64_t done, int64_t of); /* or NULL */
    void *context;
    bool stopped; /* by `step`, in this call */
};

/* What a result tells of a file. */
struct rf_read_about {
    const char *mime; /* of one that it tells of in words only; NULL: it does more */
    int64_t count;    /* of the files or entries in that */
    bool has_text;    /* the output holds text of the file, and not only words about it */
    /* Of a text that was unpacked to be read from end to end: its name and all of its bytes. No
     * name: it was something else. */
    struct rf_str name, unpacked;
};

/* As rf_tools_run, with arguments that were read; a path that is not empty takes the place of
 * theirs. Both must outlive the result. `about` may be NULL. */
RF_MUST enum rf_code rf_tools_call(struct rf_tools *t, struct rf_str name,
                                   const struct rf_jval *arguments, struct rf_str path,
                                   struct rf_read_about *about, struct rf_result **out,
                                   struct rf_err *err);

/* What a call asks for. A number that was not given is -1. */
struct rf_read_call {
    struct rf_str path; /* as given, without the part */
    struct rf_file_part part;
    int64_t offset, limit;           /* lines, from 1 */
    int64_t byte_offset, byte_limit; /* of the text, from 0: instead of lines */
    struct rf_pages pages;           /* last -1: none, since they end before they begin */
    bool line_numbers;
    bool view; /* view_image: a picture, or a failure */
    /* read_attachment; there, offset and limit are bytes, from 0 */
    struct rf_str id, pointer, search;
    bool has_pointer; /* the empty one is one */
};

struct rf_read {
    struct rf_tools *tools;
    struct rf_arena *arena; /* of the result */
    struct rf_read_call call;
    const char *root;
    struct rf_str name; /* of the file, cleaned for showing */
    struct rf_bytes bytes;
    struct rf_str blob;          /* that it is kept in; empty: not yet, or nowhere */
    struct rf_str member;        /* of the archive that `bytes` are; empty: they are what is read */
    bool unpacked;               /* `bytes` came out of the file that `call` names */
    const struct rf_job *listed; /* what is in the archive or in a folder of it; or NULL */
    struct rf_reader reader;
    const struct rf_format *format; /* or NULL */
    struct rf_facts facts;
    struct rf_message *message;
    size_t block_cap;
    const char *mime;   /* of what is told of in words only: a folder, an archive, bytes; or NULL */
    int64_t count;      /* of the files or entries in it */
    struct rf_buf head; /* hints and notes, which come before all else of the output */
    struct rf_buf body;
};

/* Before anything else; tools, arena and message are set. */
void rf_read_init(struct rf_read *r);
/* Read what `call` asks for. Fails with what is wrong, without the name of the file. */
RF_MUST enum rf_code rf_read_run(struct rf_read *r, struct rf_err *err);

/* What a model reads of a failure: what is wrong, and what to do about it. What is asked of a
 * person is not for a model: it would have the password typed to it. */
#define RF_NO_PASSWORDS                                                                           \
    "The user can open it outside of this conversation, or save a copy without the password and " \
    "have that read. Do not ask for its password: whatever is written here is sent and kept."
struct rf_str rf_read_words(const struct rf_err *failed, struct rf_arena *a);

/* Only find the file, and the part of it, that `call` names: `bytes`, `name` and the part are
 * set, and `member` where the path goes on inside of it. Fails as a read does; with RF_EFORMAT for
 * folders too. */
RF_MUST enum rf_code rf_read_find(struct rf_read *r, struct rf_err *err);
/* The same for something that was kept, by its id. */
RF_MUST enum rf_code rf_read_find_kept(struct rf_read *r, struct rf_err *err);
/* Could they hold files? */
bool rf_is_archive(const struct rf_bytes *bytes);
/* The archive that a path of no file leads into, as in "x.zip/docs/a.pdf"; or NULL. */
const char *rf_archive_in(const char *root, const char *path, struct rf_arena *a);
/* Take the part in that a path names after its "#". Fails with RF_EUSAGE. */
RF_MUST enum rf_code rf_read_take_part(struct rf_read *r, struct rf_str part, struct rf_err *err);
/* Open `reader`. What is a member of an archive, or is packed alone (report.pdf.gz), is unpacked
 * first: `bytes` and `name` are its own afterwards, or it is `listed`. */
RF_MUST enum rf_code rf_read_open(struct rf_read *r, struct rf_err *err);
/* Tell what it is, `reader` being open: `format` is set. Fails where it is not what its name
 * claims, or has no such part. */
RF_MUST enum rf_code rf_read_identify(struct rf_read *r, struct rf_err *err);

/* Read what `call` asks for of something that was kept. */
RF_MUST enum rf_code rf_read_attachment(struct rf_read *r, struct rf_err *err);
/* Hand `bytes`, of which `name` is known, to the reader for their kind. */
RF_MUST enum rf_code rf_read_bytes(struct rf_read *r, struct rf_err *err);

/* The readers. */
RF_MUST enum rf_code rf_read_folder(struct rf_read *r, int fd, struct rf_err *err);
RF_MUST enum rf_code rf_read_text(struct rf_read *r, struct rf_err *err);
RF_MUST enum rf_code rf_read_picture(struct rf_read *r, struct rf_err *err);
RF_MUST enum rf_code rf_read_pdf(struct rf_read *r, struct rf_err *err);
RF_MUST enum rf_code rf_read_office(struct rf_read *r, const struct rf_format *format,
                                    struct rf_err *err);
RF_MUST enum rf_code rf_read_sound(struct rf_read *r, struct rf_err *err);
/* What is `listed`. */
RF_MUST enum rf_code rf_read_listed(struct rf_read *r, struct rf_err *err);
/* Bytes of no format in our table: other encodings of text, archives, odd pictures, anything. */
RF_MUST enum rf_code rf_read_other(struct rf_read *r, struct rf_err *err);
/* A picture of a format that requests do not know, by a worker that does: it becomes a PNG. */
RF_MUST enum rf_code rf_read_odd_picture(struct rf_read *r, struct rf_err *err);

/* Bytes of no format in our table may be text in some encoding: what it is then, by its words and
 * its name. NULL where they are not, or a signature or the name says that they are something
 * else. */
const struct rf_format *rf_read_as_text(struct rf_reader *reader, struct rf_str name,
                                        struct rf_text_kind *kind);
/* Say from which character set the text was converted, and what of it could not be. */
void rf_read_say_charset(struct rf_read *r, const struct rf_charset *c);

/* Does its name say that it is such a picture? */
bool rf_read_is_odd_picture(struct rf_str name);

/* What they share. */

/* A window of the lines of `text` as the body. Fails as rf_read_window does. */
RF_MUST enum rf_code rf_read_long_text(struct rf_read *r, struct rf_str text, struct rf_err *err);

/* Is the file over the limit? Fails with RF_ELIMIT. */
RF_MUST enum rf_code rf_read_check_size(struct rf_read *r, enum rf_limit limit, struct rf_err *err);
/* A block about the file itself: source, type, name and size are set. */
struct rf_block *rf_read_block(struct rf_read *r, enum rf_block_type type, const char *mime);
/* A block about something that was made of it; false where it has no bytes. */
struct rf_block *rf_read_made_block(struct rf_read *r, enum rf_block_type type,
                                    const struct rf_job_part *part);
/* Tell of how far it is, and whether to go on: `tools` is a struct rf_tools. */
bool rf_read_step(void *tools, int64_t done, int64_t of);
/* Have workers do these jobs on the file, `family` and `ask` being set. Each says for itself
 * whether it failed. */
void rf_read_ask(struct rf_read *r, struct rf_job *jobs, size_t count);
/* Have the cache open, where there is one. */
void rf_read_open_cache(struct rf_tools *t);
/* A line of the head. */
__attribute__((format(printf, 2, 3))) void rf_read_note(struct rf_read *r, const char *fmt, ...);
/* The first notes of a worker as lines of the head. */
void rf_read_notes(struct rf_read *r, const struct rf_job *job);
/* The window that was asked for, of lines or of bytes. */
struct rf_window rf_read_asked(const struct rf_read *r);
/* Say which lines or bytes of how many these are, where they are not all, and how to read on.
 * Fails with RF_EUSAGE where the first that was asked for is past the end. */
RF_MUST enum rf_code rf_read_window(struct rf_read *r, const struct rf_lines *lines,
                                    struct rf_err *err);
/* The same for bytes from one to before another, of so many; `before` has the arguments that the
 * next call needs besides. */
RF_MUST enum rf_code rf_read_say_bytes(struct rf_read *r, uint64_t from, uint64_t end,
                                       uint64_t size, struct rf_str before, struct rf_err *err);
/* What this tool calls the first byte. */
const char *rf_read_byte_name(const struct rf_read *r);
/* "12,345" */
struct rf_str rf_read_number(struct rf_read *r, int64_t n);
/* How text in the file is recognised: within the limits and with the progress of this read. */
struct rf_recognising rf_read_recognising(struct rf_read *r);

#endif
