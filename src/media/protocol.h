/* What the caller and a worker say to each other over a socket pair.
 *
 * Everything is a frame: a head of two 32-bit numbers in the machine's own order (kind, length),
 * then that many bytes. The caller asks with one ASK frame, which carries the file's descriptor
 * beside it; the worker answers with any number of frames and ends with DONE or FAIL.
 *
 *     ask     "op=render\nfirst=1\nlast=20\ndpi=150\n"   written by recipe.c
 *     fact    "pages=47"                             about the whole file
 *     part    "kind=image\npage=1\nmime=image/png\nwidth=1240\nheight=1754\n"   begins a part
 *     text    …                                      UTF-8 of the last part, or of the file
 *     bytes   …                                      bytes of the last part
 *     note    "page 7 could not be read"             what a reader should know
 *     step    "3/20"                                 how far it is
 *     fail    "encrypted\nthe document is encrypted\nGive the password that opens it.\n"
 *     done
 *
 * Neither side trusts the other: a worker that read a hostile file may say anything, so the
 * caller checks every length, number and text against a limit.
 *
 * The operations of each family, with their keys; a number that is not given is 0, which is "no
 * limit" unless said otherwise. Pages, frames and pictures are counted from 1; `first` and `last`
 * are both meant, and without a last it goes to the end:
 *
 *     image   info      facts width, height (as seen), frames, format, alpha, bits
 *                       Decodes all of the picture: what is cut off or broken fails.
 *             convert   types (what may come out: "image/png,image/jpeg"), max_side, max_pixels,
 *                       max_bytes, frame, crop ("x,y,w,h"): one part
 *             draw      a picture as a terminal shows it: way (png, sixel or blocks), columns and
 *                       rows (at most so many cells), cell_width and cell_height (pixels of one),
 *                       colours and ascii (of blocks), crop, frame, piece ("left,top,width,height"
 *                       in thousandths of what is drawn): one part of kind drawing with columns,
 *                       rows, width, height
 *     pdf     info      password, weigh: facts pages, encrypted, damaged, title, author; with
 *                       `weigh`, from the text of so many pages all over the document (all where it
 *                       has no more), of all its pages: letters (visible characters; 0 is a scan)
 *                       and weight (media/weight.h). A page that cannot be read may end the worker
 *                       there, after the other facts: ask without `weigh` then.
 *             text      first, last, password: a part of kind text a page, with `page`, and
 *                       `pictures` where it has any
 *             render    first, last, password, dpi, types, max_side, max_pixels, max_bytes (of one
 *                       page): a part of kind image a page, with `page`
 *             part      first, last, password: one part, a PDF of those pages, which it names
 *     office  text      first, last (slides, sheets, chapters), sheet (a name), password, pictures,
 *                       picture_bytes: a part of kind text for each, with `title`; facts pages (how
 *                       many there are), tables, pictures (of all, or of the pages that were asked
 *                       for, each counted once), pictures_given, mime (of Office Open XML, which
 *                       may have been encrypted)
 *                       With `pictures` (0: none) at most so many pictures of at most
 *                       `picture_bytes` together come as parts of kind image with `name`, `mime`
 *                       and, where there is one, `alt`: each once, after the paragraph or the row
 *                       that it stands in. The text after it goes on in a part of kind text with
 *                       goes_on=1, which begins no page. The text is the same either way: what
 *                       stands for a picture in it, [Image: NAME, "ALT"], stays. Pictures that
 *                       stand nowhere in the text (backgrounds) come last.
 *             media     first, last, name, max_bytes (of one), password: only the pictures, in the
 *                       same order; facts as those of text
 *     legacy  text      the same for doc, xls, ppt and Outlook's messages
 *             media     likewise
 *     djvu    text      first, last, pictures, picture_bytes: as office; a page without text comes
 *                       as a picture too
 *             media     first, last: pages as pictures
 *     postscript part   one part of kind file: a PDF, or the preview that the file carries
 *     archive list      member, password: one part. Of kind text it is a list, of all that is in
 *                       the archive or in the folder that `member` names; of kind file it is that
 *                       member, or what is packed alone, with its bytes. Facts files,
 *                       unpacked_bytes
 *     av      info      facts duration_ms, container, audio ("mp3 44100 Hz 2 ch"), video ("h264
 *                       1280x720 25 fps"), width, height, sound (1 or 0: has it a track of sound?),
 *                       tag.NAME
 *             frames    count, start_ms, end_ms, max_side, max_bytes, types: parts of kind image
 *                       with time_ms; fact sound
 *             sound     mime (audio/wav or audio/mpeg), max_bytes, start_ms, end_ms: one part
 *     ocr     text      languages: one part of kind text, with `confidence` (0 to 100)
 *
 *     (any)   check     facts layers, what of the sandbox is in force ("limits, namespaces,
 *                       Landlock, seccomp"), and missing, what it lacks
 *
 * A worker's first word is READY, or FAIL where it cannot work. One whose sandbox is not whole, and
 * that was not started with the argument RF_WORKER_REDUCED, says those two facts and fails with the
 * code "sandbox". After READY that code is not believed: then it may be the file that speaks.
 *
 * `mime` in an ask is what the caller knows the file to be; a worker may tell the format itself.
 * The pool puts two lines of its own first: `size`, the bytes of the file (a memory file may be
 * longer), and `max_answer`, how many bytes may come back.
 */
#ifndef RF_MEDIA_PROTOCOL_H
#define RF_MEDIA_PROTOCOL_H

#include <stdint.h>

enum rf_frame_kind {
    RF_FRAME_ASK = 1,
    RF_FRAME_READY, /* it is confined, and has seen no file yet */
    RF_FRAME_FACT,
    RF_FRAME_PART,
    RF_FRAME_TEXT,
    RF_FRAME_BYTES,
    RF_FRAME_NOTE,
    RF_FRAME_STEP,
    RF_FRAME_FAIL,
    RF_FRAME_DONE,
};

struct rf_frame_head {
    uint32_t kind, length;
};

#define RF_MAX_FRAME_LENGTH (1u << 20)
#define RF_MAX_ASK_LENGTH (1u << 16)
#define RF_MAX_WORKER_INPUT ((uint64_t)4 << 30)                     /* bytes of one file */
#define RF_WORKER_WANTS_PASSWORD "Give the password that opens it." /* a hint with RF_EENCRYPTED */
#define RF_WORKER_SANDBOX_REFUSED 71 /* exit status: the system refused what every Linux has */
#define RF_WORKER_REDUCED "reduced"  /* the argument that permits a sandbox with less */
#define RF_WORKER_SOCKET 3           /* the descriptor that a worker finds its end of the pair at */

#endif
