/* /export: the session in a file. One that exists is never written over. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "chat/commands.h"
#include "report.h"
#include "text.h"

static enum rf_code cannot_write(const char *path, struct rf_err *err)
{
    rf_say(err, RF_EIO, "could not write \"%s\": %s", path, strerror(errno));
    if (errno == EEXIST)
        rf_say_hint(err, "Nothing was written: name another file, or take that one away.");
    return RF_EIO;
}

/* What is written, by the end of the file's name. */

static enum rf_code write_tar(struct rf_session *s, FILE *out, struct rf_err *err)
{
    return rf_session_export(s, fileno(out), err);
}

static enum rf_code write_json(struct rf_session *s, FILE *out, struct rf_err *err)
{
    struct rf_conversation *conversation;
    struct rf_str json;
    enum rf_code rc = rf_session_conversation(s, &conversation, err);
    if (rc)
        return rc;
    rc = rf_conversation_write(conversation, &json, err);
    if (!rc) {
        fwrite(json.p, 1, json.n, out);
        fputc('\n', out);
    }
    rf_conversation_free(conversation);
    return rc;
}

/* "- att_9f2c41d07ab3: plan.png, image, 1200x800, 412 KB" */
static void print_file(void *ctx, const struct rf_session_file *f)
{
    FILE *out = ctx;
    char size[RF_SHORT_TEXT];
    fprintf(out, "%s- %.*s: ", ftell(out) == 0 ? "\n## files\n\n" : "", RF_FMT(f->id));
    rf_print_text(out, f->name.n ? f->name : rf_text("without a name"));
    fprintf(out, ", %.*s", RF_FMT(f->kind));
    if (f->width && f->height)
        fprintf(out, ", %" PRId64 "x%" PRId64, f->width, f->height);
    fprintf(out, ", %s\n", rf_size_text(f->bytes, size));
}

static enum rf_code print_files(struct rf_session *s, FILE *out, struct rf_err *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *list = open_memstream(&text, &size);
    if (!list)
        abort();
    enum rf_code rc = rf_session_files(s, print_file, list, err);
    fclose(list);
    if (!rc)
        fwrite(text, 1, size, out);
    free(text);
    return rc;
}

static enum rf_code write_text(struct rf_session *s, FILE *out, struct rf_err *err)
{
    struct rf_conversation *conversation;
    enum rf_code rc = rf_session_conversation(s, &conversation, err);
    if (rc)
        return rc;
    fputs("# ", out);
    rf_print_text(out, rf_session_title(s));
    fprintf(out, "\n\nSession %s\n", rf_session_id(s));
    rf_chat_transcript(out, conversation);
    rf_conversation_free(conversation);
    return print_files(s, out, err);
}

static const struct kind {
    const char *end;
    enum rf_code (*write)(struct rf_session *s, FILE *out, struct rf_err *err);
} kinds[] = {
    { ".md", write_text },
    { ".json", write_json },
    { ".tar", write_tar },
};

static const struct kind *kind_of(const char *path, struct rf_err *err)
{
    size_t n = strlen(path);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t end = strlen(kinds[i].end);
        if (n > end && strcmp(path + n - end, kinds[i].end) == 0)
            return &kinds[i];
    }
    rf_say(err, RF_EUSAGE, "\"%s\" does not say what to write", path);
    rf_say_hint(err, "End it in .md for people, .json for programs, or .tar for all files too.");
    return NULL;
}

/* The file */

static enum rf_code finish(FILE *out, const char *path, struct rf_err *err)
{
    bool good = fflush(out) == 0 && !ferror(out) && fsync(fileno(out)) == 0;
    return good ? RF_OK : cannot_write(path, err);
}

static enum rf_code export_to(struct rf_session *s, const char *path, struct rf_err *err)
{
    const struct kind *kind = kind_of(path, err);
    if (!kind)
        return err->code;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return cannot_write(path, err);
    FILE *out = fdopen(fd, "w");
    if (!out)
        abort();
    enum rf_code rc = kind->write(s, out, err);
    if (!rc)
        rc = finish(out, path, err);
    fclose(out);
    if (rc)
        unlink(path);
    return rc;
}

/* Writing may take long: the other thread does it. */

struct exporting {
    char *path;
    enum rf_code rc;
    struct rf_err err;
};

static void write_out(struct rf_chat *c, void *ctx)
{
    struct exporting *w = ctx;
    w->rc = export_to(rf_agent_session(c->agent), w->path, &w->err);
}

static void say_written(struct rf_chat *c, void *ctx)
{
    struct exporting *w = ctx;
    struct stat st;
    char size[RF_SHORT_TEXT];
    if (w->rc)
        rf_chat_error(c, &w->err);
    else if (stat(w->path, &st) == 0)
        rf_chat_say(c, RF_STYLE_GOOD, "+ %s, %s", w->path, rf_size_text(st.st_size, size));
    free(w->path);
}

void rf_chat_run_export(struct rf_chat *c, struct rf_str argument)
{
    const struct rf_session *s = rf_agent_session(c->agent);
    if (!s || !rf_session_count(s)) {
        rf_chat_say(c, RF_STYLE_DIM, "%s",
                    c->stored.store ? "nothing was said in this session yet"
                                    : "nothing is kept: there is no session to export");
        return;
    }
    struct exporting *w = calloc(1, sizeof *w);
    if (!w)
        abort();
    if (argument.n)
        w->path = rf_chat_path(argument);
    else if (asprintf(&w->path, "refract-%s.md", rf_session_id(s)) < 0)
        abort();
    rf_chat_work(c, "exporting", write_out, say_written, w);
}
