// Writes runs of pixels, of PIXEL bytes, from one or several sources. WIDTHS and STEPS have a byte
// for each source: its bytes in a pixel, and the bytes between its pixels. The remaining bytes of a
// pixel are filled in. A single source may also run backwards, with a negative last stride. Extents
// of the last dimension are in bytes; elements have GRAIN bytes.
#include "strided.cuh"

constexpr int of_part(u64 numbers, int part) { return (int)(numbers >> 8 * part & 255); }

constexpr int SEEN = (PIXEL - GRAIN + 15) / PIXEL + 1;  // pixels of which a piece may have bytes
constexpr int MADE = (PIXEL - GRAIN + 19) / 4;  // words that have them side by side
constexpr int MARGIN = 4;  // pixels: more bytes than a word has beside the one that is needed

// The words of a source that may have bytes of the pixels of a piece, and the further sources.
template <int NUMBER, int BEGIN>
struct Parts {
    static constexpr int WIDTH = of_part(WIDTHS, NUMBER), STEP = of_part(STEPS, NUMBER);
    static constexpr int WORDS = ((SEEN - 1) * STEP + WIDTH + (GRAIN < 4 ? 7 - GRAIN : 3)) / 4;
    unsigned words[WORDS], skip;
    Parts<NUMBER + 1, BEGIN + WIDTH> others;

    // The first pixel, in the order of memory, may be before the run.
    __device__ void read(const Run& run, Index lowest, Index pixels, bool backwards) {
        const bool inside = lowest >= MARGIN && lowest + SEEN + MARGIN <= pixels;
        const u64 from = run.in[NUMBER], first = backwards ? from - (u64)(pixels - 1) * STEP : from;
        const int before = first & 3;
        const Index start = before + lowest * STEP, word = start >> 2;
        const Index last = (before + (pixels - 1) * STEP + WIDTH - 1) >> 2;
        const unsigned* memory = (const unsigned*)(first - before);
        skip = start & 3;
        constexpr int LEAST = (SEEN - 1) * STEP + WIDTH;  // few threads need words behind these
#pragma unroll
        for (int k = 0; k < WORDS; k++)
            if (4 * k < LEAST || 4 * k < (int)skip + LEAST)
                words[k] = __ldg(memory + (inside ? word + k : max((Index)0, min(word + k, last))));
        others.read(run, lowest, pixels, backwards);
    }

    // Moves bytes to their offsets in adjacent pixels, in this order or reversed.
    template <bool BACKWARDS>
    __device__ void place(unsigned (&made)[MADE + 1]) {
#pragma unroll
        for (int k = 0; k < WORDS && GRAIN < 4; k++)
            words[k] = __funnelshift_r(words[k], k + 1 < WORDS ? words[k + 1] : 0, 8 * skip);
#pragma unroll
        for (int i = 0; i < MADE; i++)
#pragma unroll
            for (int k = 0; k < WORDS; k++) {
                unsigned selector = 0, some = 0;
#pragma unroll
                for (int j = 0; j < 4; j++) {
                    const int pixel = (4 * i + j) / PIXEL, at = 4 * i + j - pixel * PIXEL - BEGIN;
                    const int from = (BACKWARDS ? SEEN - 1 - pixel : pixel) * STEP + at;
                    const bool here = pixel < SEEN && 0 <= at && at < WIDTH && from / 4 == k;
                    selector |= (here ? 4 + from % 4 : j) << 4 * j;
                    some |= here;
                }
                if (some) made[i] = __byte_perm(made[i], words[k], selector);
            }
        others.template place<BACKWARDS>(made);
    }
};

template <int BEGIN>
struct Parts<PARTS, BEGIN> {
    __device__ void read(const Run&, Index, Index, bool) {}
    template <bool BACKWARDS>
    __device__ void place(unsigned (&)[MADE + 1]) {}
};

extern "C" __global__ void __launch_bounds__(256, 8) move_pixels(const Box* boxes) {
    const Box box = boxes[blockIdx.y];
    const bool backwards = PARTS == 1 && box.stride[0][LAST] < 0;
    const Index pixels = box.extent[LAST] / PIXEL;
    const Pieces<16, 1> pieces(box);
    for (Index item = first_element(); item < pieces.count; item += element_step()) {
        const Index number = divided(item, pieces.of_run);
        const Piece<16, 1> piece(box, number, item - number * pieces.of_run);
        if (piece.from >= piece.to) continue;
        const Index pixel = (piece.at + 16 * PIXEL) / PIXEL - 16;
        Parts<0, 0> parts;
        parts.read(piece.run, backwards ? pixels - SEEN - pixel : pixel, pixels, backwards);
        unsigned made[MADE + 1];
#pragma unroll
        for (int k = 0; k <= MADE; k++) made[k] = box.fill >> (k & 1 ? 32 : 0);
        if (backwards)
            parts.place<true>(made);
        else
            parts.place<false>(made);
        drop<PIXEL - GRAIN>(made, piece.at - pixel * PIXEL);
        store(piece.run.out + piece.at, made, piece.from, piece.to);
    }
}
