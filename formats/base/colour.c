/* colour.c - the table of X11's colour names (rgb.txt), and conversion from names to numbers and back.
 *
 * Logs of old tools name colours as their X server did, and old viewers of the files that Pith writes know only those
 * names. So "sea green", "SeaGreen" and "#2e8b57" are the same colour here, and #2e8b58 is written as SeaGreen to a
 * format that has names only: the nearest one, by the squares of the distances of red, green and blue.
 *
 * The table is part of the program: an rgb.txt file is not everywhere, and a colour must not depend on the machine.
 */
#include "base/colour.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The table has the names that are in every rgb.txt since X11R4, in the spelling of that file but without blanks, and
 * with "gray" for "grey". Searches ignore case and blanks, as X servers do. */
/* clang-format off */
static const struct single {
    const char *name;
    uint32_t rgb;
} singles[] = {
    {"GhostWhite", 0xf8f8ff}, {"WhiteSmoke", 0xf5f5f5}, {"gainsboro", 0xdcdcdc}, {"FloralWhite", 0xfffaf0},
    {"OldLace", 0xfdf5e6}, {"linen", 0xfaf0e6}, {"PapayaWhip", 0xffefd5}, {"BlanchedAlmond", 0xffebcd},
    {"moccasin", 0xffe4b5}, {"MintCream", 0xf5fffa}, {"AliceBlue", 0xf0f8ff}, {"lavender", 0xe6e6fa},
    {"white", 0xffffff}, {"black", 0x000000}, {"DimGray", 0x696969}, {"LightSlateGray", 0x778899}, {"gray", 0xbebebe},
    {"LightGray", 0xd3d3d3}, {"MidnightBlue", 0x191970}, {"navy", 0x000080}, {"NavyBlue", 0x000080},
    {"CornflowerBlue", 0x6495ed}, {"DarkSlateBlue", 0x483d8b}, {"MediumSlateBlue", 0x7b68ee},
    {"LightSlateBlue", 0x8470ff}, {"MediumBlue", 0x0000cd}, {"PowderBlue", 0xb0e0e6}, {"DarkTurquoise", 0x00ced1},
    {"MediumTurquoise", 0x48d1cc}, {"MediumAquamarine", 0x66cdaa}, {"DarkGreen", 0x006400},
    {"MediumSeaGreen", 0x3cb371}, {"LightSeaGreen", 0x20b2aa}, {"LawnGreen", 0x7cfc00},
    {"MediumSpringGreen", 0x00fa9a}, {"GreenYellow", 0xadff2f}, {"LimeGreen", 0x32cd32}, {"YellowGreen", 0x9acd32},
    {"ForestGreen", 0x228b22}, {"DarkKhaki", 0xbdb76b}, {"PaleGoldenrod", 0xeee8aa},
    {"LightGoldenrodYellow", 0xfafad2}, {"SaddleBrown", 0x8b4513}, {"peru", 0xcd853f}, {"beige", 0xf5f5dc},
    {"SandyBrown", 0xf4a460}, {"DarkSalmon", 0xe9967a}, {"LightCoral", 0xf08080}, {"MediumVioletRed", 0xc71585},
    {"violet", 0xee82ee}, {"DarkViolet", 0x9400d3}, {"BlueViolet", 0x8a2be2},
    {"DarkGray", 0xa9a9a9}, {"DarkBlue", 0x00008b}, {"DarkCyan", 0x008b8b}, {"DarkMagenta", 0x8b008b},
    {"DarkRed", 0x8b0000}, {"LightGreen", 0x90ee90},
};

