// Copies elements of type In to type Out, from boxes of any strides and bounds. Neighbours that
// are neighbours in memory too are read together.
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

// Elements one after the other, folded back into bounds in steps of `unit`.
struct Steps {
    Index low, count, unit, step, rest, start;

    __device__ Steps(Index low, Index high, Index unit, Index at) : low(low), unit(unit) {
        count = divided(high - low, unit);
        step = floored(at - low, unit);
        rest = at - low - step * unit;
        start = low + folded(step, count) * unit;
    }
    __device__ Index next() {
        const Index at = start + rest++;
        if (rest == unit) {
            rest = 0;
            start = low + folded(++step, count) * unit;
        }
        return at;
    }
};

// Reads bytes low..high-1 of those that begin at an address.
__device__ inline void read(u64 address, int low, int high, unsigned (&words)[WORDS]) {
    const int skip = sizeof(In) < 4 ? (int)(address & 3) : 0;
#pragma unroll
    for (int k = 0; k < WORDS; k++)
        if (low < 4 * k + 4 - skip && 4 * k - skip < high)
            words[k] = __ldg((const unsigned*)(address - skip) + k);
#pragma unroll
    for (int k = 0; k < WORDS && sizeof(In) < 4; k++)
        words[k] = __funnelshift_r(words[k], k + 1 < WORDS ? words[k + 1] : 0, 8 * skip);
}

// Where dimension `channels` is one, `fills` has a value for each of its indices, or, if it is the
// last one, for each of `each` elements.
extern "C" __global__ void __launch_bounds__(256, 8)
    move_elements(const Box* boxes, const Out* fills, int channels, int each) {
    const Box box = boxes[blockIdx.y];
    const i64 stride = box.stride[0][LAST];
    const Pieces<LANES, sizeof(Out)> pieces(box);
    for (Index item = first_element(); item < pieces.count; item += element_step()) {
        const Piece<LANES, sizeof(Out)> piece(box, pieces, item);
        const Run& run = piece.run;
        if (piece.from >= piece.to) continue;
        Out* out = (Out*)run.out + piece.at;
        const bool there = run.low <= piece.at + piece.from && piece.at + piece.to <= run.high;
        if (there && stride == sizeof(In)) {
            unsigned words[WORDS] = {};
            const u64 address = run.in[0] + piece.at * (i64)sizeof(In);
            read(address, piece.from * sizeof(In), piece.to * sizeof(In), words);
            In values[LANES];
            memcpy(values, words, sizeof values);
            Pack<Out, LANES> pack;
#pragma unroll
            for (int j = 0; j < LANES; j++) pack.values[j] = cut_off<Out>(values[j]);
            Lanes{0, piece.from, piece.to}.write(out, pack);
            continue;
        }
        Steps steps(run.low, run.high, box.unit[LAST], piece.at + piece.from);
#pragma unroll 4
        for (int j = piece.from; j < piece.to; j++) {
            const Index at = BOUNDS > PAD ? steps.next() : piece.at + j;
            if (BOUNDS == PAD && (at < run.low || at >= run.high)) {
                if (channels < 0) {
                    memcpy(out + j, &box.fill, sizeof(Out));
                    continue;
                }
                Index channel = (piece.at + j) % each;
#pragma unroll
                for (int d = 0; d < LAST; d++)
                    if (d == channels) channel = run.index[d];
                out[j] = fills[channel];
            } else {
                out[j] = cut_off<Out>(*(const In*)(run.in[0] + at * stride));
            }
        }
    }
}
