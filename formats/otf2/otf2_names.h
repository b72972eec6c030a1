/* otf2_names.h - what OTF2 wants to know of a function of MPI, by its name. */
#ifndef PITHI_OTF2_NAMES_H
#define PITHI_OTF2_NAMES_H

#include <otf2/otf2.h>

/* The collective operation that a state of this name is ("MPI_Bcast", "MPI_Ibcast"); -1: none. */
int pithi_otf2_operation(const char *name);
OTF2_RegionRole pithi_otf2_role(const char *name, const char *group);
OTF2_Paradigm pithi_otf2_paradigm(const char *name, const char *group);

/* And back: the group of states of a region that is in no group of regions. */
const char *pithi_otf2_group(const char *name, OTF2_Paradigm paradigm, OTF2_RegionRole role);

#endif
