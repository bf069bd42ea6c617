/* Tesseract is slow to load and slow to read, so its data is loaded before the sandbox closes and
 * kept.
 *
 * It would use OpenMP with as many threads as it likes, which on a busy machine is six to nine
 * times slower than one. The variable OMP_THREAD_LIMIT is read before main() begins, too early for
 * us; so parallel regions are switched off by a call, in whichever OpenMP library was loaded.
 *
 * Tesseract finds letters in every photograph of leaves. A line is kept when it is sure of most of
 * it, and then whole: a word that is misread says more than one that is missing. */
#include "worker/ocr/ocr.h"

#include "worker/ocr/picture.h"

#include "base/buf.h"

#include <dlfcn.h>
#include <tesseract/capi.h>

#define USUAL_LANGUAGE "eng"
#define MAX_LANGUAGES 64 /* characters */
#define MAX_TIME_MS 40000
#define MAX_TEXT ((size_t)1 << 20)
#define MIN_WORD 10.0f /* of 100: below, what is short is not a word but a smudge */
#define MIN_LINE 60.0f
#define SHORT_LINE 4 /* letters and digits: fewer say little, so of those it must be sure */
#define MIN_SHORT 85.0f

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
    TessBaseAPISetPageSegMode(engine, PSM_AUTO);
    snprintf(loaded, sizeof loaded, "%s", languages);
    return true;
}

/* False: it took too long, and what is there is not all. */
static bool recognise(PIX *pix)
{
    ETEXT_DESC *monitor = TessMonitorCreate();

    TessBaseAPISetImage2(engine, pix);
    TessMonitorSetDeadlineMSecs(monitor, MAX_TIME_MS);
    int rc = TessBaseAPIRecognize(engine, monitor);
    TessMonitorDelete(monitor);
    return rc == 0;
}

/* Read an empty picture, so that what is opened at the first reading is open. */
static void warm_up(void)
{
    PIX *pix = pixCreate(64, 64, 8);

    pixSetAll(pix);
    (void)recognise(pix);
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
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
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

/* A line as it is gathered. */
struct line {
    struct rf_buf text;
    float sum;
    int words, letters;
};

struct page {
    struct rf_buf text;
    double sum;
    int words;
    bool gap; /* a paragraph ended */
};

static int letters_in(const char *word)
{
    int n = 0;
    for (; *word; word++)
        n += (*word >= '0' && *word <= '9') || ((*word | 32) >= 'a' && (*word | 32) <= 'z') ||
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
        page->sum += (double)line->sum;
        page->words += line->words;
        page->gap = false;
    }
    line->text.n = 0;
    line->sum = 0;
    line->words = line->letters = 0;
}

static void add_word(TessResultIterator *at, struct line *line)
{
    float sure = TessResultIteratorConfidence(at, RIL_WORD);
    char *word = TessResultIteratorGetUTF8Text(at, RIL_WORD);
    int letters = word ? letters_in(word) : 0;

    if (!word || (sure < MIN_WORD && letters < SHORT_LINE)) {
        TessDeleteText(word);
        return;
    }
    if (line->words)
        rf_buf_addc(&line->text, ' ');
    rf_buf_add(&line->text, rf_str(word));
    line->letters += letters;
    line->sum += sure;
    line->words++;
    TessDeleteText(word);
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
        add_word(at, &line);
    } while (TessResultIteratorNext(at, RIL_WORD));
    end_line(&line, page);
}

static void read_text(PIX *pix, const struct rf_ask *ask, struct rf_answer *to)
{
    struct page page = { 0 };

    rf_buf_init(&page.text, ask->arena, MAX_TEXT);
    bool all = recognise(pix);
    TessResultIterator *at = TessBaseAPIGetIterator(engine);
    if (at)
        gather(at, ask->arena, &page);
    TessResultIteratorDelete(at);
    TessBaseAPIClear(engine);
    rf_answer_part(to, "kind=text\nlanguages=%s\nconfidence=%d\n", loaded,
                   page.words ? (int)(page.sum / page.words) : 0);
    rf_answer_text(to, (struct rf_str){ page.text.p ? page.text.p : "", page.text.n });
    if (!all)
        rf_answer_note(to, "reading the text of the picture took too long: some of it is missing");
    if (page.text.full)
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
