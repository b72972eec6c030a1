/* formats.h - the functions in the table of formats (foreign/format.c), in the form of struct pithi_format in
 * reader/format.h. The README of each folder has the rules of its conversion. */
#ifndef PITHI_FORMATS_H
#define PITHI_FORMATS_H

#include "reader/format.h"

/* ALOG, the text log of p4, MPE 1, upshot and nupshot. */
int pithi_alog_probe(const struct pithi_input *input);
int pithi_alog_read(const struct pithi_input *input, struct pithi_writer *writer);
int pithi_alog_write(struct pithlog *log, FILE *out, const struct pithi_convert *how);

/* The JSON of chrome://tracing ("Trace Event Format"). Many tools write it (clang, PyTorch) or read it (speedscope,
 * Perfetto, Firefox Profiler). */
int pithi_chrome_probe(const struct pithi_input *input);
int pithi_chrome_read(const struct pithi_input *input, struct pithi_writer *writer);
int pithi_chrome_write(struct pithlog *log, FILE *out, const struct pithi_convert *how);

/* CLOG (".clog"), the binary log of MPE 1, which was part of MPICH 1: read only. */
int pithi_clog1_probe(const struct pithi_input *input);
int pithi_clog1_read(const struct pithi_input *input, struct pithi_writer *writer);

/* CLOG-2 ("CLOG-02.44"), the binary log of MPE 2, which Jumpshot converts. */
int pithi_clog2_probe(const struct pithi_input *input);
int pithi_clog2_read(const struct pithi_input *input, struct pithi_writer *writer);
int pithi_clog2_write(struct pithlog *log, FILE *out, const struct pithi_convert *how);

/* Common Trace Format 1.8 for babeltrace2 and Trace Compass: a folder, written only. The probe recognises a folder that
 * may be replaced. */
int pithi_ctf_probe(const struct pithi_input *input);
int pithi_ctf_write(struct pithlog *log, const char *folder, const struct pithi_convert *how);

/* OTF2, the archives of Score-P and eztrace, through libotf2, which is loaded when it is first needed. If its headers
 * were missing at build time (otf2_none.c), or the library is missing at run time, reading and writing fail with one
 * line. An archive is an anchor NAME.otf2 with NAME.def and NAME/ beside it; a folder with one anchor stands for it. */
int pithi_otf2_probe(const struct pithi_input *input);
int pithi_otf2_read(const struct pithi_input *input, struct pithi_writer *writer);
int pithi_otf2_write(struct pithlog *log, const char *folder, const struct pithi_convert *how);
/* The total size of the files of the archive. */
uint64_t pithi_otf2_bytes(const struct pithi_input *input);
/* 1: the folder contains nothing else and may be replaced. (Score-P adds its own files.) */
int pithi_otf2_alone(const char *folder);

/* Paje's trace format for ViTE, PajeNG and R scripts that use pj_dump: written only. */
int pithi_paje_write(struct pithlog *log, FILE *out, const struct pithi_convert *how);

/* Traces of Paraver: NAME.prv with NAME.pcf and NAME.row beside it. */
int pithi_paraver_probe(const struct pithi_input *input);
int pithi_paraver_read(const struct pithi_input *input, struct pithi_writer *writer);
int pithi_paraver_write(struct pithlog *log, FILE *out, const struct pithi_convert *how);

/* The trace format of Perfetto (ui.perfetto.dev), Protocol Buffers: written only. */
int pithi_perfetto_write(struct pithlog *log, FILE *out, const struct pithi_convert *how);

/* The trace format of PICL, version 1, which ParaGraph and upshot read. */
int pithi_picl_probe(const struct pithi_input *input);
int pithi_picl_read(const struct pithi_input *input, struct pithi_writer *writer);
int pithi_picl_write(struct pithlog *log, FILE *out, const struct pithi_convert *how);

/* SLOG-2, the log of Jumpshot-4: a tree of nodes. Each node has the drawables of its time range and previews of the
 * nodes below it. */
int pithi_slog2_probe(const struct pithi_input *input);
int pithi_slog2_read(const struct pithi_input *input, struct pithi_writer *writer);
int pithi_slog2_write(struct pithlog *log, FILE *out, const struct pithi_convert *how);

/* The lines of text that `pith print` also prints. */
int pithi_text_probe(const struct pithi_input *input);
int pithi_text_read(const struct pithi_input *input, struct pithi_writer *writer);
int pithi_text_write(struct pithlog *log, FILE *out, const struct pithi_convert *how);
int pithi_csv_write(struct pithlog *log, FILE *out, const struct pithi_convert *how);
int pithi_json_write(struct pithlog *log, FILE *out, const struct pithi_convert *how);

#endif
