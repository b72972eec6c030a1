/* host_facts.c - collects what the system reports about the machine. Facts that it does not report are left out. */
#include "host_facts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "pith_tool.h"
#include "process.h"

/* Reads the start of a file: /proc/cpuinfo is long on large machines, and its first core is enough. */
static int read_start(const char *path, char *text, size_t size)
{
    ssize_t got = -1;
    int fd = pithi_descriptor_open(path, O_RDONLY, 0);
    if (fd >= 0) {
        got = read(fd, text, size - 1);
        close(fd);
    }
    text[got > 0 ? got : 0] = '\0';
    return got > 0;
}

/* Copies the value of the line "KEY : VALUE" of /proc/cpuinfo. Returns 0 if there is no such line. */
static int field(const char *text, const char *key, char *value, size_t size)
{
    for (const char *line = text; line != NULL && *line != '\0'; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, strlen(key)) != 0)
            continue;
        const char *from = line + strlen(key);
        from += strspn(from, " \t");
        if (*from == ':') {
            from += 1 + strspn(from + 1, " \t");
            snprintf(value, size, "%.*s", (int)strcspn(from, "\n"), from);
            return *value != '\0';
        }
    }
    return 0;
}

static int tell(struct pithi_defs *defs, const char *name, const char *host, const char *format, ...)
{
    char key[300], value[1200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value, sizeof value, format, arguments);
    va_end(arguments);
    snprintf(key, sizeof key, "%s%s%.255s", name, host != NULL && *host != '\0' ? " " : "", host != NULL ? host : "");
    return pithi_defs_property(defs, key, value);
}

int pithi_host_facts_tell(struct pithi_defs *defs, const char *host, const char *affinity)
{
    char text[4096], value[256], own[256];
    int saved = errno, err, known;
    long pages = sysconf(_SC_PHYS_PAGES);
    unsigned long long memory = pages > 0 ? (unsigned long long)pages * (unsigned long long)sysconf(_SC_PAGESIZE) : 0;

    TRY(tell(defs, "cores", host, "%ld", sysconf(_SC_NPROCESSORS_ONLN)));
    known = read_start("/proc/cpuinfo", text, sizeof text);
    if (known && field(text, "model name", value, sizeof value))
        TRY(tell(defs, "cpu", host, "%s", value));
    if (known && field(text, "cpu MHz", value, sizeof value))
        TRY(tell(defs, "cpu_mhz", host, "%.0f", strtod(value, NULL)));
    if (read_start("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", value, sizeof value)) /* in kHz */
        TRY(tell(defs, "cpu_max_mhz", host, "%.0f", strtod(value, NULL) / 1000));
    if (memory > 0)
        TRY(tell(defs, "memory_bytes", host, "%llu", memory));
    if (affinity == NULL) {
        pith_affinity(own, sizeof own);
        affinity = own;
    }
    if (*affinity != '\0')
        TRY(tell(defs, "affinity", host, "%s", affinity));
out:
    errno = saved;
    return err;
}
