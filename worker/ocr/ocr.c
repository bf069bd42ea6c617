/* Tesseract is slow to load and slow to read, so its data is loaded before the sandbox closes and
 * kept.
 *
 * It would use OpenMP with as many threads as it likes, which on a busy machine is six to nine
 * times slower than one. The variable OMP_THREAD_LIMIT is read before main() begins, too early for
 * us; so parallel regions are switched off by a call, in whichever OpenMP library was loaded.
 *
 * Tesseract finds letters in every photograph of leaves. A line is kept when it is sure of most of
 * it, and then whole: a word that is misread says more than one that is missing. The confidence is
 * that of all it found, so that a picture of which much was left out does not look certain.
 *
 * Its layout takes the columns of a table for those of a newspaper, and reads them one after the
 * other. Where blocks stand side by side and none of them is running text, the picture is read a
 * second time as one block, whose lines are the rows of the table; words that stand far apart in a
 * line are its cells. */
#include "worker/ocr/ocr.h"

#include "worker/ocr/picture.h"

#include "base/buf.h"
#include "base/clock.h"

#include <dlfcn.h>
#include <tesseract/capi.h>

#define USUAL_LANGUAGE "eng"
#define MAX_LANGUAGES 64 /* characters */
#define MAX_TIME_MS 40000
#define AGAIN_MS 8000 /* a picture that took longer than this is not read a second time */
#define MAX_TEXT ((size_t)1 << 20)
#define MIN_WORD 10.0f /* of 100: below, what is short is not a word but a smudge */
#define MIN_LINE 60.0f
#define SHORT_LINE 4 /* letters and digits: fewer say little, so of those it must be sure */
#define MIN_SHORT 85.0f
#define MAX_BLOCKS 500
#define PROSE_LINES 3 /* a block with so many lines of so many words is running text */
#define PROSE_WORDS 5
#define CELL_GAP 1.5f /* of the height of a word: more lies between two cells */

const char *const rf_ocr_folders[] = { "/usr/share/tesseract-ocr", "/usr/share/tessdata", NULL };

/* What is kept between two asks: the engine, and the languages that it has loaded. */
static TessBaseAPI *engine;
static char loaded[MAX_LANGUAGES];

static void use_one_thread(void)
{
    void *found = dlsym(RTLD_DEFAULT, "omp_set_max_active_levels");
    void (*set_levels)(int);

    memcpy(&set_levels, &found, sizeof set_levels);
    if (found)
        set_levels(0);
}

static bool load(const char *languages)
{
    if (engine && strcmp(languages, loaded) == 0)
        return true;
    if (engine)
        TessBaseAPIDelete(engine);
    engine = TessBaseAPICreate();
    loaded[0] = 0;
    if (!engine || TessBaseAPIInit3(engine, NULL, languages))
        return false;
    TessBaseAPISetVariable(engine, "debug_file", "/dev/null");
    snprintf(loaded, sizeof loaded, "%s", languages);
    return true;
}

/* False: it took too long, and what is there is not all. */
static bool recognise(PIX *pix, TessPageSegMode layout, int max_ms)
{
    ETEXT_DESC *monitor = TessMonitorCreate();

    TessBaseAPISetPageSegMode(engine, layout);
    TessBaseAPISetImage2(engine, pix);
    TessMonitorSetDeadlineMSecs(monitor, max_ms);
    int rc = TessBaseAPIRecognize(engine, monitor);
    TessMonitorDelete(monitor);
    return rc == 0;
}

/* Read an empty picture, so that what is opened at the first reading is open. */
static void warm_up(void)
{
    PIX *pix = pixCreate(64, 64, 8);

    pixSetAll(pix);
    (void)recognise(pix, PSM_AUTO, MAX_TIME_MS);
    TessBaseAPIClear(engine);
    pixDestroy(&pix);
}

const char *rf_ocr_start(void)
{
    use_one_thread();
    setMsgSeverity(L_SEVERITY_NONE);
    if (load(USUAL_LANGUAGE)) {
        warm_up();
        return NULL;
    }
    return "the language data of Tesseract is not installed (tesseract-ocr-eng)";
}

