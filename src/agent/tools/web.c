/* A web address where a tool takes a path: what is there is fetched into a folder of its own,
 * which goes with the agent, and read from there. Whether anything is fetched at all, and from
 * where, is for net/fetch.h to say; a host that the configuration does not list is asked about
 * under the name "fetch:HOST". */
#include "agent/tools/tools.h"

#include "base/arena.h"
#include "net/fetch.h"
#include "source/part.h"

#include <stdio.h>
#include <stdlib.h>

bool rf_web_is_address(struct rf_str path)
{
    return rf_str_starts(path, "https://") || rf_str_starts(path, "http://");
}

static bool may_visit(void *ctx, struct rf_str host, struct rf_str url)
{
    struct rf_run *r = ctx;
    return rf_run_ask(r, rf_strf(r->arena, RF_PERMIT_FETCH "%.*s", RF_FMT(host)), url);
}

enum rf_code rf_web_fetch(struct rf_run *r, struct rf_str url, struct rf_str *path,
                          struct rf_err *err)
{
    size_t mark = rf_part_mark(url);
    struct rf_str part = { url.p + mark, url.n - mark }, address = { url.p, mark };
    struct rf_fetched got;
    struct rf_net *net = NULL;
    enum rf_code rc = rf_temporary_make(&r->folder, err);
    if (rc)
        return rc;
    const struct rf_fetching fetching = {
        .config = r->box->workspace->config,
        .url = address,
        .folder = r->folder.path,
        .cancel_fd = r->box->halt->fd,
        .may_visit = may_visit,
        .ctx = r,
    };
    net = rf_net_new();
    rc = rf_fetch(net, &fetching, r->arena, &got, err);
    rf_net_free(net);
    if (rc)
        return rc;
    const char *to = rf_strf(r->arena, "%s/%.*s", r->folder.path, RF_FMT(got.name)).p;
    if (rename(got.path, to) != 0)
        return rf_fail_errno(err, "could not keep what was fetched");
    *path = rf_str_join(r->arena, rf_str(to), part);
    return RF_OK;
}
