/* Keys of clients in memory: each is found, however many there are, and nothing else is. */
#include "../store/asking.h"

#include "gateway/keyring.h"

#define MOST 17

static bool is_found(struct rf_keyring *k, const char *key, const char *name)
{
    struct rf_key_holder who = rf_keyring_find(k, rf_str(key));
    bool found = who.key && strcmp(who.key->name, name) == 0;
    assert_true(!who.key == !who.table);
    rf_keyring_drop(&who);
    return found;
}

static void read_keys(struct rf_keyring *k, struct rf_store *s)
{
    struct rf_err err;
    expect_ok(rf_keyring_read(k, s, &err), &err);
}

static void every_key_is_found_among_any_number(void **state)
{
    const struct rf_client_key_limits none = { .size = sizeof none };
    char keys[MOST][RF_CLIENT_KEY_SIZE], name[16];
    struct rf_keyring k;
    struct rf_store *s;
    struct rf_err err;
    const struct place *p = *state;
    expect_ok(rf_store_open_at(p->address, &s, &err), &err);
    rf_keyring_init(&k);
    read_keys(&k, s);
    assert_false(k.asks);
    for (int n = 0; n < MOST; n++) {
        assert_false(is_found(&k, "rfk_of-nobody", "k0"));
        snprintf(name, sizeof name, "k%d", n);
        expect_ok(rf_client_key_add(s, name, &none, keys[n], &err), &err);
        assert_false(is_found(&k, keys[n], name)); /* not yet */
        read_keys(&k, s);
        assert_true(k.asks);
        for (int i = 0; i <= n; i++) {
            snprintf(name, sizeof name, "k%d", i);
            assert_true(is_found(&k, keys[i], name));
            keys[i][10] ^= 1;
            assert_false(is_found(&k, keys[i], name));
            keys[i][10] ^= 1;
        }
    }
    rf_store_close(s);
    rf_keyring_release(&k);
}

/* What is under way keeps the table in which its key stands. */
static void a_revoked_key_is_nobodys_and_stays_with_its_holder(void **state)
{
    const struct rf_client_key_limits none = { .size = sizeof none };
    char key[RF_CLIENT_KEY_SIZE];
    struct rf_keyring k;
    struct rf_store *s;
    struct rf_err err;
    const struct place *p = *state;
    expect_ok(rf_store_open_at(p->address, &s, &err), &err);
    rf_keyring_init(&k);
    expect_ok(rf_client_key_add(s, "anna", &none, key, &err), &err);
    read_keys(&k, s);
    struct rf_key_holder who = rf_keyring_find(&k, rf_str(key));
    expect_ok(rf_client_key_revoke(s, "anna", &err), &err);
    read_keys(&k, s);
    assert_false(is_found(&k, key, "anna"));
    assert_true(k.asks);
    assert_string_equal(who.key->name, "anna");
    rf_keyring_drop(&who);
    rf_store_close(s);
    rf_keyring_release(&k);
}

int main(void)
{
    static char sqlite[] = "sqlite";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate_setup_teardown(every_key_is_found_among_any_number, place_set_up,
                                                 place_tear_down, sqlite),
        cmocka_unit_test_prestate_setup_teardown(a_revoked_key_is_nobodys_and_stays_with_its_holder,
                                                 place_set_up, place_tear_down, sqlite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
