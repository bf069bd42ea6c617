#include "plan/words.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/num.h"
#include "content/unforged.h"
#include "plan/account.h"
#include "plan/pieces.h"
#include "plan/question.h"
#include "source/lift.h"

#define SHOWN_AT " pixels, shown at "
#define SAID_LOOK ((size_t)16384) /* bytes of an output in which a file's words are looked for */

/* 24312 as "24,312". */
static void add_number(struct rf_buf *b, uint64_t n)
{
    rf_buf_add(b, rf_with_commas(n, b->arena));
}

static void add_name(struct rf_buf *b, const struct rf_asset *asset)
{
    if (asset->name.n)
        rf_buf_add(b, RF_JOINED(b->arena, RF_STR("\""), asset->name, RF_STR("\"")));
}

/* Who reads it. */
static const char *reader(const struct rf_model *m)
{
    return rf_model_is_host(m) ? "host" : "model";
}

static struct rf_str finish(struct rf_buf *b)
{
    struct rf_str out;
    if (rf_buf_finish(b, &out, NULL))
        RF_BUG("a note is longer than its parts");
    return out;
}

struct rf_str rf_words_of_file(struct rf_str text, const struct rf_asset *asset, struct rf_arena *a)
{
    text = rf_lift_away(text, a);
    return asset->kind == RF_KIND_TEXT ? text : rf_unforged(text, a);
}

struct rf_str rf_words_reference(const struct rf_asset *asset, struct rf_arena *a)
{
    return RF_JOINED(a, RF_STR("See file "), asset->id, RF_STR("."));
}

struct rf_str rf_words_introduction(const struct rf_asset *asset, struct rf_str tool,
                                    struct rf_str call, struct rf_arena *a)
{
    bool named = asset->name.n > 0;
    return RF_JOINED(a, RF_STR("["), tool, RF_STR(" "), rf_clean_name(call, a),
                     named ? RF_STR(": \"") : RF_STR(""), asset->name,
                     named ? RF_STR("\"") : RF_STR(""), RF_STR("] This is file "), asset->id,
                     RF_STR(":"));
}

/* Cut `s` at the first `mark`: what stands before it, and what after. */
static bool cut_at(struct rf_str s, const char *mark, struct rf_str *before, struct rf_str *after)
{
    size_t n = strlen(mark);
    const char *at = s.n ? memmem(s.p, s.n, mark, n) : NULL;
    if (!at)
        return false;
    *before = (struct rf_str){ s.p, (size_t)(at - s.p) };
    *after = (struct rf_str){ at + n, s.n - before->n - n };
    return true;
}

bool rf_words_read_introduction(struct rf_str text, struct rf_str *call, struct rf_str *name,
                                struct rf_str *id)
{
    struct rf_str head, tool, quoted;
    if (!rf_str_starts(text, "[") || !rf_str_ends(text, ":") ||
        !cut_at(text, "] This is file ", &head, id) || !cut_at(head, " ", &tool, call))
        return false;
    id->n--;
    *name = RF_STR("");
    if (cut_at(*call, ": \"", call, &quoted) && rf_str_ends(quoted, "\""))
        *name = (struct rf_str){ quoted.p, quoted.n - 1 };
    return id->n > 0 && !memchr(id->p, ' ', id->n);
}

/* 65000 as "1:05". */
static void add_time(struct rf_buf *b, int64_t ms)
{
    int64_t s = ms / 1000;
    if (s >= 3600)
        rf_buf_addf(b, "%lld:%02lld:%02lld", (long long)(s / 3600), (long long)(s / 60 % 60),
                    (long long)(s % 60));
    else
        rf_buf_addf(b, "%lld:%02lld", (long long)(s / 60), (long long)(s % 60));
}

static void add_of(struct rf_buf *b, const struct rf_asset *asset)
{
    if (!asset->name.n)
        return;
    rf_buf_addf(b, " of ");
    add_name(b, asset);
}

static void add_size_seen(struct rf_buf *b, const struct rf_decision *d)
{
    const struct rf_facts *was = &d->part->asset->facts, *is = &d->made->parts[0].asset.facts;
    if (was->width == is->width && was->height == is->height)
        return;
    rf_buf_addf(b, "[");
    add_name(b, d->part->asset);
    rf_buf_addf(b, "%s%u x %u" SHOWN_AT "%u x %u]", d->part->asset->name.n ? ": " : "", was->width,
                was->height, is->width, is->height);
}

