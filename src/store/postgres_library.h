/* libpq, loaded with dlopen at its first use: most stores never need it.
 *
 * The names are those of libpq without their PQ. */
#ifndef RF_STORE_POSTGRES_LIBRARY_H
#define RF_STORE_POSTGRES_LIBRARY_H

#include "base/error.h"

#include <libpq-fe.h>

struct rf_pq {
    __typeof__(PQclear) *clear;
    __typeof__(PQcmdStatus) *cmdStatus;
    __typeof__(PQcmdTuples) *cmdTuples;
    __typeof__(PQconnectdbParams) *connectdbParams;
    __typeof__(PQconnectStartParams) *connectStartParams;
    __typeof__(PQconninfo) *conninfo;
    __typeof__(PQconninfoFree) *conninfoFree;
    __typeof__(PQconninfoParse) *conninfoParse;
    __typeof__(PQerrorMessage) *errorMessage;
    __typeof__(PQexec) *exec;
    __typeof__(PQfinish) *finish;
    __typeof__(PQfreemem) *freemem;
    __typeof__(PQftype) *ftype;
    __typeof__(PQgetisnull) *getisnull;
    __typeof__(PQgetlength) *getlength;
    __typeof__(PQgetResult) *getResult;
    __typeof__(PQgetvalue) *getvalue;
    __typeof__(PQnfields) *nfields;
    __typeof__(PQparameterStatus) *parameterStatus;
    __typeof__(PQprepare) *prepare;
    __typeof__(PQresultErrorField) *resultErrorField;
    __typeof__(PQresultStatus) *resultStatus;
    __typeof__(PQsendQueryParams) *sendQueryParams;
    __typeof__(PQsendQueryPrepared) *sendQueryPrepared;
    __typeof__(PQserverVersion) *serverVersion;
    __typeof__(PQsetNoticeProcessor) *setNoticeProcessor;
    __typeof__(PQsetSingleRowMode) *setSingleRowMode;
    __typeof__(PQstatus) *status;
};

/* Filled by rf_pq_load, once; then it does not change. */
extern struct rf_pq rf_pq;

/* Fails with RF_ECONFIG where there is no libpq. */
RF_MUST enum rf_code rf_pq_load(struct rf_err *err);

#endif
