/* Probing what a model sees. One question is one conversation: a tool returned a file, or a
 * person gave it, and the model is asked for the code in it. */
#include "agent/probe_files.h"
#include "agent/turn/transport.h"
#include "base/arena.h"
#include "base/base64.h"
#include "base/buf.h"
#include "base/json_write.h"
#include "base/utf8.h"
#include "config/learned.h"
#include "model/facts.h"
#include "request/request.h"
#include "wire/wire.h"

#include <refract/probe.h>
#include <refract/reply.h>

#include <string.h>

#define MOST_SAID 200 /* bytes of an answer that are told and kept */

static const struct {
    enum rf_kind kind;
    const char *block, *mime, *takes, *inside;
    struct rf_str (*make)(const char *code, struct rf_arena *a);
    const char *question;
    bool certain; /* who sees it can tell the code: an answer without it proves something */
} probes[] = {
    { RF_KIND_IMAGE, "image", "image/png", "vision", "image_inside", rf_probing_picture,
      "What code is in the picture?", true },
    { RF_KIND_PDF, "document", "application/pdf", "native_pdf", "pdf_inside", rf_probing_pdf,
      "What code is on the page of the document?", true },
    { RF_KIND_AUDIO, "audio", "audio/wav", "audio_input", "audio_inside", rf_probing_sound,
      "What code do the telephone tones (DTMF) in the sound spell?", false },
};

enum place {
    RESULT,  /* a tool returns it: inside the result, where that is taken */
    AFTER,   /* a tool returns it: in a user message after the results */
    MESSAGE, /* a person gives it */
};

static const char *const place_names[] = {
    [RESULT] = "inside a tool result",
    [AFTER] = "after tool results",
    [MESSAGE] = "in a user message",
};

struct probe {
    const struct rf_config *config;
    struct rf_model *model; /* that learns */
    struct rf_model *asked; /* that is asked: for its requests nothing counts as unseen */
    struct rf_transport *transport;
    struct rf_arena *arena; /* of one question */
    bool seen;              /* somewhere, this kind */
    bool (*found)(void *ctx, const struct rf_probed *p);
    void *ctx;
};

const char *rf_sight_name(enum rf_sight s)
{
    static const char *const names[] = {
        [RF_SIGHT_SEEN] = "seen",
        [RF_SIGHT_UNSEEN] = "unseen",
        [RF_SIGHT_REFUSED] = "refused",
        [RF_SIGHT_NOT_TAKEN] = "not taken",
    };
    return names[s];
}

/* The conversation */

static void write_file(struct rf_json *w, size_t which, const struct rf_bytes *bytes)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", rf_str(probes[which].block));
    rf_json_str(w, "media_type", rf_str(probes[which].mime));
    rf_json_base64(w, "data", bytes);
    rf_json_end(w);
}

static void write_text(struct rf_json *w, size_t which)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("text"));
    rf_json_str(w, "text", rf_str(probes[which].question));
    rf_json_end(w);
}

static void write_instructions(struct rf_json *w)
{
    rf_json_int(w, "refract", 1);
    rf_json_str(w, "system",
                RF_STR("You are asked for a code that is six digits long. Answer with its digits "
                       "alone, and with NONE where you cannot perceive it. Never guess."));
}

static void write_tool(struct rf_json *w)
{
    rf_json_arr(w, "tools");
    rf_json_obj(w, NULL);
    rf_json_str(w, "name", RF_STR("get_code"));
    rf_json_str(w, "description", RF_STR("Get the file that shows the code."));
    rf_json_raw(w, "input_schema", RF_STR("{\"type\":\"object\",\"properties\":{}}"));
    rf_json_end(w);
    rf_json_end(w);
}

static void write_call(struct rf_json *w)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "role", RF_STR("assistant"));
    rf_json_raw(w, "content",
                RF_STR("[{\"type\":\"tool_call\",\"id\":\"probe0001\",\"name\":\"get_code\","
                       "\"arguments\":{}}]"));
    rf_json_end(w);
}