static int64_t pages_of(const struct rf_decision *d)
{
    return d->made->pages ? d->made->pages : d->part->asset->block->media.page_count;
}

/* A document of some of its pages: which ones. */
static void add_pages_sent(struct rf_buf *b, const struct rf_decision *d,
                           const struct rf_made_part *p)
{
    int64_t first = p->pages.first, last = p->pages.last;
    if (!last || (first == 1 && last == pages_of(d)))
        return;
    rf_buf_addf(b, "[Page%s %lld", first == last ? "" : "s", (long long)first);
    if (first < last)
        rf_buf_addf(b, "-%lld", (long long)last);
    if (pages_of(d))
        rf_buf_addf(b, " of %lld", (long long)pages_of(d));
    add_of(b, d->part->asset);
    rf_buf_addf(b, "]");
}

/* Several frames a second: their times need tenths. */
static bool are_close(const struct rf_made *made)
{
    return made->count > 1 && made->parts[1].time_ms - made->parts[0].time_ms < 1000;
}

struct rf_str rf_words_caption(const struct rf_decision *d, size_t part, struct rf_arena *a)
{
    const struct rf_made_part *p = &d->made->parts[part];
    struct rf_buf b;
    rf_buf_init(&b, a, SIZE_MAX);
    if (d->recipe.make == RF_MAKE_PAGE_PICTURES) {
        rf_buf_addf(&b, "[Page %lld", (long long)p->pages.first);
        if (d->made->pages)
            rf_buf_addf(&b, " of %lld", (long long)d->made->pages);
        add_of(&b, d->part->asset);
        rf_buf_addf(&b, " as a picture]");
    } else if (d->part->asset->kind == RF_KIND_VIDEO) {
        rf_buf_addf(&b, "[Frame at ");
        add_time(&b, p->time_ms);
        if (are_close(d->made))
            rf_buf_addf(&b, ".%lld", (long long)(p->time_ms / 100 % 10));
        add_of(&b, d->part->asset);
        rf_buf_addf(&b, "]");
    } else if (d->part->asset->kind == RF_KIND_IMAGE) {
        add_size_seen(&b, d);
    } else if (d->part->asset->kind == RF_KIND_PDF) {
        add_pages_sent(&b, d, p);
    }
    return finish(&b);
}

/* What the tool said already is not said twice. A long output is not searched to its end for each
 * of its files. */
static bool is_said(const struct rf_message *m, struct rf_str words)
{
    struct rf_str front = { m->output.p, m->output.n < SAID_LOOK ? m->output.n : SAID_LOOK };
    return rf_str_contains(front, words);
}

static bool is_only_picture(const struct rf_surveyed *m)
{
    size_t count = 0;
    for (size_t i = 0; i < m->count; i++)
        count += m->parts[i].kind == RF_PART_MEDIA && m->parts[i].asset->kind == RF_KIND_IMAGE;
    return count == 1;
}

struct rf_str rf_words_own(const struct rf_decision *d, struct rf_arena *a)
{
    const struct rf_asset *f = d->part->asset;
    struct rf_str fallback = f->block->text_fallback;
    if (f->kind != RF_KIND_IMAGE)
        return RF_STR("");
    if (rf_str_blank(fallback))
        return f->name.n ? rf_strf(a, "[Image: %.*s]", RF_FMT(f->name)) : RF_STR("[Image]");
    if (is_only_picture(d->message) && is_said(d->message->message, fallback))
        return RF_STR("");
    return rf_lift_away(fallback, a); /* it must not smuggle the file in as text */
}

struct rf_str rf_words_shown(struct rf_str caption, const struct rf_asset *sent, size_t number,
                             size_t same, struct rf_arena *a)
{
    struct rf_buf b;
    bool framed = rf_str_ends(caption, "]");
    rf_buf_init(&b, a, SIZE_MAX);
    rf_buf_addf(&b, "%.*s%s", (int)(caption.n - framed), caption.p, framed ? "; " : " [");
    if (same) {
        rf_buf_addf(&b, "the same picture as no. %zu above]", same);
        return finish(&b);
    }
    rf_buf_addf(&b, "no. %zu, ", number);
    if (!rf_str_contains(caption, RF_STR(SHOWN_AT)))
        rf_buf_addf(&b, "%u x %u pixels, ", sent->facts.width, sent->facts.height);
    add_number(&b, sent->bytes.size);
    rf_buf_addf(&b, " bytes]");
    return finish(&b);
}

