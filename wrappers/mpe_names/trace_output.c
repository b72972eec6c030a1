/* trace_output.c - in programs linked with MPE's trace library, libtmpe: its lines go to standard output, as MPE's do.
 * libpith-trace looks for this (trace.c). */
extern const int pith_trace_descriptor;
__attribute__((visibility("default"))) const int pith_trace_descriptor = 1;
