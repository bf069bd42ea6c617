/* A request: the exact body for one model, and what became of every file in it.
 *
 *     struct rf_request *r;
 *     if (rf_request_build(conversation, model, &options, &r, &err)) …
 *     printf("%llu bytes\n", (unsigned long long)rf_request_length(r));
 *     if (rf_request_write(r, STDOUT_FILENO, &err)) …
 *     rf_request_free(r);
 *
 * The body is not held in memory: files are read and encoded while it is written, so the memory of
 * a request does not grow with its attachments. A file that changes between building and writing
 * makes writing fail.
 */
#ifndef REFRACT_REQUEST_H
#define REFRACT_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include <refract/config.h>
#include <refract/conversation.h>
#include <refract/error.h>
#include <refract/model.h>
#include <refract/str.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rf_request;
struct rf_request_options; /* a bag of settings: new, set, use, free */

RF_API struct rf_request_options *rf_request_options_new(void);
RF_API void rf_request_options_free(struct rf_request_options *o);
/* Relative paths in the conversation are relative to this folder (default: the working folder). */
RF_API void rf_request_options_base(struct rf_request_options *o, const char *folder);
/* No path may lead out of this folder. By default a user's messages may name files anywhere, and
 * those of tools and models stay below the folder that paths are relative to; "" frees all. */
RF_API void rf_request_options_root(struct rf_request_options *o, const char *folder);
/* Send files as they are: what a model does not take then becomes text or a note. By default
 * such a file is converted first, by programs of their own that do nothing else: a picture made
 * smaller or of another type, the pages of a PDF as pictures, the text of a document. */
RF_API void rf_request_options_as_is(struct rf_request_options *o);
/* Send no file at all: notes stand for them, as in a request that sums a conversation up. */
RF_API void rf_request_options_no_media(struct rf_request_options *o);
/* Keep what was converted in this folder, for the next request (default: in memory, for this
 * one). */
RF_API void rf_request_options_cache(struct rf_request_options *o, const char *folder);
/* Take the limits that the configuration sets (how large a picture is sent, how many pages), and
 * ask it about the models that answered before. It has to stay until the request is built. */
RF_API void rf_request_options_configure(struct rf_request_options *o, const struct rf_config *c);
/* What cannot go as media or as its own text is an error instead of text or a note. */
RF_API void rf_request_options_strict(struct rf_request_options *o);
/* Ask for a streamed reply, whatever the conversation's options say. */
RF_API void rf_request_options_stream(struct rf_request_options *o);

/* Build the request. The conversation and the model must outlive it; `options` may be NULL and may
 * be freed at once. Fails in strict mode with RF_EUNSUPPORTED and the place of the file, and with
 * RF_EFORMAT where there is nothing to send. */
RF_API RF_MUST enum rf_code rf_request_build(const struct rf_conversation *c,
                                             const struct rf_model *m,
                                             const struct rf_request_options *options,
                                             struct rf_request **out, struct rf_err *err);
RF_API void rf_request_free(struct rf_request *r); /* takes NULL */

/* Bytes of the body. */
RF_API uint64_t rf_request_length(const struct rf_request *r);
/* Write the whole body to a descriptor. Fails with RF_EIO. May be called again. */
RF_API RF_MUST enum rf_code rf_request_write(const struct rf_request *r, int fd,
                                             struct rf_err *err);

/* Read the body piece by piece, for whoever sends it (refract/send.h has the rest of the call); the
 * request must stay. A further reader begins at the start again. */
struct rf_request_reader;
RF_API struct rf_request_reader *rf_request_reader_new(const struct rf_request *r);
/* The next bytes, at most `size`; `*got` is 0 at the end only. Fails with RF_EIO where a file
 * cannot be read or was changed. */
RF_API RF_MUST enum rf_code rf_request_reader_read(struct rf_request_reader *reader, char *buf,
                                                   size_t size, size_t *got, struct rf_err *err);
RF_API void rf_request_reader_free(struct rf_request_reader *reader); /* takes NULL */

/* The caller's name for a tool that a reply calls by the name it had in this request: an
 * endpoint may not take "fs.read", and was told "fs_read". A name that was not given comes back
 * as it is. */
RF_API struct rf_str rf_request_tool(const struct rf_request *r, struct rf_str name);

/* How a file was delivered. */
enum rf_delivery {
    RF_DELIVERY_NATIVE,   /* as itself, in its place */
    RF_DELIVERY_FALLBACK, /* as itself, in a user message after all tool results */
    RF_DELIVERY_TEXT,     /* words instead */
    RF_DELIVERY_OMITTED,  /* a note that it was left out over a limit */
    RF_DELIVERY_ERROR,    /* strict mode: no request was made */
};
/* "native", "fallback", "text", "omitted", "error". */
RF_API const char *rf_delivery_name(enum rf_delivery d);

