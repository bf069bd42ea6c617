#include "made.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <refract/content.h>
#include <refract/json.h>

#include "report.h"
#include "text.h"
#include "whole_file.h"

#define MOST_NUMBER 100000
#define MOST_CHANGED 10  /* that are named in a line */
#define USUAL_RATE 24000 /* samples a second, where a type does not say */
#define WAV_HEADER 44

bool rf_made_is(const struct rf_block *b)
{
    enum rf_block_type type = rf_block_type_of(b);
    return type == RF_BLOCK_IMAGE || type == RF_BLOCK_AUDIO || type == RF_BLOCK_VIDEO ||
           type == RF_BLOCK_DOCUMENT;
}

/* What it is called: by its type, or by how it begins. */
static const struct {
    const char *type, *begins, *ending;
} endings[] = {
    { "image/png", "\x89PNG", "png" },
    { "image/jpeg", "\xff\xd8", "jpg" },
    { "image/webp", NULL, "webp" },
    { "image/gif", "GIF8", "gif" },
    { "audio/wav", "RIFF", "wav" },
    { "audio/x-wav", NULL, "wav" },
    { "audio/mpeg", "ID3", "mp3" },
    { "audio/mp3", NULL, "mp3" },
    { "audio/ogg", "OggS", "ogg" },
    { "audio/opus", NULL, "ogg" },
    { "audio/flac", "fLaC", "flac" },
    { "audio/aac", NULL, "aac" },
    { "video/mp4", NULL, "mp4" },
    { "application/pdf", "%PDF", "pdf" },
    { "text/plain", NULL, "txt" },
    { "text/markdown", NULL, "md" },
    { "text/html", NULL, "html" },
    { "text/csv", NULL, "csv" },
    { "application/json", NULL, "json" },
    { "image/svg+xml", NULL, "svg" },
    { "application/gzip", "\x1f\x8b", "gz" },
    { "application/zip", "PK\x03\x04", "zip" },
};

static bool is_type(struct rf_str s, const char *type)
{
    size_t n = strlen(type);
    return s.n >= n && strncasecmp(s.p, type, n) == 0 && (s.n == n || s.p[n] == ';');
}

static const char *ending_of(struct rf_str type, struct rf_str bytes)
{
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (is_type(type, endings[i].type))
            return endings[i].ending;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t n = endings[i].begins ? strlen(endings[i].begins) : 0;
        if (n && bytes.n >= n && memcmp(bytes.p, endings[i].begins, n) == 0)
            return endings[i].ending;
    }
    return "bin";
}

/* Bytes */

static int digit_of(char c)
{
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+' || c == '-' ? 62
           : c == '/' || c == '_' ? 63
                                  : -1;
}

/* False where it is not base64. */
static bool decode(struct rf_str text, struct rf_buffer *out)
{
    unsigned bits = 0, held = 0;
    while (text.n && text.p[text.n - 1] == '=')
        text.n--;
    for (size_t i = 0; i < text.n; i++) {
        int digit = digit_of(text.p[i]);
        if (digit < 0)
            return false;
        bits = (bits << 6 | (unsigned)digit) & 0xffff;
        held += 6;
        if (held < 8)
            continue;
        held -= 8;
        rf_buffer_add(out, &(unsigned char){ (unsigned char)(bits >> held) }, 1);
    }
    return text.n % 4 != 1;
}

static bool is_samples(struct rf_str type)
{
    return is_type(type, "audio/L16") || is_type(type, "audio/pcm") || is_type(type, "audio/pcm16");
}

static void put(unsigned char *at, size_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        at[i] = (unsigned char)(value >> (8 * i));
}

/* One channel of 16 bits, the lower ones first, as those who make them send them. */
static void add_wav_header(struct rf_buffer *out, struct rf_str type, size_t samples)
{
    unsigned char h[WAV_HEADER] = "RIFF....WAVEfmt ....................data";
    char *words = rf_text_copy(type), *at = strcasestr(words, "rate=");
    size_t rate = at ? strtoul(at + 5, NULL, 10) : 0;
    rate = rate ? rate : USUAL_RATE;
    free(words);
    put(h + 4, samples + WAV_HEADER - 8, 4);
    put(h + 16, 16, 4);
    put(h + 20, 1, 2);
    put(h + 22, 1, 2);
    put(h + 24, rate, 4);
    put(h + 28, rate * 2, 4);
    put(h + 32, 2, 2);
    put(h + 34, 16, 2);
    put(h + 40, samples, 4);
    rf_buffer_add(out, h, sizeof h);
}

