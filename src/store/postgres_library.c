#include "store/postgres_library.h"

#include "base/library.h"

struct rf_pq rf_pq;

static const struct rf_symbol symbols[] = {
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

static struct rf_library library = {
    .files = { "libpq.so.5" },
    .symbols = symbols,
    .count = sizeof symbols / sizeof *symbols,
    .functions = &rf_pq,
    .what = "the library of PostgreSQL",
    .hint = "Install libpq (Debian: libpq5), or name a folder for the store.",
    .code = RF_ECONFIG,
};

enum rf_code rf_pq_load(struct rf_err *err)
{
    return rf_library_load(&library, err);
}
