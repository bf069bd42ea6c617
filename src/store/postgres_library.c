#include "store/postgres_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct rf_pq rf_pq;

static const struct {
    const char *name;
    size_t at; /* in rf_pq */
} symbols[] = {
    { "PQclear", offsetof(struct rf_pq, clear) },
    { "PQcmdStatus", offsetof(struct rf_pq, cmdStatus) },
    { "PQcmdTuples", offsetof(struct rf_pq, cmdTuples) },
    { "PQconnectdbParams", offsetof(struct rf_pq, connectdbParams) },
    { "PQconnectStartParams", offsetof(struct rf_pq, connectStartParams) },
    { "PQconninfo", offsetof(struct rf_pq, conninfo) },
    { "PQconninfoFree", offsetof(struct rf_pq, conninfoFree) },
    { "PQconninfoParse", offsetof(struct rf_pq, conninfoParse) },
    { "PQerrorMessage", offsetof(struct rf_pq, errorMessage) },
    { "PQexec", offsetof(struct rf_pq, exec) },
    { "PQfinish", offsetof(struct rf_pq, finish) },
    { "PQfreemem", offsetof(struct rf_pq, freemem) },
    { "PQftype", offsetof(struct rf_pq, ftype) },
    { "PQgetisnull", offsetof(struct rf_pq, getisnull) },
    { "PQgetlength", offsetof(struct rf_pq, getlength) },
    { "PQgetResult", offsetof(struct rf_pq, getResult) },
    { "PQgetvalue", offsetof(struct rf_pq, getvalue) },
    { "PQnfields", offsetof(struct rf_pq, nfields) },
    { "PQparameterStatus", offsetof(struct rf_pq, parameterStatus) },
    { "PQprepare", offsetof(struct rf_pq, prepare) },
    { "PQresultErrorField", offsetof(struct rf_pq, resultErrorField) },
    { "PQresultStatus", offsetof(struct rf_pq, resultStatus) },
    { "PQsendQueryParams", offsetof(struct rf_pq, sendQueryParams) },
    { "PQsendQueryPrepared", offsetof(struct rf_pq, sendQueryPrepared) },
    { "PQserverVersion", offsetof(struct rf_pq, serverVersion) },
    { "PQsetNoticeProcessor", offsetof(struct rf_pq, setNoticeProcessor) },
    { "PQsetSingleRowMode", offsetof(struct rf_pq, setSingleRowMode) },
    { "PQstatus", offsetof(struct rf_pq, status) },
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char missing[200]; /* why the library cannot be used; "" when it can */

static void load(void)
{
    void *lib = dlopen("libpq.so.5", RTLD_LAZY | RTLD_LOCAL);
    for (size_t i = 0; lib && i < sizeof symbols / sizeof *symbols; i++) {
        void *symbol = dlsym(lib, symbols[i].name);
        memcpy((char *)&rf_pq + symbols[i].at, &symbol, sizeof symbol);
        if (!symbol)
            lib = NULL;
    }
    if (!lib) {
        const char *why = dlerror();
        snprintf(missing, sizeof missing, "%s", why ? why : "it is another library");
    }
}

enum rf_code rf_pq_load(struct rf_err *err)
{
    pthread_once(&once, load);
    if (!missing[0])
        return RF_OK;
    rf_fail(err, RF_ECONFIG, "could not load the library of PostgreSQL: %s", missing);
    rf_hint(err, "Install libpq (Debian: libpq5), or name a folder for the store.");
    return RF_ECONFIG;
}
