/* The library in thirty lines: ask a model about a file, and print what it says. MODEL names
 * another one.
 *
 *     cc thirty.c $(pkg-config --cflags --libs refract-sim) -o thirty && ./thirty photo.jpg
 */
#include <stdio.h>
#include <stdlib.h>

#include <refract/refract.h>
#include <refract/sim.h>

static bool show(void *ctx, const struct rf_agent_event *e)
{
    (void)ctx;
    if (e->type != RF_AGENT_FILE)
        return true;
    struct rf_str line = rf_report_line(e->request, e->file); /* what became of a file */
    fprintf(stderr, "%.*s\n", RF_FMT(line));
    return true;
}

int main(int argc, char **argv)
{
    const char *model = getenv("MODEL");
    struct rf_agent *agent = NULL;
    struct rf_str answer;
    struct rf_err err;
    if (argc != 2 || rf_agent_new(NULL, NULL, &agent, &err) ||
        rf_agent_model(agent, model ? model : "offline", &err) ||
        rf_agent_attach(agent, argv[1], &err))
        return fprintf(stderr, "%s\n", agent ? err.msg : "usage: thirty FILE"), 1;
    rf_agent_offline(agent, rf_simulator_offline());
    rf_agent_listen(agent, show, NULL);
    if (rf_agent_ask(agent, RF_LIT("What do you see?"), &answer, &err))
        return fprintf(stderr, "%s\n%s\n", err.msg, err.hint), 1;
    printf("%.*s\n", RF_FMT(answer));
    rf_agent_free(agent);
    return 0;
}