struct rf_str rf_words_said(const struct rf_decision *d, struct rf_arena *a)
{
    struct rf_buf b;
    if (!d->said.n)
        return RF_STR("");
    rf_buf_init(&b, a, SIZE_MAX);
    rf_buf_addf(&b, "[Transcript");
    add_of(&b, d->part->asset);
    rf_buf_addf(&b, " by %.*s]\n", RF_FMT(rf_words_command(d->also.command)));
    rf_buf_add(&b, rf_words_of_file(d->said, d->part->asset, a));
    return finish(&b);
}

/* Where to read on after the last page that was sent: counted from 0, as the reading tool does. */
static int64_t next_page(const struct rf_decision *d)
{
    const struct rf_made *made = d->made;
    const struct rf_made_part *part = made && made->count ? &made->parts[made->count - 1] : NULL;
    const struct rf_media *m = &d->part->asset->block->media;
    int64_t last = part ? part->pages.last : 0;
    int64_t end = m->pages.last ? m->pages.last : pages_of(d);
    return last && last < end && last < pages_of(d) ? last : 0;
}

struct rf_str rf_words_picture(const struct rf_decision *d, const struct rf_asset *document,
                               struct rf_arena *a)
{
    struct rf_buf b;
    rf_buf_init(&b, a, SIZE_MAX);
    rf_buf_addf(&b, "[Picture ");
    add_name(&b, d->part->asset);
    add_of(&b, document);
    rf_buf_addf(&b, "]");
    return finish(&b);
}

/* ": pages 7-47 (max_images: 6). More can be read from page_start=6 on." */
static void add_left_out(struct rf_buf *b, const struct rf_decision *d)
{
    rf_buf_addf(b, ": %.*s", RF_FMT(rf_account_lost(d, b->arena)));
    if (d->limit_name)
        rf_buf_addf(b, " (%s: %lld)", d->limit_name, (long long)d->limit);
    rf_buf_addf(b, ".");
    if (next_page(d))
        rf_buf_addf(b, " More can be read from page_start=%lld on.", (long long)next_page(d));
}

struct rf_str rf_words_left_out(const struct rf_decision *d, struct rf_arena *a)
{
    struct rf_buf b;
    if (!d->lost_count)
        return RF_STR("");
    rf_buf_init(&b, a, SIZE_MAX);
    rf_buf_addf(&b, "[Not sent");
    add_of(&b, d->part->asset);
    add_left_out(&b, d);
    rf_buf_addf(&b, "]");
    return finish(&b);
}

/* What the path of a file may end in to show more of it; none of one that came out of another. */
static void add_closer_look(struct rf_buf *b, const struct rf_decision *d)
{
    const struct rf_asset *f = d->part->asset;
    bool shrunk = f->kind == RF_KIND_IMAGE && d->made->count &&
                  d->made->parts[0].asset.facts.width < f->facts.width;
    if (f->bytes.kind != RF_BYTES_FILE || !f->name.n)
        return;
    if (f->kind == RF_KIND_VIDEO)
        rf_buf_addf(b, " Frames of a stretch: \"%.*s#t=0-10\", in seconds.", RF_FMT(f->name));
    else if (shrunk)
        rf_buf_addf(b, " A piece in full detail: \"%.*s#xywh=0,0,800,600\", in pixels.",
                    RF_FMT(f->name));
}

struct rf_str rf_words_ahead(const struct rf_decision *d, struct rf_arena *a)
{
    const struct rf_asset *f = d->part->asset;
    struct rf_buf b;
    uint64_t sent = 0;
    for (size_t i = 0; i < d->made->count; i++)
        sent += d->made->parts[i].asset.bytes.size;
    rf_buf_init(&b, a, SIZE_MAX);
    rf_buf_addf(&b, "[");
    add_name(&b, f);
    rf_buf_addf(&b, "%s as %.*s: ", f->name.n ? " is shown" : "Shown", RF_FMT(d->as));
    add_number(&b, sent);
    rf_buf_addf(&b, " bytes; the file has ");
    add_number(&b, f->bytes.size);
    rf_buf_addf(&b, ".");
    if (d->lost_count) {
        rf_buf_addf(&b, " Not shown");
        add_left_out(&b, d);
    }
    if (f->kind == RF_KIND_VIDEO)
        rf_buf_addf(&b, " Why: %.*s.", RF_FMT(d->reason));
    add_closer_look(&b, d);
    rf_buf_addf(&b, "]");
    return finish(&b);
}

