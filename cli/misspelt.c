#include "misspelt.h"

#include <string.h>

#define LONGEST 40

unsigned rf_name_distance(const char *a, const char *b)
{
    size_t an = strlen(a), bn = strlen(b);
    unsigned rows[3][LONGEST + 1];
    if (an > LONGEST || bn > LONGEST)
        return LONGEST;
    for (unsigned j = 0; j <= bn; j++)
        rows[0][j] = j;
    for (unsigned i = 1; i <= an; i++) {
        unsigned *row = rows[i % 3], *up = rows[(i - 1) % 3], *up2 = rows[(i + 1) % 3];
        row[0] = i;
        for (unsigned j = 1; j <= bn; j++) {
            unsigned edit = (up[j] < row[j - 1] ? up[j] : row[j - 1]) + 1;
            unsigned change = up[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = change < edit ? change : edit;
            bool swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swap && up2[j - 2] + 1 < row[j])
                row[j] = up2[j - 2] + 1;
        }
    }
    return rows[an % 3][bn];
}

bool rf_name_near(const char *given, unsigned distance)
{
    return distance <= 1 + strlen(given) / 4 && distance < strlen(given);
}
