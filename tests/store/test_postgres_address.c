/* Whether an address leads to another machine, and that its password goes there encrypted or not at
 * all. Nobody is called: it is libpq's reading of the address, the environment and the service file
 * that is judged. */
#include "../testing.h"

#include "store/postgres_address.h"
#include "store/postgres_library.h"

#define AS_IT_IS NULL
#define REFUSED "!"

#define TO(u, w)                \
    {                           \
        .url = (u), .want = (w) \
    }
#define WITH(u, w, name, text)                                       \
    {                                                                \
        .url = (u), .want = (w), .variable = (name), .value = (text) \
    }
#define BY(u, w, named, lines)                                                                 \
    {                                                                                          \
        .url = (u), .want = (w), .variable = "PGSERVICE", .value = (named), .service = (lines) \
    }

static const struct row {
    const char *url, *want; /* the sslmode that it is connected with; or NULL, or REFUSED */
    const char *variable, *value;
    const char *service; /* the lines of the service "x" */
} rows[] = {
    /* this machine */
    TO("postgres:///db", AS_IT_IS),
    TO("postgres:///db?host=/run/postgresql", AS_IT_IS),
    TO("postgres://%2Frun%2Fpostgresql/db", AS_IT_IS),
    TO("postgres://@/db?host=@abstract", AS_IT_IS),
    TO("postgres://localhost/db?sslmode=disable", AS_IT_IS),
    TO("postgres://LocalHost:5433/db", AS_IT_IS),
    TO("postgres://127.0.0.1/db?sslmode=allow", AS_IT_IS),
    TO("postgres://127.9.8.7/db", AS_IT_IS),
    TO("postgres://[::1]/db?sslmode=prefer", AS_IT_IS),
    TO("postgres://[::ffff:127.0.0.1]:5432/db", AS_IT_IS),
    TO("postgres://db.example/db?hostaddr=127.0.0.1", AS_IT_IS),
    TO("postgres://127.0.0.1,localhost,[::1]/db", AS_IT_IS),
    WITH("postgres://anna:secret@127.0.0.1/db", AS_IT_IS, "PGSSLMODE", "disable"),
    /* another one */
    TO("postgres://db.example/db", "require"),
    TO("postgresql://anna:secret@db.example:5433/db", "require"),
    TO("postgres://db.example/db?sslmode=prefer", "require"),
    TO("postgres://db.example/db?sslmode=require", "require"),
    TO("postgres://db.example/db?sslmode=verify-ca", "verify-ca"),
    TO("postgres://db.example/db?sslmode=verify-full", "verify-full"),
    TO("postgres://db.example/db?sslmode=disable", REFUSED),
    TO("postgres://db.example/db?sslmode=allow", REFUSED),
    TO("postgres://db.example/db?sslmode=%64isable", REFUSED),
    TO("postgres:///db?host=db.example&sslmode=disable", REFUSED),
    TO("postgres:///db?host=db.example", "require"),
    TO("postgres://192.0.2.1/db?sslmode=disable", REFUSED),
    TO("postgres://[2001:db8::1]/db?sslmode=disable", REFUSED),
    TO("postgres://[::ffff:192.0.2.1]/db", "require"),
    TO("postgres://127.0.0.1/db?hostaddr=192.0.2.1&sslmode=disable", REFUSED),
    TO("postgres://localhost/db?hostaddr=192.0.2.1", "require"),
    TO("postgres://localhost,db.example/db?sslmode=disable", REFUSED),
    TO("postgres://127.0.0.1,192.0.2.1,127.0.0.1/db", "require"),
    TO("postgres://a,b/db?hostaddr=127.0.0.1,192.0.2.1", "require"),
    TO("postgres://localhost,db.example/db?hostaddr=127.0.0.1,", "require"),
    TO("postgres://localhost.db.example/db", "require"),
    TO("postgres://x.localhost/db", "require"),
    TO("postgres://127.0.0.1.example/db?sslmode=allow", REFUSED),
    /* spellings of the loopback that only some resolvers take for it */
    TO("postgres://127.1/db", "require"),
    TO("postgres://2130706433/db?sslmode=disable", REFUSED),
    TO("postgres://0.0.0.0/db", "require"),
    /* the environment and the service file have a say */
    WITH("postgres:///db", "require", "PGHOST", "db.example"),
    WITH("postgres:///db", "require", "PGHOSTADDR", "192.0.2.1"),
    WITH("postgres:///db?sslmode=disable", REFUSED, "PGHOST", "db.example"),
    WITH("postgres://db.example/db", REFUSED, "PGSSLMODE", "disable"),
    WITH("postgres://db.example/db", REFUSED, "PGSSLMODE", "allow"),
    WITH("postgres://db.example/db", "require", "PGSSLMODE", "prefer"),
    WITH("postgres://db.example/db", "verify-full", "PGSSLMODE", "verify-full"),
    WITH("postgres://db.example/db?sslmode=require", "require", "PGSSLMODE", "disable"),
    BY("postgres:///db", "require", "x", "host=db.example\n"),
    BY("postgres:///db", REFUSED, "x", "host=db.example\nsslmode=disable\n"),
    BY("postgres://db.example/db", REFUSED, "x", "sslmode=allow\n"),
    BY("postgres:///db?service=x", REFUSED, NULL, "host=192.0.2.1\nsslmode=disable\n"),
    BY("postgres:///db?service=x", AS_IT_IS, NULL, "host=127.0.0.1\nsslmode=disable\n"),
    BY("postgres:///db?service=nowhere", REFUSED, NULL, "host=127.0.0.1\n"),
};

static void set_up(const struct row *r, struct rf_arena *a, const char *folder)
{
    static const char *const all[] = { "PGHOST",    "PGHOSTADDR",    "PGSSLMODE",
                                       "PGSERVICE", "PGSERVICEFILE", "PGREQUIRESSL" };
    for (size_t i = 0; i < COUNT(all); i++)
        unsetenv(all[i]);
    if (r->value)
        setenv(r->variable, r->value, 1);
    if (r->service) {
        const char *file = in_folder(a, folder, "service.conf");
        write_file(file, rf_strf(a, "[x]\n%s", r->service));
        setenv("PGSERVICEFILE", file, 1);
    }
}

static void a_password_goes_to_another_machine_encrypted_or_not_at_all(void **state)
{
    const struct row *r = *state;
    struct rf_arena *a = rf_arena_new();
    const char *folder = scratch_new(a);
    struct rf_pg_address address;
    struct rf_err err = { 0 };
    if (rf_pq_load(&err)) {
        print_message("skipped: %s\n", err.msg);
        skip();
    }
    set_up(r, a, folder);
    enum rf_code rc = rf_pg_address_read(r->url, a, &address, &err);
    if (r->want && strcmp(r->want, REFUSED) == 0) {
        assert_int_equal(rc, RF_ECONFIG);
        assert_true(err.hint[0] != '\0');
        assert_null(strstr(err.msg, "secret"));
    } else if (rc) {
        fail_msg("%s", err.msg);
    } else if (r->want) {
        assert_non_null(address.sslmode);
        assert_string_equal(address.sslmode, r->want);
    } else {
        assert_null(address.sslmode);
    }
    scratch_remove(folder);
    rf_arena_free(a);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows)];
    name_rows(tests, a_password_goes_to_another_machine_encrypted_or_not_at_all, rows, COUNT(rows),
              sizeof *rows);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