struct rf_str rf_words_along(struct rf_str text, const struct rf_decision *d, struct rf_arena *a)
{
    struct rf_buf b;
    size_t all = rf_decision_text(d).n;
    if (rf_str_blank(text))
        return RF_STR("");
    rf_buf_init(&b, a, SIZE_MAX);
    rf_buf_addf(&b, "[Its text");
    if (text.n < all) {
        rf_buf_addf(&b, ", the first ");
        add_number(&b, text.n);
        rf_buf_addf(&b, " of ");
        add_number(&b, all);
        rf_buf_addf(&b, " bytes; fewer pages at a time (page_start, page_end) show more");
    }
    rf_buf_addf(&b, ":]\n");
    rf_buf_add(&b, rf_words_of_file(text, d->part->asset, a));
    return finish(&b);
}

bool rf_words_is_caption(struct rf_str text)
{
    bool framed = rf_str_starts(text, "[") && rf_str_ends(text, "]");
    return framed && (rf_str_starts(text, "[Page ") || rf_str_starts(text, "[Pages ") ||
                      rf_str_starts(text, "[Frame at ") || rf_str_starts(text, "[Not sent") ||
                      rf_str_starts(text, "[Picture ") || rf_str_contains(text, RF_STR(SHOWN_AT)));
}

struct rf_str rf_words_heading(const struct rf_asset *asset, struct rf_arena *a)
{
    struct rf_buf b;
    rf_buf_init(&b, a, SIZE_MAX);
    rf_buf_addf(&b, "[File ");
    add_name(&b, asset);
    rf_buf_addf(&b, "%s%.*s, ", asset->name.n ? ", " : "", RF_FMT(asset->mime));
    add_number(&b, asset->bytes.size);
    rf_buf_addf(&b, " bytes]");
    return finish(&b);
}

struct rf_str rf_words_beside(const struct rf_asset *asset, struct rf_str context,
                              struct rf_arena *a)
{
    struct rf_buf b;
    rf_buf_init(&b, a, SIZE_MAX);
    rf_buf_addf(&b, asset->name.n ? "[File " : "[File");
    add_name(&b, asset);
    if (context.n)
        rf_buf_addf(&b, ": %.*s", RF_FMT(rf_unforged(rf_lift_away(context, a), a)));
    rf_buf_addf(&b, "]");
    return finish(&b);
}

/* "read_file call_1" */
static struct rf_str call_name(struct rf_str tool, struct rf_str id, struct rf_arena *a)
{
    tool = rf_clean_name(tool, a);
    id = rf_clean_name(id, a);
    return rf_strf(a, "%.*s%s%.*s", RF_FMT(tool.n ? tool : RF_STR("a tool")), id.n ? " " : "",
                   RF_FMT(id));
}

struct rf_str rf_words_orphan(const struct rf_message *m, struct rf_arena *a)
{
    return rf_strf(a, "[Result of %.*s, for which no call is open:]",
                   RF_FMT(call_name(m->name, m->tool_call_id, a)));
}

struct rf_str rf_words_result(const struct rf_message *m, struct rf_arena *a)
{
    return rf_strf(a, "[Result of %.*s:]", RF_FMT(call_name(m->name, m->tool_call_id, a)));
}

struct rf_str rf_words_call(const struct rf_tool_call *call, struct rf_arena *a)
{
    struct rf_str given =
        call->arguments ? rf_lift_away(rf_jval_compact(call->arguments, a), a) : RF_STR("{}");
    return rf_strf(a, "[Called %.*s: %.*s]", RF_FMT(call_name(call->name, call->id, a)),
                   RF_FMT(given));
}

struct rf_str rf_words_command(struct rf_str command)
{
    struct rf_str program = RF_STR("");
    rf_str_split(&command, ' ', &program);
    return rf_str_behind(program, '/');
}

bool rf_words_has_text(const struct rf_asset *asset)
{
    const struct rf_media *m = &asset->block->media;
    return !rf_str_blank(m->extracted_text) || !rf_str_blank(m->transcript);
}