static void write_result(struct rf_json *w, size_t which, const struct rf_bytes *bytes)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "role", RF_STR("tool"));
    rf_json_str(w, "tool_call_id", RF_STR("probe0001"));
    rf_json_str(w, "name", RF_STR("get_code"));
    rf_json_bool(w, "success", true);
    rf_json_str(w, "output", RF_STR("Here is the file."));
    rf_json_arr(w, "content_blocks");
    write_file(w, which, bytes);
    rf_json_end(w);
    rf_json_end(w);
}

static struct rf_str write_conversation(struct probe *p, size_t which, enum place place,
                                        struct rf_str bytes)
{
    struct rf_bytes data = rf_bytes_memory(bytes);
    struct rf_rope rope;
    struct rf_json *w = RF_NEW(p->arena, struct rf_json);
    struct rf_str text;
    rf_rope_init(&rope, p->arena);
    rf_json_init(w, &rope);
    rf_json_obj(w, NULL);
    write_instructions(w);
    if (place != MESSAGE)
        write_tool(w);
    rf_json_arr(w, "messages");
    rf_json_obj(w, NULL);
    rf_json_str(w, "role", RF_STR("user"));
    rf_json_arr(w, "content");
    if (place == MESSAGE)
        write_file(w, which, &data);
    write_text(w, which);
    rf_json_end(w);
    rf_json_end(w);
    if (place != MESSAGE) {
        write_call(w);
        write_result(w, which, &data);
    }
    rf_json_end(w);
    rf_json_end(w);
    if (rf_json_finish(w, NULL) || rf_rope_flatten(&rope, SIZE_MAX, p->arena, &text, NULL))
        RF_BUG("a conversation in memory could not be written");
    return text;
}

/* Asking */

static bool take_bytes(void *ctx, struct rf_str bytes)
{
    return rf_decode_feed(ctx, bytes, NULL) == RF_OK;
}

/* All that a reply says, in one piece. */
static struct rf_str said_in(const struct rf_message *m, struct rf_arena *a)
{
    struct rf_buf b;
    struct rf_str text;
    rf_buf_init(&b, a, SIZE_MAX);
    for (size_t i = 0; i < m->block_count; i++)
        rf_buf_add(&b, m->blocks[i].text);
    return rf_buf_finish(&b, &text, NULL) ? RF_STR("") : text;
}

/* Do the digits of the code stand in the text, whatever a model puts between them? One that was
 * misread is not a blindness, and a guess does not come near. */
static bool holds_code(struct rf_str text, const char *code)
{
    char last[RF_PROBE_DIGITS] = { 0 };
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        size_t same = 0;
        if (c == ' ' || c == '-' || c == '*' || c == ',')
            continue;
        memmove(last, last + 1, sizeof last - 1);
        last[sizeof last - 1] = c;
        for (size_t k = 0; k < sizeof last; k++)
            same += last[k] == code[k];
        if (same >= RF_PROBE_DIGITS - 1)
            return true;
    }
    return false;
}

static bool is_about_file(enum rf_error_kind kind)
{
    return kind == RF_ERROR_BAD_MEDIA || kind == RF_ERROR_UNSUPPORTED;
}

static enum rf_code fail_asking(const struct probe *p, const struct rf_refusal *r,
                                struct rf_err *err)
{
    enum rf_code code = r->kind == RF_ERROR_AUTHENTICATION ? RF_ECONFIG : RF_EPROVIDER;
    rf_fail(err, code, "%.*s refused the probe (%d): %.*s", RF_FMT(p->model->provider), r->status,
            RF_FMT(r->words));
    rf_hint(err, "Ask it something simple: that shows whether it can be asked at all.");
    return code;
}

struct asked {
    enum rf_sight sight;
    struct rf_str said;
    bool about_file; /* REFUSED: for what it is */
};

