/* Errors: what a call returns, and what it says about a failure.
 *
 * Every fallible call returns an enum rf_code, 0 being success, and takes a struct rf_err as its
 * last argument, which it fills on failure only. The message holds no control characters but the
 * line feeds of a server's words, so it can be printed to a terminal as it is. A NULL `err` is
 * allowed: the code alone is returned.
 *
 *     struct rf_err err;
 *     if (rf_config_open(&config, &err))
 *         fprintf(stderr, "refract: %s\nhint: %s\n", err.msg, err.hint);
 */
#ifndef REFRACT_ERROR_H
#define REFRACT_ERROR_H

#include <stdbool.h>

#include <refract/visibility.h>

#ifdef __cplusplus
extern "C" {
#endif

enum rf_code {
    RF_OK,
    RF_EINTERNAL,    /* failed in an unforeseen way */
    RF_EUSAGE,       /* the caller asked for something that does not exist */
    RF_EUNSUPPORTED, /* content that this model cannot take, in strict mode */
    RF_EPROVIDER,    /* the provider or the network refused or failed */
    RF_ELIMIT,       /* a limit stopped it: size, depth, count, context */
    RF_EIO,          /* a file could not be read or written */
    RF_ENOTFOUND,    /* a file is not there */
    RF_EFORMAT,      /* input that is not what it must be: malformed, corrupt, mislabelled */
    RF_EENCRYPTED,   /* a document that needs a password */
    RF_EPERMISSION,  /* permission was needed and not given */
    RF_ECONFIG,      /* the configuration or a key is missing or wrong */
    RF_EINTERRUPTED, /* stopped by the user */
    RF_ESANDBOX,     /* the programs that read files cannot be confined here, so they read none */
};

/* What it takes to mend it, for programs that have a way of their own to say so or to offer it. */
enum rf_reason {
    RF_REASON_OTHER,
    RF_REASON_NO_KEY,       /* a provider's key or address is not known */
    RF_REASON_KEY_REFUSED,  /* the provider does not take the key */
    RF_REASON_FILE_REFUSED, /* the provider does not take a file */
    RF_REASON_NOT_TAKEN,    /* the model does not take what it was asked for */
    RF_REASON_UNTRUSTED,    /* the project's file, which is not trusted, would have it */
    RF_REASON_OWN_CONFIG,   /* only the person's own configuration can say it */
    RF_REASON_UNKNOWN_FACT, /* models have no fact of that name */
    RF_REASON_NO_WORKER,    /* a program that reads files is not there, or does not start */
    RF_REASON_PASSWORD,     /* a password opens the document */
    RF_REASON_UNREACHABLE,  /* no server could be connected to, so none has seen the request */
    RF_REASON_NO_STORE,     /* what keeps sessions is not installed */
    RF_REASON_LATE,         /* the server did not answer, or go on, in time */
};

/* Filled on failure only. Plain data: copy it, keep it, print it. */
struct rf_err {
    enum rf_code code;
    enum rf_reason reason;
    char msg[512];  /* what failed, and why: lower case, no full stop */
    char hint[512]; /* what to do about it: a sentence; "" where there is nothing to say */
    char path[160]; /* the place in a document ("messages[0].content[1]"); "" where there is none */
};

/* The code's short name for programs, such as "limit" or "encrypted"; never NULL. */
RF_API const char *rf_code_name(enum rf_code code);

/* For an error about a file that is not there and has no hint yet: ask whether one beside it was
 * meant, whose name is nearly the same. Does nothing to any other error. */
RF_API void rf_err_near_file(struct rf_err *err, const char *path);

/* What no call can return: an invariant of refract is broken, which is a bug of ours, or memory
 * has run out. */
struct rf_fatal {
    bool out_of_memory; /* else a bug */
    const char *what;   /* in words */
    const char *file;   /* of refract's source, and the line in it */
    int line;
};

/* Have `handler` called in that case, by the thread in which it happens; NULL, the default, writes
 * it to standard error. It counts for the process, and may be set by any thread at any time. Where
 * the handler returns, the process aborts. It may also end the process itself, or leave by longjmp
 * to where refract was called: then what that call was given or worked on is lost, and must not be
 * used again, not even to free it; locks that it held stay locked. A handler calls nothing of
 * refract. */
RF_API void rf_on_fatal(void (*handler)(void *ctx, const struct rf_fatal *f), void *ctx);

#ifdef __cplusplus
}
#endif
#endif