/* "eng+chi_sim": names, never paths. */
static bool is_language(struct rf_str s)
{
    if (!s.n || s.n >= MAX_LANGUAGES)
        return false;
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        bool letter = rf_is_alnum(c);
        if (!letter && c != '_' && c != '+')
            return false;
    }
    return true;
}

static bool choose_language(const struct rf_ask *ask, struct rf_answer *to)
{
    struct rf_str wish = rf_ask_str(ask, "languages");

    if (!wish.n)
        wish = RF_STR(USUAL_LANGUAGE);
    if (!is_language(wish)) {
        rf_answer_fail(to, RF_EUSAGE, "", "the languages of the text are not named as \"eng+deu\"");
        return false;
    }
    if (load(rf_cstr(ask->arena, wish)))
        return true;
    rf_answer_fail(to, RF_ECONFIG, "Install Tesseract's data for it, such as tesseract-ocr-deu.",
                   "text in \"%.*s\" cannot be read: its data is not installed", (int)wish.n,
                   wish.p);
    return false;
}

struct box {
    int left, top, right, bottom;
};

/* A line as it is gathered. */
struct line {
    struct rf_buf text;
    float sum;
    int words, letters;
    struct box last; /* the word before */
};

struct block {
    struct box box;
    int lines, words;
};

struct page {
    struct rf_buf text;
    double sum; /* of all words, also of those in lines that were left out */
    int words;
    bool gap; /* a paragraph ended */
    struct block blocks[MAX_BLOCKS];
    size_t n;
};

static struct box box_of(TessPageIterator *place, TessPageIteratorLevel level)
{
    struct box box = { 0 };
    (void)TessPageIteratorBoundingBox(place, level, &box.left, &box.top, &box.right, &box.bottom);
    return box;
}

static int letters_in(const char *word)
{
    int n = 0;
    for (; *word; word++)
        n += rf_is_digit(*word) || ((*word | 32) >= 'a' && (*word | 32) <= 'z') ||
             (unsigned char)*word >= 0xC0; /* the first byte of a character outside ASCII */
    return n;
}

static bool is_line_worth(const struct line *line)
{
    if (!line->words || !line->letters)
        return false;
    float mean = line->sum / (float)line->words;
    return mean >= (line->letters < SHORT_LINE ? MIN_SHORT : MIN_LINE);
}

static void end_line(struct line *line, struct page *page)
{
    if (is_line_worth(line)) {
        if (page->text.n)
            rf_buf_add(&page->text, page->gap ? RF_STR("\n\n") : RF_STR("\n"));
        rf_buf_add(&page->text, (struct rf_str){ line->text.p, line->text.n });
        page->gap = false;
    }
    if (line->letters) {
        page->sum += (double)line->sum;
        page->words += line->words;
    }
    line->text.n = 0;
    line->sum = 0;
    line->words = line->letters = 0;
}

static bool is_cell_apart(const struct box *left, const struct box *right)
{
    int height = left->bottom - left->top;
    return (float)(right->left - left->right) > CELL_GAP * (float)height;
}

static void add_word(TessResultIterator *at, struct line *line)
{
    struct box box = box_of(TessResultIteratorGetPageIterator(at), RIL_WORD);
    float sure = TessResultIteratorConfidence(at, RIL_WORD);
    char *word = TessResultIteratorGetUTF8Text(at, RIL_WORD);
    int letters = word ? letters_in(word) : 0;

    if (!word || rf_str_blank(rf_str(word)) || (sure < MIN_WORD && letters < SHORT_LINE)) {
        TessDeleteText(word);
        return;
    }
    if (line->words)
        rf_buf_add(&line->text, is_cell_apart(&line->last, &box) ? RF_STR(" | ") : RF_STR(" "));
    rf_buf_add(&line->text, rf_str(word));
    line->letters += letters;
    line->sum += sure;
    line->words++;
    line->last = box;
    TessDeleteText(word);
}

