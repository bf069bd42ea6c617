/* The terminal's modes, its size, its other screen, and writing to it.
 *
 * What is typed is tty_input.c's, signals are tty_signals.c's, putting back is tty_guard.c's.
 * Output is left to the terminal driver as it was (a line feed returns the carriage), so that
 * whatever prints in between is readable.
 */
#include "term/tty.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "term/tty_inside.h"

#define MOST_COPIED 74994 /* bytes for the clipboard: what xterm and others take */
#define USUAL_COLUMNS 80
#define USUAL_ROWS 24
#define LEAST_SIZE 2
#define MOST_SIZE 1000
#define LAST_ANSWERS_MS 300

static int sensible(long size, int usual)
{
    return size < 1            ? usual
           : size < LEAST_SIZE ? LEAST_SIZE
           : size > MOST_SIZE  ? MOST_SIZE
                               : (int)size;
}

static long number_of(const char *variable)
{
    const char *value = getenv(variable);
    return value ? strtol(value, NULL, 10) : 0;
}

/* From the terminal; from COLUMNS and LINES where it does not know. */
void rf_tty_measure(struct rf_tty *t)
{
    struct winsize size = { 0 };
    ioctl(t->out, TIOCGWINSZ, &size);
    t->columns = sensible(size.ws_col ? size.ws_col : number_of("COLUMNS"), USUAL_COLUMNS);
    t->rows = sensible(size.ws_row ? size.ws_row : number_of("LINES"), USUAL_ROWS);
    if (size.ws_xpixel && size.ws_ypixel && size.ws_col && size.ws_row) {
        int width = size.ws_xpixel / size.ws_col, height = size.ws_ypixel / size.ws_row;
        t->cell_width = width && height ? width : 0;
        t->cell_height = width && height ? height : 0;
        if (t->answers.done) /* it is older */
            t->answers.cell_width = 0;
    }
}

static enum rf_code fail(struct rf_err *err, const char *what)
{
    if (err) {
        *err = (struct rf_err){ .code = RF_EUSAGE };
        snprintf(err->msg, sizeof err->msg, "%s", what);
        snprintf(err->hint, sizeof err->hint, "Run it in a terminal.");
    }
    return RF_EUSAGE;
}

enum rf_code rf_tty_open(struct rf_tty *t, struct rf_err *err)
{
    *t = (struct rf_tty){
        .in = STDIN_FILENO, .out = STDOUT_FILENO, .wake = { -1, -1 }, .guard = { -1, -1 }
    };
    if (!isatty(t->in) || !isatty(t->out))
        t->in = t->out = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (t->in < 0)
        return fail(err, "there is no terminal to draw on");
    if (pipe2(t->wake, O_CLOEXEC | O_NONBLOCK) != 0) {
        if (t->in > STDERR_FILENO)
            close(t->in);
        return fail(err, "could not make a pipe for signals");
    }
    rf_theme_detect(&t->theme, t->out);
    rf_tty_measure(t);
    t->opened = true;
    return RF_OK;
}

void rf_tty_close(struct rf_tty *t)
{
    if (!t->opened)
        return;
    t->opened = false;
    if (t->alternate)
        rf_tty_main_screen(t);
    rf_tty_cooked(t);
    rf_tty_guard_end(t);
    close(t->wake[0]);
    close(t->wake[1]);
    t->wake[0] = t->wake[1] = -1;
    if (t->in > STDERR_FILENO)
        close(t->in);
    rf_buffer_release(&t->typed);
}

static void write_text(struct rf_tty *t, const char *text)
{
    if (!t->theme.plain)
        rf_tty_write(t, (struct rf_str){ text, strlen(text) });
}

/* Keys as they are typed; output as it was. */
static struct termios as_raw(struct termios modes)
{
    modes.c_iflag &=
        ~(tcflag_t)(IGNBRK | BRKINT | PARMRK | ISTRIP | INLCR | IGNCR | ICRNL | IXON | INPCK);
    modes.c_lflag &= ~(tcflag_t)(ECHO | ECHONL | ICANON | ISIG | IEXTEN);
    modes.c_cc[VMIN] = 1;
    modes.c_cc[VTIME] = 0;
    return modes;
}

/* The driver may not take all of it: what it took is what we compare with later. */
static void set_raw(struct rf_tty *t)
{
    struct termios modes = as_raw(rf_tty_kept->before);
    while (tcsetattr(t->in, TCSADRAIN, &modes) != 0 && errno == EINTR)
        ;
    if (tcgetattr(t->in, &rf_tty_kept->raw) != 0)
        rf_tty_kept->raw = modes;
    rf_tty_kept->ours = 1;
    if (t->alternate) {
        rf_tty_kept->alternate = 1;
        write_text(t, "\033[?1049h");
    }
    write_text(t, "\033[?2004h");
}

void rf_tty_raw(struct rf_tty *t)
{
    if (t->raw)
        return;
    rf_tty_guard_start(t);
    if (tcgetattr(t->in, &rf_tty_kept->before) != 0) {
        t->gone = true;
        return;
    }
    t->raw = true;
    rf_tty_signals_on(t);
    set_raw(t);
    rf_tty_measure(t);
}

/* Somebody stopped the program and let it go on: the terminal may have any modes. */
void rf_tty_raw_again(struct rf_tty *t)
{
    if (t->raw)
        set_raw(t);
    rf_tty_measure(t);
    t->continued = true;
}