/* Five names and their colours: the name itself, and the name followed by 1, 2, 3 and 4. */
#define FAMILY(name, ...) {{name, name "1", name "2", name "3", name "4"}, {__VA_ARGS__}}
static const struct family {
    const char *names[5];
    uint32_t rgb[5];
} families[] = {
    FAMILY("snow", 0xfffafa, 0xfffafa, 0xeee9e9, 0xcdc9c9, 0x8b8989),
    FAMILY("AntiqueWhite", 0xfaebd7, 0xffefdb, 0xeedfcc, 0xcdc0b0, 0x8b8378),
    FAMILY("bisque", 0xffe4c4, 0xffe4c4, 0xeed5b7, 0xcdb79e, 0x8b7d6b),
    FAMILY("PeachPuff", 0xffdab9, 0xffdab9, 0xeecbad, 0xcdaf95, 0x8b7765),
    FAMILY("NavajoWhite", 0xffdead, 0xffdead, 0xeecfa1, 0xcdb38b, 0x8b795e),
    FAMILY("cornsilk", 0xfff8dc, 0xfff8dc, 0xeee8cd, 0xcdc8b1, 0x8b8878),
    FAMILY("ivory", 0xfffff0, 0xfffff0, 0xeeeee0, 0xcdcdc1, 0x8b8b83),
    FAMILY("LemonChiffon", 0xfffacd, 0xfffacd, 0xeee9bf, 0xcdc9a5, 0x8b8970),
    FAMILY("seashell", 0xfff5ee, 0xfff5ee, 0xeee5de, 0xcdc5bf, 0x8b8682),
    FAMILY("honeydew", 0xf0fff0, 0xf0fff0, 0xe0eee0, 0xc1cdc1, 0x838b83),
    FAMILY("azure", 0xf0ffff, 0xf0ffff, 0xe0eeee, 0xc1cdcd, 0x838b8b),
    FAMILY("LavenderBlush", 0xfff0f5, 0xfff0f5, 0xeee0e5, 0xcdc1c5, 0x8b8386),
    FAMILY("MistyRose", 0xffe4e1, 0xffe4e1, 0xeed5d2, 0xcdb7b5, 0x8b7d7b),
    FAMILY("DarkSlateGray", 0x2f4f4f, 0x97ffff, 0x8deeee, 0x79cdcd, 0x528b8b),
    FAMILY("SlateGray", 0x708090, 0xc6e2ff, 0xb9d3ee, 0x9fb6cd, 0x6c7b8b),
    FAMILY("SlateBlue", 0x6a5acd, 0x836fff, 0x7a67ee, 0x6959cd, 0x473c8b),
    FAMILY("RoyalBlue", 0x4169e1, 0x4876ff, 0x436eee, 0x3a5fcd, 0x27408b),
    FAMILY("blue", 0x0000ff, 0x0000ff, 0x0000ee, 0x0000cd, 0x00008b),
    FAMILY("DodgerBlue", 0x1e90ff, 0x1e90ff, 0x1c86ee, 0x1874cd, 0x104e8b),
    FAMILY("DeepSkyBlue", 0x00bfff, 0x00bfff, 0x00b2ee, 0x009acd, 0x00688b),
    FAMILY("SkyBlue", 0x87ceeb, 0x87ceff, 0x7ec0ee, 0x6ca6cd, 0x4a708b),
    FAMILY("LightSkyBlue", 0x87cefa, 0xb0e2ff, 0xa4d3ee, 0x8db6cd, 0x607b8b),
    FAMILY("SteelBlue", 0x4682b4, 0x63b8ff, 0x5cacee, 0x4f94cd, 0x36648b),
    FAMILY("LightSteelBlue", 0xb0c4de, 0xcae1ff, 0xbcd2ee, 0xa2b5cd, 0x6e7b8b),
    FAMILY("LightBlue", 0xadd8e6, 0xbfefff, 0xb2dfee, 0x9ac0cd, 0x68838b),
    FAMILY("PaleTurquoise", 0xafeeee, 0xbbffff, 0xaeeeee, 0x96cdcd, 0x668b8b),
    FAMILY("turquoise", 0x40e0d0, 0x00f5ff, 0x00e5ee, 0x00c5cd, 0x00868b),
    FAMILY("cyan", 0x00ffff, 0x00ffff, 0x00eeee, 0x00cdcd, 0x008b8b),
    FAMILY("LightCyan", 0xe0ffff, 0xe0ffff, 0xd1eeee, 0xb4cdcd, 0x7a8b8b),
    FAMILY("CadetBlue", 0x5f9ea0, 0x98f5ff, 0x8ee5ee, 0x7ac5cd, 0x53868b),
    FAMILY("aquamarine", 0x7fffd4, 0x7fffd4, 0x76eec6, 0x66cdaa, 0x458b74),
    FAMILY("DarkOliveGreen", 0x556b2f, 0xcaff70, 0xbcee68, 0xa2cd5a, 0x6e8b3d),
    FAMILY("DarkSeaGreen", 0x8fbc8f, 0xc1ffc1, 0xb4eeb4, 0x9bcd9b, 0x698b69),
    FAMILY("SeaGreen", 0x2e8b57, 0x54ff9f, 0x4eee94, 0x43cd80, 0x2e8b57),
    FAMILY("PaleGreen", 0x98fb98, 0x9aff9a, 0x90ee90, 0x7ccd7c, 0x548b54),
    FAMILY("SpringGreen", 0x00ff7f, 0x00ff7f, 0x00ee76, 0x00cd66, 0x008b45),
    FAMILY("green", 0x00ff00, 0x00ff00, 0x00ee00, 0x00cd00, 0x008b00),
    FAMILY("chartreuse", 0x7fff00, 0x7fff00, 0x76ee00, 0x66cd00, 0x458b00),
    FAMILY("OliveDrab", 0x6b8e23, 0xc0ff3e, 0xb3ee3a, 0x9acd32, 0x698b22),
    FAMILY("khaki", 0xf0e68c, 0xfff68f, 0xeee685, 0xcdc673, 0x8b864e),
    FAMILY("LightYellow", 0xffffe0, 0xffffe0, 0xeeeed1, 0xcdcdb4, 0x8b8b7a),
    FAMILY("yellow", 0xffff00, 0xffff00, 0xeeee00, 0xcdcd00, 0x8b8b00),
    FAMILY("gold", 0xffd700, 0xffd700, 0xeec900, 0xcdad00, 0x8b7500),
    FAMILY("LightGoldenrod", 0xeedd82, 0xffec8b, 0xeedc82, 0xcdbe70, 0x8b814c),
    FAMILY("goldenrod", 0xdaa520, 0xffc125, 0xeeb422, 0xcd9b1d, 0x8b6914),
    FAMILY("DarkGoldenrod", 0xb8860b, 0xffb90f, 0xeead0e, 0xcd950c, 0x8b6508),
    FAMILY("RosyBrown", 0xbc8f8f, 0xffc1c1, 0xeeb4b4, 0xcd9b9b, 0x8b6969),
    FAMILY("IndianRed", 0xcd5c5c, 0xff6a6a, 0xee6363, 0xcd5555, 0x8b3a3a),
    FAMILY("sienna", 0xa0522d, 0xff8247, 0xee7942, 0xcd6839, 0x8b4726),
    FAMILY("burlywood", 0xdeb887, 0xffd39b, 0xeec591, 0xcdaa7d, 0x8b7355),
    FAMILY("wheat", 0xf5deb3, 0xffe7ba, 0xeed8ae, 0xcdba96, 0x8b7e66),
    FAMILY("tan", 0xd2b48c, 0xffa54f, 0xee9a49, 0xcd853f, 0x8b5a2b),
    FAMILY("chocolate", 0xd2691e, 0xff7f24, 0xee7621, 0xcd661d, 0x8b4513),
    FAMILY("firebrick", 0xb22222, 0xff3030, 0xee2c2c, 0xcd2626, 0x8b1a1a),
    FAMILY("brown", 0xa52a2a, 0xff4040, 0xee3b3b, 0xcd3333, 0x8b2323),
    FAMILY("salmon", 0xfa8072, 0xff8c69, 0xee8262, 0xcd7054, 0x8b4c39),
    FAMILY("LightSalmon", 0xffa07a, 0xffa07a, 0xee9572, 0xcd8162, 0x8b5742),
    FAMILY("orange", 0xffa500, 0xffa500, 0xee9a00, 0xcd8500, 0x8b5a00),
    FAMILY("DarkOrange", 0xff8c00, 0xff7f00, 0xee7600, 0xcd6600, 0x8b4500),
    FAMILY("coral", 0xff7f50, 0xff7256, 0xee6a50, 0xcd5b45, 0x8b3e2f),
    FAMILY("tomato", 0xff6347, 0xff6347, 0xee5c42, 0xcd4f39, 0x8b3626),
    FAMILY("OrangeRed", 0xff4500, 0xff4500, 0xee4000, 0xcd3700, 0x8b2500),
    FAMILY("red", 0xff0000, 0xff0000, 0xee0000, 0xcd0000, 0x8b0000),
    FAMILY("HotPink", 0xff69b4, 0xff6eb4, 0xee6aa7, 0xcd6090, 0x8b3a62),
    FAMILY("DeepPink", 0xff1493, 0xff1493, 0xee1289, 0xcd1076, 0x8b0a50),
    FAMILY("pink", 0xffc0cb, 0xffb5c5, 0xeea9b8, 0xcd919e, 0x8b636c),
    FAMILY("LightPink", 0xffb6c1, 0xffaeb9, 0xeea2ad, 0xcd8c95, 0x8b5f65),
    FAMILY("PaleVioletRed", 0xdb7093, 0xff82ab, 0xee799f, 0xcd6889, 0x8b475d),
    FAMILY("maroon", 0xb03060, 0xff34b3, 0xee30a7, 0xcd2990, 0x8b1c62),
    FAMILY("VioletRed", 0xd02090, 0xff3e96, 0xee3a8c, 0xcd3278, 0x8b2252),
    FAMILY("magenta", 0xff00ff, 0xff00ff, 0xee00ee, 0xcd00cd, 0x8b008b),
    FAMILY("plum", 0xdda0dd, 0xffbbff, 0xeeaeee, 0xcd96cd, 0x8b668b),
    FAMILY("orchid", 0xda70d6, 0xff83fa, 0xee7ae9, 0xcd69c9, 0x8b4789),
    FAMILY("MediumOrchid", 0xba55d3, 0xe066ff, 0xd15fee, 0xb452cd, 0x7a378b),
    FAMILY("DarkOrchid", 0x9932cc, 0xbf3eff, 0xb23aee, 0x9a32cd, 0x68228b),
    FAMILY("purple", 0xa020f0, 0x9b30ff, 0x912cee, 0x7d26cd, 0x551a8b),
    FAMILY("MediumPurple", 0x9370db, 0xab82ff, 0x9f79ee, 0x8968cd, 0x5d478b),
    FAMILY("thistle", 0xd8bfd8, 0xffe1ff, 0xeed2ee, 0xcdb5cd, 0x8b7b8b),
};

