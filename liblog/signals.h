/* signals.h - signals that writing may raise, and that are not the program's business: SIGXFSZ from the log, SIGPIPE
 * from a line on stderr. Held back on this thread between begin and end, and swallowed if they came. */
#ifndef PITHI_SIGNALS_H
#define PITHI_SIGNALS_H

#include <signal.h>

struct pithi_signals {
    sigset_t before, pending;
};
void pithi_signals_begin(struct pithi_signals *signals);
void pithi_signals_end(const struct pithi_signals *signals);

#endif
