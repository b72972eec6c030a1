/* cause.h - why a file cannot be written, in words: "the folder results does not exist; make it first". This header
 * includes no other header of the tree, so that every folder of the tree can use it. */
#ifndef PITHI_CAUSE_H
#define PITHI_CAUSE_H

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct pithi_cause {
    char text[4400];
};

/* Returns the cause as text; the text lives as long as `cause`. `error`: errno of the call that failed. */
static inline const char *pithi_cause_of(struct pithi_cause *cause, const char *path, int error)
{
    const char *slash = strrchr(path, '/');
    char folder[4096] = ".";
    struct stat status;

    if (slash)
        snprintf(folder, sizeof folder, "%.*s", slash > path ? (int)(slash - path) : 1, path);
    if ((error == ENOENT || error == ENOTDIR) && stat(folder, &status) != 0)
        snprintf(cause->text, sizeof cause->text, "the folder %s does not exist; make it first", folder);
    else if (error == ENOTDIR || (error == ENOENT && !S_ISDIR(status.st_mode)))
        snprintf(cause->text, sizeof cause->text, "%s is not a folder; choose another place", folder);
    else if (error == ENOENT || error == EACCES || error == EPERM || error == EROFS)
        snprintf(cause->text, sizeof cause->text, "%s; no file can be made in the folder %s; choose another place",
                 strerror(error), folder);
    else
        snprintf(cause->text, sizeof cause->text, "%s", strerror(error));
    return cause->text;
}

#endif
