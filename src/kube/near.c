#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "kube/internal.h"

enum { LONGEST_COMPARED = 64 };

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

unsigned kube_name_distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    if (n > LONGEST_COMPARED || m > LONGEST_COMPARED)
        return UINT_MAX;
    unsigned rows[3][LONGEST_COMPARED + 1];
    unsigned *before = rows[0], *last = rows[1], *row = rows[2];
    for (unsigned j = 0; j <= m; j++)
        last[j] = before[j] = j;
    for (size_t i = 1; i <= n; i++) {
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[j - 1]);
            row[j] = least(least(last[j], row[j - 1]) + 1, last[j - 1] + (x != y));
            if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) && y == tolower((unsigned char)a[i - 2]))
                row[j] = least(row[j], before[j - 2] + 1);
        }
        unsigned *oldest = before;
        before = last;
        last = row;
        row = oldest;
    }
    return last[m];
}

unsigned kube_name_allowance(const char *word)
{
    return 1 + (unsigned)(strlen(word) / 4);
}
