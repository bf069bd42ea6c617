/* The pictures of a document, which go out at their places in its text.
 *
 *     struct rf_pictures *pictures = rf_pictures_new(ask, to);
 *     rf_md_init(&md, pictures);
 *     rf_md_text(&md, rf_picture_words(arena, &picture));
 *     rf_pictures_add(pictures, &picture);
 *     …
 *     rf_pictures_end(pictures);
 *
 * A reader names each picture where it stands in the text; markdown.h has it sent behind the
 * paragraph or the row that it stands in, so that no block is torn apart. With `pictures=N` and
 * `picture_bytes=B` at most that many go, each once; the others only have their words in the text.
 * With op=media no text goes, and of the pictures those from `first` up to `end`, or that of the
 * name `name`; `max_bytes` is the limit of one.
 *
 * What a picture is, its bytes say; what no program can show is left out, with a note. */
#ifndef RF_OFFICE_PICTURES_H
#define RF_OFFICE_PICTURES_H

#include "worker/frame.h"

struct rf_picture {
    int64_t id;          /* from 0: the same picture has the same id everywhere in the document */
    struct rf_str name;  /* "image1.png"; may be empty */
    struct rf_str alt;   /* what the document says that it shows; may be empty */
    struct rf_str bytes; /* p NULL: to be had from `read` */
};

struct rf_pictures {
    const struct rf_ask *ask;
    struct rf_answer *to;
    bool only; /* op=media: no text goes out */
    bool cut;  /* the text was cut off, and what stands behind that was not read */
    /* Reads a picture that came without its bytes. NULL: all come with them. */
    enum rf_code (*read)(void *source, int64_t id, size_t max, struct rf_str *out,
                         struct rf_err *err);
    void *source;
    /* The picture that HTML means by `src`; false where the document has none such. NULL: it has
     * none at all. */
    bool (*find)(void *context, struct rf_str src, struct rf_picture *out);
    void *context;
    int64_t next_id; /* for a reader whose pictures have no number of their own */
    int64_t found, given;
    uint64_t sent; /* bytes of those that were given */
    bool *seen;    /* by id */
    size_t seen_n, seen_cap;
    struct rf_picture *waiting;
    size_t n, cap;
};

/* In the ask's arena. */
struct rf_pictures *rf_pictures_new(const struct rf_ask *ask, struct rf_answer *to);

/* The picture stands here. One that stood somewhere before is passed over. */
void rf_pictures_add(struct rf_pictures *p, const struct rf_picture *picture);
/* Do any wait that may be given? */
bool rf_pictures_wait(const struct rf_pictures *p);
/* Send those that wait, as far as the limits allow. Returns whether one went. */
bool rf_pictures_send(struct rf_pictures *p);
/* The text is cut off here: those that wait stand behind its end. */
void rf_pictures_drop(struct rf_pictures *p);
/* Send those that still wait, and the facts `pictures` and `pictures_given`. */
void rf_pictures_end(struct rf_pictures *p);

/* Are these the bytes of a picture? */
bool rf_picture_is(struct rf_str bytes);
/* What stands for it in the text: [Image: image1.png, "a dog"] */
struct rf_str rf_picture_words(struct rf_arena *a, const struct rf_picture *picture);

#endif
