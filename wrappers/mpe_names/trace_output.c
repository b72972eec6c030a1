/* trace_output.c - linked into programs that use MPE's trace library, libtmpe. Its lines go to standard output, as in
 * MPE. libpith-trace looks for this symbol (trace.c). */
extern const int pith_trace_descriptor;
__attribute__((visibility("default"))) const int pith_trace_descriptor = 1;
