/* slow_disk.h - how long fsync takes, up to 999 ms. */
#ifndef SLOW_DISK_H
#define SLOW_DISK_H
extern int slow_disk_ms;
#endif