/* As what it was delivered. */
enum rf_form {
    RF_FORM_ORIGINAL,        /* the file itself */
    RF_FORM_SMALLER,         /* a picture with fewer pixels or bytes */
    RF_FORM_CONVERTED,       /* the same kind of thing in another type, or repaired */
    RF_FORM_PAGES,           /* a document of some of its pages */
    RF_FORM_PAGE_IMAGES,     /* its pages as pictures */
    RF_FORM_FRAMES,          /* of a film */
    RF_FORM_TEXT,            /* the text in it */
    RF_FORM_RECOGNISED_TEXT, /* the same, read off pictures by a machine: it may be wrong */
    RF_FORM_TRANSCRIPT,      /* what is said in it */
    RF_FORM_NOTE,            /* a note that it is not there */
};
/* "original", "smaller", "converted", "pages", "page_images", "frames", "text",
 * "recognised_text", "transcript", "note". */
RF_API const char *rf_form_name(enum rf_form f);
/* The same for people: "native" for a file, or pages of one, as they are; "made smaller",
 * "converted", "converted to pictures", "converted to frames"; "text", "recognised text",
 * "transcript"; "not sent". */
RF_API const char *rf_form_words(enum rf_form f);

/* The delivery report: one entry a file, in the order of the conversation. The strings live as
 * long as the request. The id is worked out here for files whose id the body does not show. */
RF_API size_t rf_report_count(const struct rf_request *r);
/* Where the conversation has it: "messages[2].content_blocks[0]". */
RF_API struct rf_str rf_report_place(const struct rf_request *r, size_t i);
RF_API enum rf_delivery rf_report_delivery(const struct rf_request *r, size_t i);
RF_API enum rf_form rf_report_form(const struct rf_request *r, size_t i);
/* What of it did not go, in words: "pages 21-120", "sound", "3 pictures"; none where all did. */
RF_API size_t rf_report_lost_count(const struct rf_request *r, size_t i);
RF_API struct rf_str rf_report_lost(const struct rf_request *r, size_t i, size_t k);
RF_API struct rf_str rf_report_id(struct rf_request *r, size_t i);
RF_API struct rf_str rf_report_name(const struct rf_request *r, size_t i);
RF_API struct rf_str rf_report_as(const struct rf_request *r, size_t i);
RF_API struct rf_str rf_report_reason(const struct rf_request *r, size_t i);
/* The limit that kept it from more, as "max_images: 20"; empty where none did. */
RF_API struct rf_str rf_report_limit(const struct rf_request *r, size_t i);
RF_API int64_t rf_report_bytes(const struct rf_request *r, size_t i);      /* -1: unknown */
RF_API int64_t rf_report_sent_bytes(const struct rf_request *r, size_t i); /* of the file itself */
/* Of what is sent of it, or of the words in its place: the sum is what the request counts for
 * all files. */
RF_API int64_t rf_report_tokens(const struct rf_request *r, size_t i);
/* The whole entry as one line of JSON, without the line feed. */
RF_API struct rf_str rf_report_json(struct rf_request *r, size_t i);

/* The same for a person, in one line of a fixed form: "+ photo.heic   image  4032x3024 -> 1568x1176
 * jpeg, 412 KB, ~2.5k tokens" was sent, converted where an arrow is there, and nothing was lost;
 * "!" something was, or words went instead of it; "x" nothing of it went. */
RF_API struct rf_str rf_report_line(struct rf_request *r, size_t i);
/* A sentence with the MIME types in it as people call them: "takes no image/png" is "takes no PNG
 * images". As much as fits is written to `out`, which is returned. */
RF_API const char *rf_types_in_words(struct rf_str text, char *out, size_t size);

/* Is an answer JSON that fits the schema of the conversation's options? Fails with RF_EPROVIDER,
 * naming the place in it that does not fit. Whatever was sent of the schema, all of it counts;
 * where there is none, every answer fits. */
RF_API RF_MUST enum rf_code rf_request_check_answer(const struct rf_request *r,
                                                    struct rf_str answer, struct rf_err *err);

/* Things that were left out of the request and are not files: options that this model refuses. */
RF_API size_t rf_notice_count(const struct rf_request *r);
RF_API struct rf_str rf_notice(const struct rf_request *r, size_t i);

#ifdef __cplusplus
}
#endif
#endif