static enum rf_code send(struct probe *p, const struct rf_request *request, const char *code,
                         struct asked *out, struct rf_err *err)
{
    struct rf_decode *decode = rf_decode_new(p->asked, false, p->arena);
    struct rf_secrets secrets;
    struct rf_sending s = {
        .config = p->config,
        .model = p->asked,
        .body = &request->body,
        .keeps_tokens = true, /* as what is found out is */
        .cancel_fd = -1,
        .bytes = take_bytes,
        .refusal = rf_wire_refusal,
        .ctx = decode,
        .secrets = &secrets,
    };
    struct rf_sent sent = { 0 };
    struct rf_message reply;
    rf_endpoint_secrets(NULL, p->arena, &secrets);
    rf_decode_redact(decode, &secrets);
    enum rf_code rc = rf_transport_send(p->transport, &s, p->arena, &sent, err);
    if (!rc && sent.status != 200) {
        out->sight = RF_SIGHT_REFUSED;
        out->said = sent.refusal.words;
        out->about_file = is_about_file(sent.refusal.kind);
        if (sent.status != 400 && sent.status != 415 && sent.status != 422 && !out->about_file)
            rc = fail_asking(p, &sent.refusal, err);
    } else if (!rc) {
        rc = rf_decode_message(decode, &reply, err);
        out->said = rc ? RF_STR("") : said_in(&reply, p->arena);
        out->sight = holds_code(out->said, code) ? RF_SIGHT_SEEN : RF_SIGHT_UNSEEN;
    }
    rf_decode_free(decode);
    return rc;
}

/* Does the request hold the file itself, in this place? */
static bool is_placed(const struct rf_request *r, enum place place)
{
    enum rf_delivery want = place == AFTER ? RF_DELIVERY_FALLBACK : RF_DELIVERY_NATIVE;
    return rf_report_count(r) == 1 && rf_report_delivery(r, 0) == want;
}

static enum rf_code ask(struct probe *p, size_t which, enum place place, struct asked *out,
                        struct rf_err *err)
{
    char code[RF_PROBE_DIGITS + 1];
    struct rf_conversation *c = NULL;
    struct rf_request *request = NULL;
    rf_probing_code(code);
    struct rf_str text = write_conversation(p, which, place, probes[which].make(code, p->arena));
    struct rf_request_options *o = rf_request_options_new();
    rf_request_options_as_is(o);
    *out = (struct asked){ .sight = RF_SIGHT_NOT_TAKEN, .said = RF_STR("") };
    enum rf_code rc = rf_conversation_read(text, &c, err);
    if (!rc)
        rc = rf_request_build(c, p->asked, o, &request, err);
    if (!rc && is_placed(request, place))
        rc = send(p, request, code, out, err);
    rf_request_options_free(o);
    rf_request_free(request);
    rf_conversation_free(c);
    return rc;
}

/* Learning */

static struct rf_str teach(struct probe *p, const char *fact, struct rf_str value,
                           struct rf_str words)
{
    struct rf_learned_fact f = {
        .provider = p->model->provider,
        .model = p->model->name,
        .fact = rf_str(fact),
        .value = value,
        .date = rf_learned_today(p->model->arena),
        .words = rf_learned_quote(words, p->model->arena),
        .address = p->model->address,
    };
    if (rf_model_teach(p->model, f.fact, rf_str_dup(p->model->arena, value), f.date, f.words, NULL))
        RF_BUG("a probe taught what is not a fact");
    if (p->config && rf_learned_keep(p->config, &f, p->model, NULL))
        return rf_strf(p->arena, "%s: %.*s, which could not be kept", fact, RF_FMT(value));
    return rf_strf(p->arena, "%s: %.*s", fact, RF_FMT(value));
}

/* The kinds that are accepted inside a result and not seen, with or without this one. */
static struct rf_str unseen_kinds(const struct probe *p, enum rf_kind kind, bool unseen)
{
    unsigned kinds = p->model->caps.unseen_inside & ~(1u << kind);
    struct rf_buf b;
    struct rf_str value;
    kinds |= unseen ? 1u << kind : 0;
    rf_buf_init(&b, p->arena, SIZE_MAX);
    for (unsigned k = 0; k < RF_KIND_COUNT; k++)
        if (kinds & 1u << k)
            rf_buf_addf(&b, "%s%s", b.n ? "," : "", rf_kind_name((enum rf_kind)k));
    if (!b.n)
        rf_buf_addc(&b, '-');
    return rf_buf_finish(&b, &value, NULL) ? RF_STR("-") : value;
}

