// Copies single elements, of type In, to type Out; what lies outside of the bounds is filled in,
// or found by folding the index back into them (POLICY). A thread makes groups of neighbours; those
// that are neighbours in memory too, which is so along the last RUN dimensions, are read together,
// and those of all its groups before any is used.
#include "strided.cuh"
#include "lanes.cuh"

constexpr int LANES = lanes_of(sizeof(Out) > sizeof(In) ? sizeof(Out) : sizeof(In));
constexpr int GROUPS = 4, BYTES = LANES * sizeof(In);

enum { PAD, EDGE, WRAP, REFLECT_1001, REFLECT_101 };

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

__device__ inline Index folded(Index index, Index low, Index high) {
    Index size = high - low, at = index - low;
    if (at >= 0 && at < size) return index;
    if constexpr (POLICY == EDGE) return at < 0 ? low : high - 1;
    Index period = POLICY == WRAP           ? size
                   : POLICY == REFLECT_1001 ? 2 * size
                                            : max((Index)1, 2 * size - 2);
    at %= period;
    if (at < 0) at += period;
    if constexpr (POLICY == WRAP) return low + at;
    return low + min(at, (POLICY == REFLECT_1001 ? period - 1 : period) - at);
}

// Where an element lies, 0 if it has to be filled in.
__device__ inline u64 origin(const Source& s, const Index* index) {
    u64 address = s.first;
    bool inside = true;
#pragma unroll
    for (int d = 0; d < DIMS; d++) {
        i64 at = index[d];
        if constexpr (POLICY != PAD) at = folded(index[d], s.low[d], s.high[d]);
        inside = inside && s.low[d] <= at && at < s.high[d];
        address += at * s.stride[d];
    }
    return inside ? address : 0;
}

// Where LANES neighbours lie, 0 if they are none in memory, or not all there.
__device__ inline u64 run(const Source& s, const Extents& extent, const Index* index) {
    constexpr int FIRST = DIMS - RUN;  // dimensions behind this one are whole
    u64 address = s.first;
    bool inside = RUN > 0;
    i64 left = 0;
#pragma unroll
    for (int d = 0; d < DIMS; d++) {
        inside = inside && s.low[d] <= index[d] && index[d] < s.high[d];
        address += index[d] * s.stride[d];
        left = d > FIRST ? left * extent[d] - index[d] : min((i64)extent[d], s.high[d]) - index[d];
    }
    return inside && left >= LANES ? address : 0;
}

// `fills` has one value, or one for each index of dimension `channels`.
extern "C" __global__ void __launch_bounds__(256, 4)
    move_elements(const Result* results, const Source* sources, const Out* fills, int channels) {
    const Result& r = results[blockIdx.y];
    const Source& s = sources[blockIdx.y];
    const Extents extent(r);
    Out* out = (Out*)r.out;
    const i64 elements = r.elements, groups = elements ? Lanes::count<Out, LANES>(out, elements) : 0;
    const i64 apart = blockDim.x, chunk = GROUPS * apart;
    for (i64 at = blockIdx.x * chunk + threadIdx.x; at < groups; at += gridDim.x * chunk) {
        Window<BYTES> windows[GROUPS];
        unsigned whole = 0;  // bits
#pragma unroll
        for (int k = 0; k < GROUPS; k++) {
            const Lanes lanes = Lanes::number<Out, LANES>(out, elements, at + k * apart);
            if (lanes.from > 0 || lanes.to < LANES) continue;
            Index index[DIMS];
            decompose(lanes.first, extent, index);
            const u64 from = run(s, extent, index);
            if (from == 0) continue;
            whole |= 1 << k;
            windows[k].read(from, from, from + BYTES);
        }
#pragma unroll
        for (int k = 0; k < GROUPS; k++) {
            if (!(whole >> k & 1)) continue;
            windows[k].align();
            In values[LANES];
            memcpy(values, windows[k].words, sizeof values);
            Pack<Out, LANES> pack;
#pragma unroll
            for (int j = 0; j < LANES; j++) pack.values[j] = cut_off<Out>(values[j]);
            const Lanes lanes = Lanes::number<Out, LANES>(out, elements, at + k * apart);
            *(Pack<Out, LANES>*)(out + lanes.first) = pack;
        }
#pragma unroll 1
        for (int k = 0; k < GROUPS; k++) {
            if (whole >> k & 1 || at + k * apart >= groups) continue;
            const Lanes lanes = Lanes::number<Out, LANES>(out, elements, at + k * apart);
            Index index[DIMS];
            decompose(lanes.first + lanes.from, extent, index);
            Pack<Out, LANES> pack;
#pragma unroll
            for (int j = 0; j < LANES; j++) {
                if (!lanes.has(j)) continue;
                const u64 from = origin(s, index);
                Index channel = 0;
#pragma unroll
                for (int d = 0; d < DIMS; d++)
                    if (d == channels) channel = index[d];
                pack.values[j] = from ? cut_off<Out>(*(const In*)from) : fills[channel];
                advance(index, extent, 1);
            }
            lanes.write(out, pack);
        }
    }
}
