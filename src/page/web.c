/* The files that a browser loads: index.html at "/", the others below "/page/web/". */
#include "page/page.h"

void rf_page_web(struct rf_page_visit *v)
{
    struct rf_str name = v->words[0].n ? v->words[0] : RF_STR("index.html");
    for (const struct rf_page_file *f = rf_page_files; f->name; f++)
        if (rf_str_is(name, f->name)) {
            v->type = f->type;
            v->out = (struct rf_str){ (const char *)f->p, f->n };
            return;
        }
    rf_page_refuse(v, 404, RF_STR("there is no such file here"));
}
