/* The pictures of a document, which go out at their places in its text.
 *
 *     struct rf_figures *pictures = rf_figures_new(ask, to);
 *     rf_markup_init(&md, pictures);
 *     rf_markup_text(&md, rf_figure_words(arena, &picture));
 *     rf_figures_add(pictures, &picture);
 *     …
 *     rf_figures_end(pictures);
 *
 * A reader names each picture where it stands in the text; markdown.h has it sent after the
 * paragraph or the row that it stands in, so that no block is torn apart. With `pictures=N` and
 * `picture_bytes=B` at most that many go, each once; the others only have their words in the text.
 * With op=media no text goes, and of the pictures those from `first` up to `end`, or that of the
 * name `name`; `max_bytes` is the limit of one.
 *
 * What a picture is, its bytes say; what no program can show is left out, with a note. */
#ifndef RF_OFFICE_FIGURES_H
#define RF_OFFICE_FIGURES_H

#include "worker/frame.h"

struct rf_figure {
    int64_t id;          /* from 0: the same picture has the same id everywhere in the document */
    struct rf_str name;  /* "image1.png"; may be empty */
    struct rf_str alt;   /* what the document says that it shows; may be empty */
    struct rf_str bytes; /* p NULL: to be had from `read` */
};

struct rf_figures {
    const struct rf_ask *ask;
    struct rf_answer *to;
    bool only; /* op=media: no text goes out */
    bool cut;  /* the text was cut off, and what comes after that was not read */
    /* Reads a picture that came without its bytes. NULL: all come with them. */
    enum rf_code (*read)(void *source, int64_t id, size_t max, struct rf_str *out,
                         struct rf_err *err);
    void *source;
    /* The picture that HTML means by `src`; false where the document has none such. NULL: it has
     * none at all. */
    bool (*find)(void *context, struct rf_str src, struct rf_figure *out);
    void *context;
    int64_t next_id; /* for a reader whose pictures have no number of their own */
    int64_t found, given;
    uint64_t sent;     /* bytes of those that were given */
    uint64_t unpacked; /* and of those that a reader unpacked */
    bool *seen;        /* by id */
    size_t seen_n, seen_cap;
    struct rf_figure *waiting;
    size_t n, cap;
};

/* In the ask's arena. */
struct rf_figures *rf_figures_new(const struct rf_ask *ask, struct rf_answer *to);

/* The picture stands here. One that stood somewhere before is passed over. */
void rf_figures_add(struct rf_figures *p, const struct rf_figure *picture);
/* Do any wait that may be given? */
bool rf_figures_wait(const struct rf_figures *p);
/* Send those that wait, as far as the limits allow. Returns whether one went. */
bool rf_figures_send(struct rf_figures *p);
/* The text is cut off here: those that wait come after its end. */
void rf_figures_drop(struct rf_figures *p);
/* Send those that still wait, and the facts `pictures` and `pictures_given`. */
void rf_figures_end(struct rf_figures *p);

/* Are these the bytes of a picture? */
bool rf_figure_is(struct rf_str bytes);
/* What stands for it in the text: [Image: image1.png, "a dog"] */
struct rf_str rf_figure_words(struct rf_arena *a, const struct rf_figure *picture);

#endif
