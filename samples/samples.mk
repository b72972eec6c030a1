# Sets samples_out, the list of what `make samples` builds, and the rules.
samples_out :=