/* What is known of the blocks, for a look at how the page is laid out. */
static void count(TessPageIterator *place, struct page *page)
{
    if (TessPageIteratorIsAtBeginningOf(place, RIL_BLOCK) && page->n < MAX_BLOCKS)
        page->blocks[page->n++] = (struct block){ .box = box_of(place, RIL_BLOCK) };
    if (!page->n)
        return;
    struct block *block = &page->blocks[page->n - 1];
    block->lines += TessPageIteratorIsAtBeginningOf(place, RIL_TEXTLINE) ? 1 : 0;
    block->words++;
}

static void gather(TessResultIterator *at, struct rf_arena *a, struct page *page)
{
    TessPageIterator *place = TessResultIteratorGetPageIterator(at);
    struct line line = { 0 };

    rf_buf_init(&line.text, a, MAX_TEXT);
    do {
        if (TessPageIteratorIsAtBeginningOf(place, RIL_TEXTLINE))
            end_line(&line, page);
        if (TessPageIteratorIsAtBeginningOf(place, RIL_PARA))
            page->gap = true;
        count(place, page);
        add_word(at, &line);
    } while (TessResultIteratorNext(at, RIL_WORD));
    end_line(&line, page);
}

/* Read the picture in one of the two ways; false where it took too long. */
static bool read_page(PIX *pix, TessPageSegMode layout, int max_ms, struct rf_arena *a,
                      struct page *page)
{
    *page = (struct page){ 0 };
    rf_buf_init(&page->text, a, MAX_TEXT);
    bool all = recognise(pix, layout, max_ms);
    TessResultIterator *at = TessBaseAPIGetIterator(engine);
    if (at)
        gather(at, a, page);
    TessResultIteratorDelete(at);
    TessBaseAPIClear(engine);
    return all;
}

static bool is_prose(const struct block *block)
{
    return block->lines >= PROSE_LINES && block->words >= PROSE_WORDS * block->lines;
}

static bool is_beside(const struct box *a, const struct box *b)
{
    return a->top < b->bottom && b->top < a->bottom && (a->right <= b->left || b->right <= a->left);
}

/* Do blocks stand side by side that are not columns of running text? */
static bool is_table(const struct page *page)
{
    bool beside = false;

    for (size_t i = 0; i < page->n; i++)
        for (size_t k = 0; k < page->n; k++) {
            if (i == k || !is_beside(&page->blocks[i].box, &page->blocks[k].box))
                continue;
            if (is_prose(&page->blocks[i]))
                return false;
            beside = true;
        }
    return beside;
}

static void read_text(PIX *pix, const struct rf_ask *ask, struct rf_answer *to)
{
    struct page *page = RF_NEW(ask->arena, struct page);
    struct page *rows = RF_NEW(ask->arena, struct page);
    int64_t start = rf_now_ms();
    bool all = read_page(pix, PSM_AUTO, MAX_TIME_MS, ask->arena, page);

    if (all && is_table(page) && rf_now_ms() - start < AGAIN_MS &&
        read_page(pix, PSM_SINGLE_BLOCK, AGAIN_MS, ask->arena, rows))
        page = rows;
    rf_answer_part(to, "kind=text\nlanguages=%s\nconfidence=%d\n", loaded,
                   page->words ? (int)(page->sum / page->words) : 0);
    rf_answer_text(to, (struct rf_str){ page->text.p ? page->text.p : "", page->text.n });
    if (!all)
        rf_answer_note(to, "reading the text of the picture took too long: some of it is missing");
    if (page->text.full)
        rf_answer_note(to, "the text of the picture is too long: some of it is missing");
}

void rf_ocr_answer(const struct rf_ask *ask, struct rf_answer *to)
{
    struct rf_str bytes;

    if (!rf_ask_is(ask, "op", "text")) {
        rf_answer_fail(to, RF_EUSAGE, "", "OCR knows no such operation");
        return;
    }
    if (!rf_ask_map(ask, &bytes, to) || !choose_language(ask, to))
        return;
    PIX *pix = rf_ocr_picture(bytes, to);
    if (pix)
        read_text(pix, ask, to);
    pixDestroy(&pix);
}
