/* test_shell_word.c - names in commands: the shell must read each as the one word that it is. */
#include "base/shell_word.h"

#include <stdio.h>
#include <stdlib.h>

#include "tap.h"

static const char *const names[] = {
    "run.pith", "a b", "it's", "''", "$HOME`id`\"\\", "-x", "-it's x", "~", "*", "a\tb;c&d|e<f>(g)", "\xc3\xa9"};

int main(void)
{
    char word[100], command[200], got[100] = "";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t begin = names[i][0] == '-' ? 2 : 0; /* after ./ */
        snprintf(command, sizeof command, "printf %%s %s", pithi_shell_word(names[i], word, sizeof word));
        FILE *shell = popen(command, "r");
        size_t size = shell ? fread(got, 1, sizeof got - 1, shell) : 0;
        got[size] = '\0';
        OK(shell && pclose(shell) == 0 && size > begin && strcmp(got + begin, names[i]) == 0, "%s", command);
    }
    OK(strcmp(pithi_shell_word("dir/run-2.pith", word, sizeof word), "dir/run-2.pith") == 0, "a plain name stays");
    OK(strcmp(pithi_shell_word("a b", word, 16), "a b") == 0, "so does one for which there is no room");
    return tap_done();
}
