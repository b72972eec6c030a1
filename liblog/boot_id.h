/* boot_id.h - who shares a clock. */
#ifndef PITHI_BOOT_ID_H
#define PITHI_BOOT_ID_H

#include <stddef.h>

/* What tells machines, and boots of one machine, apart; "" if unknown. */
void pithi_boot_id(char *id, size_t size);

#endif
