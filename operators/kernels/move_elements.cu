// Copies elements of type In to type Out, from boxes of any strides and bounds. A thread makes packs
// of neighbours, which it reads together if they are neighbours in memory too (RUNS), as they are
// wherever elements are found by folding.
#include "strided.cuh"
#include "lanes.cuh"

constexpr int LARGEST = sizeof(Out) > sizeof(In) ? sizeof(Out) : sizeof(In);
constexpr int LANES = 16 / LARGEST, BYTES = LANES * sizeof(In);
constexpr int WORDS = (BYTES + (sizeof(In) < 4 ? 7 - sizeof(In) : 3)) / 4;

template <class A, class B>
struct Same {
    static constexpr bool value = false;
};
template <class A>
struct Same<A, A> {
    static constexpr bool value = true;
};

// As operators/_convert.py does it: fractions are cut off, floats stay finite.
template <class T, class S>
__device__ inline T cut_off(S value) {
    if constexpr (Same<T, S>::value) {
        return value;
    } else if constexpr (Type<T>::kind == FLOATING && Type<S>::kind != BOOL) {
        constexpr double most = sizeof(T) == 2 ? 65504.0 : 3.4028234663852886e38;
        if constexpr (sizeof(T) == 8 || sizeof(T) > sizeof(S) ||
                      (sizeof(T) == 4 && Type<S>::kind != FLOATING))
            return saturated<T>(value);
        double wide = (double)value;
        return (T)(float)(wide > most ? most : wide < -most ? -most : wide);
    } else if constexpr (Type<S>::kind == FLOATING && Type<T>::kind != BOOL) {
        typedef typename Wide<S>::type W;
        return saturated<T>((W)trunc((W)value));
    } else {
        return saturated<T>(value);
    }
}

// Reads elements low..high-1 of those that begin at place `at` of a run.
__device__ inline void read(const Run& run, Index at, i64 stride, int low, int high, In* values) {
    constexpr int SIZE = sizeof(In);
    const u64 from = run.in[0] + at * (RUNS ? SIZE : stride);
    if constexpr (RUNS) {
        const int skip = SIZE < 4 ? (int)(from & 3) : 0;
        unsigned words[WORDS];
#pragma unroll
        for (int k = 0; k < WORDS; k++)  // none without a byte that is needed
            if (low < high && low * SIZE < 4 * k + 4 - skip && 4 * k - skip < high * SIZE)
                words[k] = __ldg((const unsigned*)(from - skip) + k);
#pragma unroll
        for (int k = 0; k < WORDS && SIZE < 4; k++)
            words[k] = __funnelshift_r(words[k], k + 1 < WORDS ? words[k + 1] : 0, 8 * skip);
        memcpy(values, words, BYTES);
    } else {
#pragma unroll
        for (int j = 0; j < LANES; j++)
            if (low <= j && j < high) values[j] = *(const In*)(from + j * stride);
    }
}

// Makes the elements that are there, and those that are filled in: if dimension `channels` is one,
// with what `fills` has for each of its indices, or, if it is the last one, for each of `each`
// elements.
__device__ inline void make_packs(const Box& box, const Out* fills, int channels, int each) {
    const Pieces<LANES, sizeof(Out)> pieces(box);
    for (Index item = first_element(); item < pieces.count; item += element_step()) {
        const Piece<LANES, sizeof(Out)> piece(box, pieces, item);
        const Run& run = piece.run;
        const int low = max((Index)piece.from, run.low - piece.at);
        const int high = min((Index)piece.to, run.high - piece.at);
        In values[LANES];
        read(run, piece.at, box.stride[0][LAST], low, high, values);
        Pack<Out, LANES> pack;
#pragma unroll
        for (int j = 0; j < LANES; j++) pack.values[j] = cut_off<Out>(values[j]);
        if (BOUNDS == PAD && (low > piece.from || high < piece.to)) {
            Out fill;
            memcpy(&fill, &box.fill, sizeof fill);
            for (int d = 0; d < LAST; d++)
                if (d == channels) fill = fills[run.index[d]];
#pragma unroll
            for (int j = 0; j < LANES; j++)
                if (piece.from <= j && j < piece.to && (j < low || j >= high))
                    pack.values[j] = channels == LAST ? fills[(piece.at + j) % each] : fill;
        }
        const bool padded = BOUNDS == PAD;
        const Lanes lanes = {0, padded ? piece.from : low, padded ? piece.to : high};
        lanes.write((Out*)run.out + piece.at, pack);
    }
}

// Makes what else a run has: elements that are found by folding. A thread makes those of a step, or
// one if a step has many.
__device__ inline void make_rims(const Box& box) {
    const Index extent = box.extent[LAST], low = box.low[LAST], high = box.high[LAST];
    const Index unit = box.unit[LAST], together = unit <= LANES ? unit : 1;
    const Index before = min(max(low, (Index)0), extent);
    const Index inside = max((Index)0, min(high, extent) - before);
    const Index items = divided(extent - inside, together), runs = runs_of(box);
    for (Index item = first_element(); item < runs * items; item += element_step()) {
        const Index number = divided(item, items), place = (item - number * items) * together;
        const Index at = place < before ? place : place + inside;
        const Run run = run_of(box, number);
        const In* from = (const In*)run.in[0] + folded(at, low, high, unit);
#pragma unroll 4
        for (int k = 0; k < together; k++) ((Out*)run.out)[at + k] = cut_off<Out>(from[k]);
    }
}

extern "C" __global__ void __launch_bounds__(256, 8)
    move_elements(const Box* boxes, const Out* fills, int channels, int each) {
    const Box box = boxes[blockIdx.y];
    if (BOUNDS > PAD && blockIdx.z)
        make_rims(box);
    else
        make_packs(box, fills, channels, each);
}
