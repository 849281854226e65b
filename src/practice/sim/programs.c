/* programs: the list of all programs that executables can name. */
#include "practice/sim/programs.h"

#include <string.h>

static const struct program_table *const tables[] = {
    &programs_shell, &programs_basic, &programs_copy, &programs_files,  &programs_list,  &programs_find, &programs_text,
    &programs_sort,  &programs_grep,  &programs_sed,  &programs_system, &programs_bytes, &programs_tar, &programs_net, &programs_names, &programs_server,
};

const struct program *program_find(const char *name)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (size_t j = 0; j < tables[i]->count; j++)
            if (strcmp(tables[i]->programs[j].name, name) == 0)
                return &tables[i]->programs[j];
    return NULL;
}

void program_names(struct vec *names)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (size_t j = 0; j < tables[i]->count; j++)
            if (!vec_push(names, (void *)(uintptr_t)tables[i]->programs[j].name))
                return;
}
