/* TLS 1.2 and 1.3 by OpenSSL, which is loaded when a server has a certificate. It reads and writes
 * the socket through functions of ours, since its own let a client that is gone raise SIGPIPE. */
#include "httpd/inside.h"

#include "base/arena.h"
#include "base/file.h"
#include "base/library.h"

#include <errno.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <string.h>
#include <sys/socket.h>

#define MOST ((size_t)1 << 20) /* bytes of a file: a chain of certificates is some kilobytes */

/* The names are the library's, without what all of a kind begin with. */
static struct {
    __typeof__(TLS_server_method) *server_method;
    __typeof__(SSL_CTX_new) *ctx_new;
    __typeof__(SSL_CTX_free) *ctx_free;
    __typeof__(SSL_CTX_ctrl) *ctx_ctrl;
    __typeof__(SSL_CTX_use_certificate_chain_file) *use_certificate;
    __typeof__(SSL_CTX_use_PrivateKey_file) *use_key;
    __typeof__(SSL_CTX_check_private_key) *check_key;
    __typeof__(SSL_CTX_set_default_passwd_cb) *set_password;
    __typeof__(SSL_new) *new;
    __typeof__(SSL_free) *free;
    __typeof__(SSL_set_accept_state) *set_accept_state;
    __typeof__(SSL_set_bio) *set_bio;
    __typeof__(SSL_read) *read;
    __typeof__(SSL_write) *write;
    __typeof__(SSL_get_error) *get_error;
    __typeof__(SSL_pending) *pending;
    __typeof__(SSL_shutdown) *shutdown;
    __typeof__(SSL_get_state) *state;
    __typeof__(SSL_get_rbio) *bio;
    __typeof__(ERR_clear_error) *clear_errors;
    __typeof__(ERR_get_error) *next_error;
    __typeof__(ERR_reason_error_string) *reason_of;
    __typeof__(BIO_meth_new) *meth_new;
    __typeof__(BIO_meth_set_read) *meth_set_read;
    __typeof__(BIO_meth_set_write) *meth_set_write;
    __typeof__(BIO_meth_set_ctrl) *meth_set_ctrl;
    __typeof__(BIO_new) *bio_new;
    __typeof__(BIO_set_data) *bio_set_data;
    __typeof__(BIO_get_data) *bio_data;
    __typeof__(BIO_number_read) *bio_received;
    __typeof__(BIO_set_init) *bio_set_init;
    __typeof__(BIO_set_flags) *bio_set_flags;
    __typeof__(BIO_clear_flags) *bio_clear_flags;
} ssl;

#define SYMBOL(name, field)                    \
    {                                          \
        name, offsetof(__typeof__(ssl), field) \
    }

static const struct rf_symbol symbols[] = {
    SYMBOL("TLS_server_method", server_method),
    SYMBOL("SSL_CTX_new", ctx_new),
    SYMBOL("SSL_CTX_free", ctx_free),
    SYMBOL("SSL_CTX_ctrl", ctx_ctrl),
    SYMBOL("SSL_CTX_use_certificate_chain_file", use_certificate),
    SYMBOL("SSL_CTX_use_PrivateKey_file", use_key),
    SYMBOL("SSL_CTX_check_private_key", check_key),
    SYMBOL("SSL_CTX_set_default_passwd_cb", set_password),
    SYMBOL("SSL_new", new),
    SYMBOL("SSL_free", free),
    SYMBOL("SSL_set_accept_state", set_accept_state),
    SYMBOL("SSL_set_bio", set_bio),
    SYMBOL("SSL_read", read),
    SYMBOL("SSL_write", write),
    SYMBOL("SSL_get_error", get_error),
    SYMBOL("SSL_pending", pending),
    SYMBOL("SSL_shutdown", shutdown),
    SYMBOL("SSL_get_state", state),
    SYMBOL("SSL_get_rbio", bio),
    SYMBOL("ERR_clear_error", clear_errors),
    SYMBOL("ERR_get_error", next_error),
    SYMBOL("ERR_reason_error_string", reason_of),
    SYMBOL("BIO_meth_new", meth_new),
    SYMBOL("BIO_meth_set_read", meth_set_read),
    SYMBOL("BIO_meth_set_write", meth_set_write),
    SYMBOL("BIO_meth_set_ctrl", meth_set_ctrl),
    SYMBOL("BIO_new", bio_new),
    SYMBOL("BIO_set_data", bio_set_data),
    SYMBOL("BIO_get_data", bio_data),
    SYMBOL("BIO_number_read", bio_received),
    SYMBOL("BIO_set_init", bio_set_init),
    SYMBOL("BIO_set_flags", bio_set_flags),
    SYMBOL("BIO_clear_flags", bio_clear_flags),
};