/* The names gray0 to gray100: grayN is N percent of white. */
#define GRAY10(tens) "gray" tens "0", "gray" tens "1", "gray" tens "2", "gray" tens "3", "gray" tens "4", \
    "gray" tens "5", "gray" tens "6", "gray" tens "7", "gray" tens "8", "gray" tens "9"
static const char *const grays[101] = {GRAY10(""),  GRAY10("1"), GRAY10("2"), GRAY10("3"), GRAY10("4"), GRAY10("5"),
                                       GRAY10("6"), GRAY10("7"), GRAY10("8"), GRAY10("9"), "gray100"};

/* Names that only X.Org's later rgb.txt has. pithi_colour_parse accepts these names, but no function returns them,
 * because old viewers do not know them. */
static const struct single later[] = {
    {"crimson", 0xdc143c}, {"indigo", 0x4b0082}, {"olive", 0x808000}, {"silver", 0xc0c0c0}, {"teal", 0x008080},
    {"aqua", 0x00ffff},    {"fuchsia", 0xff00ff}, {"lime", 0x00ff00}, {"RebeccaPurple", 0x663399},
};
/* clang-format on */

enum { NAME_MAX_BYTES = 32 }; /* with its NUL */
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static uint32_t gray_rgb(uint32_t percent)
{
    /* Rounds N percent of 255 in integers: gray1 is (255 + 50) / 100 = 3, which is #030303. */
    uint32_t level = (percent * 255 + 50) / 100;

    if (percent == 50 || percent == 90) /* rgb.txt rounds 127.5 and 229.5 down, other halves up */
        level--;
    return level * 0x010101;
}