/* "[File att_…: "song.mp3" (audio/mpeg, 1,234 bytes)"; a host cannot ask by an id. */
static void add_head(struct rf_buf *b, const struct rf_asset *asset, const struct rf_model *m)
{
    bool typed = asset->mime.n > 0, sized = asset->bytes.size > 0;
    if (!rf_model_is_host(m))
        rf_buf_addf(b, "[File %.*s%s", RF_FMT(asset->id), asset->name.n ? ": " : "");
    else
        rf_buf_addf(b, asset->name.n ? "[" : "[A file");
    add_name(b, asset);
    if (typed || sized) {
        rf_buf_addf(b, " (%.*s%s", RF_FMT(asset->mime), typed && sized ? ", " : "");
        if (sized)
            add_number(b, asset->bytes.size);
        rf_buf_addf(b, "%s)", sized ? " bytes" : "");
    }
}

struct rf_str rf_words_text_file(const struct rf_asset *asset, struct rf_arena *a)
{
    struct rf_buf b;
    rf_buf_init(&b, a, SIZE_MAX);
    rf_buf_add(&b, rf_words_heading(asset, a));
    rf_buf_addc(&b, '\n');
    rf_buf_add(&b, rf_lift_away(asset->text_with_files, a));
    return finish(&b);
}

/* How a host's model gets at a part of a file: by what it may write after the path, or the
 * arguments of read_file. */
static void add_ways_to_part(struct rf_buf *b, const struct rf_asset *f)
{
    static const char *const ways[RF_KIND_COUNT] = {
        [RF_KIND_IMAGE] = "#xywh=0,0,800,600 after its path reads a piece of it.",
        [RF_KIND_AUDIO] = "#t=0-60 after its path reads a stretch of it, in seconds.",
        [RF_KIND_VIDEO] = "#t=0-60 after its path reads a stretch of it, in seconds.",
        [RF_KIND_PDF] = "page_start and page_end read some of its pages.",
        [RF_KIND_OFFICE] = "page_start and page_end read some of its pages.",
        [RF_KIND_TEXT] = "offset and limit read some of its lines.",
    };
    if (ways[f->kind])
        rf_buf_addf(b, " %s", ways[f->kind]);
}

/* `text`: it follows, so that little is missing. */
static void add_what_to_do(struct rf_buf *b, const struct rf_decision *d, const struct rf_model *m,
                           bool text, struct rf_arena *a)
{
    const struct rf_asset *f = d->part->asset;
    bool host = rf_model_is_host(m);
    if (f->state == RF_ASSET_BROKEN || f->state == RF_ASSET_TOLD || f->locked || f->dropped ||
        f->withheld_count)
        return;
    if (d->limit_name && host)
        add_ways_to_part(b, f);
    else if (d->limit_name)
        rf_buf_addf(b, " A smaller version or a part of it can be sent.");
    else if (!host || !text)
        rf_buf_addf(b, " This %s %.*s.", host ? "host shows" : "model takes",
                    RF_FMT(rf_caps_words(&m->caps, a)));
    if (host && f->kind == RF_KIND_AUDIO && f->state == RF_ASSET_BYTES)
        rf_buf_addf(b,
                    " Where it can be heard all the same, read_file with as=\"audio\" gives it.");
}

/* It was sent before, and is not any more, or not all of it; or it was too much from the start. */
static void add_evicted(struct rf_buf *b, const struct rf_decision *d, const struct rf_model *m)
{
    rf_buf_addf(b, " %s%s: %.*s (%s: ",
                rf_model_is_host(m) ? "is not shown"
                : d->never_sent     ? "was not sent"
                                    : "is no longer sent",
                rf_convert_is_front(d) ? " whole" : "", RF_FMT(d->reason), d->limit_name);
    add_number(b, (uint64_t)d->limit);
    rf_buf_addf(b, "). Ask for %s if it is needed.",
                d->never_sent ? "a part of it, or for it alone," : "it again");
}

struct rf_str rf_words_silent(const struct rf_message *m, size_t bytes, const struct rf_model *to,
                              struct rf_arena *a)
{
    struct rf_str name = rf_clean_name(m->name, a);
    struct rf_buf b;
    rf_buf_init(&b, a, SIZE_MAX);
    rf_buf_addf(&b, "[What %.*s returned (", RF_FMT(name.n ? name : RF_STR("the tool")));
    add_number(&b, bytes);
    rf_buf_addf(&b,
                " bytes of text) was left out" RF_WORDS_TO_FIT
                "%s takes at once. Call the tool again if it is needed.]",
                reader(to));
    return finish(&b);
}

