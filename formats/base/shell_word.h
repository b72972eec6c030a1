/* shell_word.h - quotes a name for the shell, for messages that contain a command. */
#ifndef PITHI_SHELL_WORD_H
#define PITHI_SHELL_WORD_H

#include <string.h>

/* Returns `name` itself if it needs no quotes, else its quoted form in `word`: 'a b', 'it'\''s', './-x'. (A `size` of
 * 4 * strlen + 5 is always enough; with less, a name that does not fit is returned unchanged.) */
static inline const char *pithi_shell_word(const char *name, char *word, size_t size)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
    const char *front = *name == '-' ? "./" : "";
    size_t used = 0;
    if (!*front && *name && !name[strspn(name, plain)])
        return name;
    if (4 * strlen(name) + 5 > size)
        return name;
    word[used++] = '\'';
    for (const char *at = front; *at; at++)
        word[used++] = *at;
    for (const char *at = name; *at; at++) {
        if (*at == '\'') {
            memcpy(word + used, "'\\'", 3);
            used += 3;
        }
        word[used++] = *at;
    }
    word[used++] = '\'';
    word[used] = '\0';
    return word;
}

#endif