/* Copies the name up to a ':' to `key`, in lower case, without blanks, and with "gray" for "grey". Returns the length
 * of `key`, or 0 if the text is longer than any colour name. */
static size_t normalise(const char *name, char key[NAME_MAX_BYTES])
{
    size_t n = 0;

    for (; *name && *name != ':'; name++) {
        if (*name == ' ' || *name == '\t')
            continue;
        /* All names of the table are shorter than `key`, so a text that does not fit is not one of these names. */
        if (n + 1 == NAME_MAX_BYTES)
            return 0;
        key[n++] = (char)tolower((unsigned char)*name);
    }
    key[n] = 0;
    /* Replaces "grey" anywhere in the name, because "DarkSlateGrey" is a name, too. */
    for (char *grey = key; (grey = strstr(grey, "grey")); grey += 4)
        grey[2] = 'a';
    return n;
}

static int same(const char *name, const char *key) { return strcasecmp(name, key) == 0; }

/* Returns 1 for "gray0" to "gray100", with the number in *percent. Returns 0 for "gray", which is a colour without a
 * percentage, and for "gray05", which is not in rgb.txt. */
static int parse_gray(const char *key, uint32_t *percent)
{
    char *end;

    if (strncmp(key, "gray", 4) != 0 || !isdigit((unsigned char)key[4]) || (key[4] == '0' && key[5]))
        return 0;
    unsigned long n = strtoul(key + 4, &end, 10);
    *percent = (uint32_t)n;
    return *end == 0 && n <= 100;
}