/* The socket, as the library sees it. */

static BIO_METHOD *over_socket;

static int tell(BIO *b, ssize_t n, int waits_for)
{
    ssl.bio_clear_flags(b, BIO_FLAGS_RWS | BIO_FLAGS_SHOULD_RETRY);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        ssl.bio_set_flags(b, waits_for | BIO_FLAGS_SHOULD_RETRY);
    return (int)n;
}

static int socket_of(BIO *b)
{
    return (int)(intptr_t)ssl.bio_data(b);
}

static int socket_read(BIO *b, char *to, int most)
{
    return tell(b, recv(socket_of(b), to, (size_t)most, 0), BIO_FLAGS_READ);
}

static int socket_write(BIO *b, const char *bytes, int n)
{
    return tell(b, send(socket_of(b), bytes, (size_t)n, MSG_NOSIGNAL), BIO_FLAGS_WRITE);
}

static long socket_control(BIO *b, int command, long number, void *pointer)
{
    (void)b, (void)number, (void)pointer;
    return command == BIO_CTRL_FLUSH;
}

static bool set_up(void)
{
    over_socket = ssl.meth_new(BIO_TYPE_SOURCE_SINK, "socket");
    return over_socket && ssl.meth_set_read(over_socket, socket_read) &&
           ssl.meth_set_write(over_socket, socket_write) &&
           ssl.meth_set_ctrl(over_socket, socket_control);
}

static struct rf_library library = {
    .files = { "libssl.so.3" },
    .symbols = symbols,
    .count = sizeof symbols / sizeof *symbols,
    .functions = &ssl,
    .set_up = set_up,
    .what = "libssl, which speaks TLS",
    .hint = "Install OpenSSL 3 (libssl3 or openssl-libs).",
    .code = RF_ECONFIG,
};

/* The certificate and its key */

static enum rf_code check_pem(const char *path, const char *mark, struct rf_err *err)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_str text;
    enum rf_code rc = rf_file_read(path, MOST, a, &text, err);
    if (!rc &&
        !(rf_str_contains(text, RF_STR("-----BEGIN ")) && rf_str_contains(text, rf_str(mark)))) {
        rc = rf_fail(err, RF_ECONFIG, "file \"%s\" has no %s of PEM", path,
                     strcmp(mark, "CERTIFICATE-----") == 0 ? "certificate" : "private key");
        rf_hint(err, "Check \"tls\" in the section \"serve\" of the configuration: \"certificate\" "
                     "and \"key\" are two files, or twice one that has both.");
    }
    rf_arena_free(a);
    return rc;
}

/* The library would ask whoever is at the terminal, and wait. */
static int no_password(char *to, int most, int writes, void *ctx)
{
    (void)to, (void)most, (void)writes, (void)ctx;
    return -1;
}

static enum rf_code cannot_use(const char *what, const char *path, struct rf_err *err)
{
    const char *why = ssl.reason_of(ssl.next_error());
    rf_fail(err, RF_ECONFIG, "could not use the %s in \"%s\": %s", what, path,
            why ? why : "it is not one that OpenSSL knows");
    rf_hint(err, "Both are PEM files: the certificate first, then those that vouch for it; and its "
                 "key, without a password.");
    ssl.clear_errors();
    return RF_ECONFIG;
}

/* The key goes first: of one that comes after a certificate, the library does not say whether it
 * could not be read or belongs to another. */
