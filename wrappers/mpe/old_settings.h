/* old_settings.h - MPE's environment variables.
 *
 * Those that mean something to Pith are turned into Pith's own before recording begins; where both are set, Pith's
 * count. mpe(3) has the list.
 */
#ifndef PITHI_OLD_SETTINGS_H
#define PITHI_OLD_SETTINGS_H

/* Says once, by rank 0, which of the variables that are set have no meaning any more, or a value that makes no sense.
 * To be called when a log begins. */
void pithi_old_settings_note(void);

/* MPE_LOGFILE_PREFIX; NULL: not given. */
const char *pithi_old_prefix(void);

/* Yes or no. `otherwise`: the answer where the variable is not set, or has no such value. */
int pithi_old_flag(const char *name, int otherwise);

#endif
