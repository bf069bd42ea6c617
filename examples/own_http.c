/* HTTP of one's own: the request as method, URL, headers and a body that is read piece by piece.
 * Here it goes over a plain socket, and the reply is printed as a neutral message.
 *
 *     cc own_http.c $(pkg-config --cflags --libs refract) -o own_http
 *     ANTHROPIC_BASE_URL=http://127.0.0.1:8080 ./own_http conversation.json anthropic:claude
 */
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <refract/refract.h>

_Noreturn static void give_up(const struct rf_err *err)
{
    fprintf(stderr, "%s\n%s\n", err->msg, err->hint);
    exit(1);
}

/* "http://HOST:PORT/PATH"; returns the path. */
static const char *split(const char *url, char host[256], char port[16])
{
    int path = 0;
    if (sscanf(url, "http://%255[^:/]:%15[0-9]%n", host, port, &path) != 2)
        return NULL;
    return url + path;
}

static FILE *connect_to(const char *host, const char *port)
{
    const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
    struct addrinfo *at;
    if (getaddrinfo(host, port, &hints, &at))
        return NULL;
    int fd = socket(at->ai_family, at->ai_socktype, at->ai_protocol);
    if (fd >= 0 && connect(fd, at->ai_addr, at->ai_addrlen)) {
        close(fd);
        fd = -1;
    }
    freeaddrinfo(at);
    return fd < 0 ? NULL : fdopen(fd, "r+");
}

static void write_request(FILE *to, const struct rf_http *h, const struct rf_request *request)
{
    char host[256], port[16], piece[4096];
    struct rf_err err;
    size_t n;
    fprintf(to, "%s %s HTTP/1.0\r\n", rf_http_method(h), split(rf_http_url(h), host, port));
    for (size_t i = 0; i < rf_http_header_count(h); i++) {
        struct rf_str name = rf_http_header_name(h, i), value = rf_http_header_value(h, i);
        fprintf(to, "%.*s: %.*s\r\n", RF_FMT(name), RF_FMT(value));
    }
    fprintf(to, "host: %s:%s\r\ncontent-length: %llu\r\n\r\n", host, port,
            (unsigned long long)rf_request_length(request));
    struct rf_request_reader *body = rf_request_reader_new(request);
    do {
        if (rf_request_reader_read(body, piece, sizeof piece, &n, &err))
            give_up(&err);
        fwrite(piece, 1, n, to);
    } while (n);
    rf_request_reader_free(body);
    fflush(to);
}

static void read_reply(FILE *from, struct rf_http *h, const struct rf_model *model)
{
    struct rf_decode *d = rf_decode_response(model);
    struct rf_err err;
    struct rf_str json;
    char piece[4096];
    rf_http_redact(h, d);
    while (fgets(piece, sizeof piece, from) && strcmp(piece, "\r\n") != 0)
        ; /* the head */
    for (size_t n; (n = fread(piece, 1, sizeof piece, from)) > 0;)
        if (rf_decode_feed(d, (struct rf_str){ piece, n }, &err))
            give_up(&err);
    if (rf_decode_finish(d, &json, &err))
        give_up(&err);
    printf("%.*s\n", RF_FMT(json));
    rf_decode_free(d);
}

int main(int argc, char **argv)
{
    struct rf_conversation *conversation;
    struct rf_model *model;
    struct rf_request *request;
    struct rf_http *http;
    struct rf_err err;
    char host[256], port[16];
    if (argc != 3)
        return fprintf(stderr, "usage: own_http CONVERSATION MODEL\n"), 2;
    struct rf_network *network = rf_network_new();
    if (rf_conversation_open(argv[1], &conversation, &err) ||
        rf_model_open(NULL, argv[2], &model, &err) ||
        rf_request_build(conversation, model, NULL, &request, &err))
        give_up(&err);
    const struct rf_http_options what = { .size = sizeof what, .model = model, .request = request };
    if (rf_http_open(network, &what, &http, &err))
        give_up(&err);
    FILE *server = split(rf_http_url(http), host, port) ? connect_to(host, port) : NULL;
    if (!server)
        return fprintf(stderr, "%s cannot be reached over a plain socket\n", rf_http_url(http)), 1;
    write_request(server, http, request);
    read_reply(server, http, model);
    fclose(server);
    rf_http_close(http);
    rf_request_free(request);
    rf_model_close(model);
    rf_conversation_free(conversation);
    rf_network_free(network);
    return 0;
}