static enum rf_code load(struct ssl_ctx_st *tls, const struct rf_httpd_options *o,
                         struct rf_err *err)
{
    ssl.clear_errors();
    ssl.set_password(tls, no_password);
    if (ssl.use_key(tls, o->key, SSL_FILETYPE_PEM) != 1)
        return cannot_use("key", o->key, err);
    if (ssl.use_certificate(tls, o->certificate) != 1)
        return cannot_use("certificate", o->certificate, err);
    if (ssl.check_key(tls) == 1)
        return RF_OK;
    ssl.clear_errors();
    rf_fail(err, RF_ECONFIG, "the key in \"%s\" does not belong to the certificate in \"%s\"",
            o->key, o->certificate);
    rf_hint(err, "Name the key that the certificate was made with; the certificate itself comes "
                 "first in its file, before those that vouch for it.");
    return RF_ECONFIG;
}

enum rf_code rf_tls_open(const struct rf_httpd_options *o, struct ssl_ctx_st **out,
                         struct rf_err *err)
{
    if (!o->certificate != !o->key)
        return rf_fail(err, RF_EUSAGE, "TLS needs both a certificate and its key");
    *out = NULL;
    if (!o->certificate)
        return RF_OK;
    enum rf_code rc = check_pem(o->certificate, "CERTIFICATE-----", err);
    if (!rc)
        rc = check_pem(o->key, "PRIVATE KEY-----", err);
    if (!rc)
        rc = rf_library_load(&library, err);
    if (rc)
        return rc;
    struct ssl_ctx_st *tls = ssl.ctx_new(ssl.server_method());
    if (!tls)
        RF_NO_MEMORY();
    ssl.ctx_ctrl(tls, SSL_CTRL_SET_MIN_PROTO_VERSION, TLS1_2_VERSION, NULL);
    ssl.ctx_ctrl(tls, SSL_CTRL_MODE,
                 SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                     SSL_MODE_RELEASE_BUFFERS,
                 NULL);
    rc = load(tls, o, err);
    if (rc)
        ssl.ctx_free(tls);
    else
        *out = tls;
    return rc;
}

void rf_tls_close(struct ssl_ctx_st *tls)
{
    if (tls)
        ssl.ctx_free(tls);
}

/* A connection */

struct ssl_st *rf_tls_accept(struct ssl_ctx_st *tls, int fd)
{
    struct ssl_st *s = ssl.new(tls);
    BIO *b = ssl.bio_new(over_socket);
    if (!s || !b)
        RF_NO_MEMORY();
    ssl.bio_set_data(b, (void *)(intptr_t)fd);
    ssl.bio_set_init(b, 1);
    ssl.set_bio(s, b, b);
    ssl.set_accept_state(s);
    return s;
}

bool rf_tls_failed(struct ssl_st *s)
{
    return ssl.state(s) != TLS_ST_OK && ssl.bio_received(ssl.bio(s)) > 0;
}

void rf_tls_end(struct ssl_st *s)
{
    if (!s)
        return;
    ssl.clear_errors();
    ssl.shutdown(s);
    ssl.free(s);
}

/* What a call of the library came to, where it moved nothing: 0 where the other side is gone. */
static ssize_t nothing(struct ssl_st *s, int result)
{
    int why = ssl.get_error(s, result);
    if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE)
        return 0;
    errno = EAGAIN;
    return -1;
}

ssize_t rf_tls_read(struct ssl_st *s, char *to, size_t most)
{
    size_t got = 0;
    ssl.clear_errors();
    while (got < most) {
        size_t left = most - got < MOST ? most - got : MOST;
        int n = ssl.read(s, to + got, (int)left);
        if (n <= 0)
            return got ? (ssize_t)got : nothing(s, n);
        got += (size_t)n;
    }
    return (ssize_t)got;
}

ssize_t rf_tls_write(struct ssl_st *s, struct rf_str bytes)
{
    size_t sent = 0;
    ssl.clear_errors();
    while (sent < bytes.n) {
        size_t left = bytes.n - sent < MOST ? bytes.n - sent : MOST;
        int n = ssl.write(s, bytes.p + sent, (int)left);
        if (n > 0) {
            sent += (size_t)n;
            continue;
        }
        if (sent)
            break;
        ssize_t result = nothing(s, n);
        errno = result ? EAGAIN : EPIPE;
        return -1;
    }
    return (ssize_t)sent;
}

bool rf_tls_holds(const struct ssl_st *s)
{
    return ssl.pending(s) > 0;
}
