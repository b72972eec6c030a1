/* group.h - the group of the legend that an MPI function belongs to, and the colour of one that has none of its own. */
#ifndef PITHI_GROUP_H
#define PITHI_GROUP_H

/* `classes`: as in roles.table, may be "". */
const char *pithi_group_of(const char *name, const char *classes);
const char *pithi_group_colour(const char *name, const char *classes);

#endif
