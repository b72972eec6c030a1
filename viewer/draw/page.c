#include "draw/draw.h"
int pithi_draw_page(const struct pithi_draw *draw) { return draw->kind == PITHI_DRAW_HTML; }
