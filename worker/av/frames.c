/* Pictures spread over the length of a video.
 *
 * The length is cut into as many slots as there are pictures to be had, and each slot gives one
 * frame: a key frame that lies well inside of it, or else the frame in its middle, in long slots
 * the first one that lies well inside, since all that comes before has to be decoded for nothing.
 * `time_ms` is always the time of the frame that was taken. */
#include "worker/av/operations.h"

#include "worker/av/picture.h"
#include "worker/av/reader.h"
#include "worker/av/walk.h"

#define USUAL_COUNT 8
#define MAX_COUNT 100
#define MAX_DECODED 1500 /* frames on the way to one picture: a minute at 25 a second */
/* In longer slots speed counts, and frames that no other frame needs are not decoded. */
#define LONG_SLOT_MS 3000
/* "Well inside" leaves out an eighth at both ends: videos like to begin in the dark. */
#define INSIDE(slot_ms) ((slot_ms)*3 / 8)

struct spread {
    struct rf_av_reader reader;
    struct rf_av_picture_wish wish;
    struct rf_answer *to;
    AVFrame *kept; /* the frame to be shown: the reader's own is gone at the end of a file */
    int64_t kept_ms, last_ms; /* its time, and that of the one before */
    int64_t slot_ms;
    bool seekable;
    int made;
};

static void keep(struct spread *s, int64_t slot_begin)
{
    av_frame_unref(s->kept);
    av_frame_move_ref(s->kept, s->reader.frame);
    s->kept_ms = s->reader.time_ms < 0 ? slot_begin : s->reader.time_ms;
}

/* Where to begin for a frame around `middle`: a key frame after it may be the only one inside. */
static int64_t seek_point(const struct spread *s, int64_t middle)
{
    int64_t inside = INSIDE(s->slot_ms);
    bool before = rf_av_key_before(&s->reader, middle) >= middle - inside;
    bool after = rf_av_key_before(&s->reader, middle + inside) > middle;
    return after && !before ? middle + inside : middle;
}

/* Decode up to a frame that will do, or take the last one before the end. False: there is none. */
static bool find(struct spread *s, int64_t middle)
{
    int64_t enough = middle - INSIDE(s->slot_ms);
    bool found = false;

    if (s->seekable && s->kept_ms < enough)
        s->seekable = rf_av_seek(&s->reader, seek_point(s, middle));
    for (int i = 0; i < MAX_DECODED && rf_av_next(&s->reader); i++) {
        keep(s, middle);
        found = true;
        int64_t goal = i == 0 || s->slot_ms > LONG_SLOT_MS ? enough : middle;
        if (s->kept_ms >= goal && s->kept_ms > s->last_ms)
            break;
    }
    return found && s->kept_ms > s->last_ms;
}

static void send_picture(struct spread *s)
{
    struct rf_av_picture picture;

    if (!rf_av_picture(s->reader.stream, s->kept, &s->wish, &picture))
        return;
    rf_answer_part(s->to, "kind=image\nmime=%s\nwidth=%d\nheight=%d\ntime_ms=%lld\n",
                   s->wish.png ? "image/png" : "image/jpeg", picture.width, picture.height,
                   (long long)s->kept_ms);
    rf_answer_bytes(s->to, picture.packet->data, (size_t)picture.packet->size);
    av_packet_free(&picture.packet);
    s->made++;
}

/* The file's own word, or what a walk to its end finds. */
static int64_t length_of(struct rf_av_input *in)
{
    struct rf_av_walk walk;
    int64_t said = rf_av_duration_ms(in);

    if (said)
        return said;
    rf_av_walk(in, &walk);
    rf_av_rewind(in);
    return rf_av_walked_ms(&walk);
}

static struct rf_av_picture_wish wish_of(const struct rf_ask *ask)
{
    int64_t side = rf_ask_int(ask, "max_side", 0), bytes = rf_ask_int(ask, "max_bytes", 0);
    struct rf_str types = rf_ask_str(ask, "types");

    return (struct rf_av_picture_wish){
        .max_side = side > 0 && side < INT32_MAX ? (int)side : 0,
        .max_bytes = bytes > 0 ? (size_t)bytes : 0,
        .png = types.n && !rf_str_contains(types, RF_STR("image/jpeg")),
    };
}

/* The stretch that is asked for: all of it, where nothing is said. */
struct stretch {
    int64_t start_ms, end_ms;
    bool named;
};

static struct stretch stretch_of(const struct rf_ask *ask, int64_t length_ms)
{
    int64_t start = rf_ask_int(ask, "start_ms", 0), end = rf_ask_int(ask, "end_ms", 0);
    bool named = start > 0 || end > 0;
    if (start < 0 || start >= length_ms)
        start = 0;
    if (end <= start || end > length_ms)
        end = length_ms;
    return (struct stretch){ start, end, named };
}

/* Pictures are of the middles of their slots. Of a stretch that is named they are of the
 * beginnings, since whoever names a second wants to see it; one alone is of the middle. */
static void run(struct spread *s, struct stretch t, int64_t count)
{
    int64_t length_ms = t.end_ms - t.start_ms;
    bool middle = !t.named || count == 1;

    s->slot_ms = length_ms / count;
    s->kept_ms = s->last_ms = -1;
    s->seekable = true;
    if (s->slot_ms > LONG_SLOT_MS)
        s->reader.codec->skip_frame = AVDISCARD_NONREF;
    for (int64_t i = 0; i < count && !rf_answer_over(s->to) && !rf_av_late(s->reader.in); i++) {
        if (find(s, t.start_ms + length_ms * (2 * i + middle) / (2 * count))) {
            s->last_ms = s->kept_ms;
            send_picture(s);
        }
        rf_answer_step(s->to, i + 1, count);
    }
}

void rf_av_frames(struct rf_av_input *in, const struct rf_ask *ask, struct rf_answer *to)
{
    struct spread s = { .wish = wish_of(ask), .to = to, .kept = av_frame_alloc() };
    int64_t count = rf_ask_int(ask, "count", 0);

    count = count <= 0 ? USUAL_COUNT : count > MAX_COUNT ? MAX_COUNT : count;
    if (s.kept && rf_av_reader_open(&s.reader, in, in->video, "video", to)) {
        rf_answer_fact(to, "sound", "%d", in->audio != NULL);
        run(&s, stretch_of(ask, length_of(in)), count);
        if (!s.made)
            rf_answer_fail(to, RF_EFORMAT, "",
                           "no picture of the video can be decoded: it is broken or cut off");
        else if (s.reader.broken)
            rf_answer_note(to, "parts of the video are broken and were left out");
        if (rf_av_late(in))
            rf_answer_note(to, "the video takes too long: only some of its pictures are here");
    }
    rf_av_reader_close(&s.reader);
    av_frame_free(&s.kept);
}
