// Copies single elements, of type In, to type Out; what lies outside of the bounds is filled in,
// or found by folding the index back into them (POLICY).
#include "strided.cuh"

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

__device__ inline i64 folded(i64 index, i64 low, i64 high) {
    i64 size = high - low, at = index - low;
    if (at >= 0 && at < size) return index;
    if constexpr (POLICY == EDGE) return at < 0 ? low : high - 1;
    i64 period = POLICY == WRAP           ? size
                 : POLICY == REFLECT_1001 ? 2 * size
                                          : max((i64)1, 2 * size - 2);
    at %= period;
    if (at < 0) at += period;
    if constexpr (POLICY == WRAP) return low + at;
    return low + min(at, (POLICY == REFLECT_1001 ? period - 1 : period) - at);
}

// `fills` has one value, or one for each index of dimension `channels`.
extern "C" __global__ void move_elements(const Result* results, const Source* sources,
                                         const Out* fills, int channels) {
    const Result r = results[blockIdx.y];
    const Source s = sources[blockIdx.y];
    const i64 first = first_element();
    if (first >= r.elements) return;
    i64 index[DIMS], step[DIMS];
    decompose(first, r.extent, index);
    decompose(element_step(), r.extent, step);
    for (i64 i = first; i < r.elements; i += element_step()) {
        u64 address = s.first;
        bool inside = true;
        i64 channel = 0;
#pragma unroll
        for (int d = 0; d < DIMS; d++) {
            i64 at = index[d];
            if constexpr (POLICY != PAD) at = folded(at, s.low[d], s.high[d]);
            inside = inside && s.low[d] <= at && at < s.high[d];
            address += at * s.stride[d];
            if (d == channels) channel = index[d];
        }
        ((Out*)r.out)[i] = inside ? cut_off<Out>(*(const In*)address) : fills[channel];
        advance(index, r.extent, step);
    }
}
