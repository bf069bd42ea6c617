/* What became of a session's files in a request, remembered with the session. */
#include "request/request.h"

#include "base/arena.h"
#include "plan/account.h"
#include "store/store.h"

static enum rf_code note(struct rf_session *s, const struct rf_request *r,
                         const struct rf_decision *d, struct rf_err *err)
{
    struct rf_str hash = rf_asset_sha256(d->part->asset);
    const struct rf_model *m = r->plan.model;
    if (!hash.n)
        return RF_OK;
    const struct rf_sent_way way = {
        .delivery = rf_str(rf_delivery_name(d->delivery)),
        .form = rf_str(rf_form_name(d->form)),
        .as = d->as,
        .lost = rf_account_lost_list(d, r->arena),
        .provider = m->provider,
        .model = m->name,
    };
    return rf_session_note_sent(s, rf_strf(r->arena, "sha256:%.*s", RF_FMT(hash)), &way, err);
}

enum rf_code rf_session_sent(struct rf_session *s, struct rf_request *r, struct rf_err *err)
{
    enum rf_code rc = rf_session_begin(s, err);
    if (rc)
        return rc;
    for (size_t i = 0; !rc && i < r->plan.decision_count; i++)
        rc = note(s, r, &r->plan.decisions[i], err);
    if (rc)
        rf_session_rollback(s);
    else
        rc = rf_session_commit(s, err);
    return rc;
}
