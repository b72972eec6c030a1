/* trace_output.c - is linked into programs that use MPE's trace library, libtmpe. The lines then go to standard output,
 * as in MPE: libpith-trace looks for this symbol (wrappers/trace/trace.c). */
extern const int pith_trace_descriptor;
__attribute__((visibility("default"))) const int pith_trace_descriptor = 1;
