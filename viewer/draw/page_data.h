/* page_data.h - page.js and page.css as strings, made by the Makefile. */
#ifndef PITHI_PAGE_DATA_H
#define PITHI_PAGE_DATA_H

extern const char pithi_page_js[], pithi_page_css[];

#endif