static struct rf_str learn(struct probe *p, size_t which, enum place place, const struct asked *a)
{
    bool seen = a->sight == RF_SIGHT_SEEN;
    struct rf_str said = rf_utf8_cut(a->said, MOST_SAID);
    struct rf_str words = rf_strf(p->arena, "probe, %s %s: %.*s", probes[which].mime,
                                  place_names[place], RF_FMT(said));
    if (a->sight == RF_SIGHT_NOT_TAKEN || (!seen && !probes[which].certain))
        return RF_STR("");
    if (a->sight == RF_SIGHT_REFUSED && !a->about_file)
        return RF_STR("");
    if (place == RESULT && a->sight == RF_SIGHT_REFUSED)
        return teach(p, probes[which].inside, RF_STR("-"), words);
    unsigned known = p->model->caps.unseen_inside, bit = 1u << probes[which].kind;
    if (place == RESULT && seen && known && !(known & bit))
        return RF_STR(""); /* what was learned of others keeps its words */
    if (place == RESULT)
        return teach(p, "unseen_inside", unseen_kinds(p, probes[which].kind, !seen), words);
    if (place == AFTER || (p->seen && !seen))
        return RF_STR("");
    return teach(p, probes[which].takes, seen ? RF_STR("yes") : RF_STR("no"), words);
}

/* Probing */

static enum rf_code try_place(struct probe *p, size_t which, enum place place, struct asked *out,
                              struct rf_err *err)
{
    enum rf_code rc = ask(p, which, place, out, err);
    if (rc)
        return rc;
    p->seen = p->seen || out->sight == RF_SIGHT_SEEN;
    struct rf_probed told = {
        .kind = rf_kind_name(probes[which].kind),
        .place = place_names[place],
        .sight = out->sight,
        .said = rf_utf8_cut(out->said, MOST_SAID),
        .learned = learn(p, which, place, out),
    };
    if (!p->found(p->ctx, &told))
        return rf_fail(err, RF_EINTERRUPTED, "the probe was stopped");
    return RF_OK;
}

/* What an earlier probe found is asked again. */
static void forget(struct rf_model *m)
{
    for (size_t i = 0; i < sizeof probes / sizeof *probes; i++) {
        const struct rf_fact *f = rf_fact_find(rf_str(probes[i].takes));
        if (m->sources[f - rf_facts] == RF_FACT_LEARNED)
            m->caps.takes[probes[i].kind] = true;
    }
    m->caps.unseen_inside = 0;
}

/* After the results is asked about where inside them is not the place. */
static enum rf_code probe_kind(struct probe *p, size_t which, struct rf_err *err)
{
    struct asked inside, other;
    struct rf_str list = p->asked->caps.inside[probes[which].kind];
    rf_arena_reset(p->arena);
    p->seen = false;
    enum rf_code rc = try_place(p, which, RESULT, &inside, err);
    if (!rc && inside.sight != RF_SIGHT_SEEN) {
        p->asked->caps.inside[probes[which].kind] = RF_STR("");
        rc = try_place(p, which, AFTER, &other, err);
        p->asked->caps.inside[probes[which].kind] = list;
    }
    return rc ? rc : try_place(p, which, MESSAGE, &other, err);
}

enum rf_code rf_model_probe(const struct rf_config *config, const char *model,
                            struct rf_offline offline,
                            bool (*found)(void *ctx, const struct rf_probed *p), void *ctx,
                            struct rf_err *err)
{
    struct probe p = { .config = config, .found = found, .ctx = ctx };
    enum rf_code rc = rf_model_open(config, model, &p.model, err);
    if (!rc)
        rc = rf_model_open(config, model, &p.asked, err);
    if (!rc)
        forget(p.asked);
    p.arena = rf_arena_new();
    p.transport = rf_transport_new();
    p.transport->offline = offline;
    for (size_t i = 0; !rc && i < sizeof probes / sizeof *probes; i++)
        rc = probe_kind(&p, i, err);
    rf_transport_free(p.transport);
    rf_arena_free(p.arena);
    rf_model_close(p.asked);
    rf_model_close(p.model);
    return rc;
}