static enum rf_code take_bytes(const struct rf_file *f, struct rf_buffer *out, struct rf_err *err)
{
    struct rf_buffer raw = { 0 };
    bool good = f->bytes.n > 0;
    if (good)
        rf_buffer_str(&raw, f->bytes);
    else
        good = f->base64.n && decode(f->base64, &raw);
    if (good && is_samples(f->media_type))
        add_wav_header(out, f->media_type, raw.n);
    if (good)
        rf_buffer_str(out, rf_buffer_view(&raw));
    rf_buffer_release(&raw);
    if (good)
        return RF_OK;
    rf_say(err, RF_EPROVIDER, "a file that was made for you cannot be read: it is not base64");
    return RF_EPROVIDER;
}

/* Names */

static enum rf_code save(struct rf_made *m, struct rf_str bytes, const char *ending,
                         const char *session, struct rf_buffer *path, struct rf_err *err)
{
    while (m->last < MOST_NUMBER) {
        rf_buffer_reset(path);
        rf_buffer_print(path, "%s/refract-%s%s%u.%s", m->folder ? m->folder : ".",
                        session ? session : "", session ? "-" : "", ++m->last, ending);
        rf_buffer_add(path, "", 1);
        enum rf_code rc = rf_whole_file_write(path->p, bytes, RF_WHOLE_FILE_NEW, err);
        if (!rc || errno != EEXIST)
            return rc;
    }
    return RF_EIO; /* `err` says of the last one that it is there */
}

enum rf_code rf_made_take(struct rf_made *m, const struct rf_block *b, const char *session,
                          struct rf_made_file *out, struct rf_err *err)
{
    struct rf_file f = { .size = sizeof f };
    struct rf_buffer bytes = { 0 };
    *out = (struct rf_made_file){ .kind = rf_block_type_name(rf_block_type_of(b)) };
    enum rf_code rc = rf_block_file(b, &f, err);
    if (rc)
        return rc;
    struct rf_str type = is_samples(f.media_type) ? rf_text("audio/wav") : f.media_type;
    snprintf(out->media_type, sizeof out->media_type, "%.*s", RF_FMT(type));
    if (f.url.n) {
        out->is_elsewhere = true;
        rf_buffer_str(&out->path, f.url);
        rf_buffer_add(&out->path, "", 1);
        return RF_OK;
    }
    rc = take_bytes(&f, &bytes, err);
    if (!rc) {
        const char *ending = ending_of(type, rf_buffer_view(&bytes));
        out->bytes = bytes.n;
        rc = save(m, rf_buffer_view(&bytes), ending, session, &out->path, err);
    }
    rf_buffer_release(&bytes);
    if (rc)
        rf_made_file_release(out);
    return rc;
}

void rf_made_line(const struct rf_made_file *f, struct rf_buffer *out)
{
    char size[RF_SHORT_TEXT];
    rf_buffer_print(out, "* %s: %s", f->path.p, f->kind);
    if (!f->is_elsewhere)
        rf_buffer_print(out, ", %s", rf_size_text((int64_t)f->bytes, size));
    if (f->tool[0])
        rf_buffer_print(out, ", for you from %s", f->tool);
    else
        rf_buffer_text(out, ", made by the model");
}

static void print_member(FILE *out, const char *name, const char *value)
{
    fprintf(out, ",\"%s\":", name);
    rf_print_json(out, rf_text(value));
}

void rf_made_json(FILE *out, const struct rf_made_file *f)
{
    fprintf(out, "{\"kind\":\"%s\"", f->kind);
    print_member(out, f->is_elsewhere ? "url" : "path", f->path.p);
    if (*f->media_type)
        print_member(out, "media_type", f->media_type);
    if (!f->is_elsewhere)
        fprintf(out, ",\"bytes\":%zu", f->bytes);
    if (f->tool[0])
        print_member(out, "tool", f->tool);
    fputc('}', out);
}

void rf_made_file_release(struct rf_made_file *f)
{
    rf_buffer_release(&f->path);
}

void rf_changed_line(struct rf_str paths, struct rf_str tool, struct rf_buffer *out)
{
    struct rf_jdoc *d = NULL;
    if (rf_jdoc_read(paths, &d, NULL))
        return;
    const struct rf_jval *list = rf_jdoc_root(d);
    size_t count = rf_jval_count(list), i = 0;
    rf_buffer_text(out, "* ");
    for (const struct rf_jval *v = rf_jval_first(list); v && i < MOST_CHANGED;
         v = rf_jval_next(list, v)) {
        rf_buffer_text(out, i++ ? ", " : "");
        rf_buffer_str(out, rf_jdoc_text(d, v));
    }
    if (count > i)
        rf_buffer_print(out, " and %zu more", count - i);
    rf_buffer_print(out, ": changed by %.*s", RF_FMT(tool));
    rf_jdoc_free(d);
}