/* Answers that are still on their way would be typed into whatever comes after us. False where some
 * may be. */
static bool await_answers(struct rf_tty *t)
{
    long long end = rf_tty_now_ms() + LAST_ANSWERS_MS, now;
    if (!t->answers.asked || t->answered)
        return true;
    while (!t->answers.done && !t->gone && (now = rf_tty_now_ms()) < end)
        rf_tty_take(t, (int)(end - now));
    return t->answers.done;
}

void rf_tty_cooked(struct rf_tty *t)
{
    if (!t->raw)
        return;
    bool is_complete = await_answers(t);
    write_text(t, "\033[?2004l\033[?7h\033[?25h");
    if (t->alternate)
        write_text(t, "\033[?1049l");
    rf_tty_kept->alternate = 0;
    while (tcsetattr(t->in, is_complete ? TCSADRAIN : TCSAFLUSH, &rf_tty_kept->before) != 0 &&
           errno == EINTR)
        ;
    rf_tty_kept->ours = 0;
    rf_tty_signals_off();
    t->raw = false;
}

void rf_tty_alternate(struct rf_tty *t)
{
    if (t->alternate || t->theme.plain)
        return;
    t->alternate = true;
    if (t->raw)
        rf_tty_kept->alternate = 1;
    write_text(t, "\033[?1049h");
}

void rf_tty_main_screen(struct rf_tty *t)
{
    if (!t->alternate)
        return;
    write_text(t, "\033[?1049l");
    t->alternate = false;
    if (rf_tty_kept)
        rf_tty_kept->alternate = 0;
}

/* The whole job stops, as the terminal does it: a pager after a pipe too. */
void rf_tty_suspend(struct rf_tty *t)
{
    bool was_raw = t->raw;
    rf_tty_cooked(t);
    kill(0, SIGTSTP);
    if (was_raw)
        rf_tty_raw(t);
    t->continued = true;
}

/* Those that would show a question instead of answering it. */
static bool is_mute(void)
{
    static const char *const names[] = { "linux", "eterm", "vt", "ansi", "cons", "sun" };
    const char *term = getenv("TERM"), *program = getenv("TERM_PROGRAM");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (term && strncmp(term, names[i], strlen(names[i])) == 0)
            return true;
    return program && strcmp(program, "Apple_Terminal") == 0;
}

/* tmux and screen answer for themselves, and would take Kitty's question for a title. */
static bool is_inside_another(void)
{
    const char *term = getenv("TERM");
    return getenv("TMUX") || getenv("STY") ||
           (term && (strncmp(term, "tmux", 4) == 0 || strncmp(term, "screen", 6) == 0));
}

static void add_base64(struct rf_buffer *out, struct rf_str s)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < s.n; i += 3) {
        size_t n = s.n - i < 3 ? s.n - i : 3;
        unsigned bits = 0;
        for (size_t k = 0; k < 3; k++)
            bits = bits << 8 | (k < n ? (unsigned char)s.p[i + k] : 0U);
        for (size_t k = 0; k < 4; k++)
            rf_buffer_add(out, k <= n ? &digits[bits >> (18 - 6 * k) & 63] : "=", 1);
    }
}

bool rf_tty_copy(struct rf_tty *t, struct rf_str text)
{
    struct rf_buffer out = { 0 };
    if (t->theme.plain || is_mute() || text.n > MOST_COPIED)
        return false;
    rf_buffer_text(&out, "\033]52;c;");
    add_base64(&out, text);
    rf_buffer_text(&out, "\033\\");
    bool written = rf_tty_write(t, rf_buffer_view(&out));
    rf_buffer_release(&out);
    return written;
}

void rf_tty_ask(struct rf_tty *t)
{
    if (t->answers.asked || t->answered)
        return;
    if (t->theme.plain || !t->raw || is_mute()) {
        t->answered = true;
        return;
    }
    t->answers.asked = true;
    t->asked_ms = rf_tty_now_ms();
    write_text(t, is_inside_another() ? rf_answers_questions_inside() : rf_answers_questions());
}

enum rf_graphics rf_tty_graphics(const struct rf_tty *t)
{
    if (t->theme.plain)
        return RF_GRAPHICS_NONE;
    /* First: WezTerm answers Kitty's question too, and then keeps the last picture only. */
    if (t->iterm)
        return RF_GRAPHICS_ITERM;
    if (t->kitty)
        return RF_GRAPHICS_KITTY;
    if (t->sixel)
        return RF_GRAPHICS_SIXEL;
    return t->theme.colours && t->theme.unicode ? RF_GRAPHICS_BLOCKS : RF_GRAPHICS_NONE;
}

static bool can_go_on(int fd)
{
    struct pollfd p = { .fd = fd, .events = POLLOUT };
    if (errno == EINTR)
        return true;
    return errno == EAGAIN && (poll(&p, 1, -1) >= 0 || errno == EINTR);
}

bool rf_tty_write(struct rf_tty *t, struct rf_str bytes)
{
    if (rf_tty_kept)
        rf_tty_kept->writing = 1;
    while (bytes.n && !t->gone) {
        ssize_t n = write(t->out, bytes.p, bytes.n);
        if (n < 0 && !can_go_on(t->out))
            t->gone = true;
        if (n > 0)
            bytes = (struct rf_str){ bytes.p + n, bytes.n - (size_t)n };
    }
    if (rf_tty_kept)
        rf_tty_kept->writing = 0;
    return !t->gone;
}