/* Finds the name `key` in the tables. Returns the name in the spelling of rgb.txt and sets *rgb to its colour. Returns
 * NULL if there is no such name. */
static const char *find(const char *key, uint32_t *rgb)
{
    uint32_t percent;

    /* The colours of the grays are computed, because a table of 101 rows would say no more than the formula. */
    if (parse_gray(key, &percent)) {
        *rgb = gray_rgb(percent);
        return grays[percent];
    }
    for (size_t i = 0; i < COUNT(singles); i++)
        if (same(singles[i].name, key)) {
            *rgb = singles[i].rgb;
            return singles[i].name;
        }
    for (size_t i = 0; i < COUNT(families); i++)
        for (size_t k = 0; k < 5; k++)
            if (same(families[i].names[k], key)) {
                *rgb = families[i].rgb[k];
                return families[i].names[k];
            }
    return NULL;
}

int pithi_colour_parse(const char *name, uint32_t *rgb)
{
    char key[NAME_MAX_BYTES];
    size_t length = name ? normalise(name, key) : 0;

    if (!length)
        return 0;
    if (key[0] == '#') {
        /* Converts the digits after '#', in lower case: "2e8b57", or "fff" for "ffffff". */
        const char *digits = key + 1;
        size_t count = length - 1;
        uint32_t value = 0;

        if (count != 3 && count != 6)
            return 0;
        for (size_t i = 0; i < count; i++) {
            if (!isxdigit((unsigned char)digits[i]))
                return 0;
            uint32_t digit = (uint32_t)(isdigit((unsigned char)digits[i]) ? digits[i] - '0' : digits[i] - 'a' + 10);
            value = value << 4 | digit;
            /* in the form #rgb each digit counts twice: f means ff, not f0 */
            if (count == 3)
                value = value << 4 | digit;
        }
        *rgb = value;
        return 1;
    }
    /* Searches `later` last, so that a name of the old rgb.txt always takes precedence. */
    if (find(key, rgb))
        return 1;
    for (size_t i = 0; i < COUNT(later); i++)
        if (same(later[i].name, key)) {
            *rgb = later[i].rgb;
            return 1;
        }
    return 0;
}

const char *pithi_colour_canonical(const char *name)
{
    char key[NAME_MAX_BYTES];
    uint32_t rgb;

    return name && normalise(name, key) ? find(key, &rgb) : NULL;
}

/* Returns the squared distance of two colours, at most 3 * 255 * 255 = 195075 (from black to white). Distances are only
 * compared, so the square root is not needed. */
static uint32_t distance(uint32_t a, uint32_t b)
{
    int32_t red = (int32_t)(a >> 16 & 255) - (int32_t)(b >> 16 & 255);
    int32_t green = (int32_t)(a >> 8 & 255) - (int32_t)(b >> 8 & 255);
    int32_t blue = (int32_t)(a & 255) - (int32_t)(b & 255);

    return (uint32_t)(red * red + green * green + blue * blue);
}

/* A search for the nearest name: the colour that is wanted, and the nearest so far with its distance. */
struct nearest {
    uint32_t wanted, distance;
    const char *name;
};

static void consider(struct nearest *nearest, const char *name, uint32_t rgb)
{
    uint32_t d = distance(nearest->wanted, rgb);

    /* If several names have the same colour, the first name stays: "navy", not "NavyBlue". */
    if (d < nearest->distance) {
        nearest->distance = d;
        nearest->name = name;
    }
}

const char *pithi_colour_nearest(uint32_t rgb)
{
    struct nearest nearest = {rgb, UINT32_MAX, ""};

    for (size_t i = 0; i < COUNT(singles); i++)
        consider(&nearest, singles[i].name, singles[i].rgb);
    for (size_t i = 0; i < COUNT(families); i++)
        for (size_t k = 0; k < 5; k++)
            consider(&nearest, families[i].names[k], families[i].rgb[k]);
    for (uint32_t percent = 0; percent <= 100; percent++)
        consider(&nearest, grays[percent], gray_rgb(percent));
    return nearest.name;
}

const char *pithi_colour_text(uint32_t rgb, char text[8])
{
    /* Returns only a name with exactly this colour; the nearest name would change the colour. */
    const char *name = pithi_colour_nearest(rgb);
    uint32_t named;

    if (pithi_colour_parse(name, &named) && named == rgb)
        return name;
    snprintf(text, 8, "#%06x", (unsigned)rgb);
    return text;
}
