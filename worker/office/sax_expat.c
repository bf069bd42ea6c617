/* XML through expat: what is not plain UTF-8, and what has a DOCTYPE. */
#include "worker/office/sax_inner.h"

#include <expat.h>

#define PIECE (64 << 10)
#define MOST ((size_t)16 << 20) /* expat counts in int */

static const char *local_name(const char *name)
{
    const char *colon = strchr(name, ':');
    return colon ? colon + 1 : name;
}

/* Handlers may ask it to stop. */
static void stop_if_done(struct rf_sax *x)
{
    if (x->stopped || x->rc)
        XML_StopParser(x->parser, XML_FALSE);
}

static void on_start(void *data, const XML_Char *name, const XML_Char **attributes)
{
    struct rf_sax *x = data;
    x->name = name;
    x->attributes = attributes;
    rf_sax_begin(x, local_name(name), rf_sax_hash(local_name(name)));
    stop_if_done(x);
}

static void on_end(void *data, const XML_Char *name)
{
    struct rf_sax *x = data;
    x->name = name;
    x->attributes = NULL;
    rf_sax_finish(x);
    stop_if_done(x);
}

static void on_text(void *data, const XML_Char *s, int n)
{
    if (n > 0)
        rf_sax_say(data, (struct rf_str){ s, (size_t)n });
}

static void on_skipped(void *data, const XML_Char *name, int is_parameter)
{
    struct rf_sax *x = data;
    if (!is_parameter && x->grammar->entity && x->depth <= RF_SAX_MAX_DEPTH && !x->stopped)
        x->grammar->entity(x->state, rf_str(name));
}

static void on_entity(void *data, const XML_Char *name, int is_parameter, const XML_Char *value,
                      int length, const XML_Char *base, const XML_Char *system_id,
                      const XML_Char *public_id, const XML_Char *notation)
{
    struct rf_sax *x = data;
    (void)name, (void)is_parameter, (void)value, (void)length, (void)base;
    (void)system_id, (void)public_id, (void)notation;
    rf_sax_refuse(x, "the XML declares entities, which are refused");
    stop_if_done(x);
}

static void prepare(struct rf_sax *x)
{
    XML_Parser parser = XML_ParserCreate(NULL);
    if (!parser)
        RF_BUG("out of memory");
    XML_SetUserData(parser, x);
    XML_SetElementHandler(parser, on_start, on_end);
    XML_SetCharacterDataHandler(parser, on_text);
    XML_SetEntityDeclHandler(parser, on_entity);
    XML_SetSkippedEntityHandler(parser, on_skipped);
    XML_SetParamEntityParsing(parser, XML_PARAM_ENTITY_PARSING_NEVER);
    x->parser = parser;
}

/* What expat says about a failure, as a person would. */
static enum rf_code say_error(struct rf_sax *x)
{
    enum XML_Error error = XML_GetErrorCode(x->parser);
    if (x->stopped)
        return RF_OK;
    if (x->rc)
        return x->rc;
    if (error == XML_ERROR_NO_ELEMENTS || error == XML_ERROR_UNCLOSED_TOKEN)
        return rf_fail(x->err, RF_EFORMAT, "the XML is cut off");
    return rf_fail(x->err, RF_EFORMAT, "the XML is damaged in line %lu (%s)",
                   (unsigned long)XML_GetCurrentLineNumber(x->parser), XML_ErrorString(error));
}

static enum rf_code feed_bytes(struct rf_sax *x, struct rf_str bytes, bool last)
{
    bool more = true;
    while (more && !x->stopped) {
        size_t n = bytes.n < MOST ? bytes.n : MOST;
        more = n < bytes.n;
        if (XML_Parse(x->parser, bytes.p, (int)n, last && !more) != XML_STATUS_OK)
            return say_error(x);
        bytes = (struct rf_str){ bytes.p + n, bytes.n - n };
    }
    return RF_OK;
}

static enum rf_code feed_stream(struct rf_sax *x, struct rf_unzip_stream *s)
{
    for (size_t n = 1; n && !x->stopped;) {
        void *room = XML_GetBuffer(x->parser, PIECE);
        if (!room)
            RF_BUG("out of memory");
        enum rf_code rc = rf_unzip_stream_read(s, room, PIECE, &n, x->err);
        if (rc)
            return rc;
        if (XML_ParseBuffer(x->parser, (int)n, n == 0) != XML_STATUS_OK)
            return say_error(x);
    }
    return RF_OK;
}

enum rf_code rf_sax_expat(struct rf_sax *x, struct rf_sax_source source)
{
    prepare(x);
    enum rf_code rc = feed_bytes(x, source.bytes, !source.stream);
    if (!rc && source.stream && !x->stopped)
        rc = feed_stream(x, source.stream);
    XML_ParserFree(x->parser);
    x->parser = NULL;
    return rc;
}