struct rf_str rf_words_gone(size_t messages, struct rf_arena *a)
{
    return rf_strf(a,
                   "[The first %zu messages of this conversation were left out" RF_WORDS_TO_FIT
                   "model takes at once.]",
                   messages);
}

struct rf_str rf_words_cut(size_t shown, size_t bytes, const struct rf_model *to,
                           struct rf_arena *a)
{
    struct rf_buf b;
    rf_buf_init(&b, a, SIZE_MAX);
    rf_buf_addf(&b, "[Cut" RF_WORDS_TO_FIT "%s takes at once: the first ", reader(to));
    add_number(&b, shown);
    rf_buf_addf(&b, " of ");
    add_number(&b, bytes);
    rf_buf_addf(&b, " bytes. Ask for less at a time to see the rest.]");
    return finish(&b);
}

static void add_what_follows(struct rf_buf *b, const struct rf_decision *d, struct rf_str text)
{
    if (rf_convert_is_front(d)) {
        rf_buf_addf(b, " Its first ");
        add_number(b, text.n);
        rf_buf_addf(b, " bytes follow.]\n");
        return;
    }
    if (d->part->asset->state == RF_ASSET_TOLD) {
        rf_buf_addf(b, " This is %.*s:]\n", RF_FMT(d->as));
        return;
    }
    rf_buf_addf(b, d->form == RF_FORM_RECOGNISED_TEXT ? " " RF_WORDS_RECOGNISED " It follows."
                                                      : " Its text follows.");
    bool document = d->part->asset->kind == RF_KIND_PDF || d->part->asset->kind == RF_KIND_OFFICE;
    if (document && d->lost_count)
        rf_buf_addf(b, " Not in it: %.*s.", RF_FMT(rf_account_lost(d, b->arena)));
    if (d->part->asset->kind == RF_KIND_OFFICE && d->made && d->made->pictures && d->lost_count)
        rf_buf_addf(b, " Its pictures can be read as FILE#pictures.");
    rf_buf_addf(b, "]\n");
}

/* All that stands before the text, if there is any. */
struct rf_str rf_words_before_text(const struct rf_decision *d, const struct rf_model *m,
                                   struct rf_arena *a)
{
    const struct rf_asset *asset = d->part->asset;
    const struct rf_block *block = asset->block;
    struct rf_str text = rf_decision_text(d), fallback = block->text_fallback;
    bool text_known = !rf_str_blank(text) && d->delivery == RF_DELIVERY_TEXT;
    struct rf_buf b;
    rf_buf_init(&b, a, SIZE_MAX);
    if (!rf_str_blank(fallback) && !is_said(d->message->message, fallback)) {
        rf_buf_add(&b, rf_lift_away(fallback, a)); /* it must not smuggle the file in as text */
        rf_buf_addc(&b, '\n');
    }
    add_head(&b, asset, m);
    if (d->evicted)
        add_evicted(&b, d, m);
    else
        rf_buf_addf(&b, " %s: %.*s.",
                    !rf_model_is_host(m) ? "was not sent"
                    : text_known         ? "is not shown as it is"
                                         : "is not shown",
                    RF_FMT(d->reason));
    if (!d->evicted)
        add_what_to_do(&b, d, m, text_known, a);
    if (text_known)
        add_what_follows(&b, d, text);
    else
        rf_buf_addc(&b, ']');
    return finish(&b);
}

struct rf_str rf_words_instead(const struct rf_decision *d, const struct rf_model *m,
                               struct rf_arena *a)
{
    struct rf_str before = rf_words_before_text(d, m, a), text = rf_decision_text(d);
    if (rf_str_blank(text) || d->delivery != RF_DELIVERY_TEXT)
        return before;
    return rf_str_join(a, before, rf_words_of_file(text, d->part->asset, a));
}

struct rf_str rf_words_schema(struct rf_str system, const struct rf_jval *schema,
                              struct rf_arena *a)
{
    struct rf_str text = rf_jval_compact(schema, a);
    return rf_strf(a, "%.*s%s" RF_WORDS_SCHEMA "%.*s", RF_FMT(system),
                   rf_str_blank(system) ? "" : "\n\n", RF_FMT(text));
}
