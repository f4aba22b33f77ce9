// Copies elements of type In to type Out, from boxes of any strides and bounds. A thread writes
// pieces of adjacent elements. It reads a piece at once if the elements are adjacent in memory, too
// (RUNS), as they are in boxes with folding.
#include "strided.cuh"

constexpr int LARGEST = sizeof(Out) > sizeof(In) ? sizeof(Out) : sizeof(In);
constexpr int LANES = 16 / LARGEST, BYTES = LANES * sizeof(In), READ = BYTES < 4 ? 4 : BYTES;

template <class A, class B>
struct Same {
    static constexpr bool value = false;
};
template <class A>
struct Same<A, A> {
    static constexpr bool value = true;
};

// Converts like operators/elementwise/target_dtype.py: truncates fractions, and keeps floats
// finite.
template <class T, class S>
__device__ inline T cut_off(S value) {
    if constexpr (Same<T, S>::value) {
        return value;
    } else if constexpr (Type<T>::kind == FLOATING && Type<S>::kind != BOOL) {
        constexpr double most = sizeof(T) == 2 ? 65504.0 : 3.4028234663852886e38;
        if constexpr (sizeof(T) == 8 || sizeof(T) > sizeof(S) ||
                      (sizeof(T) == 4 && Type<S>::kind != FLOATING))
            return saturated<T>(value);
        const double wide = (double)value;
        return (T)(wide > most ? most : wide < -most ? -most : wide);
    } else if constexpr (Type<S>::kind == FLOATING && Type<T>::kind != BOOL) {
        typedef typename Wide<S>::type W;
        return saturated<T>((W)trunc((W)value));
    } else {
        return saturated<T>(value);
    }
}

// Inserts an element among others.
__device__ inline void put(unsigned* words, int place, In value) {
    constexpr int SIZE = sizeof(In);
    unsigned bits[SIZE < 4 ? 1 : SIZE / 4] = {};
    memcpy(bits, &value, SIZE);
    if constexpr (SIZE < 4) bits[0] = words[place * SIZE / 4] | bits[0] << 8 * (place * SIZE % 4);
    memcpy(words + place * SIZE / 4, bits, sizeof bits);
}

// Reads elements low..high-1 of the elements that start at index `at` of a run.
__device__ inline void read(const Run& run, Index at, i64 stride, int low, int high,
                            unsigned (&words)[READ / 2]) {
    constexpr int SIZE = sizeof(In);
    const u64 from = run.in[0] + at * (RUNS ? SIZE : stride);
    if constexpr (RUNS) {
        load<READ, SIZE>(from, low * SIZE, high * SIZE, words);
    } else {
#pragma unroll
        for (int j = 0; j < LANES; j++)
            if (low <= j && j < high) put(words, j, *(const In*)(from + j * stride));
    }
}

// Reads those that stand for these.
__device__ inline void read_folded(const Box& box, const Run& run, Index at, unsigned* words) {
    Folding folding(at, box.low[LAST], box.high[LAST], box.unit[LAST]);
#pragma unroll
    for (int j = 0; j < LANES; j++, folding.next())
        put(words, j, ((const In*)run.in[0])[folding.at()]);
}

// Fills in missing elements, if dimension `channels` exists, with the value in `fills` for the
// index of this dimension. In the last dimension, each value serves `each` elements.
extern "C" __global__ void __launch_bounds__(256, 8)
    move_elements(const Box* boxes, const Out* fills, int channels, int each) {
    const Box box = boxes[blockIdx.y];
    const Pieces<LANES, sizeof(Out)> pieces(box);
    // Of each run, how many pieces surely need no folding, and how many others are before these.
    const Index extent = box.extent[LAST], first = box.low[LAST], end = box.high[LAST];
    Index before = 0, inside = pieces.of_run;
    if (BOUNDS > PAD) {
        if (first > 0) before = min((min(first, extent) + 2 * LANES - 2) / LANES, inside);
        if (end < extent) inside = max(end, before * LANES) / LANES;
    }
    inside -= before;
    const Index all_inside = runs_of(box) * inside;
    for (Index item = first_element(); item < pieces.count; item += element_step()) {
        // The former of all runs come first: threads of a warp do the same.
        const bool folded = BOUNDS > PAD && item >= all_inside;
        const Index of_run = folded ? pieces.of_run - inside : inside;
        const Index place = folded ? item - all_inside : item, number = divided(place, of_run);
        const Index other = place - number * of_run, skipped = folded ? inside : before;
        const bool left = folded && other < before;
        const Piece<LANES, sizeof(Out)> piece(box, number, left ? other : other + skipped);
        if (piece.from >= piece.to) continue;
        const Run& run = piece.run;
        const int low = max((Index)piece.from, run.low - piece.at);
        const int high = min((Index)piece.to, run.high - piece.at);
        unsigned words[READ / 2] = {};
        if (folded)
            read_folded(box, run, piece.at, words);
        else
            read(run, piece.at, box.stride[0][LAST], low, high, words);
        Out made[LANES];
        if constexpr (Same<In, Out>::value) {
            memcpy(made, words, BYTES);
        } else {
            In values[LANES];
            memcpy(values, words, BYTES);
#pragma unroll
            for (int j = 0; j < LANES; j++) made[j] = cut_off<Out>(values[j]);
        }
        if (BOUNDS == PAD && (low > piece.from || high < piece.to)) {
            Out fill;
            memcpy(&fill, &box.fill, sizeof fill);
            for (int d = 0; d < LAST; d++)
                if (d == channels) fill = fills[run.index[d]];
#pragma unroll
            for (int j = 0; j < LANES; j++)
                if (piece.from <= j && j < piece.to && (j < low || j >= high))
                    made[j] = channels == LAST ? fills[(piece.at + j) % each] : fill;
        }
        constexpr int SIZE = sizeof(Out);
        unsigned packed[4];
        memcpy(packed, made, sizeof made);
        store<sizeof made>(run.out + piece.at * SIZE, packed, piece.from * SIZE, piece.to * SIZE);
    }
}
