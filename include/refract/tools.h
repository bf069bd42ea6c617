/* The tools that read files for a model: read_file, view_image and read_attachment.
 *
 *     struct rf_tools *tools = rf_tools_new();
 *     rf_tools_root(tools, "/srv/project");
 *     if (rf_tools_run(tools, "read_file", "{\"file_path\":\"report.pdf\"}", &result, &err)) …
 *     if (rf_result_json(result, RF_WITH_FILES, &json, &err)) …
 *     rf_result_free(result);
 *     rf_tools_free(tools);
 *
 * Whatever is wrong with a file, or with what a model asked for, is a result that says so in words
 * for the model; only a tool that does not exist is a failure of the call. Files are decoded by
 * programs of their own that have given up everything else, so that no file can hurt the caller.
 *
 * A part of a file is named after it: "report.pdf#p=3-5,8" (pages or slides from 1),
 * "book.xlsx#sheet=Q3", "shot.png#xywh=0,0,800,600", "talk.mp4#t=10-20" (seconds),
 * "hello.py#L10-40" (lines), "data.json#bytes=0-4095", "letter.docx#pictures" (the pictures
 * inside), "page.html#source". A file in an archive is named by a path that goes on:
 * "bundle.zip/docs/a.pdf" or "bundle.zip#docs/a.pdf". A file whose name really ends so wins.
 *
 * With a session (rf_tools_session in session.h) each file that goes along with a result is kept
 * for it at the moment it is read: the result names the copy ("blob"), and what happens to the file
 * later changes nothing. read_attachment looks into what was kept, by its id: an image, a
 * document, or a text that was too long for a history, of which the conversation has the first
 * lines. Of a text it reads `limit` bytes from `offset` on, as read_file does with `byte_limit`
 * and `byte_offset`; with a JSON Pointer (RFC 6901) one value of a JSON text; with `search` the
 * places where some words stand, with their lines and offsets. Offer it to a model only with a
 * session: without one it answers that there are no attachments. */
#ifndef REFRACT_TOOLS_H
#define REFRACT_TOOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <refract/content.h>
#include <refract/error.h>
#include <refract/str.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rf_config;
struct rf_model;
struct rf_tools;

RF_API struct rf_tools *rf_tools_new(void);
RF_API void rf_tools_free(struct rf_tools *t); /* takes NULL */

/* No path may lead out of this folder (default: the working folder); "" lets them. */
RF_API void rf_tools_root(struct rf_tools *t, const char *folder);
/* Relative paths are relative to this folder (default: the working folder). */
RF_API void rf_tools_base(struct rf_tools *t, const char *folder);
/* A file in memory: from now on it is what `name` means, whatever lies on the disk. It is copied,
 * once; the same name again replaces it. Fails with RF_EUSAGE for a name that is empty, and with
 * RF_ELIMIT. */
RF_API RF_MUST enum rf_code rf_tools_hold(struct rf_tools *t, const char *name, struct rf_str bytes,
                                          struct rf_err *err);
/* For documents that are encrypted. Fails with RF_EUSAGE where it holds a line feed or a NUL. */
RF_API RF_MUST enum rf_code rf_tools_password(struct rf_tools *t, struct rf_str password,
                                              struct rf_err *err);
/* Keep what was worked out in this folder, for the next time (default: nothing is kept). */
RF_API void rf_tools_cache(struct rf_tools *t, const char *folder);
/* Recognise the text in pictures and scanned pages while they are read, which takes a second each
 * (default: when a request needs it, because its model cannot see). */
RF_API void rf_tools_ocr(struct rf_tools *t);
/* Put the number of its line before each line of a text, where a call does not say. */
RF_API void rf_tools_line_numbers(struct rf_tools *t);
/* Hear how far a file that takes long is: `done` of `of` pages, frames or bytes. False stops. */
RF_API void rf_tools_progress(struct rf_tools *t,
                              bool (*step)(void *context, int64_t done, int64_t of), void *context);

/* Results hold the bytes of their files, as they were when they were read, and no paths: for
 * whoever hands them on to where there is no such file. */
RF_API void rf_tools_bytes(struct rf_tools *t);
/* Stop reading as soon as something can be read at this descriptor; -1, the default: at none. It is
 * the caller's, and is not read from. */
RF_API void rf_tools_stop_at(struct rf_tools *t, int fd);

/* Limits, by index or by name; refract-config(5) describes them. Setting one fails with RF_EUSAGE
 * where there is none of that name, or the value is out of its range. */
RF_API size_t rf_limit_count(void);
RF_API const char *rf_limit_name(size_t limit);
RF_API const char *rf_limit_help(size_t limit); /* a line for people */
RF_API int64_t rf_tools_limit(const struct rf_tools *t, size_t limit);
RF_API RF_MUST enum rf_code rf_tools_set_limit(struct rf_tools *t, const char *name, int64_t value,
                                               struct rf_err *err);
/* The limits that the configuration sets. */
RF_API void rf_tools_configure(struct rf_tools *t, const struct rf_config *c);

/* Read no more at once than a request for this model may hold: text (max_text_bytes), and pictures,
 * those of PDFs' pages among them (max_body_bytes). So the tool itself says how to go on. The
 * limits are lowered, never raised. */
RF_API void rf_tools_fit(struct rf_tools *t, const struct rf_model *m);

/* The tools, by index, as a model is told of them. */
RF_API size_t rf_tools_count(void);
RF_API const char *rf_tools_name(size_t tool);
RF_API const char *rf_tools_description(size_t tool);
RF_API const char *rf_tools_schema(size_t tool); /* of its arguments: JSON Schema as JSON text */

/* Run a tool. `arguments` is a JSON object; besides those of the schema, read_file takes the
 * boolean "line_numbers". Fails with RF_EUSAGE for a tool that does not exist, and with
 * RF_EINTERRUPTED where whoever hears of its progress stops it, or the descriptor does. */
RF_API RF_MUST enum rf_code rf_tools_run(struct rf_tools *t, const char *name,
                                         const char *arguments, struct rf_result **out,
                                         struct rf_err *err);
#ifdef __cplusplus
}
#endif
#endif
