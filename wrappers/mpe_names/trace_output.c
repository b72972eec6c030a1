/* trace_output.c - is linked into programs that use MPE's trace library, libtmpe. If a program has this symbol,
 * libpith-trace prints to the descriptor that it contains: standard output, as in MPE (wrappers/trace/trace.c). */
extern const int pith_trace_descriptor;
__attribute__((visibility("default"))) const int pith_trace_descriptor = 1;
